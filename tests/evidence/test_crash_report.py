"""The crash report: what is committed follows from its own rows, and the rows come out again."""

import json
from pathlib import Path
from typing import Any

import pytest

import evidence
from actae.crashtest.kinds import Kind
from actae_client.testing import Matrix
from evidence.crash.figures import cell_figures, crash_figures
from evidence.crash.measuring import CrashReport, judge, measure_crashes
from evidence.crash.page import crash_page
from evidence.crash.policies import Policy
from evidence.origin import Origin
from tests.evidence.support.command import figures

COMMITTED = Path(evidence.__file__).parent / "crash"


@pytest.fixture(scope="module")
def committed() -> Any:
    return figures(COMMITTED)


def as_written(value: Any) -> Any:
    """What a file holds of it."""
    return json.loads(json.dumps(value))


def test_the_sums_the_checks_and_the_page_follow_from_the_rows(committed: Any) -> None:
    """To the byte: nobody has written a figure by hand."""
    matrix = Matrix.from_dict(committed)
    report = CrashReport(matrix=matrix, checks=judge(matrix))
    origin = Origin(mode="measured", command=committed["command"])
    assert as_written(crash_figures(report, origin)) == committed
    assert crash_page(report, origin).rstrip() + "\n" == (COMMITTED / "REPORT.md").read_text("utf-8")
    assert report.holds


def test_the_report_has_every_memory_every_provider_and_every_boundary(committed: Any) -> None:
    """What is missing could not be amiss."""
    matrix = Matrix.from_dict(committed)
    for policy in Policy:
        columns = [[cell.boundary for cell in matrix.of(policy=policy, provider=kind).cells] for kind in Kind]
        assert columns[0] == columns[1] == columns[2]
        met = {boundary.name for boundary in columns[0] if boundary is not None}
        assert {"provider.asking", "provider.answered"} <= met
        if policy in (Policy.LEDGER, Policy.RECONCILING):
            verbs = {"claim", "complete"} | ({"dispatched"} if policy is Policy.RECONCILING else set())
            assert {f"{verb}.{when}" for verb in verbs for when in ("sending", "answered")} <= met


def test_rows_of_the_report_come_out_again(committed: Any) -> None:
    """The moment that matters most, with the two ledgers: real kills, equal figures."""
    again = measure_crashes(
        lambda _sentence: None,
        policies=(Policy.LEDGER, Policy.RECONCILING),
        kinds=(Kind.QUERYABLE,),
        kill_at=("provider.answered charges/4471",),
    )
    assert [cell.duplicates for cell in again.matrix.cells] == [0, 1, 0, 0]
    for cell in again.matrix.cells:
        assert as_written(cell_figures(cell)) in committed["cells"]
