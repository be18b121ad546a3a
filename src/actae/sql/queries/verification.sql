-- What `actae verify` reads. Channels are taken in ranges of ids, not one by one: a range also shows rows
-- whose channel does not exist. Pages follow the primary keys.

-- name: hold_one_snapshot -> none
-- First in its transaction: everything read in it is of one moment, while others go on writing.
set transaction isolation level repeatable read, read only;

-- name: count_channels -> one
select count(*) as channels from channel_heads;

-- name: list_heads_in_order -> many
select channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step,
       lifecycle
  from channel_heads
 where channel_id >= :since_channel_id::text and channel_id <= :until_channel_id::text
 order by channel_id
 limit :most::integer;

-- name: list_channels_unlike_their_head -> many
-- A channel and its head come into being together, and agree on how it ended.
select coalesce(channel.channel_id, head.channel_id) as channel_id,
       channel.channel_id is null as lacks_channel, head.channel_id is null as lacks_head,
       head.lifecycle, channel.closed_at is not null as is_closed, channel.deleted_at is not null as is_deleted
  from (select channel_id, closed_at, deleted_at
          from channels
         where channel_id >= :since_channel_id::text and channel_id <= :until_channel_id::text) as channel
  full join (select channel_id, lifecycle
               from channel_heads
              where channel_id >= :since_channel_id::text and channel_id <= :until_channel_id::text) as head
    on head.channel_id = channel.channel_id
 where channel.channel_id is null or head.channel_id is null
    or (head.lifecycle = 'deleted') <> (channel.deleted_at is not null)
    or (head.lifecycle in ('open', 'frozen') and channel.closed_at is not null)
    or (head.lifecycle = 'closed' and channel.closed_at is null)
 order by 1;

-- name: read_log_in_order -> many
-- A page ends after so many events, or when it holds so many bytes; it has one event at least.
select channel_id, cursor, event_id::text, event_type, actor, agent_id, user_id, payload, metadata,
       depends_on::text, dependencies, chain_hash, recorded_at
  from (select page.*,
               sum(pg_column_size(page.payload))
                   over (order by page.channel_id, page.cursor
                         rows between unbounded preceding and 1 preceding) as bytes_before
          from (select *
                  from events
                 where (channel_id, cursor) > (:after_channel_id::text, :after_key::bigint)
                   and channel_id <= :until_channel_id::text
                 order by channel_id, cursor
                 limit :most::integer) as page) as measured
 where bytes_before is null or bytes_before < :bytes_max::bigint
 order by channel_id, cursor;

-- name: list_snapshots_in_order -> many
select channel_id, version, cursor
  from states
 where (channel_id, version) > (:after_channel_id::text, :after_key::bigint)
   and channel_id <= :until_channel_id::text
 order by channel_id, version
 limit :most::integer;

-- name: list_operations_in_order -> many
select channel_id, operation_digest::text, cursor, version
  from operations
 where left(channel_id, 1) <> '~'         -- of no channel: those of forks and of groups
   and (channel_id, operation_digest) > (:after_channel_id::text, :after_key::uuid)
   and channel_id <= :until_channel_id::text
 order by channel_id, operation_digest
 limit :most::integer;

-- name: list_steps_in_order -> many
select step.channel_id, step.cursor, step.step_number, step.event_id::text, step.latest_step,
       there.event_id::text as event_id_there
  from steps as step
  left join events as there on there.channel_id = step.channel_id and there.cursor = step.cursor
 where (step.channel_id, step.cursor) > (:after_channel_id::text, :after_key::bigint)
   and step.channel_id <= :until_channel_id::text
 order by step.channel_id, step.cursor
 limit :most::integer;

-- name: list_executions_in_order -> many
select channel_id, key_digest::text, key_name, tool_name, fingerprint, status, attempts, token_digest,
       lease_seconds, lease_until, started_cursor, started_event_id::text, completed_cursor,
       completed_event_id::text, replay_emitted, created_at, updated_at, completed_at
  from executions
 where (channel_id, key_digest) > (:after_channel_id::text, :after_key::uuid)
   and channel_id <= :until_channel_id::text
 order by channel_id, key_digest
 limit :most::integer;

-- name: list_messages_in_order -> many
select message.channel_id, message.cursor, message.source_channel_id, message.source_cursor,
       delivery.event_type as delivery_type, delivery.depends_on::text, source.event_type as source_type,
       source.event_id::text, coalesce(sender.lifecycle = 'deleted', false) as is_source_deleted
  from group_messages as message
  left join events as delivery on delivery.channel_id = message.channel_id and delivery.cursor = message.cursor
  left join events as source
         on source.channel_id = message.source_channel_id and source.cursor = message.source_cursor
  left join channel_heads as sender on sender.channel_id = message.source_channel_id
 where (message.channel_id, message.cursor) > (:after_channel_id::text, :after_key::bigint)
   and message.channel_id <= :until_channel_id::text
 order by message.channel_id, message.cursor
 limit :most::integer;

-- name: list_event_ids_used_twice -> many
-- The index on event ids is not unique, since not every engine could hold it so.
select event_id::text, count(*) as times, min(channel_id) as channel_id
  from events
 group by event_id
having count(*) > 1
 order by event_id
 limit :most::integer;
