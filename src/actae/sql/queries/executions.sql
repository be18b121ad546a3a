-- name: get_execution -> one
select held.key_digest::text, held.key_name, held.tool_name, held.fingerprint, held.status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload
  from executions as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
 where held.channel_id = :channel_id::text and held.key_digest = :key_digest::uuid;

-- name: list_executions -> many
-- Newest first. The page is cut before the payloads are fetched.
select held.key_digest::text, held.key_name, held.tool_name, held.fingerprint, held.status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload
  from (select *
          from executions
         where channel_id = :channel_id::text
           and (:status::text is null
                or status = :status::text
                or :status::text = 'lapsed' and status = 'running' and lease_until < actae_now())
         order by created_at desc, started_cursor desc nulls last, key_digest
        offset :skip::bigint
         limit :most::bigint) as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
 order by held.created_at desc, held.started_cursor desc nulls last, held.key_digest;

-- name: delete_execution -> one
-- The key is free afterwards; the events stay.
delete from executions
 where channel_id = :channel_id::text and key_digest = :key_digest::uuid
returning key_digest::text;

-- name: touch_head -> one
-- Moves a head's revision, so that a batch which read the old one starts again.
update channel_heads
   set revision = revision + 1
 where channel_id = :channel_id::text
returning revision;
