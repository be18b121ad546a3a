-- name: hold_source_head -> one
-- Keeps the source from being deleted until the fork is there, and keeps no writer waiting: a write
-- moves the head without touching its key.
select channel_id from channel_heads where channel_id = :channel_id::text for key share;

-- name: read_fork_source -> one
-- Everything that a fork takes from its source, in one statement and so at one moment: the head, the
-- snapshot at the cursor, the event there, and the highest step up to the boundary. No cursor is the latest
-- state; a fork of that may still inherit no more than up to an earlier boundary.
select head.cursor, head.latest_version, head.latest_version_cursor, head.lifecycle,
       snapshot.version as state_version, snapshot.cursor as state_cursor, snapshot.state,
       boundary.event_id::text as event_id, coalesce(step.latest_step, 0) as latest_step
  from channel_heads as head
  left join states as snapshot
    on snapshot.channel_id = head.channel_id
   and :with_state::boolean
   and snapshot.version = case when :at_cursor::bigint is null then head.latest_version else (
           select earlier.version
             from states as earlier
            where earlier.channel_id = head.channel_id
              and earlier.cursor <= :at_cursor::bigint
            order by earlier.cursor desc, earlier.version desc
            limit 1) end
  left join lateral (
        select event_id
          from events
         where events.channel_id = head.channel_id
           and events.cursor <= coalesce(snapshot.cursor, :at_cursor::bigint, head.cursor)
         order by events.cursor desc
         limit 1) as boundary on true
  left join lateral (
        select latest_step
          from steps
         where steps.channel_id = head.channel_id
           and steps.cursor <= coalesce(:boundary::bigint, head.cursor)
         order by steps.cursor desc
         limit 1) as step on true
 where head.channel_id = :channel_id::text;

-- name: get_fork -> one
select channel_id, source_channel_id, origin_run_id, requested_cursor, resolved_cursor,
       resolved_event_id::text, source_state_version, source_state_sha256, restorable, reproducibility,
       inherited_steps, ancestor_channel_ids, ancestor_boundaries, ancestor_steps, manifest, tool_policies,
       content_digest, replace(operation_digest::text, '-', '') as operation_digest, forked_at, fork_group_id
  from forks
 where channel_id = :channel_id::text;

-- name: get_fork_operation -> one
-- Fork operation ids are global; they are kept beside the others under a channel id that no channel can have.
select content_digest
  from operations
 where channel_id = '~forks' and operation_digest = :operation_digest::uuid;

-- name: add_fork_operation -> none
insert into operations (channel_id, operation_digest, content_digest)
values ('~forks', :operation_digest::uuid, :content_digest::bytea);

-- name: add_fork -> none
insert into forks (channel_id, source_channel_id, origin_run_id, requested_cursor, resolved_cursor,
                   resolved_event_id, source_state_version, source_state_sha256, restorable, reproducibility,
                   inherited_steps, ancestor_channel_ids, ancestor_boundaries, ancestor_steps, manifest,
                   tool_policies, content_digest, operation_digest, forked_at, fork_group_id)
values (:channel_id::text, :source_channel_id::text, :origin_run_id::text, :requested_cursor::bigint,
        :resolved_cursor::bigint, :resolved_event_id::uuid, :source_state_version::bigint,
        :source_state_sha256::text, :restorable::boolean, :reproducibility::text, :inherited_steps::bigint,
        :ancestor_channel_ids::text[], :ancestor_boundaries::bigint[], :ancestor_steps::bigint[],
        :manifest::json, :tool_policies::json, :content_digest::bytea, :operation_digest::uuid,
        :forked_at::timestamptz, :fork_group_id::text);

-- name: has_inherited_effects -> one
-- Whether the lineage holds any effect that the fork inherits.
select true as found
  from unnest(:channel_ids::text[], :boundaries::bigint[]) as ancestor (channel_id, boundary)
  join executions as done
    on done.channel_id = ancestor.channel_id
   and done.status = 'completed'
   and done.completed_cursor <= ancestor.boundary
 limit 1;

