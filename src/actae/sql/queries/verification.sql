-- What `actae verify` reads. Channels are taken in ranges of ids, not one by one: a range also shows rows
-- whose channel does not exist. Pages follow the primary keys.

-- name: hold_one_snapshot -> none
-- First in its transaction: everything read in it is of one moment, while others go on writing.
set transaction isolation level repeatable read, read only;

-- name: count_channels -> one
select count(*) as channels from channel_heads;

-- name: list_heads_in_order -> many
select channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step,
       lifecycle, is_fork, has_approvals
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

-- name: read_started_in_order -> many
-- Starts of operations, in pages as of the log.
select channel_id, cursor, payload, recorded_at
  from (select page.*,
               sum(pg_column_size(page.payload))
                   over (order by page.channel_id, page.cursor
                         rows between unbounded preceding and 1 preceding) as bytes_before
          from (select channel_id, cursor, payload, recorded_at
                  from events
                 where (channel_id, cursor) > (:after_channel_id::text, :after_key::bigint)
                   and channel_id <= :until_channel_id::text
                   and event_type = 'tool.started' and recorded_at >= :since::timestamptz
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
       completed_event_id::text, replay_emitted, created_at, updated_at, completed_at, on_lapse, expires_at
  from executions
 where (channel_id, key_digest) > (:after_channel_id::text, :after_key::uuid)
   and channel_id <= :until_channel_id::text
 order by channel_id, key_digest
 limit :most::integer;

-- name: list_done_wakeups_in_order -> many
select wakeup.channel_id, wakeup.wakeup_id::text, wakeup.event_cursor, there.event_type, there.metadata
  from wakeups as wakeup
  left join events as there
    on there.channel_id = wakeup.channel_id and there.cursor = wakeup.event_cursor
 where wakeup.status = 'done'             -- the others have no event, and need no channel
   and (wakeup.channel_id, wakeup.wakeup_id) > (:after_channel_id::text, :after_key::uuid)
   and wakeup.channel_id <= :until_channel_id::text
 order by wakeup.channel_id, wakeup.wakeup_id
 limit :most::integer;

-- name: list_approvals_in_order -> many
select approval.channel_id, approval.request_digest::text, approval.request_id,
       approval.key_digest is not null as is_bound, approval.status, approval.expires_at is not null as may_expire,
       approval.requested_cursor, approval.requested_event_id::text, approval.decided_cursor,
       requested.event_type as requested_type, requested.event_id::text as requested_id_there,
       decided.event_type as decided_type
  from approvals as approval
  left join events as requested
    on requested.channel_id = approval.channel_id and requested.cursor = approval.requested_cursor
  left join events as decided
    on decided.channel_id = approval.channel_id and decided.cursor = approval.decided_cursor
 where (approval.channel_id, approval.request_digest) > (:after_channel_id::text, :after_key::uuid)
   and approval.channel_id <= :until_channel_id::text
 order by approval.channel_id, approval.request_digest
 limit :most::integer;

-- name: list_late_evidence_in_order -> many
select kept.channel_id, kept.cursor, kept.key_digest::text, told.event_type, told.metadata,
       held.key_digest is not null as has_operation
  from late_evidence as kept
  left join events as told on told.channel_id = kept.channel_id and told.cursor = kept.cursor
  left join executions as held on held.channel_id = kept.channel_id and held.key_digest = kept.key_digest
 where (kept.channel_id, kept.cursor) > (:after_channel_id::text, :after_key::bigint)
   and kept.channel_id <= :until_channel_id::text
 order by kept.channel_id, kept.cursor
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

-- name: list_consumer_groups_in_order -> many
-- Each with its ranges, in their order; what is done out of order has no consumer.
select consumer_groups.channel_id, consumer_groups.group_id, named.channel_id as named_channel_id,
       coalesce(head.cursor, 0) as latest_cursor, consumer_groups.watermark, held.first_cursors,
       held.last_cursors, held.consumer_ids, held.highest_reserved
  from consumer_groups
  left join channel_heads as head on head.channel_id = consumer_groups.channel_id
  left join consumer_group_names as named on named.group_id = consumer_groups.group_id
 cross join lateral (
        select coalesce(array_agg(part.first_cursor order by part.first_cursor), '{}') as first_cursors,
               coalesce(array_agg(part.last_cursor order by part.first_cursor), '{}') as last_cursors,
               coalesce(array_agg(part.consumer_id order by part.first_cursor), '{}') as consumer_ids,
               coalesce(array_agg(consumer.highest_reserved order by part.first_cursor), '{}')
                   as highest_reserved
          from consumer_ranges as part
          left join consumers as consumer
                 on consumer.channel_id = part.channel_id
                and consumer.group_id = part.group_id
                and consumer.consumer_id = part.consumer_id
         where part.channel_id = consumer_groups.channel_id
           and part.group_id = consumer_groups.group_id) as held
 where (consumer_groups.channel_id, consumer_groups.group_id) > (:after_channel_id::text, :after_key::text)
   and consumer_groups.channel_id <= :until_channel_id::text
 order by consumer_groups.channel_id, consumer_groups.group_id
 limit :most::integer;

-- name: list_consumers_without_group -> many
-- Names, consumers and ranges that were left behind.
select channel_id, group_id
  from (select channel_id, group_id from consumer_group_names
         union
        select channel_id, group_id from consumers
         union
        select channel_id, group_id from consumer_ranges) as left_behind
 where channel_id >= :since_channel_id::text
   and channel_id <= :until_channel_id::text
   and not exists (select
                     from consumer_groups
                    where consumer_groups.channel_id = left_behind.channel_id
                      and consumer_groups.group_id = left_behind.group_id)
 order by channel_id, group_id;
