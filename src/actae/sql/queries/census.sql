-- name: count_open_executions -> one
-- Reads the whole ledger: the status changes, so no index holds it. Callers limit the time that this may
-- take, and keep the answer for a while.
select count(*) as open, count(*) filter (where lease_until < actae_now()) as lapsed
  from executions
 where status = 'running';

-- name: count_pending_wakeups -> one
-- `due` are those whose time has come, the ones that wait for another try included.
select count(*) filter (where run_at > moment.now) as waiting,
       count(*) filter (where run_at <= moment.now) as due,
       coalesce(extract(epoch from max(moment.now - run_at) filter (where run_at <= moment.now)), 0)::float8
           as oldest_due_seconds
  from wakeups, (select actae_now() as now) as moment
 where status = 'pending';
