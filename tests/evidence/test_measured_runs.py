"""Measured runs against an endpoint, from the command line to the report."""

from itertools import count
from pathlib import Path
from typing import Any

from evidence.judges.model_judge import INSTRUCTION
from tests.evidence.support.command import figures, run_evidence
from tests.evidence.support.endpoint import Answer, completion, endpoint

KEY = "sk-canary-0987654321"


def growing() -> Answer:
    """Each answer costs more than the one before, so no two rows are alike."""
    numbers = count(1)

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        number = next(numbers)
        return 200, completion(f"Answer {number}.", 100 * number, number)

    return answer


def test_the_token_report_sums_what_the_endpoint_returned(tmp_path: Path) -> None:
    """Nine calls for the baseline, four for the fork, and no figure of our own."""
    with endpoint(growing()) as server:
        done = run_evidence(
            "tokens",
            *("--base-url", server.base_url, "--model", "m", "--out", tmp_path),
            EVIDENCE_API_KEY=KEY,
        )
    assert done.returncode == 0, done.stderr
    report = figures(tmp_path)
    assert report["mode"] == "measured"
    assert report["totals"]["baseline_tokens"] == 101 * sum(range(1, 10))
    assert report["totals"]["fork_tokens"] == 101 * sum(range(10, 14))
    assert [step["saved_tokens"] for step in report["steps"]][5:] == [-404] * 4
    assert len(server.requests) == 13
    shown = done.stdout + done.stderr + "".join(file.read_text("utf-8") for file in tmp_path.iterdir())
    assert KEY not in shown
    assert server.base_url not in shown
    assert server.keys == [f"Bearer {KEY}"] * 13


def test_a_call_that_fails_fails_the_report(tmp_path: Path) -> None:
    """Nothing is written that looks like one."""
    with endpoint(lambda _: (503, {"error": "busy"})) as server:
        done = run_evidence(
            "tokens", "--base-url", server.base_url, "--model", "m", "--out", tmp_path / "out"
        )
    assert done.returncode == 1
    assert "answered 503" in done.stderr
    assert not (tmp_path / "out").exists()


def judged(score_of: dict[str, str]) -> Answer:
    """A model that marks its texts, and a judge that knows the marks."""

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        said = body["messages"][-1]["content"]
        if body["messages"][0]["content"] != INSTRUCTION:
            return 200, completion(f"Text of seed {body['seed']}.", 10, 5)
        candidate = said.partition("# CANDIDATE")[2]
        for mark, verdict in score_of.items():
            if mark in candidate:
                return 200, completion(verdict, 10, 5)
        return 200, completion("SCORE: 9\nRATIONALE: As good.", 10, 5)

    return answer


def run_fidelity(answer: Answer, out: Path) -> Any:
    with endpoint(answer) as server:
        return run_evidence(
            "fidelity",
            *("--base-url", server.base_url, "--model", "m", "--out", out),
            *("--no-embeddings", "--samples", "1"),
        )


def test_a_suite_of_good_forks_passes_and_shows_every_sample(tmp_path: Path) -> None:
    """With the judge's score and reason for each, and a prefix that is identical."""
    done = run_fidelity(judged({}), tmp_path)
    assert done.returncode == 0, done.stderr
    report = figures(tmp_path)
    assert (report["is_evidence"], report["passes"]) == (True, True)
    for scenario in report["scenarios"]:
        assert [sample["kind"] for sample in scenario["samples"]] == ["fork", "control"]
        assert scenario["samples"][0]["prefix"]["is_identical"]
        assert scenario["samples"][0]["judgements"]["model"] == {"score": 9, "rationale": "As good."}
        calls = scenario["provider_calls"]
        assert calls["forks"] == calls["baseline"]
        assert calls["controls"] == 2 * calls["baseline"]


def test_a_judge_elsewhere_is_not_shown_the_key_of_the_model(tmp_path: Path) -> None:
    """It has a key of its own, or none; and it alone judges."""
    with endpoint(judged({})) as model, endpoint(judged({})) as judge:
        done = run_evidence(
            "fidelity",
            *("--base-url", model.base_url, "--model", "m", "--out", tmp_path),
            *("--judge-base-url", judge.base_url, "--judge-model", "j", "--no-embeddings", "--samples", "1"),
            EVIDENCE_API_KEY=KEY,
        )
    assert done.returncode == 0, done.stderr
    assert set(model.keys) == {f"Bearer {KEY}"}
    assert set(judge.keys) == {None}
    assert {request["temperature"] for request in judge.requests} == {0}
    report = (tmp_path / "REPORT.md").read_text("utf-8")
    assert "python -m evidence fidelity --model m" in report
    assert "127.0.0.1" not in report


def test_a_suite_that_fails_exits_with_1_and_still_shows_everything(tmp_path: Path) -> None:
    """The fork (seed 2) is worse than the threshold, and the judge of the control (seed 3) cannot be read."""
    verdicts = {"seed 2": "SCORE: 6\nRATIONALE: A fact is missing.", "seed 3": "I like both."}
    done = run_fidelity(judged(verdicts), tmp_path)
    assert done.returncode == 1
    assert "The suite fails" in done.stderr
    page = (tmp_path / "REPORT.md").read_text("utf-8")
    assert "0 of 5 scenarios pass" in page
    assert "A fact is missing." in page
    assert "I like both." in page
    assert all(
        scenario["verdicts"]["model"]["unreadable_count"] == 1 for scenario in figures(tmp_path)["scenarios"]
    )


def test_a_measured_run_overwrites_no_committed_report() -> None:
    """It has to be told where to write, before anything is asked."""
    done = run_evidence("tokens", "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert done.returncode == 2
    assert "--out" in done.stderr
