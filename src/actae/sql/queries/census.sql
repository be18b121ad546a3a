-- name: count_open_executions -> one
-- Reads the whole ledger: the status changes, so no index holds it. Callers limit the time that this may
-- take, and keep the answer for a while.
select count(*) as open, count(*) filter (where lease_until < actae_now()) as lapsed
  from executions
 where status = 'running';
