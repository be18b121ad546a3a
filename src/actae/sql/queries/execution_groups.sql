-- name: add_execution_group -> one
-- No row if the group exists, or was made by somebody whose transaction ended while this one waited for it.
insert into execution_groups (group_id, status, metadata, created_at, updated_at)
values (:group_id::text, 'active', :metadata::json, :now::timestamptz, :now::timestamptz)
on conflict (group_id) do nothing
returning group_id;

-- name: get_execution_group -> one
select group_id, status, metadata, created_at, updated_at
  from execution_groups
 where group_id = :group_id::text;

-- name: list_execution_groups -> many
-- Newest first. A group shows to those who may read one of its members; one without any, to all.
select grouped.group_id, grouped.status, grouped.metadata, grouped.created_at, grouped.updated_at
  from execution_groups as grouped
 where :readable::text[] is null
    or not exists (select from execution_group_members as member where member.group_id = grouped.group_id)
    or exists (select
                 from execution_group_members as member
                where member.group_id = grouped.group_id
                  and member.channel_id like any(:readable::text[]))
 order by grouped.created_at desc, grouped.group_id
offset :skip::bigint
 limit :most::bigint;

-- name: touch_execution_group -> none
update execution_groups
   set updated_at = actae_now()
 where group_id = :group_id::text;

-- name: add_group_member -> one
-- No row if the member exists.
insert into execution_group_members (group_id, member_id, channel_id, role, metadata, generation, added_at)
values (:group_id::text, :member_id::text, :channel_id::text, :role::text, :metadata::json, 0, actae_now())
on conflict (group_id, member_id) do nothing
returning member_id;

-- name: list_group_members -> many
-- In the order in which they were added.
select group_id, member_id, channel_id, role, metadata, owner_id, generation, lease_until
  from execution_group_members
 where group_id = :group_id::text
 order by added_at, member_id;

-- name: get_group_members -> many
select group_id, member_id, channel_id, role, metadata, owner_id, generation, lease_until
  from execution_group_members
 where group_id = :group_id::text and member_id = any(:member_ids::text[]);

-- name: lock_group_member -> one
select group_id, member_id, channel_id, role, metadata, owner_id, generation, lease_until
  from execution_group_members
 where group_id = :group_id::text and member_id = :member_id::text
   for update;

-- name: set_member_lease -> none
update execution_group_members
   set owner_id = :owner_id::text, generation = :generation::bigint, lease_until = :lease_until::timestamptz
 where group_id = :group_id::text and member_id = :member_id::text;
