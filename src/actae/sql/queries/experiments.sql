-- name: add_experiment_operation -> one
-- No row if the id was used before, or by somebody whose transaction ended while this one waited for it.
insert into experiment_operations (operation_digest, content_digest, group_id)
values (:operation_digest::uuid, :content_digest::bytea, :group_id::text)
on conflict (operation_digest) do nothing
returning group_id;

-- name: get_experiment_operation -> one
select content_digest, group_id
  from experiment_operations
 where operation_digest = :operation_digest::uuid;

-- name: add_experiment -> none
insert into experiments (group_id, name, description, created_at, updated_at)
values (:group_id::text, :name::text, :description::text, :now::timestamptz, :now::timestamptz);

-- name: touch_experiment -> none
-- Also keeps two additions to one experiment apart.
update experiments
   set updated_at = actae_now()
 where group_id = :group_id::text;

-- name: put_experiment_member -> none
-- A second addition changes the role, and the declared delta if there is one.
insert into experiment_members (group_id, channel_id, role, declared_delta, added_at)
values (:group_id::text, :channel_id::text, :role::text, :declared_delta::json, actae_now())
on conflict (group_id, channel_id) do update
   set role = excluded.role,
       declared_delta = case when :has_declared_delta::boolean then excluded.declared_delta
                             else experiment_members.declared_delta end;

-- name: get_experiment -> one
select group_id, name, description, created_at, updated_at
  from experiments
 where group_id = :group_id::text;

-- name: list_experiments -> many
-- Newest first. An experiment shows to those who may read one of its members; one without any, to all.
select experiment.group_id, experiment.name, experiment.description, experiment.created_at,
       experiment.updated_at
  from experiments as experiment
 where :readable::text[] is null
    or not exists (select from experiment_members as member where member.group_id = experiment.group_id)
    or exists (select
                 from experiment_members as member
                where member.group_id = experiment.group_id
                  and member.channel_id like any(:readable::text[]))
 order by experiment.group_id desc
offset :skip::bigint
 limit :most::bigint;

-- name: list_experiment_members -> many
-- In the order in which they were added, with what is recorded of their channels now.
select member.group_id, member.channel_id, member.role, member.declared_delta, member.added_at,
       channel.outcome, channel.result_score, channel.deleted_at
  from experiment_members as member
  join channels as channel on channel.channel_id = member.channel_id
 where member.group_id = any(:group_ids::text[])
 order by member.group_id, member.added_at, member.channel_id;
