"""The log: which facts it tells, in which form, and what it never tells."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from actae.cli.facts import WorkerEnded
from actae.cli.logs import log_facts
from actae.cli.masking import mask_secrets
from actae.observations import BatchCommitted, DatabaseLost, LeaseTakenOver, RequestFailed
from actae.settings import LOG_LEVELS, Settings

KEY = "sk-" + "0123456789abcdef" * 2
CLAIM_TOKEN = "ct_" + "0123456789abcdef" * 2
SIGNED = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"


@pytest.fixture(autouse=True)
def _standard_logging() -> Iterator[None]:
    """Puts the standard library's logging back as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def logged(*facts: object, level: str = "debug", form: str = "json") -> str:
    """What is written of these facts."""
    stream = io.StringIO()
    log = log_facts(Settings(log_level=level, log_format=form), stream)
    for fact in facts:
        log(fact)
    return stream.getvalue()


def failed() -> RequestFailed:
    """A defect with a traceback, whose text quotes what somebody sent."""

    def break_down() -> None:
        raise RuntimeError(f"cannot use {KEY}")

    with pytest.raises(RuntimeError) as caught:
        break_down()
    return RequestFailed("req_1", "POST", "/api/v1/events/record", caught.value)


def test_a_fact_is_one_line_of_json() -> None:
    """Its name, its level, its moment, and its values by their names."""
    line = json.loads(logged(LeaseTakenOver("run-1~x", 2)))
    assert line.pop("timestamp").endswith("Z")
    assert line == {"level": "info", "event": "lease_taken_over", "execution_id": "run-1~x", "attempts": 2}


def test_a_fact_is_one_line_of_text_for_people() -> None:
    """Values with spaces are quoted."""
    text = logged(DatabaseLost("connection reset by peer", write_was_under_way=True), form="text")
    assert text.count("\n") == 1
    assert 'warning database_lost error="connection reset by peer" write_was_under_way=True' in text


def test_a_defect_is_logged_with_its_traceback_under_the_request_id() -> None:
    """In JSON as a value, in text below the line."""
    line = json.loads(logged(failed()))
    assert (line["level"], line["event"], line["request_id"]) == ("error", "request_failed", "req_1")
    assert line["traceback"].startswith("Traceback")
    assert "in break_down" in line["traceback"]
    text = logged(failed(), form="text")
    assert "request_id=req_1" in text
    assert "\nTraceback" in text


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("debug", ["batch_committed", "lease_taken_over", "worker_ended", "request_failed"]),
        ("info", ["lease_taken_over", "worker_ended", "request_failed"]),
        ("warning", ["worker_ended", "request_failed"]),
        ("error", ["request_failed"]),
    ],
)
def test_the_level_says_how_much_is_told(level: str, told: list[str]) -> None:
    """Every batch only for those who look for something."""
    facts = (BatchCommitted(1, 1, 0.1, 0), LeaseTakenOver("x", 2), WorkerEnded(0, 1, -9, 0.5), failed())
    assert [json.loads(line)["event"] for line in logged(*facts, level=level).splitlines()] == told


@dataclass(frozen=True)
class SomethingNew:
    """A fact that nobody has given a level."""

    number: int


def test_a_fact_without_a_level_of_its_own_is_worth_an_info() -> None:
    """Rather than nothing."""
    assert json.loads(logged(SomethingNew(1)))["level"] == "info"


@pytest.mark.parametrize("secret", [KEY, CLAIM_TOKEN, SIGNED])
@pytest.mark.parametrize("form", ["json", "text"])
def test_no_secret_is_told(secret: str, form: str) -> None:
    """Wherever it hides: in a value, in an error, in a traceback."""
    fact: Any = DatabaseLost(f"bad value {secret!r} sent", write_was_under_way=False)
    assert secret not in logged(fact, failed(), form=form)
    assert KEY not in logged(failed(), form=form)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://host/db?user=me&password=secret&x=1", "postgresql://host/db?user=me&password=***&x=1"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("key sk-dev-0000000000000000000000.", "key sk-***."),
        ("task-1 risk-free ctx_1", "task-1 risk-free ctx_1"),
    ],
)
def test_masking_leaves_the_rest_readable(text: str, masked: str) -> None:
    """Only the secret part goes."""
    assert mask_secrets(text) == masked


def test_what_libraries_log_has_the_same_form() -> None:
    """From warning on; nothing of theirs is lost, and nothing is in a form of its own."""
    stream = io.StringIO()
    log_facts(Settings(log_format="json"), stream)
    logging.getLogger("asyncio").error("a task failed with %s", KEY)
    logging.getLogger("asyncio").info("chatter")
    (line,) = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (line["level"], line["event"], line["logger"]) == ("error", "library_message", "asyncio")
    assert line["message"] == "a task failed with sk-***"


def test_a_pool_without_its_server_is_one_fact() -> None:
    """Where asyncpg was when the server went away helps nobody."""
    stream = io.StringIO()
    log_facts(Settings(log_format="json"), stream)
    refused = ConnectionRefusedError("connection refused")
    logging.getLogger("asyncpg.pool").warning("a floor cannot be restored", exc_info=refused)
    (line,) = [json.loads(line) for line in stream.getvalue().splitlines()]
    line.pop("timestamp")
    error = "ConnectionRefusedError: connection refused"
    assert line == {"level": "warning", "event": "database_unreachable", "error": error}


def test_a_value_cannot_steer_the_terminal_of_who_reads_the_log() -> None:
    """Control sequences and marks of direction are escaped."""
    text = logged(LeaseTakenOver("run\x1b[2J\u202e~x", 2), form="text")
    assert r"execution_id=run\x1b[2J\u202e~x" in text


def test_a_log_that_nobody_reads_any_more_stops_nothing() -> None:
    """The server goes on."""
    stream = io.StringIO()
    log = log_facts(Settings(log_format="json"), stream)
    stream.close()
    log(LeaseTakenOver("x", 2))


def test_all_levels_are_known() -> None:
    """From the most to the least talkative."""
    assert LOG_LEVELS == ("debug", "info", "warning", "error")
