"""Runs a scenario several times: once as baseline, then as forks, then as whole re-runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from evidence.harness.agent import Agent, Asking
from evidence.harness.bench import Bench
from evidence.harness.prefix import Boundary, Prefix, check_prefix, take_boundary
from evidence.harness.record import RecordedStep, fates, read_steps
from evidence.judges.judge import Part, Tail
from evidence.models.model import Model
from evidence.scenarios.scenario import Scenario

Kind = Literal["fork", "control"]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How many forks and controls there are, and how the model is asked. Each run counts the seed up."""

    samples: int
    asking: Asking

    def asking_of(self, run: int) -> Asking:
        """The baseline is run 0."""
        return replace(self.asking, seed=self.asking.seed + run)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One run whose tail is judged."""

    kind: Kind
    number: int
    seed: int
    steps: tuple[RecordedStep, ...]
    prefix: Prefix | None
    """Of a fork; a control inherits nothing."""

    def tail(self, fork_at: int) -> Tail:
        """What it said after the boundary."""
        return tail_of(self.steps, fork_at)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """All runs of a scenario, and how often the provider had been called after each kind."""

    scenario: Scenario
    baseline: tuple[RecordedStep, ...]
    samples: tuple[Sample, ...]
    provider_calls: dict[str, int]
    """Charges and mails together, of this scenario, after the baseline, the forks and the controls."""
    repeated: tuple[str, ...]
    """Inherited effects that a fork had again, as far as it knows. There must be none."""

    @property
    def baseline_tail(self) -> Tail:
        return tail_of(self.baseline, self.scenario.fork_at)

    @property
    def repeats_nothing(self) -> bool:
        """Whether the forks had no inherited effect again, and the provider's own record says so too."""
        forks = [sample for sample in self.samples if sample.kind == "fork"]
        new = sum(len(fates(fork.steps, "done")) for fork in forks)
        calls = self.provider_calls
        return not self.repeated and calls["forks"] == calls["baseline"] + new

    @property
    def prefix_is_identical(self) -> bool:
        """Whether every fork began with exactly what the baseline was."""
        return all(sample.prefix is None or sample.prefix.is_identical for sample in self.samples)


def tail_of(steps: tuple[RecordedStep, ...], fork_at: int) -> Tail:
    """The steps after the boundary."""
    return tuple(Part(step.name, step.text) for step in steps if step.number > fork_at)


def run_samples(bench: Bench, scenario: Scenario, model: Model, how: Sampling) -> Runs:
    """Raises `EvidenceError` when a run does not come to its end."""
    before = _calls(bench)
    baseline = _run(bench, scenario, model, how.asking_of(0), "baseline")
    boundary = take_boundary(bench, _channel(scenario, "baseline"), baseline, scenario.fork_at)
    calls = {"baseline": _calls(bench) - before}
    forks = list(_forks(bench, scenario, model, how, boundary))
    calls["forks"] = _calls(bench) - before
    controls = list(_controls(bench, scenario, model, how))
    calls["controls"] = _calls(bench) - before
    return Runs(
        scenario=scenario,
        baseline=baseline,
        samples=(*forks, *controls),
        provider_calls=calls,
        repeated=tuple(key for fork in forks for key in fates(fork.steps, "done") if key in boundary.effects),
    )


def _forks(
    bench: Bench, scenario: Scenario, model: Model, how: Sampling, boundary: Boundary
) -> Iterator[Sample]:
    for number in range(1, how.samples + 1):
        channel, asking = _channel(scenario, f"fork-{number}"), how.asking_of(number)
        Agent(bench, scenario, model, asking).start_fork(boundary.channel_id, channel, None)
        steps = read_steps(bench.client, channel)
        prefix = check_prefix(bench, boundary, channel, steps)
        yield Sample(kind="fork", number=number, seed=asking.seed, steps=steps, prefix=prefix)


def _controls(bench: Bench, scenario: Scenario, model: Model, how: Sampling) -> Iterator[Sample]:
    for number in range(1, how.samples + 1):
        asking = how.asking_of(how.samples + number)
        steps = _run(bench, scenario, model, asking, f"control-{number}")
        yield Sample(kind="control", number=number, seed=asking.seed, steps=steps, prefix=None)


def _run(
    bench: Bench, scenario: Scenario, model: Model, asking: Asking, called: str
) -> tuple[RecordedStep, ...]:
    channel = _channel(scenario, called)
    Agent(bench, scenario, model, asking).start(channel)
    return read_steps(bench.client, channel)


def _channel(scenario: Scenario, called: str) -> str:
    return f"fidelity-{scenario.name}-{called}"


def _calls(bench: Bench) -> int:
    return sum(bench.calls_of_provider().values())
