"""The examples run as their readers would run them."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import ROOT
from tests.support.server import RunningServer

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LINES_MAX = 60


def run_example(name: str, server: RunningServer, channel: str) -> list[str]:
    """The lines that an example prints."""
    finished = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), channel],
        env={**os.environ, "ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


def test_a_charge_is_made_once(server: RunningServer, channel: str) -> None:
    """The second run finds the first one's charge."""
    first = run_example("charge_once.py", server, channel)
    second = run_example("charge_once.py", server, channel)
    assert (first[0], second[0]) == ("charged", "on record already")
    assert first[1] == second[1]


def test_an_effect_in_doubt_is_asked_for_under_the_same_key(server: RunningServer, channel: str) -> None:
    """Two attempts, one charge; started again, nobody is asked."""
    first = run_example("effect_decorator.py", server, channel)
    assert first == [
        "first attempt: the line went dead after the charge",
        "second attempt: receipt for ch_1 sent",
        "charges at the provider: 1",
    ]
    assert run_example("effect_decorator.py", server, channel) == [
        "receipt for ch_1 sent",
        "charges at the provider: 0",
    ]


def test_a_bank_is_asked_before_it_is_called_again(server: RunningServer, channel: str) -> None:
    """One transfer; started again, the bank does not hear of it."""
    transfer = "{'reference': 'INV-88', 'cents': 4200}"
    assert run_example("ask_the_bank.py", server, channel) == [
        "the bank has not answered",
        "asking for INV-88",
        transfer,
        "transfers at the bank: 1",
    ]
    assert run_example("ask_the_bank.py", server, channel) == [transfer, "transfers at the bank: 0"]


def test_a_job_that_is_delivered_twice_is_done_once(server: RunningServer, channel: str) -> None:
    """Three deliveries of two jobs send two mails, and none after a restart."""
    first = run_example("sync_worker.py", server, channel)
    assert first[0] == first[2] != first[1]
    assert first[3:] == [
        "mail_invoice:4471 completed, attempt 1",
        "mail_invoice:4472 completed, attempt 1",
        "2 mails sent",
    ]
    assert run_example("sync_worker.py", server, channel) == [*first[:5], "0 mails sent"]


def test_no_change_of_two_planners_is_lost(server: RunningServer, channel: str) -> None:
    """One of them is refused once, looks again, and both changes are there."""
    conflict, *events, state, chain = run_example("event_log_and_state.py", server, channel)
    assert conflict == "one planner saw cursor 0; the state is at 2 by now"
    assert [event.split(" by ")[0] for event in events] == [
        "1 run.asked",
        "2 plan.extended",
        "3 plan.extended",
    ]
    assert state == "state at cursor 3: ['charge', 'mail']"
    assert chain == "hash chain intact: True"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_short_tested_and_says_how_to_run_it(example: Path) -> None:
    """Its docstring holds the command, and this file runs it."""
    source = example.read_text()
    assert len(source.splitlines()) < LINES_MAX
    assert f"python examples/{example.name}" in (ast.get_docstring(ast.parse(source)) or "")
    assert f'run_example("{example.name}"' in Path(__file__).read_text()
