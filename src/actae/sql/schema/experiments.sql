-- An experiment: channels that try the same thing in different ways, and are ranked by their scores.
create table experiments (
    group_id text collate "C" not null,   -- a UUIDv7: ids ascend in time
    name text not null,
    description text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint experiments_pkey primary key (group_id)
);

-- The score is not here: it is the channel's own, read when it is asked for.
create table experiment_members (
    group_id text collate "C" not null,
    channel_id text collate "C" not null,
    role text not null,
    declared_delta json,                  -- what the member does differently, in the caller's words
    added_at timestamptz not null,
    constraint experiment_members_pkey primary key (group_id, channel_id),
    constraint experiment_members_of_an_experiment foreign key (group_id) references experiments (group_id)
);

-- Which operation ids were used, for what content, and what they made. The digest covers the route and, for
-- a member, the experiment.
create table experiment_operations (
    operation_digest uuid not null,
    content_digest bytea not null,
    group_id text collate "C" not null,
    constraint experiment_operations_pkey primary key (operation_digest)
);
