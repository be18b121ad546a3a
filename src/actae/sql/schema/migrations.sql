-- Which migrations this database has, with the checksum of the text that ran. The runner creates this
-- table before anything else, and locks its version 0 while it works: one server migrates, the others wait.
create table schema_migrations (
    version integer not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null,
    constraint schema_migrations_pkey primary key (version)
);
