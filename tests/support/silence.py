"""Hints that get lost: the worst that PostgreSQL's notifications may do to anybody."""

import asyncpg


async def mute(dsn: str) -> None:
    """From the next session on, whoever notifies in this database is heard by nobody."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            "create schema silence;"
            " create function silence.pg_notify(text, text) returns void language sql as 'select null';"
        )
        name = await connection.fetchval("select current_database()")
        await connection.execute(f'alter database "{name}" set search_path = silence, pg_catalog, public')
    finally:
        await connection.close()
