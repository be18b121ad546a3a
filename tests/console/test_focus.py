"""Where the focus is for those who work with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.console.conftest import Console, Visitor

Visit = Callable[..., Visitor]


def test_the_focus_goes_on_with_what_was_searched_followed_and_decided(
    own_console: Console, visit: Visit
) -> None:
    page = visit(own_console).enter(own_console.server.api_key)
    page.keyboard.press("/")
    page.keyboard.type("charge_customer")
    page.keyboard.press("Enter")
    results = page.locator("main [data-row]")
    expect(results.first).to_be_focused()
    page.keyboard.press("j")
    expect(results.nth(1)).to_be_focused()
    followed = results.nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2, name="Attempts")).to_be_visible()
    page.go_back()
    expect(page.locator(f'main [data-row][href="{followed}"]')).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    expect(results.first).to_be_focused()

    page.get_by_role("link", name="Approvals").click()
    page.get_by_role("button", name="Reject…").click()
    page.get_by_role("dialog").get_by_role("button", name="Reject", exact=True).click()
    told = page.locator(".notice.done")
    expect(told).to_contain_text("it will not be run under this request")
    expect(told).to_be_focused()


def test_a_window_is_signed_out_with_the_session_that_it_shares(console: Console, visit: Visit) -> None:
    visitor = visit(console)
    page = visitor.enter(console.server.api_key, f"/runs/{console.story.open_run}")
    expect(page.locator(".connection")).to_have_text("live")
    other = page.context.new_page()
    other.goto(f"{visitor.url}/health")
    other.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible(timeout=5_000)
