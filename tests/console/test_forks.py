"""Forks: the tree, a new one, two runs side by side, and bringing an outcome back."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.console.conftest import Console, Visitor

Visit = Callable[..., Visitor]


class LateRequests:
    """Requests of the browser that reach the server when they are let go."""

    def __init__(self) -> None:
        self._held: list[Route] | None = []

    def hold(self, route: Route) -> None:
        """Take one, unless it need not be late any more."""
        if self._held is None:
            route.continue_()
        else:
            self._held.append(route)

    def let_go(self) -> None:
        """Those that were held, and all that come later."""
        held, self._held = self._held, None
        for route in held or []:
            route.continue_()


def test_the_tree_shows_what_was_forked_and_where(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/forks/{console.story.fork}")
    for run in (console.story.good_run, console.story.fork):
        expect(page.get_by_role("link", name=run, exact=True).first).to_be_visible()
    expect(page.get_by_text("is the small model good enough?").first).to_be_visible()


def test_a_fork_is_made_at_an_event(own_console: Console, visit: Visit) -> None:
    """From the line of the log: the child inherits what was done by then, and pays for none of it."""
    story = own_console.story
    page = visit(own_console).enter(own_console.server.api_key, f"/runs/{story.good_run}?cursor=9")
    page.get_by_role("link", name="Fork here").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Id of the new run").fill("order-4470-again")
    dialog.get_by_label("Why").fill("what if the price list is newer?")
    dialog.get_by_role("button", name="Fork", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("order-4470-again")
    receipt = own_console.server.get("/channels/order-4470-again/receipt")
    assert (receipt.status, receipt.body.get("source_channel_id")) == (200, story.good_run), receipt.body
    with own_console.client() as client:
        inherited = client.claim_execution(
            "order-4470-again",
            "gather:price-list",
            "gather_source",
            {"source": "price-list", "order_id": "4470"},
        )
        later = client.claim_execution(
            "order-4470-again",
            "gather:customer-history",
            "gather_source",
            {"source": "customer-history", "order_id": "4470"},
        )
    assert (inherited.status, later.status) == ("replayed", "claimed")


def test_a_late_suggestion_does_not_mix_with_what_is_typed(console: Console, visit: Visit) -> None:
    """Whoever is in the field already finds there what they type, and nothing before it."""
    visitor = visit(console)
    steps = LateRequests()
    visitor.page.route("**/steps", steps.hold)
    with visitor.page.expect_request("**/steps"):
        page = visitor.enter(console.server.api_key, f"/forks/{console.story.good_run}?at=9")
        field = page.get_by_role("dialog").get_by_label("Id of the new run")
        field.focus()
    steps.let_go()
    expect(page.get_by_role("heading", name="The fork inherits")).to_be_visible()
    page.keyboard.insert_text("order-4470-typed")
    expect(field).to_have_value("order-4470-typed")


def test_two_runs_stand_side_by_side(console: Console, visit: Visit) -> None:
    story = console.story
    page = visit(console).enter(console.server.api_key, f"/compare?left={story.good_run}&right={story.fork}")
    state = page.get_by_role("table").filter(has=page.get_by_role("rowheader", name="model"))
    expect(state).to_contain_text("small")
    expect(page.get_by_role("row").filter(has_text="tokens in")).to_contain_text("18,000")
    page.get_by_role("button", name="Swap").click()
    expect(page.get_by_label("Left", exact=True)).to_have_value(story.fork)


def test_what_two_runs_wrote_is_shown_as_it_was_written(console: Console, visit: Visit) -> None:
    """Compared by value, `1` is `1.0`; whoever wants to know which one is on record sees it."""
    with console.client() as client:
        for run, number, other in (("spelt-1", 1, 1e2), ("spelt-2", 1.0, 2.0)):
            client.transition(run, "measured", {"n": number}, {"n": number, "other": other}, actor="a")
    page = visit(console).enter(console.server.api_key, "/compare?left=spelt-1&right=spelt-2")
    state = page.get_by_role("region", name="State")
    differing = state.get_by_role("row").filter(has=page.get_by_role("rowheader", name="other"))
    expect(differing.get_by_role("cell")).to_have_text(["100.0", "2.0"])
    state.get_by_text("Both states, whole").click()
    expect(state.locator(".leaf")).to_have_text(["n: 1", "other: 100.0", "n: 1.0", "other: 2.0"])
    outputs = page.get_by_role("region", name="Last output")
    expect(outputs).to_contain_text("Both put out the same.")
    expect(outputs.locator(".leaf")).to_have_text(["n: 1", "n: 1.0"])


def test_a_fork_is_promoted(own_console: Console, visit: Visit) -> None:
    story = own_console.story
    page = visit(own_console).enter(own_console.server.api_key, f"/forks/{story.fork}")
    page.get_by_role("button", name="Promote").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    state = own_console.server.get(f"/state/{story.good_run}").body["state"]
    assert state["model"] == "small"
    expect(page.get_by_text("promoted").first).to_be_visible()
