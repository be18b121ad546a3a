-- The one clock. Leases, due times and expiry are judged by it and by nothing else; clients
-- send durations, never instants. Tests replace the body to move time for every session at once.
create or replace function actae_now() returns timestamptz language sql volatile
as $$ select clock_timestamp() $$;
-- A channel is one run. What rarely changes is here; what every write changes is in channel_heads.
create table channels (
    channel_id text collate "C" not null,
    created_at timestamptz not null,
    display_name text,
    reason text,
    experiment_metadata json,
    closed_at timestamptz,
    deleted_at timestamptz,
    constraint channels_pkey primary key (channel_id)
);

-- The head is what a write must know of its channel, and what guards the write: each one moves
-- `revision` from the value it read, so two writers can never build on the same past.
-- Narrow and half empty, so that an update stays in its page and touches no index.
create table channel_heads (
    channel_id text collate "C" not null,
    revision bigint not null,
    cursor bigint not null,               -- of the newest event; 0 is none
    chain_hash bytea,                     -- of the newest event
    version bigint not null,              -- last snapshot number given out; never reused
    latest_version bigint not null,       -- newest snapshot that still exists; 0 is none
    latest_version_cursor bigint,         -- and the cursor it belongs to
    latest_step bigint not null,          -- highest step number recorded; 0 is none
    lifecycle text not null,
    active_at timestamptz not null,
    constraint channel_heads_pkey primary key (channel_id),
    constraint channel_heads_lifecycle_known check (lifecycle in ('open', 'closed', 'deleted'))
) with (fillfactor = 50);
-- The event log. Cursors are 1, 2, 3 … per channel without a gap, because the head gives them out
-- in the transaction that inserts the event.
-- JSON stays `json`, not `jsonb`: the text comes back as it was sent, whatever is in it.
create table events (
    channel_id text collate "C" not null,
    cursor bigint not null,
    event_id uuid not null,
    event_type text not null,
    actor text not null,
    agent_id text,
    user_id text,
    payload json not null,
    metadata json,
    depends_on uuid,
    dependencies json,                    -- all of them, as sent; depends_on is the first
    chain_hash bytea not null,            -- SHA-256 of the predecessor's hash and this event
    recorded_at timestamptz not null,
    constraint events_pkey primary key (channel_id, cursor)
);

-- Event ids are UUIDv7 of the database's time: one index finds an event by id and, read
-- backwards, lists the newest of all channels. It grows at its right edge only.
create index events_by_id on events (event_id);

-- An operation id names one write of its channel for as long as the channel exists. The digest
-- covers the namespace too: events and transitions share one, state saves have another.
create table operations (
    channel_id text collate "C" not null,
    operation_digest uuid not null,
    content_digest bytea not null,
    cursor bigint,                        -- the event it wrote
    version bigint,                       -- the snapshot it wrote
    constraint operations_pkey primary key (channel_id, operation_digest)
);

-- Step number to event. The most recent event of a number wins: it belongs to the run that goes on.
create table steps (
    channel_id text collate "C" not null,
    step_number bigint not null,
    cursor bigint not null,
    event_id uuid not null,
    constraint steps_pkey primary key (channel_id, step_number)
);
-- Snapshots, numbered per channel. The latest is the highest version, not the highest cursor:
-- several saves at one cursor are normal.
create table states (
    channel_id text collate "C" not null,
    version bigint not null,
    cursor bigint not null,
    state json not null,
    dependencies json,
    saved_at timestamptz not null,
    constraint states_pkey primary key (channel_id, version),
    constraint states_cursor_not_negative check (cursor >= 0)
);
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
-- API keys. Only a digest is kept: the key has 128 bits of randomness, so a plain SHA-256 is enough.
-- A revoked key keeps its row, so that its holder is told, and so that an installation which has ever had
-- a key never makes a first one again.
create table api_keys (
    key_id text collate "C" not null,
    key_digest bytea not null,
    name text not null,
    read_patterns text[] not null,
    write_patterns text[] not null,
    delete_patterns text[] not null,
    admin_patterns text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint api_keys_pkey primary key (key_digest),
    constraint api_keys_key_id_unique unique (key_id)
);

-- People, for the console. Passwords are argon2id.
create table users (
    email text collate "C" not null,      -- lower case
    user_id uuid not null,
    password_hash text not null,
    name text,
    read_patterns text[] not null,
    write_patterns text[] not null,
    delete_patterns text[] not null,
    admin_patterns text[] not null,
    created_at timestamptz not null,
    constraint users_email_unique primary key (email),
    constraint users_user_id_unique unique (user_id)
);

-- Signed-out tokens, until they would have expired anyway.
create table revoked_tokens (
    token_id uuid not null,
    expires_at timestamptz not null,
    constraint revoked_tokens_pkey primary key (token_id)
);

-- One free JSON object per user or key.
create table preferences (
    owner text collate "C" not null,
    preferences json not null,
    constraint preferences_pkey primary key (owner)
);

-- One row: who this installation is, and the secret from which tokens are derived.
create table instance (
    only_row boolean not null default true,
    instance_id uuid not null,
    secret bytea not null,
    created_at timestamptz not null,
    constraint instance_pkey primary key (only_row),
    constraint instance_single check (only_row)
);
