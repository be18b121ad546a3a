"""The story that the console is looked at with: a night in which one charge was left open.

Most of an hour of several runs, written through the client as agents would. The database's time is moved, not
waited for.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from actae_client import ExecutionNotOwnedError, SyncActaeClient
from tests.support.postgres import Clock

NIGHT_SECONDS = 3_000
SECRET = "4242-4242-4242-4242"  # what a credential without `read` must never be shown

SOURCES = ("terms-of-trade", "price-list", "customer-history")


class Story(NamedTuple):
    """Where the things are that tests look for."""

    open_run: str
    open_charge: str  # an execution id
    late_result: dict[str, Any]
    good_run: str
    fork: str
    working_run: str
    lapsed_run: str
    approval_run: str
    approval_request: str


def tell(client: SyncActaeClient, clock: Clock) -> Story:
    """Write it all; afterwards the database's time is the real one again."""
    clock.advance(-NIGHT_SECONDS)
    good_run = "order-4470"
    _orderly_run(client, clock, good_run, "4470", "worker-3d")
    fork = _fork_with_a_cheaper_model(client, clock, good_run)
    _charge_that_failed_once(client, clock, "order-4475")
    open_run = "order-4471"
    open_charge, late_result = _charge_left_open(client, clock, open_run)
    lapsed_run, working_run, approval_run = "order-4474", "order-4473", "refunds-2026-11"
    _worker_lost(client, clock, lapsed_run)
    approval_request = _question(client, approval_run)
    _still_working(client, clock, working_run)
    return Story(
        open_run,
        open_charge,
        late_result,
        good_run,
        fork,
        working_run,
        lapsed_run,
        approval_run,
        approval_request,
    )


def _research(client: SyncActaeClient, clock: Clock, run: str, order: str, worker: str) -> dict[str, Any]:
    """Gather sources, each an effect, with the state and the tokens that they cost."""
    state: dict[str, Any] = {"order_id": order, "phase": "research", "sources": []}
    client.transition(run, "run.started", {"goal": f"handle order {order}"}, state, actor=worker)
    for place, source in enumerate(SOURCES, 1):
        clock.advance(45)
        claim = client.claim_execution(
            run, f"gather:{source}", "gather_source", {"source": source, "order_id": order}, actor=worker
        )
        clock.advance(75 * place)
        client.complete_execution(
            claim.execution.id,
            claim.claim_token,
            result={"pages": 4 * place, "usage": {"input_tokens": 2_100 * place, "output_tokens": 320}},
        )
        state = {**state, "sources": [*state["sources"], {"name": source, "pages": 4 * place}]}
        client.transition(run, "source.read", {"source": source, "pages": 4 * place}, state, actor=worker)
        usage = {"input_tokens": 900 * place, "output_tokens": 210}
        client.record(run, "step.completed", {"step": place, "usage": usage}, actor=worker, step_number=place)
    state = {**state, "phase": "draft", "draft": f"Dear customer, your order {order} …"}
    client.transition(run, "draft.written", {"words": 412}, state, actor=worker)
    return state


def _charge(client: SyncActaeClient, run: str, order: str, worker: str, **terms: Any) -> Any:
    return client.claim_execution(
        run,
        f"charge_customer:order-{order}",
        "charge_customer",
        {"order_id": order, "amount_cents": 4200, "currency": "EUR", "card": SECRET, "requested_at": "02:14"},
        dedup_fields=["order_id", "amount_cents", "currency"],
        actor=worker,
        **terms,
    )


def _orderly_run(client: SyncActaeClient, clock: Clock, run: str, order: str, worker: str) -> None:
    state = _research(client, clock, run, order, worker)
    claim = _charge(client, run, order, worker)
    clock.advance(3)
    charge = {"charge": "ch_5e1d90", "amount_cents": 4200}
    client.complete_execution(claim.execution.id, claim.claim_token, result=charge)
    client.transition(
        run, "order.charged", charge, {**state, "phase": "charged", "charge": charge}, actor=worker
    )
    clock.advance(20)
    _charge(client, run, order, "worker-5a", emit_replay_event=True)
    mail = client.claim_execution(run, f"mail:order-{order}", "send_mail", {"to": "c-19"}, actor=worker)
    clock.advance(2)
    client.complete_execution(mail.execution.id, mail.claim_token, result={"message_id": "m-3301"})
    client.update_metadata(run, display_name="Order 4470, as it should go")


