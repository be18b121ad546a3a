-- name: end_leases -> many
-- Of a dead agent, in the database of a crash test: nobody has to wait for them. The row is left as time would
-- have left it.
update executions
   set lease_until = actae_now()
 where channel_id = any(:channel_ids::text[])
   and status = 'running'
   and lease_until > actae_now()
returning channel_id, key_name;

-- name: count_unsettled -> one
-- What nobody has settled by now: running, or in doubt.
select count(*) as unsettled
  from executions
 where channel_id = any(:channel_ids::text[])
   and status = 'running';
