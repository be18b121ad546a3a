-- A wake-up: at or after `run_at`, one `scheduler.wakeup` event is appended to the channel, in the same
-- transaction that makes the wake-up `done`. The channel need not exist before.
-- Where the caller named the call, the id is the digest of that name, so that a repetition meets its row.
create table wakeups (
    channel_id text collate "C" not null,
    wakeup_id uuid not null,
    run_at timestamptz not null,
    due_at timestamptz not null,          -- when it is tried next: `run_at`, or later after a try that failed
    status text not null,
    payload json,
    attempts integer not null,            -- tries so far, the one that succeeded included
    error text,                           -- why the last try failed
    event_cursor bigint,                  -- of the event that it became
    content_digest bytea,                 -- of the request, where the caller named it
    created_at timestamptz not null,
    executed_at timestamptz,
    constraint wakeups_pkey primary key (channel_id, wakeup_id),
    constraint wakeups_status_known check (status in ('pending', 'done', 'failed', 'cancelled')),
    constraint wakeups_done_is_told check ((status = 'done') = (event_cursor is not null)),
    constraint wakeups_done_has_a_moment check ((status = 'done') = (executed_at is not null)),
    constraint wakeups_failed_has_a_reason check (status <> 'failed' or error is not null)
);

-- What a sweep reads; it holds nothing of what is over.
create index wakeups_due on wakeups (due_at) where status = 'pending';

-- The wake-ups of a channel in the order of their times.
create index wakeups_by_channel on wakeups (channel_id, run_at, wakeup_id);
