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

-- Step number to event. The most recent event of a number wins, as it belongs to the run that goes on; the
-- earlier ones stay, because a fork sees the one that was the most recent at its boundary.
create table steps (
    channel_id text collate "C" not null,
    step_number bigint not null,
    cursor bigint not null,
    event_id uuid not null,
    latest_step bigint not null,          -- the highest number recorded up to here
    constraint steps_pkey primary key (channel_id, step_number, cursor)
);

-- The highest step at a cursor, without walking the steps after it.
create index steps_by_cursor on steps (channel_id, cursor);
