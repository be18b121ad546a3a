"""`make evidence`: the same input gives the same bytes, and they are the ones that are committed."""

from pathlib import Path

import pytest

import evidence
from tests.evidence.support.command import figures, run_evidence

COMMITTED = Path(evidence.__file__).parent


@pytest.mark.parametrize("report", ["tokens", "fidelity"])
def test_a_dry_run_gives_the_bytes_that_another_run_gave(report: str, tmp_path: Path) -> None:
    """That other run was on another day, with another server and provider, and is committed."""
    done = run_evidence(report, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"REPORT.md", "report.json"}
    for file in tmp_path.iterdir():
        committed = COMMITTED / report / file.name
        assert file.read_bytes() == committed.read_bytes(), f"{report}/{file.name}: run `make evidence`"


def test_the_fidelity_dry_run_says_that_it_is_no_evidence() -> None:
    """On the page and in the figures."""
    assert "this is no evidence" in (COMMITTED / "fidelity" / "REPORT.md").read_text("utf-8")
    assert figures(COMMITTED / "fidelity")["is_evidence"] is False


def test_steps_that_cost_the_fork_more_are_shown_as_they_are() -> None:
    """The flagship's fork writes a longer mail; the page has the loss with its sign."""
    steps = figures(COMMITTED / "tokens")["steps"]
    dearer = [step for step in steps if step["saved_tokens"] < 0]
    assert [step["name"] for step in dearer] == ["mail", "review", "handover"]
    page = (COMMITTED / "tokens" / "REPORT.md").read_text("utf-8")
    for step in dearer:
        assert f"| −{-step['saved_tokens']} |" in page
