-- Retention: policies, whose turn it is to sweep, and which channels ended, the first to end first.
-- squawk-ignore-file require-concurrent-index-creation

-- How long channels that ended are kept. A small reference table: one row for each pattern that somebody set.
create table retention_policies (
    pattern text collate "C" not null,    -- a channel id, or the beginning of some with `*` at its end
    keep_for_seconds bigint,              -- null: for ever, whatever a wider pattern says
    set_by text not null,
    set_at timestamptz not null,
    constraint retention_policies_pkey primary key (pattern),
    constraint retention_policies_keep_something check (keep_for_seconds >= 1)
);

-- One row: the last sweep. Who moves `began_at` sweeps, so that the servers of a database take turns.
create table retention_sweeps (
    only_row boolean not null default true,
    began_at timestamptz,
    ended_at timestamptz,                 -- of the last one that came to its end
    removed_count bigint not null default 0, -- channels, by all sweeps
    constraint retention_sweeps_pkey primary key (only_row),
    constraint retention_sweeps_single check (only_row)
);

insert into retention_sweeps (only_row) values (true);

-- Since when a channel has its outcome. Of those that have one already nothing is known: their time begins now.
alter table channels add column outcome_at timestamptz;
update channels set outcome_at = actae_now() where outcome is not null;

create index channels_by_end on channels (greatest(closed_at, outcome_at), channel_id)
    where deleted_at is null and greatest(closed_at, outcome_at) is not null;

create index execution_group_members_by_channel on execution_group_members (channel_id);
