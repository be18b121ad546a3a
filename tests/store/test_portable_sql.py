"""The same SQL must run on one machine and on a cluster that is distributed by channel."""

import re
from importlib.resources import files

import pytest

from actae.store.queries import read_texts

SQL = files("actae.sql")
GROWING = (
    "channels",
    "channel_heads",
    "events",
    "operations",
    "steps",
    "states",
    "executions",
    "late_evidence",
    "wakeups",
    "forks",
    "promotions",
    "approvals",
    "consumer_groups",
    "consumers",
    "consumer_ranges",
    "group_messages",
    "budget_uses",
    "recent_calls",
)

FORBIDDEN = {
    "a sequence": r"\b(big)?serial\b|\bnextval\b|\bcreate\s+sequence\b|\bas\s+identity\b",
    "a trigger": r"\bcreate\s+(or\s+replace\s+)?(constraint\s+)?trigger\b",
    "an enum": r"\bas\s+enum\b",
    "a stored procedure": r"\bcreate\s+(or\s+replace\s+)?procedure\b|\blanguage\s+plpgsql\b",
    "MERGE": r"\bmerge\s+into\b",
    "a recursive CTE": r"\bwith\s+recursive\b",
    "an advisory lock": r"\bpg_(try_)?advisory_",
    "jsonb": r"\bjsonb\b",
}


def without_comments(text: str) -> str:
    """The statement alone, in lower case."""
    return re.sub(r"--[^\n]*", "", text).lower()


def schema_texts() -> dict[str, str]:
    """Schema and migration files by name."""
    found = {}
    for folder in ("schema", "migrations"):
        for file in SQL.joinpath(folder).iterdir():
            if file.name.endswith(".sql"):
                found[f"{folder}/{file.name}"] = without_comments(file.read_text("utf-8"))
    return found


def all_texts() -> dict[str, str]:
    """Every piece of SQL that we have."""
    return {**schema_texts(), **{name: without_comments(text) for name, (_, text) in read_texts().items()}}


@pytest.mark.parametrize("what", sorted(FORBIDDEN))
def test_no_sql_uses_what_a_cluster_cannot_do(what: str) -> None:
    """Nowhere, neither in the schema nor in a query."""
    users = [name for name, text in all_texts().items() if re.search(FORBIDDEN[what], text)]
    assert users == []


def test_the_clock_is_the_only_function() -> None:
    """Rules live in the domain; the database keeps time and constraints."""
    defined = re.findall(r"create\s+(?:or\s+replace\s+)?function\s+(\w+)", "\n".join(schema_texts().values()))
    assert set(defined) == {"actae_now"}


def test_conflict_updates_do_not_ask_the_clock() -> None:
    """A distributed engine refuses a volatile function there."""
    for name, text in all_texts().items():
        for update in re.findall(r"on\s+conflict.*?do\s+update(.*)", text, re.DOTALL):
            assert "actae_now" not in update, name


def test_every_key_of_a_growing_table_starts_with_the_channel() -> None:
    """Otherwise a uniqueness could not be checked on one shard."""
    for name, text in schema_texts().items():
        for table, body in re.findall(r"create\s+table\s+(\w+)\s*\((.*?)\n\)", text, re.DOTALL):
            if table not in GROWING:
                continue
            keys = re.findall(r"(?:primary\s+key|unique|foreign\s+key)\s*\(\s*(\w+)", body)
            assert keys, f"{table} in {name} has no key"
            assert set(keys) == {"channel_id"}, f"{table} in {name}"
        assert not re.search(r"create\s+unique\s+index\s+\w+\s+on\s+\w+\s*\(\s*(?!channel_id)", text), name


def test_only_the_clock_tells_the_time() -> None:
    """`now()` and its kind would not move when a test moves the time."""
    clocks = r"\b(now\s*\(\s*\)|current_timestamp|statement_timestamp|transaction_timestamp|clock_timestamp)"
    for name, text in read_texts().items():
        if name not in {"add_migrations_lock_row", "add_migration"}:  # they run before the clock exists
            assert not re.search(clocks, without_comments(text[1]).replace("actae_now()", "")), name
