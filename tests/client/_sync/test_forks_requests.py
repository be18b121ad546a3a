# Written by tools/generate_sync.py from _async/test_forks_requests.py. Do not edit.
"""What the calls about forks and experiments send, and what they make of the answer."""

from typing import Any
from uuid import UUID

import pytest

from actae_client import ForkReceipt, SyncActaeClient
from tests.client.support.replies import METADATA
from tests.client.support.scripted_server import Answer, ScriptedServer

RECEIPT: dict[str, Any] = {
    "fork_id": "run-7.b",
    "source_channel_id": "run-7",
    "child_channel_id": "run-7.b",
    "requested_cursor": 13,
    "resolved_cursor": 12,
    "resolved_event_id": "01956c2e-7a10-7c3e-9a55-2f0d6c1b8e01",
    "source_state_version": 4,
    "source_state_sha256": "9f2c",
    "restorable": True,
    "replayed": False,
    "manifest": {"seed": 1},
    "reproducibility": "execution_replayable",
    "tool_policies": {"*": "block"},
}
NODE: dict[str, Any] = {"channel_id": "run-7", "forked_at_cursor": 0, "event_count": 3, "latest_cursor": 3}


def test_a_fork_sends_all_that_it_was_given(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Each argument has its place in the body, and the receipt comes back."""
    scripted.answers({**RECEIPT, "forked_at": "2026-03-01T09:30:00Z"})
    receipt = client.fork(
        "run-7",
        "run-7.b",
        13,
        display_name="B",
        reason="why",
        experiment_metadata={"forked_at_step": 4},
        operation_id="op-1",
        manifest={"seed": 1},
        tool_policies={"*": "block"},
        expected_version=0,
        expected_cursor=0,
        copy_state=False,
    )
    assert (scripted.last.method, scripted.last.target) == ("POST", "/api/v1/channels/fork")
    assert scripted.last.json == {
        "source_channel_id": "run-7",
        "new_channel_id": "run-7.b",
        "at_cursor": 13,
        "display_name": "B",
        "reason": "why",
        "experiment_metadata": {"forked_at_step": 4},
        "operation_id": "op-1",
        "manifest": {"seed": 1},
        "tool_policies": {"*": "block"},
        "expected_version": 0,
        "expected_cursor": 0,
        "copy_state": False,
    }
    assert receipt == ForkReceipt(**RECEIPT)


def test_a_fork_leaves_out_what_is_not_set(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Empty values too; each call has an identity of its own, and its repetitions have the same."""
    scripted.will(Answer(503, {"status": "unavailable", "error": "later"}), Answer(200, RECEIPT))
    client.fork("run-7", "run-7.b", display_name="", experiment_metadata={}, tool_policies={})
    client.fork("run-7", "run-7.b")
    first, again, other = [heard.json for heard in scripted.heard]
    assert first == again
    assert UUID(first["operation_id"]).version == 4
    assert first["operation_id"] != other.pop("operation_id")
    assert other == {"source_channel_id": "run-7", "new_channel_id": "run-7.b", "at_cursor": 0}


@pytest.mark.parametrize(
    ("method", "args", "sent"),
    [
        ("get_fork_receipt", ("run-7",), "GET /api/v1/channels/run-7/receipt"),
        ("list_forks", ("run-7",), "GET /api/v1/channels/run-7/forks"),
        ("get_fork_tree", ("run-7",), "GET /api/v1/channels/run-7/fork-tree"),
        ("diff_states", ("run:7", "run-8"), "GET /api/v1/channels/diff?left=run%3A7&right=run-8"),
        ("compare_channels", ("run-7", "run-8"), "GET /api/v1/channels/compare?left=run-7&right=run-8"),
        ("decision_trail", ("run-7",), "GET /api/v1/channels/run-7/trail"),
        ("promote_channel", ("run-7",), "POST /api/v1/channels/run-7/promote"),
        ("list_experiments", (), "GET /api/v1/experiments"),
        ("get_experiment", ("g/1",), "GET /api/v1/experiments/g%2F1"),
        ("rank_experiment", ("g-1",), "GET /api/v1/experiments/g-1/rank"),
    ],
)
def test_calls_without_a_body(
    client: SyncActaeClient, scripted: ScriptedServer, method: str, args: tuple[Any, ...], sent: str
) -> None:
    """The path and its query say it all."""
    scripted.answers({**RECEIPT, **NODE, "forks": [], "experiments": []})
    getattr(client, method)(*args)
    assert f"{scripted.last.method} {scripted.last.target}" == sent
    assert scripted.last.body == b""


@pytest.mark.parametrize(
    ("method", "args", "options", "sent", "body"),
    [
        (
            "set_outcome",
            ("run-7", "rejected"),
            {},
            "PATCH /api/v1/channels/run-7/outcome",
            {"outcome": "rejected"},
        ),
        (
            "set_outcome",
            ("run-7", "promoted"),
            {"score": 0},
            "PATCH /api/v1/channels/run-7/outcome",
            {"outcome": "promoted", "score": 0},
        ),
        (
            "create_experiment",
            ("prompts",),
            {"description": "", "baseline_channel_id": ""},
            "POST /api/v1/experiments",
            {"name": "prompts"},
        ),
        (
            "create_experiment",
            ("prompts",),
            {"description": "which is best", "baseline_channel_id": "run-7"},
            "POST /api/v1/experiments",
            {"name": "prompts", "description": "which is best", "baseline_channel_id": "run-7"},
        ),
        (
            "add_experiment_member",
            ("g-1", "run-8"),
            {"declared_delta": {}},
            "POST /api/v1/experiments/g-1/members",
            {"channel_id": "run-8", "role": "variant"},
        ),
        (
            "add_experiment_member",
            ("g-1", "run-8"),
            {"role": "control", "declared_delta": {"prompt": "shorter"}},
            "POST /api/v1/experiments/g-1/members",
            {"channel_id": "run-8", "role": "control", "declared_delta": {"prompt": "shorter"}},
        ),
    ],
)
def test_calls_with_a_body(
    client: SyncActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    sent: str,
    body: dict[str, Any],
) -> None:
    """What is empty stays at home; a score of 0 does not. The answer is given out as it came."""
    scripted.answers({"status": "ok", "anything": [1]})
    assert getattr(client, method)(*args, **options) == {"status": "ok", "anything": [1]}
    assert f"{scripted.last.method} {scripted.last.target}" == sent
    assert scripted.last.json == body


def test_an_experiment_is_opened_once(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A reply that was lost may have been that of a new experiment, so the call is not repeated."""
    scripted.answers({"status": "unavailable", "error": "later"}, status=503)
    with pytest.raises(Exception, match="later"):
        client.create_experiment("prompts")
    assert len(scripted.heard) == 1


def test_receipts_are_read_under_either_name(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Those of receipts come first, then those of channel metadata; the rest has defaults."""
    scripted.answers(
        {"channel_id": "run-7.b", "requested_at_cursor": 13, "resolved_state_cursor": 12, "extra": 1}
    )
    receipt = client.get_fork_receipt("run-7.b")
    assert (receipt.fork_id, receipt.child_channel_id) == ("run-7.b", "run-7.b")
    assert (receipt.requested_cursor, receipt.resolved_cursor) == (13, 12)
    assert (receipt.source_channel_id, receipt.source_state_version) == (None, 0)
    assert (receipt.restorable, receipt.replayed) == (False, False)


def test_metadata_holds_a_receipt(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The same values, under the names of receipts."""
    forked = {
        "channel_id": "run-7.b",
        "parent_channel_id": "run-7",
        "requested_at_cursor": 13,
        "resolved_cursor": 12,
        "resolved_state_cursor": 12,
    }
    shared = ("resolved_event_id", "source_state_version", "source_state_sha256", "restorable")
    described = {name: RECEIPT[name] for name in (*shared, "manifest", "reproducibility", "tool_policies")}
    scripted.answers({"forks": [{**METADATA, **forked, **described}]})
    (metadata,) = client.list_forks("run-7")
    assert ForkReceipt.from_metadata(metadata) == ForkReceipt(**RECEIPT)


def test_a_tree_is_read_to_its_leaves(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Unknown keys are ignored, and so are missing children."""
    leaf = {**NODE, "channel_id": "leaf", "children": None, "latest_cursor": None, "event_count": 0}
    scripted.answers({**NODE, "children": [{**NODE, "channel_id": "child", "children": [leaf], "new": 1}]})
    root = client.get_fork_tree("run-7")
    assert root.children[0].children[0].channel_id == "leaf"
    assert root.children[0].children[0].latest_cursor is None
    assert (root.display_name, root.event_count) == (None, 3)


def test_experiments_are_listed_in_either_form(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Bare, or under their name."""
    for reply in ([{"id": "g-1"}], {"experiments": [{"id": "g-1"}]}):
        scripted.answers(reply)
        assert client.list_experiments() == [{"id": "g-1"}]


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("fork", ("no/channel", "b")),
        ("fork", ("a", "")),
        ("diff_states", ("a", "no/channel")),
        ("compare_channels", ("", "a")),
        ("decision_trail", ("..",)),
        ("add_experiment_member", ("g-1", "no/channel")),
        ("add_experiment_member", ("", "a")),
        ("create_experiment", ("n",)),
    ],
)
def test_what_cannot_be_named_is_refused_before_it_is_sent(
    client: SyncActaeClient, scripted: ScriptedServer, method: str, args: tuple[str, ...]
) -> None:
    """Channels by their grammar, other ids by what a path can hold."""
    options = {"baseline_channel_id": "no/channel"} if method == "create_experiment" else {}
    with pytest.raises(ValueError):
        getattr(client, method)(*args, **options)
    assert scripted.heard == []
