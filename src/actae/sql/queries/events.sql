-- name: replay_events -> many
-- The log of one channel from a cursor on, ascending. The primary key gives the order.
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, recorded_at
  from events
 where channel_id = :channel_id::text
   and cursor > :after::bigint
   and (:event_type::text is null or event_type = :event_type::text)
 order by cursor
 limit :most::integer;

-- name: get_event_at -> one
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, recorded_at
  from events
 where channel_id = :channel_id::text and cursor = :cursor::bigint;

-- name: list_events_at -> many
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, recorded_at
  from events
 where channel_id = :channel_id::text and cursor = any(:cursors::bigint[])
 order by cursor;

-- name: query_events -> many
-- Newest first across channels: event ids ascend in time, so their index read backwards is that order. The
-- order names the table: the bare name would be the text that is selected, which no index holds.
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, recorded_at
  from events
 where (:channel_ids::text[] is null or channel_id = any(:channel_ids::text[]))
   and (:readable::text[] is null or channel_id like any(:readable::text[]))
   and (:before::uuid is null or event_id < :before::uuid)
   and (:event_type::text is null or event_type = :event_type::text)
   and (:actor::text is null or actor = :actor::text)
   and (:cursor_start::bigint is null or cursor >= :cursor_start::bigint)
   and (:cursor_end::bigint is null or cursor <= :cursor_end::bigint)
   and (:from_time::timestamptz is null or recorded_at >= :from_time::timestamptz)
   and (:to_time::timestamptz is null or recorded_at <= :to_time::timestamptz)
 order by events.event_id desc
offset :skip::bigint
 limit :most::integer;

-- name: read_chain -> many
-- A piece of a channel's log with everything that its chain hash covers.
select cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata, depends_on::text,
       dependencies, chain_hash, recorded_at
  from events
 where channel_id = :channel_id::text and cursor > :after::bigint
 order by cursor
 limit :most::integer;

-- name: get_events_by_id -> many
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, recorded_at, dependencies
  from events
 where event_id = any(:event_ids::uuid[]);

-- name: list_known_event_ids -> many
select event_id::text as event_id, channel_id
  from events
 where event_id = any(:event_ids::uuid[]);

-- name: get_known_operation -> one
select content_digest
  from operations
 where channel_id = :channel_id::text and operation_digest = :operation_digest::uuid;
