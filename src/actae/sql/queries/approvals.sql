-- Lists are newest first, from before a request on. A deadline that has passed needs no row to be changed.

-- name: list_approvals -> many
-- Of all channels that may be read.
select approval.channel_id, approval.request_id, approval.standing, approval.requested_cursor,
       approval.requested_event_id::text, approval.expires_at, approval.decided_cursor,
       requested.payload as requested_payload, requested.actor as requester,
       requested.recorded_at as requested_at, decided.payload as decided_payload,
       decided.actor as decided_by, decided.recorded_at as decided_at
  from (select *, case when status = 'pending' and expires_at <= actae_now() then 'expired'
                       else status end as standing
          from approvals
         where (:readable::text[] is null or channel_id like any(:readable::text[]))
           and (:before_event_id::uuid is null or requested_event_id < :before_event_id::uuid)
           and (:status::text is null
                or :status::text = case when status = 'pending' and expires_at <= actae_now() then 'expired'
                                        else status end)
         order by requested_event_id desc
         limit :most::integer) as approval
  join events as requested
    on requested.channel_id = approval.channel_id and requested.cursor = approval.requested_cursor
  left join events as decided
    on decided.channel_id = approval.channel_id and decided.cursor = approval.decided_cursor
 order by approval.requested_event_id desc;

-- name: list_pending_approvals -> many
-- The same for those that wait, by an index that holds no others.
select approval.channel_id, approval.request_id, approval.standing, approval.requested_cursor,
       approval.requested_event_id::text, approval.expires_at, approval.decided_cursor,
       requested.payload as requested_payload, requested.actor as requester,
       requested.recorded_at as requested_at, decided.payload as decided_payload,
       decided.actor as decided_by, decided.recorded_at as decided_at
  from (select *, status as standing
          from approvals
         where status = 'pending'
           and (expires_at is null or expires_at > actae_now())
           and (:readable::text[] is null or channel_id like any(:readable::text[]))
           and (:before_event_id::uuid is null or requested_event_id < :before_event_id::uuid)
         order by requested_event_id desc
         limit :most::integer) as approval
  join events as requested
    on requested.channel_id = approval.channel_id and requested.cursor = approval.requested_cursor
  left join events as decided
    on decided.channel_id = approval.channel_id and decided.cursor = approval.decided_cursor
 order by approval.requested_event_id desc;

-- name: list_channel_approvals -> many
-- Of one channel, or one request of it. There are few: they are found first, and then sorted.
select approval.channel_id, approval.request_id, approval.standing, approval.requested_cursor,
       approval.requested_event_id::text, approval.expires_at, approval.decided_cursor,
       requested.payload as requested_payload, requested.actor as requester,
       requested.recorded_at as requested_at, decided.payload as decided_payload,
       decided.actor as decided_by, decided.recorded_at as decided_at
  from (select listed.*
          from (select *, case when status = 'pending' and expires_at <= actae_now() then 'expired'
                               else status end as standing
                  from approvals
                 where channel_id = :channel_id::text
                   and (:request_digest::uuid is null or request_digest = :request_digest::uuid)
                   and (:before_event_id::uuid is null or requested_event_id < :before_event_id::uuid)
                offset 0                   -- or the index on event ids would be walked through all channels
               ) as listed
         where :status::text is null or listed.standing = :status::text
         order by listed.requested_event_id desc
         limit :most::integer) as approval
  join events as requested
    on requested.channel_id = approval.channel_id and requested.cursor = approval.requested_cursor
  left join events as decided
    on decided.channel_id = approval.channel_id and decided.cursor = approval.decided_cursor
 order by approval.requested_event_id desc;

-- name: expire_approvals -> none
-- Whoever deletes an operation frees its key; what somebody approved once is not approved for a second time.
update approvals
   set status = 'expired'
 where channel_id = :channel_id::text and key_digest = :key_digest::uuid and status = 'approved';
