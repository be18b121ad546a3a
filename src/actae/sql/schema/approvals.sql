-- Questions to people, and how each stands: what the events of a channel say about a request, in a form that a
-- claim can look up. What was asked, by whom, and what was answered is in the events that the cursors point at.
create table approvals (
    channel_id text collate "C" not null,
    request_digest uuid not null,         -- the first 128 bits of the SHA-256 of request_id
    request_id text not null,
    key_digest uuid,                      -- of the operation that it is bound to; null: to none
    fingerprint bytea,                    -- of the only input that the answer counts for
    status text not null,
    requested_cursor bigint not null,
    requested_event_id uuid not null,     -- orders requests of all channels
    expires_at timestamptz,               -- nobody need come by for it to pass
    decided_cursor bigint,                -- of the event that made the status what it is
    constraint approvals_pkey primary key (channel_id, request_digest),
    constraint approvals_status_known
        check (status in ('pending', 'approved', 'rejected', 'expired', 'superseded')),
    constraint approvals_bound_whole check ((key_digest is null) = (fingerprint is null))
);

-- The latest request of a key, which governs its claims.
create index approvals_by_key on approvals (channel_id, key_digest, requested_cursor);

-- Newest first over all channels: everything, and what still waits for somebody.
create index approvals_by_event on approvals (requested_event_id);
create index approvals_pending on approvals (requested_event_id) where status = 'pending';
