-- What the checklist of a channel asks beside its operations.

-- name: list_lapsed_keys -> many
-- Whether a lease has ended is for the database's clock to say.
select key_digest::text
  from executions
 where channel_id = :channel_id::text and status = 'running' and lease_until <= actae_now();

-- name: list_keys_with_evidence -> many
select key_digest::text, min(cursor) as cursor
  from late_evidence
 where channel_id = :channel_id::text
 group by key_digest;

-- name: list_snapshot_origins -> many
-- Newest first. An operation id that wrote both says that event and snapshot are one; one that wrote only the
-- snapshot, that they are not. Where neither is known, equal moments do: a batch has one.
select snapshot.version, snapshot.cursor,
       coalesce(written.has_event, told.recorded_at = snapshot.saved_at, false) as is_with_event
  from (select channel_id, version, cursor, saved_at
          from states
         where channel_id = :channel_id::text
         order by version desc
         limit :most::bigint) as snapshot
  left join (select version, bool_or(cursor is not null) as has_event
               from operations
              where channel_id = :channel_id::text and version is not null
              group by version) as written
         on written.version = snapshot.version
  left join events as told on told.channel_id = snapshot.channel_id and told.cursor = snapshot.cursor
 order by snapshot.version desc;

-- name: list_channels_like -> many
-- By id, so that a page goes on after the last one; deleted ones have nothing to look at.
select channel_id
  from channel_heads
 where channel_id > :after::text
   and channel_id like :pattern::text
   and lifecycle <> 'deleted'
   and (:readable::text[] is null or channel_id like any(:readable::text[]))
 order by channel_id
 limit :most::bigint;
