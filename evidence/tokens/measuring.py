"""Runs the flagship as a baseline and as a fork, and puts their tokens side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evidence.checks import Check
from evidence.harness.agent import Agent, Asking
from evidence.harness.bench import Bench
from evidence.harness.prefix import Boundary, Prefix, check_prefix, take_boundary
from evidence.harness.record import RecordedStep, fates, read_steps
from evidence.models.meter import Meter
from evidence.models.model import Model
from evidence.scenarios.scenario import Scenario
from evidence.tokens.rows import Row, rows_of, total

BASELINE = "tokens-baseline"
FORK = "tokens-fork"


@dataclass(frozen=True, kw_only=True)
class TokenReport:
    """Everything that the page and the figures are made of."""

    model: Mapping[str, Any]
    asking: Asking
    scenario: Scenario
    baseline: tuple[RecordedStep, ...]
    fork: tuple[RecordedStep, ...]
    prefix: Prefix
    checks: tuple[Check, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return rows_of(self.baseline, self.fork)

    @property
    def holds(self) -> bool:
        """Whether every check does."""
        return all(check.holds for check in self.checks)


def measure_tokens(bench: Bench, scenario: Scenario, model: Model, asking: Asking) -> TokenReport:
    """Run both. Raises `EvidenceError` when one of them does not come to its end."""
    meter = Meter(model)
    Agent(bench, scenario, meter, asking).start(BASELINE)
    baseline = read_steps(bench.client, BASELINE)
    boundary = take_boundary(bench, BASELINE, baseline, scenario.fork_at)
    before = bench.calls_of_provider()

    intervention = {"reason": scenario.change_reason, "steps": [step.name for step in scenario.change]}
    agent = Agent(bench, scenario.changed(), meter, asking)
    agent.start_fork(BASELINE, FORK, intervention)
    fork = read_steps(bench.client, FORK)
    prefix = check_prefix(bench, boundary, FORK, fork)
    return TokenReport(
        model=model.describe(),
        asking=asking,
        scenario=scenario,
        baseline=baseline,
        fork=fork,
        prefix=prefix,
        checks=(
            _provider_check(boundary, fork, before, bench.calls_of_provider()),
            _prefix_check(prefix),
            _meter_check(meter, baseline, fork),
            _server_check(bench, baseline, fork),
        ),
    )


def _provider_check(
    boundary: Boundary, fork: tuple[RecordedStep, ...], before: dict[str, int], after: dict[str, int]
) -> Check:
    done = fates(fork, "done")
    called = sum(after.values()) - sum(before.values())
    return Check(
        claim="The provider was called for no inherited effect a second time.",
        found=(
            f"charges and mails in its record: {before['charges']} and {before['mails']} before the fork, "
            f"{after['charges']} and {after['mails']} after it; effects that the fork had replayed: "
            f"{len(fates(fork, 'replayed'))}, blocked: {len(fates(fork, 'blocked'))}"
        ),
        holds=called == len(done) and not set(done) & boundary.effects.keys(),
    )


def _prefix_check(prefix: Prefix) -> Check:
    return Check(
        claim="The fork began with its parent's state, byte for byte, and left its parent as it was.",
        found=(
            f"compared: {prefix.state_bytes} bytes of state, {prefix.parent_events} events, results of "
            f"replayed effects: {prefix.effects_replayed}"
        ),
        holds=prefix.is_identical,
    )


def _meter_check(meter: Meter, baseline: tuple[RecordedStep, ...], fork: tuple[RecordedStep, ...]) -> Check:
    steps = (*baseline, *fork)
    recorded = total([step.usage for step in steps])
    return Check(
        claim="Every call to the model is in the table, once.",
        found=(
            f"{meter.calls} calls and {meter.usage.total} tokens at the model, "
            f"{len(steps)} steps and {recorded.total} tokens in the table"
        ),
        holds=meter.calls == len(steps) and meter.usage == recorded,
    )


def _server_check(bench: Bench, baseline: tuple[RecordedStep, ...], fork: tuple[RecordedStep, ...]) -> Check:
    said = bench.compare(BASELINE, FORK)["metrics"]
    sums = [total([step.usage for step in steps]) for steps in (baseline, fork)]
    told = [(said[side]["input_tokens"], said[side]["output_tokens"]) for side in ("left", "right")]
    return Check(
        claim="The server's own comparison of the two channels comes to the same sums.",
        found=f"baseline {told[0][0]} + {told[0][1]}, fork {told[1][0]} + {told[1][1]}",
        holds=told == [(usage.input_tokens, usage.output_tokens) for usage in sums],
    )
