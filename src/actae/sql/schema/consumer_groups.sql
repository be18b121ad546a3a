-- A consumer group: several workers share the events of one channel, and each event is in the hands of one.
-- Where a group is found by its name alone. A small reference table, like experiments: it grows with the
-- groups that people set up, not with what happens in them.
create table consumer_group_names (
    group_id text collate "C" not null,
    channel_id text collate "C" not null,
    constraint consumer_group_names_pkey primary key (group_id)
);

-- What goes when its channel is deleted.
create index consumer_group_names_by_channel on consumer_group_names (channel_id);

-- The lock on this row decides between consumers, whichever servers they talk to. The channel need not exist.
create table consumer_groups (
    channel_id text collate "C" not null,
    group_id text collate "C" not null,
    watermark bigint not null,            -- every event up to this cursor is done; 0 is none
    metadata json,
    created_at timestamptz not null,
    constraint consumer_groups_pkey primary key (channel_id, group_id)
);

-- A consumer stays after its lease has lapsed: whoever comes back under its name finds its place again.
create table consumers (
    channel_id text collate "C" not null,
    group_id text collate "C" not null,
    consumer_id text collate "C" not null,
    last_cursor bigint not null,          -- the highest acknowledged; 0 is none
    highest_reserved bigint not null,     -- the highest ever handed to it, and so the most it may acknowledge
    lease_until timestamptz not null,
    updated_at timestamptz not null,
    constraint consumers_pkey primary key (channel_id, group_id, consumer_id)
);

-- What is not simply done or free: disjoint ranges of cursors above the watermark. A consumer's is reserved
-- for it; one without a consumer was done out of order. What no range covers is free. Neighbours are joined
-- and the watermark takes in what reaches it, so there are a few rows, however long the channel is.
create table consumer_ranges (
    channel_id text collate "C" not null,
    group_id text collate "C" not null,
    first_cursor bigint not null,
    last_cursor bigint not null,
    consumer_id text collate "C",
    constraint consumer_ranges_pkey primary key (channel_id, group_id, first_cursor),
    constraint consumer_ranges_in_order check (first_cursor <= last_cursor)
);
