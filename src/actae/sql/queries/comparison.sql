-- name: load_branches -> many
-- Channels with their latest snapshots, all of one moment.
select head.channel_id, latest.cursor, latest.state
  from channel_heads as head
  left join states as latest on latest.channel_id = head.channel_id and latest.version = head.latest_version
 where head.channel_id = any(:channel_ids::text[]);

-- name: list_held_effects -> many
-- The operations that a channel has, oldest first: its own, however they stand, and those that its ancestors
-- had completed before its lineage left them. The places are the channel itself and then its ancestors,
-- nearest first; of a key the nearest counts. The session fence is no effect.
select held.key_name, held.channel_id, replace(held.key_digest::text, '-', '') as key_digest, held.created_at,
       held.distance > 1 as is_inherited
  from (select distinct on (effect.key_digest)
               effect.key_name, effect.channel_id, effect.key_digest, effect.created_at, place.distance
          from unnest(:channel_ids::text[], :boundaries::bigint[])
               with ordinality as place (channel_id, boundary, distance)
          join executions as effect
            on effect.channel_id = place.channel_id
           and (place.distance = 1
                or (effect.status = 'completed' and effect.completed_cursor <= place.boundary))
         where effect.key_name <> :fence_key::text
         order by effect.key_digest, place.distance) as held
 order by held.created_at, held.key_digest;

-- name: get_executions -> many
select held.channel_id, held.key_digest::text, held.key_name, held.tool_name, held.fingerprint, held.status,
       held.attempts, held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload, held.on_lapse,
       held.expires_at
  from unnest(:channel_ids::text[], :key_digests::uuid[]) as wanted (channel_id, key_digest)
  join executions as held on held.channel_id = wanted.channel_id and held.key_digest = wanted.key_digest
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor;

-- name: list_first_executions -> many
-- Oldest first, without the session fence, after a place. The page is cut before the payloads are fetched.
select held.channel_id, held.key_digest::text, held.key_name, held.tool_name, held.fingerprint, held.status,
       held.attempts, held.token_digest, held.lease_seconds, held.lease_until, held.started_cursor,
       held.started_event_id::text, held.completed_cursor, held.completed_event_id::text,
       held.replay_emitted, held.created_at, held.updated_at, held.completed_at, started.actor,
       started.payload as started_payload, completed.payload as completed_payload, held.on_lapse,
       held.expires_at
  from (select *
          from executions
         where channel_id = :channel_id::text
           and key_name <> :fence_key::text
           and (:after_created_at::timestamptz is null
                or (created_at, started_cursor) > (:after_created_at::timestamptz, :after_cursor::bigint))
         order by created_at, started_cursor
         limit :most::integer) as held
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
 order by held.created_at, held.started_cursor;

-- name: read_telling_events -> many
-- Events of the wanted types, and those whose text mentions one of the words: a first, coarse sieve, so that
-- the bulk of a log stays in the database. JSON is looked at as text, because taking it apart here would fail
-- on a NUL or half a surrogate pair.
select cursor, event_type, payload, metadata
  from events
 where channel_id = :channel_id::text
   and cursor > :after::bigint
   and (event_type = any(:event_types::text[])
        or payload::text like any(:words_like::text[])
        or metadata::text like any(:words_like::text[]))
 order by cursor
 limit :most::integer;

-- name: get_last_output -> one
-- The newest event that is not of the given types.
select payload
  from events
 where channel_id = :channel_id::text and event_type <> all(:event_types::text[])
 order by cursor desc
 limit 1;

-- name: list_lineage -> many
-- What is known of channels that form a path, in the order in which they are given.
select place.channel_id, forks.source_channel_id as parent_channel_id,
       coalesce(forks.resolved_cursor, 0) as forked_at_cursor, channel.display_name, channel.reason
  from unnest(:channel_ids::text[]) with ordinality as place (channel_id, distance)
  left join channels as channel on channel.channel_id = place.channel_id
  left join forks on forks.channel_id = place.channel_id
 order by place.distance;
