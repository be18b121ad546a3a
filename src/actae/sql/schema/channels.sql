-- A channel is one run. What rarely changes is here; what every write changes is in channel_heads.
create table channels (
    channel_id text collate "C" not null,
    created_at timestamptz not null,
    display_name text,
    reason text,
    experiment_metadata json,
    outcome text,
    result_score double precision,
    closed_at timestamptz,
    deleted_at timestamptz,
    outcome_at timestamptz,               -- when the outcome was last recorded
    constraint channels_pkey primary key (channel_id),
    constraint channels_outcome_known
        check (outcome in ('promoted', 'rejected', 'inconclusive', 'crashed'))
);

-- Channels that ended and are still there, the first to end first: where retention looks.
create index channels_by_end on channels (greatest(closed_at, outcome_at), channel_id)
    where deleted_at is null and greatest(closed_at, outcome_at) is not null;

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
    is_fork boolean not null,             -- whether the ledger must look up the lineage
    has_approvals boolean not null default false, -- and for an approval of its operations
    active_at timestamptz not null,
    constraint channel_heads_pkey primary key (channel_id),
    constraint channel_heads_lifecycle_known check (lifecycle in ('open', 'frozen', 'closed', 'deleted'))
) with (fillfactor = 50);
