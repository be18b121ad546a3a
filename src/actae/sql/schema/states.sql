-- Snapshots, numbered per channel. The latest is the highest version, not the highest cursor:
-- several saves at one cursor are normal.
create table states (
    channel_id text collate "C" not null,
    version bigint not null,
    cursor bigint not null,
    state json not null,
    dependencies json,
    saved_at timestamptz not null,
    constraint states_pkey primary key (channel_id, version),
    constraint states_cursor_not_negative check (cursor >= 0)
);

-- The snapshot to fork from: the greatest cursor at or before the boundary, then the highest version.
create index states_by_cursor on states (channel_id, cursor, version);
