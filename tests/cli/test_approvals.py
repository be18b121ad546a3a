"""`actae approvals`: a person sees exactly what would be done, and answers."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from actae.cli.ages import ago, left
from tests.support.approving import CHARGE, ask, charge, code, decide, expire
from tests.support.command import Command
from tests.support.forking import events_of
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_the_list_shows_what_waits_and_exactly_what_would_be_done(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Question, key, tool, params, who asked and when; what is not there is left out."""
    empty = actae("approvals", "list", "--channel", channel, **at(server))
    assert empty.out == "Nothing waits for an answer.\n"
    operation = {**CHARGE, "params": {"cents": 4200, "to": "\u202ec-19"}, "dedup_fields": ["cents"]}
    ask(server, channel, operation=operation, details={"why": "due"}, timeout_seconds=86_400)
    ask(server, channel, "unbound", operation=None, summary=["Any", "JSON"])
    decide(server, channel, "approved", "unbound")
    ask(server, channel, "open", operation=None)
    shown = actae("approvals", "list", "--channel", channel, **at(server)).out
    plain, bound = (block.splitlines() for block in shown.split("\n\n"))
    assert [re.sub(r"  +", "  ", line) for line in plain[:4]] == [
        "request  open",
        f"channel  {channel}",
        "question  Charge?",
        "key  none: the answer is bound to no operation",
    ]
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in bound)
    asked, expires = lines.pop("asked"), lines.pop("expires")
    assert lines == {
        "request": "r1",
        "channel": channel,
        "question": "Charge?",
        "details": '{"why": "due"}',
        "key": "charge:1",
        "tool": "charge",
        "params": '{"cents": 4200, "to": "\\u202ec-19"}',
        "binds": "all params: nothing else may be run",
    }
    assert re.fullmatch(r"\S+Z, .* ago, by test", asked)
    assert re.fullmatch(r"\S+Z, in \d+ \w+", expires)


def test_the_list_for_programs_and_by_status(actae: Command, server: RunningServer, channel: str) -> None:
    """Whole, and more than a page of it."""
    for number in range(4):
        ask(server, channel, f"r{number}", operation=charge(number))
    decide(server, channel, "approved", "r0")
    decide(server, channel, "rejected", "r1")
    expire(server, channel, "r2")
    everything = ("approvals", "list", "--channel", channel, "--status", "all")
    found = actae(*everything, "--json", **at(server)).json()
    assert [(each["request_id"], each["status"]) for each in found] == [
        ("r3", "pending"),
        ("r2", "expired"),
        ("r1", "rejected"),
        ("r0", "approved"),
    ]
    assert found[0]["operation"] == charge(3)
    cut = actae(*everything, "--limit", "3", **at(server))
    assert cut.out.count("request ") == 3
    assert "there are more" in cut.err
    assert "by test" in cut.out
    none = actae("approvals", "list", "--channel", f"{channel}.no", "--status", "all", **at(server))
    assert none.out == "There are no such requests.\n"


def test_a_yes_lets_the_operation_run(actae: Command, server: RunningServer, channel: str) -> None:
    """Said once; said again, it was said before."""
    ask(server, channel)
    answer = ("approvals", "approve", channel, "r1", "--as", "ada", "--reason", "fine")
    assert actae(*answer, **at(server)).out == (
        "Approved: charge:1 may be run, with exactly the params that were asked about.\n"
    )
    assert re.fullmatch(
        r"Request r1 was approved by ada at \S+; nothing is changed\.\n", actae(*answer, **at(server)).out
    )
    assert len(events_of(server, channel)) == 2
    decided = events_of(server, channel)[1]
    assert decided["actor"] == "ada"
    assert decided["payload"] == {"request_id": "r1", "decision": "approved", "reason": "fine"}
    assert code(server.claim(channel, "charge:1")) == "claimed"


def test_a_yes_to_some_fields_says_which(actae: Command, server: RunningServer, channel: str) -> None:
    """Whoever answers is told that the others may differ: before, and with the answer."""
    operation = {**CHARGE, "params": {"n": 1, "note": "x", "by\u202e": 1}}
    ask(server, channel, operation=operation, approval_fields=["n", "by\u202e"])
    shown = actae("approvals", "list", "--channel", channel, **at(server)).out
    assert "  only n, by\\u202e; every other param may differ from what is shown\n" in shown
    assert actae("approvals", "approve", channel, "r1", **at(server)).out == (
        "Approved: charge:1 may be run, with n, by\\u202e as asked about and any other params.\n"
    )


