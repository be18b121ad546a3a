-- name: list_retention_policies -> many
select pattern, keep_for_seconds, set_by, set_at
  from retention_policies
 order by pattern;

-- name: set_retention_policy -> one
insert into retention_policies (pattern, keep_for_seconds, set_by, set_at)
values (:pattern::text, :keep_for_seconds::bigint, :set_by::text, :now::timestamptz)
on conflict (pattern) do update
   set keep_for_seconds = excluded.keep_for_seconds, set_by = excluded.set_by, set_at = excluded.set_at
returning pattern, keep_for_seconds, set_by, set_at;

-- name: remove_retention_policy -> one
delete from retention_policies where pattern = :pattern::text returning pattern;

-- name: list_ended_channels -> many
-- A piece of the index, whatever keeps its channels: those that stay keep none behind them from being found.
select channel_id, greatest(closed_at, outcome_at) as ended_at
  from channels
 where deleted_at is null
   and greatest(closed_at, outcome_at) <= :ended_before::timestamptz
   and (greatest(closed_at, outcome_at), channel_id) > (:after_ended_at::timestamptz, :after_channel_id::text)
 order by greatest(closed_at, outcome_at), channel_id
 limit :most::bigint;

-- name: judge_channels -> many
-- All that decides whether these channels may go. Of several policies the narrowest counts: the channel's own,
-- then the longest beginning.
select channel.channel_id, head.cursor as event_count, policy.pattern, policy.keep_for_seconds,
       greatest(channel.closed_at, channel.outcome_at) as ended_at,
       greatest(channel.closed_at, channel.outcome_at, head.active_at) as idle_since,
       head.lifecycle, head.is_fork,
       exists (select
                 from executions as operation
                where operation.channel_id = channel.channel_id
                  and operation.status = 'running'
                  and (operation.lease_until > moment.now or operation.on_lapse = 'ambiguous')
              ) as has_operations,
       exists (select
                 from wakeups as wakeup
                where wakeup.channel_id = channel.channel_id and wakeup.status = 'pending') as has_wakeups,
       exists (select
                 from approvals as question
                where question.channel_id = channel.channel_id
                  and question.status = 'pending'
                  and (question.expires_at is null or question.expires_at > moment.now)) as has_questions,
       exists (select
                 from execution_group_members as member
                where member.channel_id = channel.channel_id and member.lease_until > moment.now)
       or exists (select
                    from consumers as consumer
                   where consumer.channel_id = channel.channel_id
                     and consumer.lease_until > moment.now) as has_owners,
       exists (select
                 from forks as fork
                 join channel_heads as heir on heir.channel_id = fork.channel_id
                where fork.source_channel_id = channel.channel_id
                  and heir.lifecycle <> 'deleted') as has_forks,
       moment.now
  from channels as channel
  join channel_heads as head on head.channel_id = channel.channel_id
 cross join (select actae_now() as now) as moment
  left join lateral (
        select pattern, keep_for_seconds
          from retention_policies
         where pattern = channel.channel_id
            or (right(pattern, 1) = '*' and starts_with(channel.channel_id, left(pattern, -1)))
         order by pattern = channel.channel_id desc, length(pattern) desc
         limit 1) as policy on true
 where channel.channel_id = any(:channel_ids::text[]);

-- name: limit_statement_time -> one
-- For this transaction alone.
select set_config('statement_timeout', :milliseconds::text, true);

-- name: take_retention_turn -> one
-- For whoever moves the row first. A clock that was put back makes nobody wait for it.
update retention_sweeps
   set began_at = actae_now()
 where exists (select from retention_policies)
   and (began_at is null
        or began_at <= actae_now() - make_interval(secs => :every_seconds::float8)
        or began_at > actae_now() + interval '1 minute')
returning began_at;

-- name: end_retention_turn -> none
update retention_sweeps
   set ended_at = actae_now(), removed_count = removed_count + :removed::bigint;

-- name: get_last_retention_sweep -> one
select count(policy.pattern) as policies,
       coalesce(extract(epoch from max(sweep.ended_at)), 0)::float8 as ended_at
  from retention_sweeps as sweep
  left join retention_policies as policy on true;
