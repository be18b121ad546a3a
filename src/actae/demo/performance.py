"""The whole story on a stage that is set: play the six cells, count, read the ledger, judge."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from actae.demo.cast import CELLS, Keys, Strategy
from actae.demo.stage import Stage
from actae.demo.story import Outcome, play
from actae.demo.timeline import LedgerRun, read_ledger
from actae.demo.verdict import Check, judge
from actae_client import SyncActaeClient


@dataclass(frozen=True, kw_only=True)
class Performance:
    """Everything that the demo found out. Times are in seconds."""

    outcomes: tuple[Outcome, ...]
    ledger_runs: Mapping[Keys, LedgerRun]
    checks: tuple[Check, ...]
    set_up_seconds: float
    played_seconds: float

    def is_as_promised(self) -> bool:
        return all(check.holds for check in self.checks)


def perform(stage: Stage, *, on_outcome: Callable[[Outcome], None]) -> Performance:
    """Play all cells, one after the other, and judge them.

    Raises `DemoError` when an agent fails in a way that is not part of the story.
    """
    began = time.monotonic()
    before = _counts(stage)
    run = secrets.token_hex(3)
    outcomes = []
    for cell in CELLS:
        outcomes.append(play(cell, stage, order_id=f"{run}-{cell.strategy}-{cell.keys}"))
        on_outcome(outcomes[-1])
    ledger_runs = _read_ledgers(stage, outcomes)
    after = _counts(stage)
    new = {keys: {name: after[keys][name] - before[keys][name] for name in after[keys]} for keys in Keys}
    return Performance(
        outcomes=tuple(outcomes),
        ledger_runs=ledger_runs,
        checks=tuple(judge(outcomes, ledger_runs, new)),
        set_up_seconds=stage.set_up_seconds,
        played_seconds=time.monotonic() - began,
    )


def _counts(stage: Stage) -> dict[Keys, dict[str, int]]:
    return {keys: stage.provider(keys).counts() for keys in Keys}


def _read_ledgers(stage: Stage, outcomes: list[Outcome]) -> dict[Keys, LedgerRun]:
    with SyncActaeClient(endpoint=stage.actae.url, api_key=stage.actae_api_key) as client:
        return {
            outcome.cell.keys: read_ledger(client, outcome)
            for outcome in outcomes
            if outcome.cell.strategy is Strategy.ACTAE
        }
