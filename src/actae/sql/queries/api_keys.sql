-- name: create_api_key -> one
insert into api_keys (key_id, key_digest, name, read_patterns, write_patterns, delete_patterns,
                      admin_patterns, observe_patterns, created_at, expires_at)
values (:key_id::text, :key_digest::bytea, :name::text, :read_patterns::text[], :write_patterns::text[],
        :delete_patterns::text[], :admin_patterns::text[], :observe_patterns::text[], actae_now(),
        actae_now() + make_interval(secs => :expires_in_seconds::float8))
returning key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
          created_at, expires_at, revoked_at;

-- name: create_first_api_key -> one
-- Every server that starts gives this key the same id: of two that race, one inserts and gets a row.
insert into api_keys (key_id, key_digest, name, read_patterns, write_patterns, delete_patterns,
                      admin_patterns, observe_patterns, created_at)
select :key_id::text, :key_digest::bytea, :name::text, :read_patterns::text[], :write_patterns::text[],
       :delete_patterns::text[], :admin_patterns::text[], :observe_patterns::text[], actae_now()
 where not exists (select from api_keys)
on conflict (key_id) do nothing
returning key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
          created_at, expires_at, revoked_at;

-- name: find_api_key -> one
-- The hot one: each process asks it once a second for each key in use.
select key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
       created_at, expires_at, revoked_at, actae_now() as now
  from api_keys
 where key_digest = :key_digest::bytea;

-- name: get_api_key -> one
select key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
       created_at, expires_at, revoked_at, actae_now() as now
  from api_keys
 where key_id = :key_id::text;

-- name: list_api_keys -> many
-- Oldest first, the revoked ones too.
select key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
       created_at, expires_at, revoked_at
  from api_keys
 order by created_at, key_id;

-- name: list_newest_api_keys -> many
-- A page, the revoked ones too, of those below the key that ended the page before.
select key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
       created_at, expires_at, revoked_at
  from api_keys
 where :after_key_id::text is null
    or (created_at, key_id) < (select before.created_at, before.key_id
                                 from api_keys as before
                                where before.key_id = :after_key_id::text)
 order by created_at desc, key_id desc
 limit :most::int;

-- name: revoke_api_key -> one
-- Again changes nothing: the first moment stands.
update api_keys
   set revoked_at = coalesce(revoked_at, actae_now())
 where key_id = :key_id::text
returning key_id, name, read_patterns, write_patterns, delete_patterns, admin_patterns, observe_patterns,
          created_at, expires_at, revoked_at;
