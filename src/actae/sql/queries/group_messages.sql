-- name: add_message_operation -> one
-- Operation ids of messages belong to their group, and are kept beside the others under a channel id that no
-- channel can have. No row if the id was used before.
insert into operations (channel_id, operation_digest, content_digest, cursor)
values ('~group:' || :group_id::text, :operation_digest::uuid, :content_digest::bytea, :cursor::bigint)
on conflict (channel_id, operation_digest) do nothing
returning operation_digest;

-- name: get_message_operation -> one
select content_digest, cursor
  from operations
 where channel_id = '~group:' || :group_id::text and operation_digest = :operation_digest::uuid;

-- name: add_group_message -> none
insert into group_messages (channel_id, cursor, group_id, to_member_id, source_channel_id, source_cursor,
                            payload_at)
values (:channel_id::text, :cursor::bigint, :group_id::text, :to_member_id::text, :source_channel_id::text,
        :source_cursor::bigint, :payload_at::integer);

-- name: list_group_messages -> many
-- The mail of one member, in the order of its delivery.
select message.channel_id, message.cursor, message.payload_at, message.acknowledged_at,
       delivery.event_id::text, delivery.depends_on::text, delivery.payload, delivery.recorded_at
  from group_messages as message
  join events as delivery on delivery.channel_id = message.channel_id and delivery.cursor = message.cursor
 where message.channel_id = :channel_id::text
   and message.group_id = :group_id::text
   and message.to_member_id = :to_member_id::text
   and message.cursor > :after::bigint
 order by message.cursor
 limit :most::integer;

-- name: get_group_message -> one
select message.channel_id, message.cursor, message.payload_at, message.acknowledged_at,
       delivery.event_id::text, delivery.depends_on::text, delivery.payload, delivery.recorded_at
  from group_messages as message
  join events as delivery on delivery.channel_id = message.channel_id and delivery.cursor = message.cursor
 where message.channel_id = :channel_id::text and message.cursor = :cursor::bigint;

-- name: get_message_recipient -> one
select group_id, to_member_id
  from group_messages
 where channel_id = :channel_id::text and cursor = :cursor::bigint;

-- name: acknowledge_group_message -> none
-- The first time counts.
update group_messages
   set acknowledged_at = coalesce(acknowledged_at, actae_now())
 where channel_id = :channel_id::text and cursor = :cursor::bigint;