-- name: list_inheriting_forks -> many
-- The forks that would miss an operation: live children whose boundary lies behind its completion. Their own
-- forks meet it at the same boundary, and go before their parents.
select forks.channel_id
  from executions as done
  join forks
    on forks.source_channel_id = done.channel_id
   and forks.ancestor_boundaries[1] >= done.completed_cursor
  join channels as channel on channel.channel_id = forks.channel_id and channel.deleted_at is null
 where done.channel_id = :channel_id::text
   and done.key_digest = :key_digest::uuid
   and done.status = 'completed'
 order by forks.forked_at, forks.channel_id
 limit :most::integer;

-- name: create_fork_head -> none
-- The child begins with `fork.started` at cursor 1 and, where a snapshot was copied, with version 1 there.
insert into channel_heads (channel_id, revision, cursor, chain_hash, version, latest_version,
                           latest_version_cursor, latest_step, lifecycle, is_fork, active_at)
values (:channel_id::text, 1, 1, :chain_hash::bytea, :version::bigint, :version::bigint,
        case when :version::bigint > 0 then 1 end, 0, :lifecycle::text, true, :now::timestamptz);

-- name: create_fork_channel -> none
insert into channels (channel_id, created_at, display_name, reason, experiment_metadata)
values (:channel_id::text, :now::timestamptz, :display_name::text, :reason::text, :experiment_metadata::json);

-- name: add_event -> none
-- One event outside of the writer; its cursor and hash come from a head whose lock is held.
insert into events (channel_id, cursor, event_id, event_type, actor, agent_id, user_id, payload, metadata,
                    depends_on, dependencies, chain_hash, recorded_at)
values (:channel_id::text, :cursor::bigint, :event_id::uuid, :event_type::text, :actor::text, :agent_id::text,
        :user_id::text, :payload::json, :metadata::json, :depends_on::uuid, :dependencies::json,
        :chain_hash::bytea, :now::timestamptz);

-- name: add_state -> none
insert into states (channel_id, version, cursor, state, saved_at)
values (:channel_id::text, :version::bigint, :cursor::bigint, :state::json, :now::timestamptz);

-- name: list_forks -> many
-- Direct children, oldest first.
select channel.channel_id
  from forks
  join channels as channel on channel.channel_id = forks.channel_id
 where forks.source_channel_id = :channel_id::text
   and (:with_deleted::boolean or channel.deleted_at is null)
 order by forks.forked_at, forks.channel_id;

-- name: list_fork_nodes -> many
-- One level of a tree: the children of several channels at once.
select forks.source_channel_id, forks.channel_id, channel.display_name, channel.reason,
       forks.resolved_cursor, head.cursor
  from forks
  join channels as channel on channel.channel_id = forks.channel_id
  join channel_heads as head on head.channel_id = forks.channel_id
 where forks.source_channel_id = any(:channel_ids::text[])
   and channel.deleted_at is null
 order by forks.forked_at, forks.channel_id;

-- name: get_promotion -> one
select channel_id, parent_channel_id, event_id::text, cursor, state_version
  from promotions
 where channel_id = :channel_id::text;

-- name: add_promotion -> none
insert into promotions (channel_id, parent_channel_id, event_id, cursor, state_version, promoted_at)
values (:channel_id::text, :parent_channel_id::text, :event_id::uuid, :cursor::bigint, :state_version::bigint,
        :now::timestamptz);

-- name: move_head -> none
-- A locked head to its next position.
update channel_heads
   set revision = revision + 1, cursor = :cursor::bigint, chain_hash = :chain_hash::bytea,
       version = :version::bigint, latest_version = :latest_version::bigint,
       latest_version_cursor = :latest_version_cursor::bigint, latest_step = :latest_step::bigint,
       active_at = :now::timestamptz
 where channel_id = :channel_id::text;
