"""Somebody who follows the tutorial meets what it shows."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel

TUTORIAL = ROOT / "docs/tutorial/first-effect.md"
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(server: RunningServer, tmp_path: Path) -> Start:
    """Starts one of the tutorial's programs where they were saved, on channels of this test's own."""
    channels = {"run-1": new_channel(), "run-2": new_channel()}
    for block in blocks(TUTORIAL, "python"):
        assert block.file_name is not None, "the tutorial shows whole files"
        text = re.sub(r'"(run-[12])"', lambda found: f'"{channels[found[1]]}"', block.text)
        (tmp_path / block.file_name).write_text(text)

    def start(name: str, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-u", name, *arguments],
            cwd=tmp_path,
            env={**os.environ, "ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def kill(program: subprocess.Popen[str], *, after: str) -> None:
    """`kill -9` once it has said that it charged."""
    assert program.stdout is not None, "a pipe was asked for"
    while after not in program.stdout.readline():
        assert program.poll() is None, program.communicate()
    program.kill()
    program.communicate()
    assert program.returncode == -signal.SIGKILL


def said(program: subprocess.Popen[str], *, typed: str = "") -> str:
    """Everything it printed until its end."""
    output, errors = program.communicate(typed, timeout=60)
    return output + errors


def test_the_agent_of_the_tutorial_charges_once(start: Start, tmp_path: Path, server_clock: Clock) -> None:
    """Killed after the charge: in progress, taken over, replayed; other input is refused."""
    kill(start("agent.py"), after="charged ch_1, not recorded")
    assert "in_progress, attempt 1\nsomebody else holds the key until" in said(start("agent.py"))
    server_clock.advance(21)
    taken_over = said(start("agent.py"), typed="\n")
    assert "reclaimed, attempt 2\ncharged ch_1" in taken_over
    assert taken_over.endswith("recorded\n")
    replayed = said(start("agent.py"))
    assert replayed == "replayed, attempt 2\non record: {'charge_id': 'ch_1', 'amount_cents': 4200}\n"
    assert "IdempotencyKeyMismatchError: Key 'charge_customer:4471' was first claimed at" in said(
        start("agent.py", "9900")
    )
    assert len((tmp_path / "charges.txt").read_text().splitlines()) == 1


def test_the_short_way_of_the_tutorial_charges_once(
    start: Start, tmp_path: Path, server_clock: Clock
) -> None:
    """Killed after the charge, it waits for the lease of the dead one, and goes on."""
    kill(start("short.py"), after="attempt 1: ch_1.")
    server_clock.advance(11)
    assert said(start("short.py"), typed="\n").endswith("{'charge_id': 'ch_1', 'amount_cents': 900}\n")
    assert said(start("short.py")) == "{'charge_id': 'ch_1', 'amount_cents': 900}\n"
    assert len((tmp_path / "charges.txt").read_text().splitlines()) == 1
