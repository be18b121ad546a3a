"""Runs on a real server with a real provider: what a fork inherits, and how that is checked."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from evidence.harness.agent import Agent, Asking
from evidence.harness.bench import Bench, open_bench
from evidence.harness.prefix import Boundary, check_prefix, take_boundary
from evidence.harness.record import RecordedStep, fates, read_steps
from evidence.models.meter import Meter
from evidence.running import scripted_model
from evidence.scenarios.library import FLAGSHIP, load_scenario
from evidence.scenarios.scenario import Scenario

ASKING = Asking(temperature=0, seed=1)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """One server and one provider for these tests."""
    with open_bench() as opened:
        yield opened


@pytest.fixture
def scenario() -> Scenario:
    """The flagship."""
    return load_scenario(FLAGSHIP)


@pytest.fixture
def model() -> Meter:
    """The script, with a meter."""
    return Meter(scripted_model())


@pytest.fixture
def baseline(bench: Bench, scenario: Scenario, model: Meter) -> str:
    """The channel of a run that is over."""
    channel = f"baseline-{uuid4().hex[:8]}"
    Agent(bench, scenario, model, ASKING).start(channel)
    return channel


@pytest.fixture
def boundary(bench: Bench, scenario: Scenario, baseline: str) -> Boundary:
    """What it was at its boundary."""
    return take_boundary(bench, baseline, read_steps(bench.client, baseline), scenario.fork_at)


@pytest.fixture
def fork(bench: Bench, scenario: Scenario, model: Meter, boundary: Boundary) -> str:
    """A fork of it that is over too."""
    channel = f"fork-{uuid4().hex[:8]}"
    Agent(bench, scenario, model, ASKING).start_fork(boundary.channel_id, channel, None)
    return channel


def test_a_fork_runs_its_tail_alone_and_has_no_inherited_effect_again(
    bench: Bench, scenario: Scenario, model: Meter, boundary: Boundary
) -> None:
    """The charge is replayed, the mail is blocked, and the provider hears of neither."""
    before, calls = bench.calls_of_provider(), model.calls
    Agent(bench, scenario.changed(), model, ASKING).start_fork(boundary.channel_id, "fork-alone", None)
    steps = read_steps(bench.client, "fork-alone")
    assert [step.number for step in steps] == [6, 7, 8, 9]
    assert model.calls == calls + 4
    assert fates(steps, "replayed") == ["fare-difference:HA-7741"]
    assert fates(steps, "blocked") == ["confirmation:HA-7741"]
    assert fates(steps, "done") == []
    assert bench.calls_of_provider() == before


def test_the_prefix_of_a_fork_is_identical(bench: Bench, boundary: Boundary, fork: str) -> None:
    """Its first state, its parent's events, and the result of the charge."""
    prefix = check_prefix(bench, boundary, fork, read_steps(bench.client, fork))
    assert prefix.is_identical
    assert prefix.effects_replayed == 1


def test_a_single_byte_of_difference_is_found(bench: Bench, boundary: Boundary, fork: str) -> None:
    """In the state, in the parent's events, or in the result of an effect."""
    steps = read_steps(bench.client, fork)
    wrong_state = replace(boundary, state=boundary.state.replace(b"Solheim", b"Solheym", 1))
    wrong_events = replace(boundary, events=(*boundary.events[:-1], boundary.events[-1] + b" "))
    wrong_effects = replace(boundary, effects=dict.fromkeys(boundary.effects))
    assert not check_prefix(bench, wrong_state, fork, steps).state_is_identical
    assert not check_prefix(bench, wrong_events, fork, steps).parent_is_untouched
    assert not check_prefix(bench, wrong_effects, fork, steps).effects_are_identical


def test_a_whole_re_run_pays_and_acts_again(
    bench: Bench, scenario: Scenario, model: Meter, baseline: str
) -> None:
    """That is what makes it the control: another charge and another mail."""
    before = bench.calls_of_provider()
    Agent(bench, scenario, model, ASKING).start(f"{baseline}-again")
    again: tuple[RecordedStep, ...] = read_steps(bench.client, f"{baseline}-again")
    assert len(again) == len(scenario.steps)
    assert bench.calls_of_provider() == {name: count + 1 for name, count in before.items()}
