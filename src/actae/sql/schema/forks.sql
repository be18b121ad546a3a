-- A fork: a channel that began with the state and the effects of another one, up to a boundary. The row
-- is the receipt, written once. The lineage is kept whole in every fork, nearest ancestor first, so that
-- resolving an inherited effect is one query however deep the tree is.
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
    fork_group_id text collate "C",      -- if it is a member's fork: the group that was forked with it
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
