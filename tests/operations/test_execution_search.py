"""Operations of all channels: found by what they are about, page by page, however many there are."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actae.domain.executions import Execution
from actae.operations.executions import list_newest, search
from actae.operations.writer import Writer
from actae.store import executions as store
from actae.store.database import Database
from actae.store.executions import Place, Wanted
from tests.support import asks
from tests.support.everything import claim_token
from tests.support.postgres import Clock
from tests.support.writers import writing


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """A writer on the fresh database."""
    async with writing(database_url) as (running, _):
        yield running


async def find(
    db: Database, *, most: int = 100, field: str | None = None, value: str | None = None, **wanted: Any
) -> tuple[list[Execution], list[int]]:
    """Everything that a search finds, and how much each of its pages held."""
    found: list[Execution] = []
    sizes: list[int] = []
    after: Place | None = None
    while not sizes or after is not None:
        page = await search(db, Wanted(**wanted), field=field, value=value, after=after, most=most)
        found += page.executions
        sizes.append(len(page.executions))
        after = page.next_place
    return found, sizes


async def test_pages_of_operations_that_began_at_one_moment(db: Database, writer: Writer) -> None:
    """A batch has one moment: the channel and the key decide, and each operation comes once."""
    wanted = [(f"run-{number % 7}", f"key-{number}") for number in range(1_500)]
    await asyncio.gather(*[writer.submit(asks.claim(key, channel_id=channel)) for channel, key in wanted])
    found, sizes = await find(db, most=64)
    assert len({each.created_at for each in found}) < 100
    assert sorted((each.channel_id, each.key_name) for each in found) == sorted(wanted)
    assert sizes == [64] * 23 + [1_500 - 23 * 64]
    places = [(each.created_at, each.channel_id, each.id) for each in found]
    assert places == sorted(places, reverse=True)


async def test_a_search_walks_so_far_and_no_further(
    db: Database, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks for one operation among very many gets empty pages on the way to it, not a time-out."""
    monkeypatch.setattr(store, "WALKED_MAX", 10)
    for number in range(35):
        await writer.submit(asks.claim(f"key-{number}"))
    found, sizes = await find(db, key_prefix="key-0")
    assert [each.key_name for each in found] == ["key-0"]
    assert sizes == [0, 0, 0, 1]
    everything, whole = await find(db)
    assert (len(everything), whole) == (35, [35])


PARAMS = {
    "plain": b'{"order_id":"4471"}',
    "number": b'{"order_id":4471}',
    "spaced": b'{ "order_id" : 4471 }',
    "float": b'{"order_id":4471.0}',
    "longer": b'{"order_id":44710}',
    "elsewhere": b'{"note":"order_id","other":4471}',
    "nested": b'{"order":{"order_id":4471}}',
    "list": b"[4471]",
    "true": b'{"order_id":true}',
    "null": b'{"order_id":null}',
    "with a NUL": b'{"order_id":"4471","note":"\\u0000"}',
    "escaped name": b'{"order\\u005fid":"4471"}',
    "escaped value": b'{"order_id":"\\u0034471"}',
    "quoted": b'{"order \\"id\\"":"say \\"hi\\""}',
    "accents": '{"größe":"Ünïcode ✓"}'.encode(),
    "accents escaped": b'{"gr\\u00f6\\u00dfe":"\\u00dcn\\u00efcode \\u2713"}',
    "half a pair": b'{"order_id":"\\ud800"}',
    "beside half a pair": b'{"order_id":"77","note":"hi \\ud83d"}',
    "percent": b'{"order_id":"100%_"}',
    "pretty": b'{\n  "a.b": "x-1 (y)"\n}',
    "no dot": b'{"a_b":"x-1 (y)"}',
    "huge": b'{"order_id":123456789012345678901234567890}',
}


FOUND_BY: list[tuple[str, str, set[str]]] = [
    ("order_id", "4471", {"plain", "number", "spaced", "with a NUL", "escaped name", "escaped value"}),
    ("order_id", "4471.0", {"float"}),
    ("order_id", "77", {"beside half a pair"}),
    ("order_id", "true", {"true"}),
    ("order_id", "null", {"null"}),
    ("order_id", "100%_", {"percent"}),
    ("order_id", "447", set()),
    ("order_id", "", set()),
    ("order", "4471", set()),
    ('order "id"', 'say "hi"', {"quoted"}),
    ("größe", "Ünïcode ✓", {"accents", "accents escaped"}),
    ("order_id", "123456789012345678901234567890", {"huge"}),
    ("a.b", "x-1 (y)", {"pretty"}),
    ("order_id", "%", set()),
    ("order_id", ".*", set()),
    ("order_id", "\0", set()),
    ("order_id", "'; drop table executions; --", set()),
]


async def test_operations_are_found_by_a_field_of_their_params(db: Database, writer: Writer) -> None:
    """However JSON spells it; at the top level only."""
    for key, params in PARAMS.items():
        await writer.submit(asks.claim(key, params=params))
    for field, value, expected in FOUND_BY:
        found, _ = await find(db, field=field, value=value)
        assert {each.key_name for each in found} == expected, (field, value)


