-- name: load_latest_state -> one
-- The highest version wins, whatever its cursor.
select version, cursor, state, saved_at
  from states
 where channel_id = :channel_id::text
 order by version desc
 limit 1;

-- name: load_state_version -> one
select version, cursor, state, saved_at
  from states
 where channel_id = :channel_id::text and version = :version::bigint;

-- name: list_state_versions -> many
select version, cursor, saved_at
  from states
 where channel_id = :channel_id::text
 order by version desc
offset :skip::bigint
 limit :most::bigint;

-- name: delete_state_version -> one
delete from states
 where channel_id = :channel_id::text and version = :version::bigint
returning version;

-- name: point_head_at_latest_state -> none
-- Needs the head's lock. After the deletion of the latest version the next lower one is the latest.
update channel_heads as head
   set revision = head.revision + 1,
       latest_version = coalesce(latest.version, 0),
       latest_version_cursor = latest.cursor
  from (select 1) as always
  left join lateral (select version, cursor
                       from states
                      where channel_id = :channel_id::text
                      order by version desc
                      limit 1) as latest on true
 where head.channel_id = :channel_id::text;

-- name: get_saved_at -> one
-- When a snapshot was saved, without its state.
select saved_at from states where channel_id = :channel_id::text and version = :version::bigint;
