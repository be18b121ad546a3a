-- name: get_head -> one
select revision, cursor, encode(chain_hash, 'hex') as chain_hash, version, latest_version,
       latest_version_cursor, latest_step, lifecycle, active_at
  from channel_heads
 where channel_id = :channel_id::text;

-- name: list_channels -> many
-- Most recent activity first. Activity is not indexed: every write would then touch an index.
select channel_id
  from channel_heads
 where lifecycle <> 'deleted'
   and (:readable::text[] is null or channel_id like any(:readable::text[]))
 order by active_at desc, channel_id
offset :skip::bigint
 limit :most::bigint;

-- name: get_channel -> one
select channel.channel_id, channel.created_at, channel.display_name, channel.reason,
       channel.experiment_metadata, channel.outcome, channel.result_score, channel.deleted_at
  from channels as channel
 where channel.channel_id = :channel_id::text;

-- name: update_channel_metadata -> one
-- Present fields overwrite, absent ones stay. An object is replaced, not merged.
update channels
   set display_name = case when :has_display_name::boolean then :display_name::text else display_name end,
       reason = case when :has_reason::boolean then :reason::text else reason end,
       experiment_metadata = case when :has_experiment_metadata::boolean then :experiment_metadata::json
                                  else experiment_metadata end
 where channel_id = :channel_id::text
returning channel_id, created_at, display_name, reason, experiment_metadata, outcome, result_score,
          deleted_at;

-- name: hold_head -> one
-- Keeps a channel from being closed or deleted meanwhile, and keeps no writer waiting.
select revision, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step, lifecycle,
       is_fork
  from channel_heads
 where channel_id = :channel_id::text
   for key share;

-- name: close_head -> one
-- Needs the head's lock.
update channel_heads
   set revision = revision + 1, lifecycle = 'closed'
 where channel_id = :channel_id::text and lifecycle = 'open'
returning channel_id;

-- name: close_channel -> one
update channels
   set closed_at = coalesce(closed_at, actae_now())
 where channel_id = :channel_id::text
returning closed_at;

-- name: empty_head -> none
-- Needs the head's lock. The row stays, so that the id is not used again.
update channel_heads
   set revision = revision + 1, cursor = 0, chain_hash = null, latest_version = 0,
       latest_version_cursor = null, latest_step = 0, has_approvals = false, lifecycle = 'deleted'
 where channel_id = :channel_id::text;

-- name: bury_channel -> none
update channels
   set deleted_at = coalesce(deleted_at, actae_now()), experiment_metadata = null
 where channel_id = :channel_id::text;

-- name: delete_channel_events -> none
delete from events where channel_id = :channel_id::text;

-- name: delete_channel_states -> none
delete from states where channel_id = :channel_id::text;

-- name: delete_channel_operations -> none
delete from operations where channel_id = :channel_id::text;

-- name: delete_channel_steps -> none
delete from steps where channel_id = :channel_id::text;

-- name: delete_channel_executions -> none
delete from executions where channel_id = :channel_id::text;

-- name: delete_channel_late_evidence -> none
delete from late_evidence where channel_id = :channel_id::text;

-- name: delete_channel_approvals -> none
delete from approvals where channel_id = :channel_id::text;

-- name: get_step -> one
-- The most recent event of the number, at or before a cursor.
select channel_id, step_number, cursor, event_id::text
  from steps
 where channel_id = :channel_id::text
   and step_number = :step_number::bigint
   and cursor <= :at_most::bigint
 order by cursor desc
 limit 1;

-- name: get_latest_step_at -> one
-- The highest number recorded at or before a cursor.
select latest_step
  from steps
 where channel_id = :channel_id::text and cursor <= :at_most::bigint
 order by cursor desc
 limit 1;

-- name: add_step -> none
-- One step outside of the writer.
insert into steps (channel_id, step_number, cursor, event_id, latest_step)
values (:channel_id::text, :step_number::bigint, :cursor::bigint, :event_id::uuid, :latest_step::bigint);

-- name: set_outcome -> one
-- An omitted score keeps the old one. A crash is no verdict: it neither replaces `promoted`, nor outlives a
-- run that got through after all, which null says; null takes nothing else back.
update channels
   set outcome = case when :outcome::text is null then nullif(outcome, 'crashed')
                      when :outcome::text = 'crashed' and outcome = 'promoted' then outcome
                      else :outcome::text end,
       result_score = coalesce(:score::double precision, result_score),
       outcome_at = case when :outcome::text is not null then actae_now()
                         when outcome <> 'crashed' then outcome_at end
 where channel_id = :channel_id::text and deleted_at is null
returning channel_id, outcome, result_score;

-- name: delete_channel_messages -> none
delete from group_messages where channel_id = :channel_id::text;

-- name: create_missing_channels -> none
-- Channels of messages come into being with them.
insert into channels (channel_id, created_at)
select asked.channel_id, actae_now()
  from unnest(:channel_ids::text[]) as asked (channel_id)
on conflict (channel_id) do nothing;

-- name: create_missing_heads -> none
-- At revision 0, as nobody else ever sees a head: whoever makes it moves it in the same transaction.
insert into channel_heads (channel_id, revision, cursor, version, latest_version, latest_step, lifecycle,
                           is_fork, active_at)
select asked.channel_id, 0, 0, 0, 0, 0, 'open', false, actae_now()
  from unnest(:channel_ids::text[]) as asked (channel_id)
 order by asked.channel_id
on conflict (channel_id) do nothing;

-- name: get_heads -> many
select channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step,
       lifecycle, is_fork, has_approvals
  from channel_heads
 where channel_id = any(:channel_ids::text[]);