MENTIONED_BY: list[tuple[str, set[str]]] = [
    ("447", {name for name, params in PARAMS.items() if b"447" in params} | {"escaped value"}),
    ("order_id", {name for name, params in PARAMS.items() if b"order_id" in params} | {"escaped name"}),
    ("ORDER_ID", set()),
    ('"hi"', {"quoted"}),
    ("ünï", set()),
    ("Ünï", {"accents", "accents escaped"}),
    ("✓", {"accents", "accents escaped"}),
    ("100%_", {"percent"}),
    (".*", set()),
    ("%", {"percent"}),
    ("NUL", {"with a NUL"}),
    ("pair", {"half a pair", "beside half a pair"}),
    ("ail", set(PARAMS)),
    ("x-1 (y)", {"pretty", "no dot"}),
    ("attempt", set()),
    ("'; drop table executions; --", set()),
]


async def test_operations_are_found_by_any_text(db: Database, writer: Writer) -> None:
    """In their key, tool, channel or params, not in what we wrote around them; and params can be left out."""
    for key, params in PARAMS.items():
        await writer.submit(asks.claim(key, params=params, tool_name="mail", channel_id="run.Z"))
    for text, expected in MENTIONED_BY:
        found, _ = await find(db, text=text)
        assert {each.key_name for each in found} == expected, text
    for text, expected in (("447", set()), ("Z", set(PARAMS)), ("mai", set(PARAMS)), ("NUL", {"with a NUL"})):
        found, _ = await find(db, text=text, searches_params=False)
        assert {each.key_name for each in found} == expected, text


async def test_each_condition_narrows_the_search(db: Database, writer: Writer, clock: Clock) -> None:
    """Status, tool, prefix of the key, age and what may be read."""
    for key, terms in (("a:1", {}), ("a%:2", {"on_lapse": "ambiguous"}), ("b:3", {"tool_name": "mail"})):
        await claim_token(writer, key, channel_id="run-1", **terms)
    done = await claim_token(writer, "done", channel_id="run_2")
    await writer.submit(asks.complete(done, "done", channel_id="run_2"))
    clock.advance(90)
    await claim_token(writer, "new", channel_id="run-3", on_lapse="ambiguous")
    cells: list[tuple[dict[str, Any], str]] = [
        ({}, "new done b:3 a%:2 a:1"),
        ({"status": "running"}, "new b:3 a:1"),
        ({"status": "lapsed"}, "b:3 a%:2 a:1"),
        ({"status": "ambiguous"}, "a%:2"),
        ({"status": "completed"}, "done"),
        ({"status": "failed"}, ""),
        ({"tool_name": "mail"}, "b:3"),
        ({"key_prefix": "a"}, "a%:2 a:1"),
        ({"key_prefix": "a%"}, "a%:2"),
        ({"older_than_seconds": 60}, "done b:3 a%:2 a:1"),
        ({"older_than_seconds": 60, "status": "ambiguous"}, "a%:2"),
        ({"older_than_seconds": 600}, ""),
        ({"text": "run-1"}, "b:3 a%:2 a:1"),
        ({"text": "run-1", "status": "ambiguous"}, "a%:2"),
        ({"text": "a", "status": "ambiguous"}, "a%:2"),
        ({"text": "zz", "status": "ambiguous"}, ""),
        ({"text": "order", "tool_name": "mail", "older_than_seconds": 60}, "b:3"),
        ({"text": "order", "readable": ["run-3"]}, "new"),
        ({"readable": ["run-%"]}, "new b:3 a%:2 a:1"),
        ({"readable": ["run\\_2"]}, "done"),
        ({"readable": []}, ""),
        ({"readable": ["run-3"], "status": "ambiguous"}, ""),
    ]
    for conditions, expected in cells:
        for most in (1, 50):
            found, _ = await find(db, most=most, **conditions)
            assert " ".join(each.key_name for each in found) == expected, conditions
    listed = {
        status: [each.key_name for each in (await list_newest(db, "run-1", status=status, skip=0, most=9))[0]]
        for status in ("running", "lapsed", "ambiguous")
    }
    assert listed == {"running": ["b:3", "a:1"], "lapsed": ["b:3", "a%:2", "a:1"], "ambiguous": ["a%:2"]}
    for narrow, expected in (({"tool_name": "mail"}, "b:3"), ({"key_prefix": "a%"}, "a%:2")):
        narrowed, _ = await list_newest(db, "run-1", status=None, **narrow, skip=0, most=9)
        assert " ".join(each.key_name for each in narrowed) == expected


async def test_a_page_ends_where_it_would_become_too_large(
    db: Database, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can fill the server's memory by asking for many large operations."""
    monkeypatch.setattr(store.read_page, "__kwdefaults__", {"bytes_max": 10_000})
    params = b'{"order_id":1,"text":"%b"}' % (b"x" * 4_000)
    for number in range(7):
        await writer.submit(asks.claim(f"key-{number}", params=params))
    for conditions in ({}, {"field": "order_id", "value": "1"}):
        found, sizes = await find(db, **conditions)
        assert [each.key_name for each in found] == [f"key-{number}" for number in range(6, -1, -1)]
        assert max(sizes) == 2
