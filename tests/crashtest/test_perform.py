"""Real agents, really killed, counted by a real provider."""

import signal
import sys

import pytest

from actae.crashtest.kinds import Behaviour, Kind
from actae.crashtest.plan import CrashtestError
from tests.crashtest.conftest import Perform
from tests.support.pages import ROOT

KILLED = -signal.SIGKILL


def test_what_is_doubled_depends_on_what_the_provider_knows(play: Perform) -> None:
    """Killed after the answer: the key helps, looking helps, and with neither it is doubled."""
    matrix = play("careful", *Kind, kill_at=("provider.answered charges/{run}-a",))
    killed = {cell.provider: cell for cell in matrix.cells if cell.boundary is not None}
    assert killed.keys() == set(Kind)
    for kind, cell in killed.items():
        assert (cell.duplicates > 0) is (kind == Kind.BLIND)
        assert cell.exit_codes == (KILLED, 0)
        assert [effect.expected for effect in cell.effects] == [1, 1]
        assert (cell.losses, cell.stuck, cell.is_finished, cell.is_missed) == (0, 0, True, False)
    matrix.expect("no-duplicates", "no-losses", "no-stuck")


def test_every_boundary_of_an_agent_that_claims_by_hand_is_met(play: Perform) -> None:
    """Whatever it calls its provider with; the key that it sends is the operation's."""
    matrix = play("by_hand", Kind.HONOURS_KEY)
    assert [str(cell.boundary) for cell in matrix.cells[1:]] == [
        "claim.sending mail:1",
        "claim.answered mail:1",
        "complete.sending mail:1",
        "complete.answered mail:1",
    ]
    assert [cell.calls for cell in matrix.cells] == [1, 1, 1, 2, 1]
    assert all(cell.is_killed for cell in matrix.cells[1:])
    matrix.expect("no-duplicates", "no-losses", "no-stuck")


def test_an_effect_that_is_noted_before_it_is_had_gets_lost(play: Perform) -> None:
    """The provider was never asked, and the agent believes that it was."""
    untouched, killed = play("at_most_once", Kind.BLIND).cells
    assert (untouched.applied, untouched.losses) == (1, 0)
    assert (killed.applied, killed.losses, killed.duplicates) == (0, 1, 0)
    assert killed.is_finished


def test_an_operation_that_nobody_resolves_is_stuck(play: Perform) -> None:
    """Nothing is doubled and nothing lost, but the agent does not come to its end."""
    matrix = play("ambiguous", Kind.QUERYABLE, kill_at=("complete.sending",))
    (stuck,) = matrix.stuck
    assert (stuck.applied, stuck.stuck, stuck.is_finished) == (1, 1, False)
    assert stuck.exit_codes == (KILLED, 1, 1)
    matrix.expect()
    with pytest.raises(AssertionError, match="1 stuck, gave up"):
        matrix.expect("no-stuck")


@pytest.mark.slow
def test_a_provider_may_misbehave(play: Perform) -> None:
    """Nobody is killed: the agent's own error ends its first start, and what is expected stays the same."""
    behaviours = (Behaviour.FAILS, Behaviour.DROPS_REPLY)
    matrix = play("by_hand", Kind.BLIND, behaviours=behaviours, kill_at=("complete.answered",))
    for behaviour, applied in zip(behaviours, (1, 2), strict=True):
        untouched, killed = matrix.of(behaviour=behaviour).cells
        (effect,) = untouched.effects
        assert (effect.calls, effect.applied, effect.expected) == (2, applied, 1)
        assert untouched.exit_codes == (1, 0)
        assert str(killed.boundary) == "complete.answered mail:1 (start 2)"
        assert killed.exit_codes == (1, KILLED, 0)


def test_an_agent_that_takes_another_way_each_time_proves_nothing(play: Perform) -> None:
    """Its boundary is not met again, which is no success."""
    matrix = play("restless", Kind.QUERYABLE)
    assert [cell.is_missed for cell in matrix.cells] == [False, True]
    assert not matrix.duplicates
    with pytest.raises(AssertionError, match="not reached"):
        matrix.expect()


def test_an_agent_that_has_one_channel_for_all_runs_is_told_so(play: Perform) -> None:
    """Each run would be answered from the record of the first, which looks like a loss."""
    with pytest.raises(CrashtestError, match=r"'mail:1' on the channel 'billing' .* ACTAE_CRASHTEST_RUN_ID"):
        play("billing", Kind.QUERYABLE, kill_at=("complete.answered",))


@pytest.mark.parametrize(
    ("policy", "options", "said"),
    [
        ("never_ends", {}, r"nobody kills it \(never_ends, blind.* 1, 1, 1.*\nI cannot"),
        ("silent", {}, "came by no boundary"),
        ("at_most_once", {"kill_at": ("claim.sent",)}, r"comes by claim\.sent.*\n   1  file\.written done"),
        ("silent", {"command": ("/nowhere/to/be/found",)}, "cannot be started: No such file"),
    ],
)  # fmt: skip
def test_a_test_that_cannot_be_run_says_why(
    play: Perform, policy: str, options: dict[str, tuple[str, ...]], said: str
) -> None:
    """And what to do about it."""
    with pytest.raises(CrashtestError, match=said):
        play(policy, Kind.BLIND, **options)


def test_an_agent_that_hangs_is_ended(play: Perform) -> None:
    """After its time; a hang is no exit code."""
    with pytest.raises(CrashtestError, match="too late, too late, too late"):
        play("silent", Kind.BLIND, command=("sleep", "1000"), start_seconds=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["charge_once", "effect_decorator", "sync_worker"])
def test_our_own_examples_come_to_their_end_wherever_they_die(play: Perform, example: str) -> None:
    """Started by a shell, which survives them; their providers are their own."""
    command = ("sh", "-c", f'{sys.executable} {ROOT}/examples/{example}.py "$ACTAE_CRASHTEST_RUN_ID"; true')
    kill_at = ("claim.answered", "complete.sending")
    matrix = play("example", Kind.BLIND, command=command, kill_at=kill_at)
    assert {cell.is_killed for cell in matrix.cells if cell.boundary is not None} == {True}
    matrix.expect("no-stuck", providers="blind")
