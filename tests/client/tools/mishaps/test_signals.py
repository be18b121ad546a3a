"""A process that is told to stop ends its effects first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from actae_client.client import SyncActaeClient
from tests.client.tools.mishaps.support import worker
from tests.client.tools.mishaps.support.scripted_ledger import ScriptedLedger
from tests.support.waiting import until

SOURCES = Path(__file__).parents[4] / "src"


@pytest.fixture(params=["asyncio", "blocking"])
def process(request: pytest.FixtureRequest, ledger: ScriptedLedger) -> Iterator[subprocess.Popen[str]]:
    """A worker whose tool has begun."""
    with subprocess.Popen(
        [sys.executable, worker.__file__, ledger.url, request.param],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None, "it was asked for"
        assert process.stdout.readline() == "running\n"
        yield process
        process.kill()


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_heartbeats_go_on_after_a_signal_until_the_effect_is_recorded(
    ledger: ScriptedLedger, process: subprocess.Popen[str], signal_number: signal.Signals
) -> None:
    """The process stops when its effect has ended and is on record, not before."""
    process.send_signal(signal_number)
    beaten = ledger.count("heartbeat")
    until(lambda: ledger.count("heartbeat") > beaten + 3)
    assert process.poll() is None
    process.communicate("paid\n", timeout=20)
    assert ledger.row("k").result == "paid"
    assert not {"fail", "cancel"} & set(ledger.verbs())
    if signal_number == signal.SIGTERM:
        assert process.returncode == worker.STOPPED
    else:
        assert process.returncode != 0


def test_a_killed_worker_leaves_its_key_to_the_next(
    ledger: ScriptedLedger, blocking_client: SyncActaeClient, process: subprocess.Popen[str]
) -> None:
    """Without heartbeats the lease lapses, and the next claim counts as another attempt."""
    process.kill()
    process.wait(20)
    until(lambda: blocking_client.claim_execution("run-1", "k", "t", {}).status == "reclaimed")
    assert ledger.row("k").attempts == 2
