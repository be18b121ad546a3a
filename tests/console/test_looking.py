"""Finding a run and reading it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.console.conftest import Console, Visitor
from tests.console.story import SECRET

Visit = Callable[..., Visitor]


def test_runs_stand_in_the_order_of_their_activity(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key)
    rows = page.locator("table.runs tbody tr")
    expect(rows.first.locator("a").first).to_have_text(console.story.working_run)
    names = rows.locator("a[data-row]").all_inner_texts()
    assert names[:3] == [console.story.working_run, console.story.approval_run, console.story.lapsed_run]


def test_each_run_says_the_worst_of_itself(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key)
    for run, word in (
        (console.story.open_run, "unresolved"),
        (console.story.lapsed_run, "lapsed"),
        (console.story.working_run, "working"),
    ):
        row = page.locator("table.runs tbody tr").filter(has=page.get_by_role("link", name=run, exact=True))
        expect(row).to_contain_text(word)


@pytest.mark.parametrize("wanted", ["4471", "order_id=4471", "charge_customer:order-4471", "order-4471"])
def test_a_charge_is_found_by_its_order(console: Console, visit: Visit, wanted: str) -> None:
    page = visit(console).enter(console.server.api_key)
    page.keyboard.press("/")
    page.keyboard.type(wanted)
    page.keyboard.press("Enter")
    found = page.get_by_role("link", name="charge_customer:order-4471")
    expect(found).to_be_visible()
    found.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("charge_customer:order-4471")


def test_a_run_shows_what_happened_and_an_event_of_it(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.open_run}")
    expect(page.get_by_role("heading", level=1)).to_have_text(console.story.open_run)
    late = page.get_by_role("option").filter(has_text="tool.late_evidence")
    late.click()
    expect(page.get_by_role("article")).to_contain_text("ch_77863a")
    assert "cursor=" in page.url


def test_a_deep_link_opens_its_event(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.open_run}?cursor=1")
    expect(page.get_by_role("article", name="Event at cursor 1")).to_contain_text("handle order 4471")


def test_attempts_are_bars_with_their_owners_and_the_take_over(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.open_run}")
    expect(page.get_by_role("button", name="Attempt 1 by worker-7b: taken over")).to_be_visible()
    expect(page.get_by_role("button", name="Attempt 2 by worker-9c: ambiguous")).to_be_visible()


def test_a_replay_is_marked_as_one(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.good_run}")
    expect(page.get_by_role("button", name="Replayed: the recorded result was given out")).to_be_visible()


def test_two_state_versions_are_compared(console: Console, visit: Visit) -> None:
    page = visit(console).enter(
        console.server.api_key, f"/runs/{console.story.good_run}?view=state&version=2"
    )
    difference = page.get_by_role("region", name="From v1 to v2")
    expect(difference).to_contain_text("sources[0]")
    expect(difference).to_contain_text("terms-of-trade")


def test_rows_are_walked_with_the_keyboard(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key)
    first, second = page.locator("a[data-row]").nth(0), page.locator("a[data-row]").nth(1)
    expect(second).to_be_visible()
    page.keyboard.press("j")
    expect(first).to_be_focused()
    page.keyboard.press("j")
    expect(second).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(console.story.working_run)


def test_lines_of_the_log_are_walked_with_the_keyboard(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.good_run}?cursor=1")
    expect(page.get_by_role("article", name="Event at cursor 1")).to_be_visible()
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("article", name="Event at cursor 2")).to_be_visible()


def test_params_are_shown_to_who_may_read(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/operations/{console.story.open_charge}")
    expect(page.get_by_text(SECRET).first).to_be_visible()
