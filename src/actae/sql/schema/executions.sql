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
    on_lapse text,                        -- while running; null: a lapsed lease is handed to the next claimer
    expires_at timestamptz,               -- when the key stops answering; null: never
    constraint executions_channel_key_unique primary key (channel_id, key_digest),
    constraint executions_status_known
        check (status in ('running', 'completed', 'failed', 'interrupted', 'cancelled', 'expired')),
    constraint executions_running_has_lease check ((status = 'running') = (lease_until is not null)),
    constraint executions_attempts_positive check (attempts >= 1),
    constraint executions_on_lapse_known check (on_lapse in ('ambiguous', 'after_dispatch'))
) with (fillfactor = 70);

-- All operations, newest first. It holds no column that changes.
create index executions_by_age on executions (created_at, channel_id, key_digest);

-- Only rows that may become ambiguous are in it. Nothing but `on_lapse` may be in its predicate: a status there
-- would take the updates in place from every operation. What has ended has no `on_lapse`.
create index executions_that_may_be_ambiguous on executions (created_at, channel_id, key_digest)
    where on_lapse = 'ambiguous';

-- What a worker reported after its operation had passed to another one, or had ended: the event at the cursor
-- holds it. One row per token, however often it repeats itself.
create table late_evidence (
    channel_id text collate "C" not null,
    key_digest uuid not null,
    token_digest bytea not null,
    cursor bigint not null,
    constraint late_evidence_pkey primary key (channel_id, key_digest, token_digest)
);