def _fork_with_a_cheaper_model(client: SyncActaeClient, clock: Clock, run: str) -> str:
    fork = "order-4470-small-model"
    step = client.resolve_step(run, 2)
    assert step is not None, "the run has recorded its steps"
    client.fork(
        run,
        fork,
        step.cursor,
        display_name="The same with a small model",
        reason="is the small model good enough?",
        tool_policies={"charge_customer": "block", "send_mail": "block"},
        operation_id="fork-small-model",
    )
    clock.advance(60)
    state = {
        "order_id": "4470",
        "phase": "draft",
        "model": "small",
        "sources": [{"name": "terms-of-trade", "pages": 4}],
    }
    client.transition(
        fork,
        "draft.written",
        {"words": 287, "usage": {"input_tokens": 1_200, "output_tokens": 460}},
        state,
        actor="worker-8f",
    )
    return fork


def _charge_that_failed_once(client: SyncActaeClient, clock: Clock, run: str) -> None:
    client.record(run, "run.started", {"goal": "handle order 4475"}, actor="worker-3d")
    claim = _charge(client, run, "4475", "worker-3d")
    clock.advance(11)
    client.fail_execution(
        claim.execution.id,
        "the provider answered 503",
        claim_token=claim.claim_token,
        error_type="ProviderDown",
    )
    clock.advance(30)
    claim = _charge(client, run, "4475", "worker-5a")
    clock.advance(4)
    client.complete_execution(claim.execution.id, claim.claim_token, result={"charge": "ch_90aa12"})


def _charge_left_open(client: SyncActaeClient, clock: Clock, run: str) -> tuple[str, dict[str, Any]]:
    """Two workers were lost over it, and the first one reported after it had lost the operation."""
    _research(client, clock, run, "4471", "worker-7b")
    client.update_metadata(run, display_name="Order 4471")
    first = _charge(client, run, "4471", "worker-7b", lease_seconds=60)
    clock.advance(90)
    _charge(client, run, "4471", "worker-9c", lease_seconds=60, on_lapse="ambiguous")
    clock.advance(8)
    late_result = {"charge": "ch_77863a", "amount_cents": 4200, "status": "succeeded"}
    with suppress(ExecutionNotOwnedError):
        client.complete_execution(first.execution.id, first.claim_token, result=late_result)
    clock.advance(400)
    return first.execution.id, late_result


def _worker_lost(client: SyncActaeClient, clock: Clock, run: str) -> None:
    client.record(run, "run.started", {"goal": "handle order 4474"}, actor="worker-2c")
    client.claim_execution(
        run,
        "open_ticket:order-4474",
        "open_ticket",
        {"order_id": "4474"},
        lease_seconds=60,
        actor="worker-2c",
    )
    clock.advance(180)


def _question(client: SyncActaeClient, run: str) -> str:
    client.record(run, "run.started", {"goal": "refund what was charged twice"}, actor="worker-6e")
    return client.request_approval(
        run,
        summary="Refund 42.00 EUR for invoice 88?",
        details={"customer": "c-19", "reason": "charged twice"},
        operation={
            "key_name": "refund:88",
            "tool_name": "refund",
            "params": {"invoice": 88, "amount_cents": 4200, "currency": "EUR"},
        },
        requester="worker-6e",
        request_id="refund-88",
    )


def _still_working(client: SyncActaeClient, clock: Clock, run: str) -> None:
    behind = (datetime.now(UTC) - clock.now()).total_seconds()
    clock.advance(behind - 40)
    client.record(run, "run.started", {"goal": "handle order 4473"}, actor="worker-1a")
    client.claim_execution(
        run,
        "gather:price-list",
        "gather_source",
        {"source": "price-list"},
        lease_seconds=3_600,
        actor="worker-1a",
    )
    clock.advance(40)
