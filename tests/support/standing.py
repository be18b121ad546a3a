"""An operation in every way in which it can stand, told step by step; each step is a batch of its own."""

from collections.abc import Callable
from typing import Any, Final

from actae.domain.claims import decide_claim
from actae.domain.executions import Claimed, ExecutionRow
from actae.domain.resolutions import decide_resolve
from actae.domain.settlements import (
    decide_cancel,
    decide_complete,
    decide_dispatch,
    decide_fail,
    decide_heartbeat,
)
from actae.domain.view import View
from tests.support.asks import NOON, cancel, claim, complete, dispatch, fail, heartbeat, later, resolve

LEASE_SECONDS: Final = 60

Step = Callable[[View, str], object]

# The terms of its claim, and what was heard of it a second later.
STEPS: Final[dict[str, tuple[str | None, Step | None]]] = {
    "reclaimable": (None, None),
    "ambiguous": ("ambiguous", None),
    "not marked": ("after_dispatch", None),
    "marked": ("after_dispatch", lambda view, token: decide_dispatch(view, dispatch(token))),
    "renewed": ("ambiguous", lambda view, token: decide_heartbeat(view, heartbeat(token))),
    "given up": (None, lambda view, token: decide_fail(view, fail(token, outcome_unknown=True))),
    "completed": ("ambiguous", lambda view, token: decide_complete(view, complete(token))),
    "failed": ("ambiguous", lambda view, token: decide_fail(view, fail(token))),
    "cancelled": ("ambiguous", lambda view, token: decide_cancel(view, cancel(token))),
    "said applied": (None, lambda view, token: _give_up(view, token, "applied")),
    "said not_applied": (None, lambda view, token: _give_up(view, token, "not_applied")),
    "said unknown": (None, lambda view, token: _give_up(view, token, "unknown")),
}

HELD: Final = ("reclaimable", "ambiguous", "not marked", "marked", "renewed")
GIVEN_UP: Final = ("given up", "said unknown")


def standing(how: str, *, at_seconds: float, **terms: Any) -> tuple[View, str]:
    """A batch that finds it so, so many seconds after noon, and the token that it was claimed with."""
    on_lapse, step = STEPS[how]
    view = View(NOON)
    answer = decide_claim(view, claim(on_lapse=on_lapse, **terms))
    assert isinstance(answer, Claimed)
    if step is not None:
        view = afterwards(view, 1)
        step(view, answer.claim_token)
    return afterwards(view, at_seconds), answer.claim_token


def afterwards(view: View, seconds: float) -> View:
    """A batch so many seconds after noon that finds what this one has left."""
    return View(later(seconds), [view.head("run-1")], [row_of(view)])


def row_of(view: View) -> ExecutionRow:
    """The operation as it stands."""
    row = view.execution("run-1", claim().key_digest)
    assert row is not None
    return row


def types_of(view: View) -> list[str]:
    """What the batch appends."""
    return [event.event_type for event in view.changes.events]


def _give_up(view: View, token: str, said: Any) -> None:
    decide_fail(view, fail(token, outcome_unknown=True))
    decide_resolve(view, resolve(said, result=b'"ch_1"' if said == "applied" else b"null"))
