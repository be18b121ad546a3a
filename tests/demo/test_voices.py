"""What a person reads, and what a machine reads."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from actae.demo.console_voice import ConsoleVoice
from actae.demo.json_voice import JsonVoice, describe
from actae.demo.performance import Performance
from actae.demo.reasons import REASONS
from actae.demo.stage import Stage
from actae.demo.verdict import Check


def told(console: Console, performance: Performance, stage: Stage) -> str:
    voice = ConsoleVoice(console)
    voice.opening()
    voice.stage_is_set(stage)
    for outcome in performance.outcomes:
        voice.outcome(outcome)
    voice.closing(performance, kept_in=None)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=80)


def test_it_fits_80_columns_without_colour(performance: Performance, stage: Stage) -> None:
    """Not on a terminal: no escape codes, and no line is longer than 80 characters."""
    text = told(Console(file=io.StringIO(), width=200, highlight=False), performance, stage)
    assert "\x1b" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


def test_no_color_is_respected_on_a_terminal(
    performance: Performance, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The red of SIGKILL goes; the words stay."""
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in told(terminal(), performance, stage)
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[31m" in told(terminal(), performance, stage)


def test_the_table_and_its_reasons_are_told(performance: Performance, stage: Stage) -> None:
    """The numbers, why the one is 1 and the other is not, and the ledger's timeline."""
    text = told(Console(file=io.StringIO(), highlight=False), performance, stage)
    rows = [line.split() for line in text.splitlines()]
    assert ["no", "record", "2", "2"] in rows
    assert ["checkpoint", "2", "2"] in rows
    assert ["Actae", "1", "2"] in rows
    assert "Why 2   Actae sent one key here too, but this provider looks at none" in text
    assert "charge_customer, attempt 2: reclaimed" in text
    assert "charge_customer: as recorded, no call" in text
    assert "As promised." in text


def test_the_page_that_it_names_exists() -> None:
    """A person who wants to know more is sent to a real page."""
    pages = re.findall(r"docs/\S+\.md", " ".join(REASONS.values()))
    assert pages
    assert all((Path(__file__).parents[2] / page).is_file() for page in pages)


def test_what_was_not_as_promised_is_said_and_not_explained_away(
    performance: Performance, stage: Stage
) -> None:
    """No reason is given for numbers that should not be."""
    broken = Check(sentence="One charge.", holds=False)
    failed = replace(performance, checks=(*performance.checks, broken))
    text = told(Console(file=io.StringIO(), highlight=False), failed, stage)
    assert "NOT SO: One charge." in text
    assert "NOT as promised." in text
    assert "Why 1" not in text
    assert describe(failed)["ok"] is False


def test_the_document_holds_every_cell(performance: Performance, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON document with cells, ledger and checks."""
    voice = JsonVoice()
    voice.closing(performance, kept_in=Path("/somewhere"))
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is True
    assert document["kept_in"] == "/somewhere"
    assert [(cell["strategy"], cell["keys"], len(cell["charges"])) for cell in document["cells"]] == [
        ("none", "honoured", 2),
        ("none", "ignored", 2),
        ("checkpoint", "honoured", 2),
        ("checkpoint", "ignored", 2),
        ("actae", "honoured", 1),
        ("actae", "ignored", 2),
    ]
    assert list(document["reasons"]) == ["Why 1", "Why 2", "Keys"]
    assert {moment["event_type"] for moment in document["ledger"]["honoured"]["timeline"]} >= {
        "SIGKILL",
        "tool.replayed",
    }


def test_a_failure_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A machine that asked for JSON gets JSON when the stage does not come up."""
    JsonVoice().failed("The Actae server (pid 7) ended before it was ready.")
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "error": "The Actae server (pid 7) ended before it was ready.",
    }
