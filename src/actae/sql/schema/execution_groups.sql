-- An execution group: agents that run on their own, each on a channel, and write to each other.
create table execution_groups (
    group_id text collate "C" not null,
    status text not null,
    metadata json not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint execution_groups_pkey primary key (group_id),
    constraint execution_groups_status_known check (status in ('active'))
);

-- A member is a name bound to a channel for good, with a lease on it. The generation fences: it grows
-- with each new owner, and whoever comes with an older one is refused.
create table execution_group_members (
    group_id text collate "C" not null,
    member_id text collate "C" not null,
    channel_id text collate "C" not null,
    role text,
    metadata json not null,
    owner_id text,                        -- who holds the lease, or was the last to hold it
    generation bigint not null,           -- 0 is never claimed
    lease_until timestamptz,              -- null if it was never claimed, or was released
    added_at timestamptz not null,
    constraint execution_group_members_pkey primary key (group_id, member_id),
    constraint execution_group_members_of_a_group
        foreign key (group_id) references execution_groups (group_id),
    constraint execution_group_members_owned_once_claimed check ((generation = 0) = (owner_id is null)),
    constraint execution_group_members_lease_has_owner check (lease_until is null or generation > 0)
);

-- Whether somebody holds a lease on a channel.
create index execution_group_members_by_channel on execution_group_members (channel_id);

-- A message is its delivery event, which is on the recipient's channel; here is what the event cannot say.
-- The event's cursor names the message and orders the mail: it is given out under the lock of the channel's
-- head, so nothing appears behind a message that was already seen.
create table group_messages (
    channel_id text collate "C" not null, -- the recipient's
    cursor bigint not null,
    group_id text collate "C" not null,
    to_member_id text collate "C" not null,
    source_channel_id text collate "C" not null,
    source_cursor bigint not null,        -- of the event on the sender's channel
    payload_at integer not null,          -- where in the event's payload that of the message begins
    acknowledged_at timestamptz,
    constraint group_messages_pkey primary key (channel_id, cursor)
);

-- The mail of one member: several, even of several groups, may share a channel.
create index group_messages_by_member on group_messages (channel_id, group_id, to_member_id, cursor);

-- A group that was forked from another one, as it was asked for. What became of each member is below.
create table execution_group_forks (
    fork_group_id text collate "C" not null,
    source_group_id text collate "C" not null,
    intervention_member_id text collate "C" not null,
    intervention_cursor bigint not null,
    tool_policies json not null,
    content_digest bytea not null,        -- of the request, to tell a repetition from a conflict
    created_at timestamptz not null,
    constraint execution_group_forks_pkey primary key (fork_group_id),
    constraint execution_group_forks_of_a_group
        foreign key (fork_group_id) references execution_groups (group_id)
);

-- Written once, but for the policy: a frozen member can become reactive.
create table execution_group_fork_members (
    fork_group_id text collate "C" not null,
    member_id text collate "C" not null,
    resolved_cursor bigint not null,      -- the cut, in the source channel's numbering
    undelivered text[] not null,          -- messages sent before the sender's cut that arrived behind this one
    policy text not null,
    constraint execution_group_fork_members_pkey primary key (fork_group_id, member_id),
    constraint execution_group_fork_members_of_a_fork
        foreign key (fork_group_id) references execution_group_forks (fork_group_id),
    constraint execution_group_fork_members_policy_known check (policy in ('frozen', 'reactive'))
);
