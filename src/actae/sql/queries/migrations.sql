-- name: create_migrations_table -> none
-- Two servers may start on an empty database at once; the loser of that race waits and finds it there.
create table if not exists schema_migrations (
    version integer not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null,
    constraint schema_migrations_pkey primary key (version)
);

-- name: add_migrations_lock_row -> none
insert into schema_migrations (version, name, checksum, applied_at)
values (0, 'lock', '', clock_timestamp())
on conflict (version) do nothing;

-- name: lock_migrations -> one
select version from schema_migrations where version = 0 for update;

-- name: list_migrations -> many
select version, name, checksum, applied_at from schema_migrations where version > 0 order by version;

-- name: add_migration -> none
insert into schema_migrations (version, name, checksum, applied_at)
values (:version::integer, :name::text, :checksum::text, clock_timestamp());
