"""What a person decides, and that it is recorded with their name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.console.conftest import Console, Visitor

Visit = Callable[..., Visitor]


def events_of(console: Console, channel: str, event_type: str) -> list[dict[str, Any]]:
    reply = console.server.get(f"/events/replay/{channel}?limit=1000&event_type={event_type}")
    found: list[dict[str, Any]] = reply.body["events"]
    return found


def find_the_open_charge(console: Console, visit: Visit) -> Page:
    """From the list of runs to the operation, as somebody would who knows the order's number alone."""
    page = visit(console).enter(console.server.api_key)
    page.keyboard.press("/")
    page.keyboard.type("order_id=4471")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="charge_customer:order-4471").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("charge_customer:order-4471")
    return page


def test_a_charge_left_open_at_night_is_found_and_resolved(own_console: Console, visit: Visit) -> None:
    """By order id, with the late worker's report as the evidence, and by name."""
    page = find_the_open_charge(own_console, visit)
    expect(page.get_by_role("heading", name="Late evidence")).to_be_visible()
    page.get_by_role("button", name="Resolve…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="It happened").check()
    dialog.get_by_role("button", name="Use what a worker reported").click()
    dialog.get_by_label("Reason").fill("the provider's list has ch_77863a")
    name = dialog.get_by_label("Your name")
    name.fill("Ada, on call")
    dialog.get_by_role("button", name="Resolve", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".page-head .status")).to_have_text("completed")
    execution = own_console.server.get(f"/executions/{own_console.story.open_charge}").body["execution"]
    assert (execution["status"], execution["result"]) == ("completed", own_console.story.late_result)
    [resolved] = events_of(own_console, own_console.story.open_run, "tool.resolved")
    assert resolved["actor"] == "Ada, on call"
    assert resolved["payload"]["reason"] == "the provider's list has ch_77863a"
    # Whoever claims it now gets the result, and does not charge.
    with own_console.client() as client:
        claim = client.claim_execution(
            own_console.story.open_run,
            "charge_customer:order-4471",
            "charge_customer",
            {"order_id": "4471", "amount_cents": 4200, "currency": "EUR"},
            dedup_fields=["order_id", "amount_cents", "currency"],
        )
    assert (claim.status, claim.result) == ("replayed", own_console.story.late_result)


def test_a_resolution_that_comes_second_is_refused_in_words(own_console: Console, visit: Visit) -> None:
    page = find_the_open_charge(own_console, visit)
    page.get_by_role("button", name="Resolve…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="It did not happen").check()
    with own_console.client() as client:
        client.resolve_execution(
            own_console.story.open_charge, "applied", by="Grace", result={"charge": "ch_1"}
        )
    dialog.get_by_role("button", name="Resolve", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Somebody was faster")
    execution = own_console.server.get(f"/executions/{own_console.story.open_charge}").body["execution"]
    assert execution["result"] == {"charge": "ch_1"}


def test_an_effect_that_was_undone_by_hand_is_recorded_as_undone(own_console: Console, visit: Visit) -> None:
    """The compensation is an operation of the ledger, so that no `undo` does it again."""
    story = own_console.story
    with own_console.client() as client:
        [charge] = [it for it in client.list_executions(story.good_run) if it.tool_name == "charge_customer"]
    page = visit(own_console).enter(own_console.server.api_key, f"/operations/{charge.id}")
    page.get_by_role("button", name="Record as undone").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Your name").fill("Ada")
    for box in dialog.get_by_role("textbox").all():
        if not box.input_value():
            box.fill("refunded in the provider's dashboard")
    dialog.get_by_role("button", name="Record as undone").click()
    expect(dialog).to_have_count(0)
    with own_console.client() as client:
        by_key = {it.key_name: it for it in client.list_executions(story.good_run)}
    undo = by_key[f"{charge.key_name}:undo"]
    assert (undo.status, undo.tool_name) == ("completed", "charge_customer:undo")
    assert "Ada" in str(undo.result)
    assert isinstance(undo.params, dict)
    assert undo.params["undoes"] == charge.completed_event_id


def test_what_waits_for_a_person_is_approved_as_it_was_asked(own_console: Console, visit: Visit) -> None:
    story = own_console.story
    page = visit(own_console).enter(own_console.server.api_key, "/approvals")
    expect(page.get_by_text("Refund 42.00 EUR for invoice 88?")).to_be_visible()
    page.get_by_role("button", name="Approve…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("we charged twice")
    dialog.get_by_label("Your name").fill("Ada")
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Approve…")).to_have_count(0)
    [decided] = events_of(own_console, story.approval_run, "approval.decided")
    assert (decided["actor"], decided["payload"]["reason"]) == ("Ada", "we charged twice")
    with own_console.client() as client:
        claim = client.claim_execution(
            story.approval_run,
            "refund:88",
            "refund",
            {"invoice": 88, "amount_cents": 4200, "currency": "EUR"},
            requires_approval=True,
        )
    assert claim.status == "claimed"


def test_a_rejection_keeps_the_agent_from_it(own_console: Console, visit: Visit) -> None:
    story = own_console.story
    page = visit(own_console).enter(own_console.server.api_key, "/approvals")
    page.get_by_role("button", name="Reject…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("it was one charge")
    dialog.get_by_role("button", name="Reject", exact=True).click()
    expect(dialog).to_have_count(0)
    refused = own_console.server.claim(
        story.approval_run,
        "refund:88",
        tool_name="refund",
        params={"invoice": 88, "amount_cents": 4200, "currency": "EUR"},
    )
    assert (refused.status, refused.body["status"]) == (409, "approval_rejected")


def test_a_key_is_made_shown_once_and_revoked(own_console: Console, visit: Visit) -> None:
    page = visit(own_console).enter(own_console.server.api_key, "/keys")
    page.get_by_role("button", name="Create a key").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("night-shift")
    dialog.get_by_role("button", name="Create", exact=True).click()
    shown = page.get_by_role("status", name="The key night-shift")
    secret = shown.locator("code").first.inner_text()
    assert own_console.server.get("/channels", api_key=secret).status == 200
    page.reload()
    expect(page.get_by_text("night-shift").first).to_be_visible()
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke night-shift").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert own_console.server.get("/channels", api_key=secret).status == 401
