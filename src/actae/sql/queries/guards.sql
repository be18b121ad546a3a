-- name: read_guards -> many
-- All of them, with the revision that they are of; without any, one row of nulls beside it.
select state.revision, guard.guard_id, guard.channel_pattern, guard.tool_name, guard.settings,
       guard.created_by, guard.created_at, guard.obeyed_at
  from guard_state as state
  left join guards as guard on true
 order by guard.created_at, guard.guard_id;

-- name: move_guard_state -> one
-- Keeps two changes apart, and tells the time: whatever was decided by the guards before is older.
update guard_state
   set revision = revision + 1
 where only_row
returning revision, actae_now() as now;

-- name: add_guard_revision -> none
insert into guard_revisions (revision) values (:revision::bigint);

-- name: end_guard_revisions -> none
-- Waits until the writes that hold an older revision have ended; after that there are none.
delete from guard_revisions where revision < :revision::bigint;

-- name: mark_guards_obeyed -> none
update guards
   set obeyed_at = actae_now()
 where obeyed_at is null and revision <= :revision::bigint;

-- name: add_guard -> one
-- No row if the id is taken.
insert into guards (guard_id, kind, channel_pattern, tool_name, settings, created_by, created_at, revision)
values (:guard_id::text, :kind::text, :channel_pattern::text, :tool_name::text, :settings::json,
        :created_by::text, :created_at::timestamptz, :revision::bigint)
on conflict (guard_id) do nothing
returning guard_id;

-- name: remove_guard -> one
delete from guards where guard_id = :guard_id::text returning guard_id;

-- name: read_budget_uses -> many
-- What is used of the budgets that a batch's claims come under.
select used.channel_id, used.guard_id, used.window_start, used.used
  from unnest(:channel_ids::text[], :guard_ids::text[], :window_starts::timestamptz[])
       as asked (channel_id, guard_id, window_start)
  join budget_uses as used
    on used.channel_id = asked.channel_id and used.guard_id = asked.guard_id
   and used.window_start = asked.window_start;

-- name: read_recent_calls -> many
-- The last operation with each fingerprint that a batch's claims are compared by, and how it stands.
select recent.channel_id, recent.guard_id, recent.fingerprint, recent.called_channel_id,
       recent.called_key_digest::text, recent.claimed_at, recent.repeats, held.key_name, held.status
  from unnest(:channel_ids::text[], :guard_ids::text[], :fingerprints::bytea[])
       as asked (channel_id, guard_id, fingerprint)
  join recent_calls as recent
    on recent.channel_id = asked.channel_id and recent.guard_id = asked.guard_id
   and recent.fingerprint = asked.fingerprint
  left join executions as held
    on held.channel_id = recent.called_channel_id and held.key_digest = recent.called_key_digest;

-- name: list_budget_uses -> many
-- What is used of a budget in its present window, the most used first.
select channel_id, window_start, window_end, used
  from budget_uses
 where guard_id = :guard_id::text and window_start = :window_start::timestamptz
 order by used desc, channel_id
 limit :most::bigint;

-- name: get_budget_uses -> many
select channel_id, window_start, used from budget_uses where guard_id = :guard_id::text;

-- name: find_channel_deleted_since -> one
select channel_id
  from channels
 where deleted_at >= :since::timestamptz
   and (:pattern::text is null or channel_id like :pattern::text)
 limit 1;

-- name: forget_budget_uses -> one
-- A few of the windows that have ended long ago; how many.
with ended as (
    select channel_id, guard_id, window_start
      from budget_uses
     where window_end < actae_now() - make_interval(secs => :keep_seconds::float8)
     order by window_end
     limit :most::bigint),
gone as (
    delete from budget_uses as used
     using ended
     where used.channel_id = ended.channel_id and used.guard_id = ended.guard_id
       and used.window_start = ended.window_start
    returning 1)
select count(*) as forgotten from gone;

-- name: forget_uses_of_guard -> one
-- A few of those of a guard that is gone; how many.
with doomed as (
    select channel_id, guard_id, window_start
      from budget_uses
     where guard_id = :guard_id::text
     limit :most::bigint),
gone as (
    delete from budget_uses as used
     using doomed
     where used.channel_id = doomed.channel_id and used.guard_id = doomed.guard_id
       and used.window_start = doomed.window_start
    returning 1)
select count(*) as forgotten from gone;

-- name: forget_recent_calls -> one
-- A few that nobody asks for any more; how many.
with old as (
    select channel_id, guard_id, fingerprint
      from recent_calls
     where forgotten_at < actae_now() - make_interval(secs => :keep_seconds::float8)
     order by forgotten_at
     limit :most::bigint),
gone as (
    delete from recent_calls as recent
     using old
     where recent.channel_id = old.channel_id and recent.guard_id = old.guard_id
       and recent.fingerprint = old.fingerprint
    returning 1)
select count(*) as forgotten from gone;

-- name: delete_channel_budget_uses -> none
delete from budget_uses where channel_id = :channel_id::text;

-- name: delete_channel_recent_calls -> none
delete from recent_calls where channel_id = :channel_id::text;
