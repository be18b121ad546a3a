-- Outcomes that nobody knows, keys that live for a time, what fenced-out workers report, and a way to look
-- through all operations, newest first.

alter table executions
    add column on_lapse text,
    add column expires_at timestamptz,
    add constraint executions_on_lapse_known check (on_lapse in ('ambiguous', 'after_dispatch')) not valid;

-- squawk-ignore constraint-missing-not-valid
alter table executions validate constraint executions_on_lapse_known;

-- squawk-ignore require-concurrent-index-creation
create index executions_by_age on executions (created_at, channel_id, key_digest);

-- Only rows that may become ambiguous are in it. Nothing but `on_lapse` may be in its predicate: a status there
-- would take the updates in place from every operation. What has ended has no `on_lapse`.
-- squawk-ignore require-concurrent-index-creation
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
