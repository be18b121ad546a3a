-- name: create_user -> one
-- No row means that the email is taken.
insert into users (email, user_id, password_hash, name, read_patterns, write_patterns, delete_patterns,
                   admin_patterns, observe_patterns, created_at)
values (:email::text, :user_id::uuid, :password_hash::text, :name::text, :read_patterns::text[],
        :write_patterns::text[], :delete_patterns::text[], :admin_patterns::text[],
        :observe_patterns::text[], actae_now())
on conflict (email) do nothing
returning user_id::text, email, name, read_patterns, write_patterns, delete_patterns, admin_patterns,
          observe_patterns, created_at;

-- name: get_user -> one
select user_id::text, email, name, read_patterns, write_patterns, delete_patterns, admin_patterns,
       observe_patterns, created_at
  from users
 where user_id = :user_id::uuid;

-- name: find_user -> one
select user_id::text, email, name, read_patterns, write_patterns, delete_patterns, admin_patterns,
       observe_patterns, created_at, password_hash
  from users
 where email = :email::text;

-- name: list_users -> many
select user_id::text, email, name, read_patterns, write_patterns, delete_patterns, admin_patterns,
       observe_patterns, created_at
  from users
 order by email;

-- name: set_user_permissions -> one
update users
   set read_patterns = :read_patterns::text[], write_patterns = :write_patterns::text[],
       delete_patterns = :delete_patterns::text[], admin_patterns = :admin_patterns::text[],
       observe_patterns = :observe_patterns::text[]
 where email = :email::text
returning user_id::text, email, name, read_patterns, write_patterns, delete_patterns, admin_patterns,
          observe_patterns, created_at;

-- name: delete_user -> one
delete from users where email = :email::text returning user_id::text;

-- name: revoke_token -> none
insert into revoked_tokens (token_id, expires_at)
values (:token_id::uuid, :expires_at::timestamptz)
on conflict (token_id) do nothing;

-- name: forget_expired_tokens -> none
-- An expired token is refused for its age, whether or not it was signed out.
delete from revoked_tokens where expires_at < actae_now();

-- name: get_token_standing -> one
select exists (select from revoked_tokens where token_id = :token_id::uuid) as is_revoked,
       actae_now() as now;

-- name: get_preferences -> one
select preferences from preferences where owner = :owner::text;

-- name: put_preferences -> none
insert into preferences (owner, preferences)
values (:owner::text, :preferences::json)
on conflict (owner) do update set preferences = excluded.preferences;

-- name: delete_preferences -> none
delete from preferences where owner = :owner::text;
