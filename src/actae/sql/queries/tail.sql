-- name: list_head_cursors -> many
-- How far the channels that somebody follows reach by now, and which of them are gone.
select channel_id, cursor, lifecycle = 'deleted' as is_deleted
  from channel_heads
 where channel_id = any(:channel_ids::text[]);

-- name: send_hints -> none
-- On a connection whose commits do not wait for the disk: a hint may get lost, and the poll stands behind it.
select pg_notify('actae', hint) from unnest(:hints::text[]) as hint;

-- name: read_tail -> many
-- The log from a cursor on, for live readers. They are told of large events without payload and metadata,
-- which therefore need not leave the database.
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id,
       case when size <= :whole_max::bigint then payload else 'null'::json end as payload,
       case when size <= :whole_max::bigint then metadata end as metadata,
       depends_on::text, recorded_at, size
  from events,
       lateral (select octet_length(payload::text)::bigint
                       + coalesce(octet_length(metadata::text), 0) as size) as measured
 where channel_id = :channel_id::text
   and cursor > :after::bigint
 order by cursor
 limit :most::integer;
