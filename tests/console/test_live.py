"""What happens while somebody looks."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.console.conftest import Console, Visitor

Visit = Callable[..., Visitor]


def test_an_event_appears_by_itself(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key, f"/runs/{console.story.lapsed_run}")
    expect(page.locator(".connection")).to_have_text("live")
    with console.client() as client:
        client.record(console.story.lapsed_run, "note.taken", {"words": "while you look"}, actor="ada")
    expect(page.get_by_role("option").filter(has_text="while you look")).to_be_visible()


def test_a_run_that_becomes_active_rises_in_the_list(console: Console, visit: Visit) -> None:
    page = visit(console).enter(console.server.api_key)
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    with console.client() as client:
        client.record("a-new-run", "run.started", {"goal": "be seen"}, actor="ada")
    expect(page.locator("table.runs tbody tr").first).to_contain_text("a-new-run")


def test_a_restart_of_the_server_is_shown_and_survived(own_console: Console, visit: Visit) -> None:
    """Killed, not stopped: the browser notices, says so, comes back, and misses nothing."""
    run, server = own_console.story.open_run, own_console.server
    page = visit(own_console).enter(server.api_key, f"/runs/{run}")
    expect(page.locator(".connection")).to_have_text("live")
    server.kill()
    expect(page.locator(".connection")).to_have_text("reconnecting")
    own_console.restart()
    own_console.server.record(run, "note.taken", {"words": "written after the restart"})
    expect(page.locator(".connection")).to_have_text("live")
    expect(page.get_by_role("option").filter(has_text="written after the restart")).to_have_count(1)
    cursors = page.locator(".line .cursor").all_inner_texts()
    assert cursors == sorted(set(cursors), key=int)
