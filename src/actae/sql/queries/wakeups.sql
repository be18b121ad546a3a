-- name: add_wakeup -> one
-- No row if the call was made before, or by somebody whose transaction ended while this one waited for it.
insert into wakeups (channel_id, wakeup_id, run_at, due_at, status, payload, attempts, content_digest,
                     created_at)
values (:channel_id::text, :wakeup_id::uuid, :run_at::timestamptz, :run_at::timestamptz, 'pending',
        :payload::json, 0, :content_digest::bytea, :now::timestamptz)
on conflict (channel_id, wakeup_id) do nothing
returning replace(wakeup_id::text, '-', '') as wakeup_id;

-- name: get_wakeup -> one
select channel_id, replace(wakeup_id::text, '-', '') as wakeup_id, run_at, status, payload, created_at,
       executed_at, attempts, error, content_digest
  from wakeups
 where channel_id = :channel_id::text and wakeup_id = :wakeup_id::uuid;

-- name: list_channel_wakeups -> many
-- In the order of their times, from behind one of them on.
select channel_id, replace(wakeup_id::text, '-', '') as wakeup_id, run_at, status, payload, created_at,
       executed_at, attempts, error, content_digest
  from wakeups
 where channel_id = :channel_id::text
   and (:status::text is null or status = :status::text)
   and (run_at, wakeup_id) > (:after_run_at::timestamptz, :after_wakeup_id::uuid)
 order by run_at, wakeup_id
 limit :most::bigint;

-- name: list_wakeups -> many
-- Those of all readable channels. No index holds this order: it is asked for by people, of what is pending.
select channel_id, replace(wakeup_id::text, '-', '') as wakeup_id, run_at, status, payload, created_at,
       executed_at, attempts, error, content_digest
  from wakeups
 where (:readable::text[] is null or channel_id like any(:readable::text[]))
   and (:status::text is null or status = :status::text)
   and (run_at, channel_id, wakeup_id)
       > (:after_run_at::timestamptz, :after_channel_id::text collate "C", :after_wakeup_id::uuid)
 order by run_at, channel_id, wakeup_id
 limit :most::bigint;

-- name: list_due_wakeups -> many
-- The longest due first. Takes no lock: whether one is still there to be fired is found out when it is fired.
-- The time is asked for once, or the index could not be cut at it.
select channel_id, replace(wakeup_id::text, '-', '') as wakeup_id, attempts
  from wakeups
 where status = 'pending'
   and due_at <= (select actae_now() - make_interval(secs => :lag_seconds::float8))
 order by due_at
 limit :most::bigint;

-- name: limit_lock_wait -> one
-- For this transaction alone.
select set_config('lock_timeout', :milliseconds::text, true);

-- name: hold_wakeup -> one
-- No row if another server was faster, tried it and failed, or if it was cancelled.
select run_at, payload
  from wakeups
 where channel_id = :channel_id::text and wakeup_id = :wakeup_id::uuid
   and status = 'pending' and attempts = :attempts::integer
   for update;

-- name: finish_wakeup -> none
update wakeups
   set status = 'done', attempts = attempts + 1, error = null, event_cursor = :event_cursor::bigint,
       executed_at = :now::timestamptz
 where channel_id = :channel_id::text and wakeup_id = :wakeup_id::uuid;

-- name: record_failed_try -> one
-- Without a delay it was the last one. No row if it is not the try that the caller saw fail.
update wakeups
   set status = case when :delay_seconds::float8 is null then 'failed' else 'pending' end,
       attempts = attempts + 1, error = :error::text,
       due_at = coalesce(actae_now() + make_interval(secs => :delay_seconds::float8), due_at)
 where channel_id = :channel_id::text and wakeup_id = :wakeup_id::uuid
   and status = 'pending' and attempts = :attempts::integer
returning attempts;

-- name: defer_due_wakeups -> none
-- All that a channel has, so that they do not fill the page of those behind them. The one that was tried goes
-- behind the others: it may be at fault.
update wakeups
   set due_at = actae_now() + make_interval(
           secs => :delay_seconds::float8 * case when wakeup_id = :wakeup_id::uuid then 2 else 1 end)
 where channel_id = :channel_id::text and status = 'pending' and due_at <= actae_now();

-- name: cancel_wakeup -> one
update wakeups
   set status = 'cancelled'
 where channel_id = :channel_id::text and wakeup_id = :wakeup_id::uuid and status = 'pending'
returning wakeup_id;

-- name: delete_channel_wakeups -> none
delete from wakeups where channel_id = :channel_id::text;
