-- name: add_consumer_group_name -> one
-- No row if the name is taken, also by somebody whose transaction ended while this one waited for it.
insert into consumer_group_names (group_id, channel_id)
values (:group_id::text, :channel_id::text)
on conflict (group_id) do nothing
returning group_id;

-- name: find_consumer_group -> one
select channel_id from consumer_group_names where group_id = :group_id::text;

-- name: add_consumer_group -> none
insert into consumer_groups (channel_id, group_id, watermark, metadata, created_at)
values (:channel_id::text, :group_id::text, 0, :metadata::json, actae_now());

-- name: get_consumer_group -> one
-- A channel that does not exist yet has no head; its newest cursor is 0.
select consumer_groups.group_id, consumer_groups.channel_id, consumer_groups.created_at,
       consumer_groups.metadata, consumer_groups.watermark, coalesce(head.cursor, 0) as latest_cursor
  from consumer_groups
  left join channel_heads as head on head.channel_id = consumer_groups.channel_id
 where consumer_groups.channel_id = :channel_id::text and consumer_groups.group_id = :group_id::text;

-- name: list_consumer_groups -> many
-- By name. There are few: people set them up.
select consumer_groups.group_id, consumer_groups.channel_id, consumer_groups.created_at,
       consumer_groups.metadata, consumer_groups.watermark, coalesce(head.cursor, 0) as latest_cursor
  from consumer_groups
  left join channel_heads as head on head.channel_id = consumer_groups.channel_id
 where (:channel_id::text is null or consumer_groups.channel_id = :channel_id::text)
   and (:readable::text[] is null or consumer_groups.channel_id like any(:readable::text[]))
   and consumer_groups.group_id > :after::text
 order by consumer_groups.group_id
 limit :most::integer;

-- name: lock_consumer_group -> one
-- Consumers of one group come one after the other. Everything else is read behind this lock.
select watermark, created_at
  from consumer_groups
 where channel_id = :channel_id::text and group_id = :group_id::text
   for update;

-- name: read_consumer_group -> one
-- What a decision about one consumer needs, of one moment: the channel's newest cursor, the consumer if it
-- ever joined, and all ranges in order, each with the lease of the consumer that has it in its hands.
select clock.now, coalesce(head.cursor, 0) as latest_cursor, asking.last_cursor, asking.highest_reserved,
       asking.lease_until, held.first_cursors, held.last_cursors, held.consumer_ids, held.leases
  from (select actae_now() as now) as clock
  left join channel_heads as head on head.channel_id = :channel_id::text
  left join consumers as asking
         on asking.channel_id = :channel_id::text
        and asking.group_id = :group_id::text
        and asking.consumer_id = :consumer_id::text
 cross join lateral (
        select coalesce(array_agg(part.first_cursor order by part.first_cursor), '{}') as first_cursors,
               coalesce(array_agg(part.last_cursor order by part.first_cursor), '{}') as last_cursors,
               coalesce(array_agg(part.consumer_id order by part.first_cursor), '{}') as consumer_ids,
               coalesce(array_agg(holder.lease_until order by part.first_cursor), '{}') as leases
          from consumer_ranges as part
          left join consumers as holder
                 on holder.channel_id = part.channel_id
                and holder.group_id = part.group_id
                and holder.consumer_id = part.consumer_id
         where part.channel_id = :channel_id::text and part.group_id = :group_id::text) as held;

-- name: is_channel_finished -> one
-- Of a channel whose newest event is at a cursor: whether there will be no other, since it is closed and no worker
-- with a live lease may yet tell how its operation went. No row unless the channel is closed.
select not exists (
         select
           from executions as operation
          where operation.channel_id = head.channel_id
            and operation.status = 'running'
            and operation.lease_until > actae_now()
       ) as is_finished
  from channel_heads as head
 where head.channel_id = :channel_id::text and head.lifecycle = 'closed' and head.cursor = :cursor::bigint;

-- name: write_consumer_group -> none
-- What a decision has changed. Needs the group's lock. No range is both removed and put; one that begins
-- where an old one began takes its place.
with moved as (
        update consumer_groups
           set watermark = :watermark::bigint
         where channel_id = :channel_id::text
           and group_id = :group_id::text
           and watermark <> :watermark::bigint),
     removed as (
        delete from consumer_ranges
         where channel_id = :channel_id::text
           and group_id = :group_id::text
           and first_cursor = any(:removed_cursors::bigint[])),
     put as (
        insert into consumer_ranges (channel_id, group_id, first_cursor, last_cursor, consumer_id)
        select :channel_id::text, :group_id::text, given.first_cursor, given.last_cursor, given.consumer_id
          from unnest(:first_cursors::bigint[], :last_cursors::bigint[], :consumer_ids::text[])
               as given (first_cursor, last_cursor, consumer_id)
        on conflict (channel_id, group_id, first_cursor) do update
           set last_cursor = excluded.last_cursor, consumer_id = excluded.consumer_id)
insert into consumers (channel_id, group_id, consumer_id, last_cursor, highest_reserved, lease_until,
                       updated_at)
values (:channel_id::text, :group_id::text, :consumer_id::text, :last_cursor::bigint,
        :highest_reserved::bigint, :lease_until::timestamptz, :now::timestamptz)
on conflict (channel_id, group_id, consumer_id) do update
   set last_cursor = excluded.last_cursor, highest_reserved = excluded.highest_reserved,
       lease_until = excluded.lease_until, updated_at = excluded.updated_at;

-- name: list_consumers -> many
-- By name, each with the highest cursor reserved for it; what was reserved under a lapsed lease is free.
select consumer.group_id, consumer.consumer_id, consumer.last_cursor,
       coalesce(max(held.last_cursor) filter (where actae_now() < consumer.lease_until),
                consumer.last_cursor) as claimed_cursor,
       consumer.updated_at, consumer.lease_until
  from consumers as consumer
  left join consumer_ranges as held
         on held.channel_id = consumer.channel_id
        and held.group_id = consumer.group_id
        and held.consumer_id = consumer.consumer_id
 where consumer.channel_id = :channel_id::text
   and consumer.group_id = :group_id::text
   and consumer.consumer_id > :after::text
 group by consumer.channel_id, consumer.group_id, consumer.consumer_id
 order by consumer.consumer_id
 limit :most::integer;

-- name: delete_consumer_group -> one
-- First, and with it its lock: nobody writes the rest any more.
delete from consumer_groups
 where channel_id = :channel_id::text and group_id = :group_id::text
returning group_id;

-- name: delete_consumers -> none
delete from consumers where channel_id = :channel_id::text and group_id = :group_id::text;

-- name: delete_consumer_ranges -> none
delete from consumer_ranges where channel_id = :channel_id::text and group_id = :group_id::text;

-- name: delete_consumer_group_name -> none
delete from consumer_group_names where group_id = :group_id::text;

-- name: delete_channel_consumer_groups -> none
-- Before its consumers and their ranges, which are written under its lock.
delete from consumer_groups where channel_id = :channel_id::text;

-- name: delete_channel_consumers -> none
delete from consumers where channel_id = :channel_id::text;

-- name: delete_channel_consumer_ranges -> none
delete from consumer_ranges where channel_id = :channel_id::text;

-- name: delete_channel_consumer_group_names -> none
delete from consumer_group_names where channel_id = :channel_id::text;
