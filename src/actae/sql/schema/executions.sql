-- The ledger: one row per logical operation. `key_digest` is the first 128 bits of the SHA-256 of
-- key_name; the public id is made of the same two columns, so one index serves every access.
-- Params, result and error are in the lifecycle events that the cursors point at.
-- No column that changes is indexed, so claim and complete update in place.
create table executions (
    channel_id text collate "C" not null,
    key_digest uuid not null,
    key_name text not null,
    tool_name text not null,
    fingerprint bytea not null,
    status text not null,
    attempts integer not null,
    token_digest bytea not null,          -- of the last claim token; the token itself is never stored
    lease_seconds integer not null,       -- as claimed; the default of a heartbeat
    lease_until timestamptz,              -- while running
    started_cursor bigint,                -- null only for the session fence, which writes no events
    started_event_id uuid,
    completed_cursor bigint,
    completed_event_id uuid,
    replay_emitted boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    completed_at timestamptz,
    constraint executions_channel_key_unique primary key (channel_id, key_digest),
    constraint executions_status_known
        check (status in ('running', 'completed', 'failed', 'interrupted', 'cancelled', 'expired')),
    constraint executions_running_has_lease check ((status = 'running') = (lease_until is not null)),
    constraint executions_attempts_positive check (attempts >= 1)
) with (fillfactor = 70);
