-- Forks: receipts with their whole lineage, outcomes and promotions; and what a fork needs to find its
-- boundary without walking the log.
-- It rewrites constraints in place: no installation is old enough for its tables to be large.
-- squawk-ignore-file constraint-missing-not-valid, ban-drop-default, ban-drop-constraint
-- squawk-ignore-file adding-serial-primary-key-field, require-concurrent-index-creation

alter table channels add column outcome text;
alter table channels add column result_score double precision;
alter table channels add constraint channels_outcome_known
    check (outcome in ('promoted', 'rejected', 'inconclusive', 'crashed'));

alter table channel_heads add column is_fork boolean not null default false;
alter table channel_heads alter column is_fork drop default;

-- Earlier events of a step number are kept from now on; each row knows the highest number recorded up to it.
alter table steps add column latest_step bigint not null default 0;
update steps
   set latest_step = (select max(earlier.step_number)
                        from steps as earlier
                       where earlier.channel_id = steps.channel_id and earlier.cursor <= steps.cursor);
alter table steps alter column latest_step drop default;
alter table steps drop constraint steps_pkey;
alter table steps add constraint steps_pkey primary key (channel_id, step_number, cursor);
create index steps_by_cursor on steps (channel_id, cursor);

create index states_by_cursor on states (channel_id, cursor, version);

create table forks (
    channel_id text collate "C" not null,
    source_channel_id text collate "C" not null,
    origin_run_id text collate "C" not null,
    requested_cursor bigint not null,     -- as asked; 0 is the latest state
    resolved_cursor bigint not null,      -- of the snapshot that was copied, in the source's numbering
    resolved_event_id uuid,
    source_state_version bigint not null, -- 0 is none
    source_state_sha256 text,
    restorable boolean not null,
    reproducibility text not null,
    inherited_steps bigint not null,      -- steps 1 to this number belong to the lineage
    ancestor_channel_ids text[] not null,
    ancestor_boundaries bigint[] not null,-- effects completed at or before this cursor of each are inherited
    ancestor_steps bigint[] not null,     -- and steps up to this number
    manifest json,
    tool_policies json,
    content_digest bytea not null,        -- of the request, to tell a repetition from a conflict
    operation_digest uuid not null,
    forked_at timestamptz not null,
    constraint forks_child_channel_unique primary key (channel_id),
    constraint forks_reproducibility_known
        check (reproducibility in ('state_exact', 'context_exact', 'execution_replayable', 'best_effort'))
);

-- The children of a channel, oldest first.
create index forks_by_source on forks (source_channel_id, forked_at, channel_id);

-- What a promotion brought back to the parent; a second one gets this answer.
create table promotions (
    channel_id text collate "C" not null,
    parent_channel_id text collate "C" not null,
    event_id uuid not null,
    cursor bigint not null,
    state_version bigint,
    promoted_at timestamptz not null,
    constraint promotions_pkey primary key (channel_id)
);
