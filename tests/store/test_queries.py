"""Every statement can be prepared against the schema, is used, and finds its rows by an index."""

import re
from pathlib import Path

import asyncpg
import pytest

import actae.store
from actae.store import approvals, batch, events, executions, guarding, runs
from actae.store.database import connect_writer
from actae.store.queries import Query, number_parameters, query, read_texts

STORE = Path(actae.store.__path__[0])
NAMES = sorted(name for name, (kind, _) in read_texts().items() if kind != "part")


@pytest.mark.parametrize("name", NAMES)
async def test_each_query_can_be_prepared(database_url: str, name: str) -> None:
    """The database knows all tables, columns and types that it names."""
    connection = await asyncpg.connect(database_url)
    try:
        prepared = await connection.prepare(query(name).sql)
        assert len(prepared.get_parameters()) == len(query(name).parameters)
    finally:
        await connection.close()


def test_each_query_is_used() -> None:
    """A statement that nobody runs goes."""
    code = "\n".join(file.read_text("utf-8") for file in STORE.glob("*.py"))
    unused = [
        name
        for name in read_texts()
        if f'"{name}"' not in code and not name.startswith("delete_channel_")  # named by their tables
    ]
    assert unused == []


def test_parameters_are_numbered_as_they_first_occur() -> None:
    """A cast is no parameter, nor is a colon in a comment."""
    numbered = number_parameters("q", "one", "-- :not_this\nselect :b::int, :a::text, :b::int, 'x'::json;")
    assert numbered.sql == "select $1::int, $2::text, $1::int, 'x'::json"
    assert numbered.parameters == ("b", "a")


def test_one_row_is_told_by_its_values() -> None:
    """No `unnest` is left, and the place in the order is the first."""
    for statement in (batch.READ_ONE, batch.compose_all(of_one_row=True)):
        assert "unnest" not in statement.sql
        assert "[]" not in statement.sql
    assert "(values ($2::text, $3::uuid, $4::uuid, 1::bigint))" in batch.READ_ONE.sql
    assert batch.READ_ONE.parameters == batch.READ_BATCH.parameters
    assert batch.compose_all(of_one_row=True).parameters == batch.compose_all(of_one_row=False).parameters


async def test_the_writer_finds_rows_by_their_keys(database_url: str) -> None:
    """Planned on empty tables, kept when they are full: nothing may read a whole table."""
    connection = await connect_writer(database_url)
    try:
        statements = [
            batch.READ_BATCH,
            batch.READ_ONE,
            approvals.READ_APPROVALS,
            approvals.READ_GOVERNING,
            guarding.READ_USES,
            guarding.READ_CALLS,
            batch.LOCK_HEADS,
            batch.compose_all(of_one_row=False),
            batch.compose_all(of_one_row=True),
        ]
        for statement in statements:
            governing = statement is approvals.READ_GOVERNING
            indexes = {
                "executions": "executions_channel_key_unique",
                "approvals": "approvals_by_key" if governing else "approvals_pkey",
                "budget_uses": "budget_uses_(pkey|by_guard)",  # both hold the whole key
                "recent_calls": "recent_calls_pkey",
            }
            nulls = ", ".join(["null"] * len(statement.parameters))
            await connection.execute(f"prepare planned as {statement.sql}")
            lines = [row[0] for row in await connection.fetch(f"explain execute planned({nulls})")]
            await connection.execute("deallocate planned")
            scans = [line for line in lines if re.search(r"Seq Scan|Hash Join|Merge Join", line)]
            assert scans == [], "\n".join(lines)
            for line in lines:
                used = re.search(r"Index Scan using (\w+) on (\w+)", line)
                if used and used[2] in indexes:
                    assert re.fullmatch(indexes[used[2]], used[1])
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (approvals.LIST, "approvals_by_event"),
        (approvals.LIST_PENDING, "approvals_pending"),
        (approvals.LIST_OF_CHANNEL, "approvals_(pkey|by_key)"),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
async def test_lists_of_approvals_walk_an_index(database_url: str, statement: Query, index: str) -> None:
    """However many there are of other channels, or that nobody waits for any more."""
    connection = await connect_writer(database_url)
    try:
        await connection.execute("set plan_cache_mode = force_generic_plan; set enable_sort = off")
        nulls = ", ".join(["null"] * len(statement.parameters))
        await connection.execute(f"prepare planned as {statement.sql}")
        lines = [row[0] for row in await connection.fetch(f"explain execute planned({nulls})")]
        used = [found[1] for line in lines if (found := re.search(r"Index Scan.* (approvals_\w+)", line))]
        assert [bool(re.fullmatch(index, each)) for each in used] == [True], "\n".join(lines)
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (executions.FIND_HORIZON, "executions_by_age"),
        (executions.SEARCH, "executions_by_age"),
        (executions.LIST_AMBIGUOUS, "executions_that_may_be_ambiguous"),
        (runs.FIND_EVENT_HORIZON, "events_by_id"),
        (runs.LIST_ACTIVE, "events_by_id"),
        (runs.FIND_CHANNEL_HORIZON, "channel_heads_pkey"),
        (runs.LIST_BY_ID, "channel_heads_pkey"),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
async def test_a_search_begins_where_the_last_page_ended(
    database_url: str, statement: Query, index: str
) -> None:
    """Its place is looked up in an index; it does not walk there."""
    connection = await connect_writer(database_url)
    try:
        await connection.execute("set plan_cache_mode = force_generic_plan; set enable_sort = off")
        nulls = ", ".join(["null"] * len(statement.parameters))
        await connection.execute(f"prepare planned as {statement.sql}")
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain execute planned({nulls})"))
        assert re.search(rf"Index (Only )?Scan (Backward )?using {index} on .*\n +Index Cond: ", plan), plan
        assert "Sort" not in plan, plan
    finally:
        await connection.close()


async def test_the_newest_events_of_all_channels_come_from_their_index(database_url: str) -> None:
    """Nobody sorts a whole log to see its end."""
    connection = await connect_writer(database_url)
    try:
        await connection.execute("set plan_cache_mode = force_generic_plan")
        nulls = ", ".join(["null"] * len(events.QUERY.parameters))
        await connection.execute(f"prepare planned as {events.QUERY.sql}")
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain execute planned({nulls})"))
        assert "Scan Backward using events_by_id" in plan, plan
        assert "Sort" not in plan, plan
    finally:
        await connection.close()


async def test_nothing_that_claim_and_complete_change_is_indexed(database_url: str) -> None:
    """Not in a predicate either: PostgreSQL would update no operation in place any more.

    `on_lapse` changes where a claim said what a lapse means, and only those operations pay for their index.
    """
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(
            "select distinct attname from pg_depend"
            "  join pg_index on pg_depend.classid = 'pg_class'::regclass and objid = indexrelid"
            "  join pg_attribute on attrelid = refobjid and attnum = refobjsubid"
            " where indrelid = 'executions'::regclass and refobjid = indrelid and refobjsubid > 0"
        )
        assert {row["attname"] for row in rows} <= {"channel_id", "key_digest", "created_at", "on_lapse"}
        assert {row["attname"] for row in rows} >= {"created_at", "on_lapse"}
    finally:
        await connection.close()
