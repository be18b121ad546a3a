"""Kills the agent at every boundary, with each memory, against each kind of provider."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actae.crashtest.kinds import Behaviour, Kind
from actae.crashtest.perform import perform
from actae.crashtest.plan import CrashtestError, Plan
from actae.crashtest.stage import set_up
from actae.demo.processes import DemoError
from actae_client.testing import Cell, Matrix
from evidence.checks import Check
from evidence.crash.policies import Policy
from evidence.failures import EvidenceError

STARTS_MAX: Final = 3
CAN_BE_ASKED: Final = (Kind.HONOURS_KEY, Kind.QUERYABLE)

_START_SECONDS = 60.0
_JOBS = 2


@dataclass(frozen=True, kw_only=True)
class CrashReport:
    """The matrix, and what must hold in it."""

    matrix: Matrix
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether every check does."""
        return all(check.holds for check in self.checks)


def measure_crashes(
    tell: Callable[[str], None],
    *,
    policies: Sequence[Policy] = tuple(Policy),
    kinds: Sequence[Kind] = tuple(Kind),
    kill_at: Sequence[str] = (),
) -> CrashReport:
    """Play it on real parts. Raises `EvidenceError`."""
    plan = Plan(
        command=(sys.executable, "-m", "evidence.crash.agent"),
        kinds=tuple(kinds),
        behaviours=(Behaviour.NORMAL,),
        policies=tuple(policies),
        kill_at=tuple(kill_at),
        starts_max=STARTS_MAX,
        start_seconds=_START_SECONDS,
        jobs=_JOBS,
    )
    try:
        with tempfile.TemporaryDirectory(prefix="actae-evidence-") as folder, set_up(Path(folder)) as stage:
            matrix = perform(stage, plan, lambda cell: tell(f"{cell.policy}, {cell}"))
    except (CrashtestError, DemoError) as failure:
        raise EvidenceError(str(failure)) from failure
    return CrashReport(matrix=matrix, checks=judge(matrix))


def judge(matrix: Matrix) -> tuple[Check, ...]:
    """What has to hold for the report to be believed, and what it claims."""
    killed = [cell for cell in matrix.cells if cell.boundary is not None]
    untouched = [cell for cell in matrix.cells if cell.boundary is None]
    reconciling = _of(matrix, Policy.RECONCILING, *CAN_BE_ASKED)
    keyed = _of(matrix, Policy.LEDGER, Kind.HONOURS_KEY)
    return (
        Check(
            claim="Every agent died where it was to die, once.",
            found=f"{len(killed)} kills",
            holds=all(cell.is_killed and cell.exit_codes.count(-9) == 1 for cell in killed),
        ),
        Check(
            claim="An agent that nobody kills has each effect once.",
            found=f"{len(untouched)} runs",
            holds=all(effect.applied == 1 for cell in untouched for effect in cell.effects),
        ),
        Check(
            claim="With the ledger and a key that the provider honours, nothing is doubled or lost.",
            found=_amiss(keyed),
            holds=not any(cell.duplicates or cell.losses for cell in keyed),
        ),
        Check(
            claim="Reconciling, nothing is doubled or lost with a provider that can be asked, and every "
            "agent comes to its end.",
            found=_amiss(reconciling),
            holds=not any(cell.duplicates or cell.losses or not cell.is_finished for cell in reconciling),
        ),
        Check(
            claim="Reconciling, nothing is doubled with a blind provider either.",
            found=_amiss(_of(matrix, Policy.RECONCILING, Kind.BLIND)),
            holds=not any(cell.duplicates for cell in _of(matrix, Policy.RECONCILING, Kind.BLIND)),
        ),
    )


def _of(matrix: Matrix, policy: Policy, *kinds: Kind) -> Sequence[Cell]:
    return matrix.of(policy=policy, provider=kinds).cells


def _amiss(cells: Sequence[Cell]) -> str:
    doubled, lost = sum(cell.duplicates > 0 for cell in cells), sum(cell.losses > 0 for cell in cells)
    return f"of {len(cells)} runs {doubled} doubled something and {lost} lost something"
