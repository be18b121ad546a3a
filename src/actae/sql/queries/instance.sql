-- name: create_instance -> none
insert into instance (instance_id, secret, created_at)
values (:instance_id::uuid, :secret::bytea, actae_now())
on conflict (only_row) do nothing;

-- name: get_instance -> one
select instance_id::text, secret, created_at, actae_now() as now from instance;

-- name: ping -> one
select actae_now() as now;
