"""Who gets in, and what they may see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.console.conftest import Console, Visitor
from tests.console.story import SECRET

Visit = Callable[..., Visitor]


def test_a_wrong_key_does_not_get_in(console: Console, visit: Visit) -> None:
    page = visit(console).go("/")
    page.get_by_label("API key").fill("sk-no-such-key")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages")).to_have_count(0)


def test_a_user_signs_in_by_email(console: Console, visit: Visit) -> None:
    email, password = "ada@example.org", "correct horse battery staple"
    console.server.post("/auth/signup", {"email": email, "password": password, "name": "Ada"}, api_key=None)
    page = visit(console).go("/")
    page.get_by_role("tab", name="User").click()
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".who .name")).to_have_text("Ada")


def test_signing_out_ends_the_session(console: Console, visit: Visit) -> None:
    visitor = visit(console)
    page = visitor.sign_in(console.server.api_key, f"/runs/{console.story.good_run}")
    stolen = page.context.cookies()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    assert page.context.cookies() == []
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()
    # The token itself is worth nothing any more, not only forgotten here.
    page.context.add_cookies(stolen)  # type: ignore[arg-type]
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()


def test_the_cookie_is_for_the_server_alone(console: Console, visit: Visit) -> None:
    page = visit(console).sign_in(console.server.api_key)
    [cookie] = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("document.cookie") == ""


def test_where_one_was_going_survives_the_sign_in(console: Console, visit: Visit) -> None:
    page = visit(console).sign_in(console.server.api_key, f"/runs/{console.story.open_run}?cursor=2")
    expect(page.get_by_role("article", name="Event at cursor 2")).to_be_visible()


@pytest.fixture
def limited_key(console: Console) -> Callable[[dict[str, list[str]]], str]:
    def make(permissions: dict[str, list[str]]) -> str:
        reply = console.server.post("/keys", {"name": "limited", "permissions": permissions})
        assert reply.status == 200, reply.body
        key: str = reply.body["api_key"]
        return key

    return make


Keys = Callable[[dict[str, list[str]]], str]


def test_what_a_key_may_not_read_it_cannot_see(console: Console, visit: Visit, limited_key: Keys) -> None:
    story = console.story
    page = visit(console).sign_in(limited_key({"read": [f"{story.good_run}*"]}))
    expect(page.get_by_role("link", name=story.good_run, exact=True).first).to_be_visible()
    expect(page.locator("table.runs")).not_to_contain_text(story.open_run)
    page.goto(f"{console.server.url}/runs/{story.open_run}")
    expect(page.get_by_text("or it is not yours to see")).to_be_visible()
    assert "tool.started" not in page.content()
    page.goto(f"{console.server.url}/ledger")
    expect(page.get_by_role("link", name="mail:order-4470")).to_be_visible()
    assert "order-4471" not in page.content()


def test_an_observer_sees_keys_and_statuses_and_no_payload(
    console: Console, visit: Visit, limited_key: Keys
) -> None:
    story = console.story
    page = visit(console).sign_in(limited_key({"observe": ["*"]}))
    expect(page.get_by_role("link", name=story.open_run, exact=True).first).to_be_visible()
    for path, shown in (
        (f"/runs/{story.open_run}", "charge_customer:order-4471"),
        (f"/runs/{story.open_run}?cursor=15", "tool.started"),
        (f"/operations/{story.open_charge}", "charge_customer:order-4471"),
        ("/ledger", "charge_customer:order-4471"),
        ("/find?q=charge_customer:order", "charge_customer:order-4471"),
    ):
        page.goto(console.server.url + path)
        expect(page.get_by_text(shown).first).to_be_visible()
        assert SECRET not in page.content()
        assert "ch_77863a" not in page.content()


def test_who_may_only_look_is_offered_no_decision(console: Console, visit: Visit, limited_key: Keys) -> None:
    page = visit(console).sign_in(limited_key({"read": ["*"]}), f"/operations/{console.story.open_charge}")
    expect(page.get_by_text(SECRET).first).to_be_visible()
    expect(page.get_by_role("button", name="Resolve")).to_have_count(0)
    expect(page.get_by_role("link", name="Keys")).to_have_count(0)
