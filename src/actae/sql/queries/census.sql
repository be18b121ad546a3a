-- name: count_open_executions -> one
-- Reads the whole ledger: the status changes, so no index holds it. Callers limit the time that this may
-- take, and keep the answer for a while.
-- What holds a session for itself has no event of its start, and is as old as the session.
select count(*) as open,
       count(*) filter (where lease_until < moment.now) as lapsed,
       coalesce(extract(epoch from max(moment.now - created_at) filter (where started_cursor is not null)), 0)
           ::float8 as oldest_seconds
  from executions, (select actae_now() as now) as moment
 where status = 'running';
