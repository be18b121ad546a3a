"""The reports that are committed can be recounted from what they show."""

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import evidence
from tests.evidence.support.command import figures

FOLDER = Path(evidence.__file__).parent


@pytest.mark.parametrize("folder", ["tokens", "local/tokens"])
def test_the_totals_of_a_token_report_are_the_sums_of_its_rows(folder: str) -> None:
    """And those of each row are what the model's own `usage` said; every check holds."""
    report = figures(FOLDER / folder)
    sums = {
        side: sum(recounted(step[side]) for step in report["steps"] if step[side] != "inherited")
        for side in ("baseline", "fork")
    }
    totals = report["totals"]
    assert totals["baseline_tokens"] == sums["baseline"]
    assert totals["fork_tokens"] == sums["fork"]
    assert totals["saved_tokens"] == sums["baseline"] - sums["fork"]
    assert totals["saved_tokens"] == sum(step["saved_tokens"] for step in report["steps"])
    assert all(check["holds"] for check in report["checks"])


def recounted(step: dict[str, Any]) -> int:
    said = step["returned_usage"]
    count: int = said["prompt_tokens"] + said["completion_tokens"]
    assert step["total_tokens"] == count
    return count


@pytest.mark.parametrize("folder", ["fidelity", "local/fidelity"])
def test_the_verdicts_of_a_fidelity_report_follow_from_its_samples(folder: str) -> None:
    """Recomputed from each score that is shown."""
    report = figures(FOLDER / folder)
    assert len(report["scenarios"]) >= 5
    for scenario in report["scenarios"]:
        for judge, verdict in scenario["verdicts"].items():
            bar = report["bars"][judge]
            scores = {kind: scores_of(scenario, judge, kind) for kind in ("fork", "control")}
            passes = None not in (*scores["fork"], *scores["control"]) and (
                fmean(scores["fork"]) >= bar["threshold"]
                and fmean(scores["fork"]) >= fmean(scores["control"]) - bar["tolerance"]
            )
            assert verdict["passes"] == passes
        prefixes = [each["prefix"] for each in scenario["samples"] if each["kind"] == "fork"]
        assert all(prefix["is_identical"] for prefix in prefixes)
        assert scenario["repeats_nothing"]
        assert scenario["provider_calls"]["forks"] == scenario["provider_calls"]["baseline"]
        assert scenario["passes"] == scenario["verdicts"][report["decider"]]["passes"]
    assert report["passes"] == all(scenario["passes"] for scenario in report["scenarios"])


def scores_of(scenario: dict[str, Any], judge: str, kind: str) -> list[Any]:
    return [each["judgements"][judge]["score"] for each in scenario["samples"] if each["kind"] == kind]


def test_the_local_report_names_its_machine_its_day_and_its_model() -> None:
    """Without them its figures could not be read."""
    for folder in ("local/tokens", "local/fidelity"):
        report = figures(FOLDER / folder)
        assert report["mode"] == "measured"
        assert {"measured_on", "processor", "cores"} <= report["machine"].keys()
        assert len(report["model_file"]["weights_sha256"]) == 64
        assert report["model_file"]["weights_sha256"] in (FOLDER / folder / "REPORT.md").read_text("utf-8")


def test_the_page_says_about_the_local_suite_what_its_report_says() -> None:
    """That it does not pass, and that the forks are not worse than the controls all the same."""
    page = " ".join((FOLDER / "README.md").read_text("utf-8").split())
    report = figures(FOLDER / "local/fidelity")
    verdicts = [scenario["verdicts"][report["decider"]] for scenario in report["scenarios"]]
    assert ("The fidelity suite does not pass with this model" in page) is not report["passes"]
    assert ("In no scenario are the forks worse than the controls" in page) is all(
        verdict["is_not_worse"] for verdict in verdicts
    )
