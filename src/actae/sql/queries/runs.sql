-- name: find_event_horizon -> one
-- Where a walk over so many events, newest first, ends; no row if there are not so many.
select told.event_id::text
  from events as told
 where told.event_id < coalesce(:after::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
 order by told.event_id desc
offset :passed::bigint
 limit 1;

-- name: list_active_runs -> many
-- Channels by their newest event. Event ids ascend in time, so their index read backwards meets each channel
-- first at its newest event: that is where the head stands. Activity itself is not indexed, because every
-- write would then touch an index.
select told.channel_id, told.event_id::text
  from events as told
  join channel_heads as head on head.channel_id = told.channel_id and head.cursor = told.cursor
 where told.event_id < coalesce(:after::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
   and told.event_id >= coalesce(:until::uuid, '00000000-0000-0000-0000-000000000000')
   and (:readable::text[] is null or told.channel_id like any(:readable::text[]))
 order by told.event_id desc
 limit :most::integer;

-- name: find_channel_horizon -> one
-- The same for a walk over channels in the order of their ids.
select channel_id
  from channel_heads
 where channel_id > :after::text and channel_id >= :begin::text and channel_id < :end::text
 order by channel_id
offset :passed::bigint
 limit 1;

-- name: list_runs_by_id -> many
-- Channels in the order of their ids; with `silent` only those that have no event.
select channel_id
  from channel_heads
 where channel_id > :after::text and channel_id >= :begin::text and channel_id < :end::text
   and channel_id <= coalesce(:until::text, '~')
   and lifecycle <> 'deleted'
   and (not :silent::boolean or cursor = 0)
   and (:readable::text[] is null or channel_id like any(:readable::text[]))
 order by channel_id
 limit :most::integer;

-- name: describe_runs -> many
-- What a page shows of its channels. What a channel may have very many of is counted up to a limit only. The
-- session fence is no effect.
select head.channel_id, channel.display_name, head.lifecycle, channel.outcome, channel.created_at,
       head.active_at, head.cursor, head.latest_version as version, head.latest_step,
       fork.source_channel_id, children.forks,
       effects.running, effects.lapsed, effects.ambiguous, effects.completed, effects.failed,
       effects.cancelled, beyond.found is not null as more,
       newest.event_type, newest.actor, newest.recorded_at
  from channel_heads as head
  join channels as channel on channel.channel_id = head.channel_id
  left join forks as fork on fork.channel_id = head.channel_id
  left join events as newest on newest.channel_id = head.channel_id and newest.cursor = head.cursor
 cross join lateral (
       select count(*) as forks
         from (select child.channel_id
                 from forks as child
                 join channels as known on known.channel_id = child.channel_id and known.deleted_at is null
                where child.source_channel_id = head.channel_id
                  and (:readable::text[] is null or child.channel_id like any(:readable::text[]))
                limit :forks_max::integer) as child) as children
 cross join lateral (
       select count(*) filter (where held.status = 'running' and held.lease_until > held.now) as running,
              count(*) filter (where held.status = 'running' and held.lease_until <= held.now
                                 and held.on_lapse is distinct from 'ambiguous') as lapsed,
              count(*) filter (where held.status = 'running' and held.lease_until <= held.now
                                 and held.on_lapse = 'ambiguous') as ambiguous,
              count(*) filter (where held.status = 'completed') as completed,
              count(*) filter (where held.status = 'failed') as failed,
              count(*) filter (where held.status = 'cancelled') as cancelled
         from (select status, lease_until, on_lapse, moment.now
                 from executions, (select actae_now() as now) as moment
                where channel_id = head.channel_id and key_name <> :fence_key::text
                limit :effects_max::integer) as held) as effects
  left join lateral (
       select true as found
         from executions
        where channel_id = head.channel_id and key_name <> :fence_key::text
       offset :effects_max::integer
        limit 1) as beyond on true
 where head.channel_id = any(:channel_ids::text[]) and head.lifecycle <> 'deleted';

-- name: list_newest_bills -> many
-- Of each channel the newest events that mention a word, newest first. Looked at are so many events, and so
-- many bytes of them: the event that passes the bytes comes without content, and nothing before it. The size is
-- what is stored; JSON is looked at as text, because taking it apart here would fail on a NUL.
select page.channel_id, told.payload, told.metadata
  from unnest(:channel_ids::text[]) as page (channel_id)
 cross join lateral (
       select case when newest.bytes <= :bytes_max::bigint then newest.payload end as payload,
              case when newest.bytes <= :bytes_max::bigint then newest.metadata end as metadata
         from (select cursor, payload, metadata, pg_column_size(payload) as size,
                      sum(pg_column_size(payload) + coalesce(pg_column_size(metadata), 0))
                          over (order by cursor desc) as bytes
                 from events
                where events.channel_id = page.channel_id
                order by cursor desc
                limit :looked_at_max::integer) as newest
        where case when newest.bytes <= :bytes_max::bigint
                   then newest.payload::text like any(:words_like::text[])
                        or newest.metadata::text like any(:words_like::text[])
                   else newest.bytes - newest.size <= :bytes_max::bigint end
        order by newest.cursor desc
        limit :told_max::integer) as told;
