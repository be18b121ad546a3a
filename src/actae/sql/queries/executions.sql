-- name: get_execution -> one
select held.key_digest::text, held.key_name, held.tool_name, held.fingerprint,
       case when held.status = 'running' and held.on_lapse = 'ambiguous' and held.lease_until <= actae_now()
            then 'ambiguous' else held.status end as status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload, held.on_lapse,
       held.expires_at
  from executions as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
 where held.channel_id = :channel_id::text and held.key_digest = :key_digest::uuid;

-- name: list_executions -> many
-- Newest first. The page is cut before the payloads are fetched.
select held.key_digest::text, held.key_name, held.tool_name, held.fingerprint,
       case when held.status = 'running' and held.on_lapse = 'ambiguous' and held.lease_until <= actae_now()
            then 'ambiguous' else held.status end as status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload, held.on_lapse,
       held.expires_at
  from (select *
          from executions
         where channel_id = :channel_id::text
           and (:status::text is null
                or status = :status::text
                   and (on_lapse is distinct from 'ambiguous' or lease_until > actae_now())
                or :status::text = 'lapsed' and status = 'running' and lease_until <= actae_now()
                or :status::text = 'ambiguous' and status = 'running' and on_lapse = 'ambiguous'
                   and lease_until <= actae_now())
           and (:tool_name::text is null or tool_name = :tool_name::text)
           and (:key_prefix::text is null or starts_with(key_name, :key_prefix::text))
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

-- name: delete_evidence -> none
delete from late_evidence
 where channel_id = :channel_id::text and key_digest = :key_digest::uuid;

-- name: touch_head -> one
-- Moves a head's revision, so that a batch which read the old one starts again.
update channel_heads
   set revision = revision + 1
 where channel_id = :channel_id::text
returning revision;

-- name: find_horizon -> one
-- Where a walk over so many operations, newest first, ends; no row if there are not so many.
select held.created_at, held.channel_id, held.key_digest::text
  from executions as held
 where (held.created_at, held.channel_id, held.key_digest)
       < (coalesce(:after_at::timestamptz, 'infinity'), coalesce(:after_channel_id::text, ''),
          coalesce(:after_key_digest::uuid, '00000000-0000-0000-0000-000000000000'))
 order by held.created_at desc, held.channel_id desc, held.key_digest desc
offset :passed::bigint
 limit 1;

-- name: search_executions -> many
-- All channels, newest first, from a place to the horizon. What is open is found by the same walk: the status
-- changes with every operation, so no index holds it. The pattern and the text are sieves over the latest
-- attempt's params as text: taking JSON apart here would fail on a NUL. Where a character is escaped, a word may
-- be spelled in many ways, and the text passes.
select held.channel_id, held.key_digest::text, held.key_name, held.tool_name, held.fingerprint,
       case when held.status = 'running' and held.on_lapse = 'ambiguous' and held.lease_until <= actae_now()
            then 'ambiguous' else held.status end as status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload, held.on_lapse,
       held.expires_at
  from executions as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
 where (held.created_at, held.channel_id, held.key_digest)
       < (coalesce(:after_at::timestamptz, 'infinity'), coalesce(:after_channel_id::text, ''),
          coalesce(:after_key_digest::uuid, '00000000-0000-0000-0000-000000000000'))
   and (held.created_at, held.channel_id, held.key_digest)
       >= (coalesce(:until_at::timestamptz, '-infinity'), coalesce(:until_channel_id::text, ''),
           coalesce(:until_key_digest::uuid, '00000000-0000-0000-0000-000000000000'))
   and (:readable::text[] is null or held.channel_id like any(:readable::text[]))
   and (:status::text is null
        or held.status = :status::text
           and (held.on_lapse is distinct from 'ambiguous' or held.lease_until > actae_now())
        or :status::text = 'lapsed' and held.status = 'running' and held.lease_until <= actae_now())
   and (:tool_name::text is null or held.tool_name = :tool_name::text)
   and (:key_prefix::text is null or starts_with(held.key_name, :key_prefix::text))
   and (:pattern::text is null
        or strpos(started.payload::text, '\') > 0
        or started.payload::text ~ :pattern::text)
   and (:text::text is null
        or strpos(held.key_name, :text::text) > 0
        or strpos(held.tool_name, :text::text) > 0
        or strpos(held.channel_id, :text::text) > 0
        or :searches_params::boolean
           and (strpos(started.payload::text, '\') > 0 or strpos(started.payload::text, :text::text) > 0))
 order by held.created_at desc, held.channel_id desc, held.key_digest desc
 limit :most::integer;

-- name: list_ambiguous -> many
-- The same for what nobody knows the outcome of, by its own small index: only rows that asked for it are there.
select held.channel_id, held.key_digest::text, held.key_name, held.tool_name, held.fingerprint,
       'ambiguous' as status, held.attempts,
       held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, null::json as completed_payload, held.on_lapse,
       held.expires_at
  from executions as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
 where held.on_lapse = 'ambiguous' and held.lease_until <= actae_now()
   and (held.created_at, held.channel_id, held.key_digest)
       < (coalesce(:after_at::timestamptz, 'infinity'), coalesce(:after_channel_id::text, ''),
          coalesce(:after_key_digest::uuid, '00000000-0000-0000-0000-000000000000'))
   and (:readable::text[] is null or held.channel_id like any(:readable::text[]))
   and (:tool_name::text is null or held.tool_name = :tool_name::text)
   and (:key_prefix::text is null or starts_with(held.key_name, :key_prefix::text))
   and (:pattern::text is null
        or strpos(started.payload::text, '\') > 0
        or started.payload::text ~ :pattern::text)
   and (:text::text is null
        or strpos(held.key_name, :text::text) > 0
        or strpos(held.tool_name, :text::text) > 0
        or strpos(held.channel_id, :text::text) > 0
        or :searches_params::boolean
           and (strpos(started.payload::text, '\') > 0 or strpos(started.payload::text, :text::text) > 0))
 order by held.created_at desc, held.channel_id desc, held.key_digest desc
 limit :most::integer;

-- name: list_late_evidence -> many
select kept.cursor, told.event_id::text, told.recorded_at, told.payload
  from late_evidence as kept
  join events as told on told.channel_id = kept.channel_id and told.cursor = kept.cursor
 where kept.channel_id = :channel_id::text and kept.key_digest = :key_digest::uuid
 order by kept.cursor;
