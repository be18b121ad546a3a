-- name: count_open_executions -> one
-- Reads the whole ledger: the status changes, so no index holds it. Callers limit the time that this may
-- take, and keep the answer for a while.
-- What holds a session for itself has no event of its start, and is as old as the session. What is ambiguous
-- is counted below: it waits for a person, and for no worker.
select count(*) as open,
       count(*) filter (where lease_until <= moment.now) as lapsed,
       coalesce(extract(epoch from max(moment.now - created_at) filter (where started_cursor is not null)), 0)
           ::float8 as oldest_seconds
  from executions, (select actae_now() as now) as moment
 where status = 'running'
   and (on_lapse is distinct from 'ambiguous' or lease_until > moment.now);

-- name: count_ambiguous_executions -> one
-- By their own small index. Nobody knows since the lease has ended.
select count(*) as waiting,
       coalesce(extract(epoch from max(moment.now - lease_until)), 0)::float8 as oldest_seconds
  from executions, (select actae_now() as now) as moment
 where on_lapse = 'ambiguous' and lease_until <= moment.now;

-- name: count_pending_wakeups -> one
-- `due` are those whose time has come, the ones that wait for another try included.
select count(*) filter (where run_at > moment.now) as ahead,
       count(*) filter (where run_at <= moment.now) as due,
       coalesce(extract(epoch from max(moment.now - run_at) filter (where run_at <= moment.now)), 0)::float8
           as oldest_due_seconds
  from wakeups, (select actae_now() as now) as moment
 where status = 'pending';

-- name: count_pending_approvals -> one
-- Only those that keep an operation from being run: other questions may stay open for ever.
select count(*) as waiting,
       coalesce(extract(epoch from max(moment.now - requested.recorded_at)), 0)::float8 as oldest_seconds
  from approvals
  join events as requested
    on requested.channel_id = approvals.channel_id and requested.cursor = approvals.requested_cursor
 cross join (select actae_now() as now) as moment
 where approvals.status = 'pending'
   and approvals.key_digest is not null
   and (approvals.expires_at is null or approvals.expires_at > moment.now);

-- name: count_unconsumed_events -> one
-- Behind is what lies above a group's watermark; of that, stranded is what consumers with a lapsed lease
-- have in their hands. A few rows a group.
select count(*) as groups, coalesce(sum(lag.events), 0)::bigint as behind,
       coalesce(max(lag.events), 0)::bigint as furthest_behind,
       coalesce((select sum(held.last_cursor - held.first_cursor + 1)
                   from consumer_ranges as held
                   join consumers as consumer
                     on consumer.channel_id = held.channel_id
                    and consumer.group_id = held.group_id
                    and consumer.consumer_id = held.consumer_id
                  where consumer.lease_until <= actae_now()), 0)::bigint as stranded
  from (select coalesce(head.cursor, 0) - consumer_groups.watermark as events
          from consumer_groups
          left join channel_heads as head on head.channel_id = consumer_groups.channel_id) as lag;

-- name: count_freezes -> one
select count(*) as standing,
       coalesce(extract(epoch from max(moment.now - created_at)), 0)::float8 as oldest_seconds
  from guards, (select actae_now() as now) as moment
 where kind = 'freeze';