def test_a_yes_that_was_superseded_is_shown_as_what_it_is(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """It has become a yes to nothing, and who looks at it is told."""
    ask(server, channel)
    decide(server, channel, "approved")
    ask(server, channel, "r2")
    shown = actae("approvals", "list", "--channel", channel, "--status", "superseded", **at(server)).out
    assert "r1" in shown
    assert re.search(r"\nsuperseded +\S+Z, by test\n", shown)
    late = actae("approvals", "approve", channel, "r1", **at(server))
    assert (late.code, "superseded" in late.err) == (1, True)


def test_a_no_may_come_after_a_yes_and_not_the_other_way_round(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Whoever is too late is told, and fails."""
    for number in (1, 2):
        ask(server, channel, f"r{number}", operation=charge(number))
    rejected = actae("approvals", "reject", channel, "r2", "--as", "ada", **at(server))
    assert rejected.out == "Rejected: charge:2 may not be run.\n"
    actae("approvals", "approve", channel, "r1", "--as", "ada", **at(server))
    withdrawn = actae("approvals", "reject", channel, "r1", "--as", "bob", "--json", **at(server)).json()
    assert (withdrawn["status"], withdrawn["decided_by"]) == ("rejected", "bob")
    late = actae("approvals", "approve", channel, "r1", "--as", "ada", **at(server))
    assert late.code == 1
    assert re.fullmatch(r"actae: It is too late: request r1 was rejected by bob at \S+\.\n", late.err)
    assert len(events_of(server, channel)) == 5


def test_a_withdrawal_says_what_it_does_not_do(actae: Command, server: RunningServer, channel: str) -> None:
    """It stops nobody who has begun."""
    ask(server, channel)
    decide(server, channel, "approved")
    assert actae("approvals", "reject", channel, "r1", **at(server)).out == (
        "Withdrawn: charge:1 may not be run any more. Who runs it already is not stopped.\n"
    )


def test_after_the_deadline_it_is_too_late(
    actae: Command, server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """By the server's time."""
    ask(server, channel, timeout_seconds=60)
    server_clock.advance(61)
    late = actae("approvals", "approve", channel, "r1", **at(server))
    assert (late.code, late.err) == (1, "actae: It is too late: request r1 has expired.\n")


def test_a_question_that_was_asked_anew_is_not_answered(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Whoever looks at an old list is told."""
    ask(server, channel)
    ask(server, channel, "r2")
    late = actae("approvals", "approve", channel, "r1", **at(server))
    assert late.err == (
        "actae: It is too late: request r1 was superseded by a later one about the same key.\n"
    )
    assert late.code == 1
    assert len(events_of(server, channel)) == 2


def test_a_question_about_no_operation_is_answered_too(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Whoever asked reads the answer."""
    ask(server, channel, operation=None)
    told = actae("approvals", "reject", channel, "r1", **at(server))
    assert told.out == "Request r1 is rejected. It is bound to no operation.\n"


def test_what_was_not_asked_is_not_answered(actae: Command, server: RunningServer, channel: str) -> None:
    """Nor is it recorded: a misspelt id must not wait for its question."""
    ask(server, channel)
    told = actae("approvals", "approve", channel, "r2", **at(server))
    assert (told.code, told.err) == (1, f"actae: Channel {channel} has no request r2.\n")
    assert len(events_of(server, channel)) == 1


def test_who_may_not_write_may_not_decide(actae: Command, server: RunningServer, channel: str) -> None:
    """Reading the question is not enough."""
    ask(server, channel)
    reader = make_key(server, read=("*",))
    told = actae("approvals", "approve", channel, "r1", ACTAE_URL=server.url, ACTAE_API_KEY=reader)
    assert told.code == 1
    assert "may not write" in told.err


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7_199, "119 minutes"),
        (7_200, "2 hours"),
        (172_800, "2 days"),
        (-5, "0 seconds"),
    ],
)
def test_ages_in_words(seconds: int, words: str) -> None:
    """A clock that goes wrong makes no negative time."""
    now = datetime.now(UTC)
    assert ago((now - timedelta(seconds=seconds + 0.3)).isoformat()) == f"{words} ago"
    assert left((now + timedelta(seconds=seconds + 0.9)).isoformat()) == f"in {words}"
