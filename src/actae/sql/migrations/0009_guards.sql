-- Guards at the claim: freezes, budgets, near-duplicates.

-- Guards: what may start, how much of it, and what is done when it looks like something done before. A small
-- table that every writer keeps in memory.
create table guards (
    guard_id text collate "C" not null,
    kind text not null,
    channel_pattern text,                 -- of channel ids: exact, or a prefix and `*`; null: all
    tool_name text,                       -- null: all
    settings json not null,
    created_by text not null,
    created_at timestamptz not null,
    revision bigint not null,             -- of all guards, with which it came
    obeyed_at timestamptz,                -- since when no claim is decided without it
    constraint guards_pkey primary key (guard_id),
    constraint guards_kind_known check (kind in ('freeze', 'budget', 'near_duplicate'))
);

-- Which guards there are, as a number that every change moves: a batch with claims reads it, and reads the
-- guards again when it has moved. The row also keeps two changes apart.
create table guard_state (
    only_row boolean not null default true,
    revision bigint not null,
    constraint guard_state_pkey primary key (only_row),
    constraint guard_state_single check (only_row)
);
insert into guard_state (revision) values (0);

-- What a write holds while it starts attempts. A change adds the next revision, which new batches go by, and
-- then removes the ones before it: it waits for the batches that were decided by them, for no others, and a
-- batch that comes too late finds nothing to hold.
create table guard_revisions (
    revision bigint not null,
    constraint guard_revisions_pkey primary key (revision)
);
insert into guard_revisions (revision) values (0);

-- What is used of a budget in one window, on one channel, or on all ('') that share it. It only grows.
create table budget_uses (
    channel_id text collate "C" not null,
    guard_id text collate "C" not null,
    window_start timestamptz not null,
    window_end timestamptz,               -- null: the window has no end
    used numeric not null,
    most numeric not null,                -- the limit of the guard, which never changes
    constraint budget_uses_pkey primary key (channel_id, guard_id, window_start),
    constraint budget_uses_within_the_limit check (used <= most)
) with (fillfactor = 50);

-- What is there of a guard, and what can go.
create index budget_uses_by_guard on budget_uses (guard_id, window_start, channel_id);
create index budget_uses_by_end on budget_uses (window_end) where window_end is not null;

-- The last operation with each fingerprint, on one channel, or on all ('') that a guard compares.
create table recent_calls (
    channel_id text collate "C" not null,
    guard_id text collate "C" not null,
    fingerprint bytea not null,
    called_channel_id text collate "C" not null,
    called_key_digest uuid not null,
    claimed_at timestamptz not null,
    repeats boolean not null,             -- one before it that may have had an effect
    forgotten_at timestamptz not null,    -- nobody asks for it from then on
    constraint recent_calls_pkey primary key (channel_id, guard_id, fingerprint)
);

create index recent_calls_by_end on recent_calls (forgotten_at);
