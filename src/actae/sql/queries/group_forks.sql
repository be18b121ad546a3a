-- name: read_group_history -> many
-- Where channels stand, and which messages went from one of them to another: one statement, so all of it is
-- of one moment. A channel without such messages has one row, one that does not exist has no head.
select asked.channel_id, head.cursor, head.lifecycle, message.source_channel_id, message.source_cursor,
       message.cursor as delivery_cursor, message.group_id, message.to_member_id
  from unnest(:channel_ids::text[]) as asked (channel_id)
  left join channel_heads as head on head.channel_id = asked.channel_id
  left join group_messages as message
         on message.channel_id = asked.channel_id
        and message.source_channel_id = any(:channel_ids::text[])
 order by asked.channel_id, message.cursor;

-- name: add_group_fork -> none
insert into execution_group_forks (fork_group_id, source_group_id, intervention_member_id, intervention_cursor,
                                   tool_policies, content_digest, created_at)
values (:fork_group_id::text, :source_group_id::text, :intervention_member_id::text,
        :intervention_cursor::bigint, :tool_policies::json, :content_digest::bytea, :now::timestamptz);

-- name: add_group_fork_member -> none
insert into execution_group_fork_members (fork_group_id, member_id, resolved_cursor, undelivered, policy)
values (:fork_group_id::text, :member_id::text, :resolved_cursor::bigint, :undelivered::text[], :policy::text);

-- name: get_group_fork -> one
select fork_group_id, source_group_id, intervention_member_id, intervention_cursor, tool_policies,
       content_digest, created_at
  from execution_group_forks
 where fork_group_id = :fork_group_id::text;

-- name: list_group_fork_members -> many
-- In the order in which they were added to the source. What became of the state is in the channel's receipt.
select forked.member_id, receipt.source_channel_id, receipt.channel_id, forked.resolved_cursor,
       case when receipt.restorable then receipt.resolved_cursor else 0 end as resolved_state_cursor,
       receipt.source_state_version, receipt.restorable, forked.undelivered, forked.policy
  from execution_group_fork_members as forked
  join execution_group_members as member
    on member.group_id = forked.fork_group_id and member.member_id = forked.member_id
  join forks as receipt on receipt.channel_id = member.channel_id
 where forked.fork_group_id = :fork_group_id::text
 order by member.added_at, member.member_id;

-- name: thaw_group_fork_member -> none
update execution_group_fork_members
   set policy = 'reactive'
 where fork_group_id = :fork_group_id::text and member_id = :member_id::text;

-- name: thaw_head -> none
-- Needs the head's lock.
update channel_heads
   set revision = revision + 1, lifecycle = 'open'
 where channel_id = :channel_id::text and lifecycle = 'frozen';
