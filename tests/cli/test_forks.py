"""`actae fork` and `actae forks`: a run is forked at a step, compared and brought back."""

from typing import Any, NamedTuple

import pytest

from tests.support.command import Command
from tests.support.forking import effect, fork, step
from tests.support.server import RunningServer
from tests.support.terminal import on_a_terminal, plain


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


class Run(NamedTuple):
    """A run of nine steps, forked at the fifth and changed from there on."""

    parent: str
    child: str
    cursors: dict[int, int]


@pytest.fixture
def run(server: RunningServer, channel: str) -> Run:
    """With an effect before the fork and one after it, and a tool that the fork must not use."""
    cursors = {}
    for number in range(1, 10):
        if number in (3, 7):
            effect(server, channel, f"charge:{number}", params={"cents": number * 100})
        cursors[number] = step(server, channel, number)
    child = f"{channel}.b"
    described: dict[str, Any] = {"display_name": "shorter prompt", "reason": "does it still find it?"}
    made = fork(
        server,
        channel,
        child,
        cursors[5],
        experiment_metadata={"forked_at_step": 5},
        tool_policies={"mail": "block"},
        **described,
    )
    assert made.status == 200
    replayed = server.claim(child, "charge:3", params={"cents": 300}, emit_replay_event=True)
    assert replayed.body["status"] == "replayed"
    assert server.claim(child, "mail:1", tool_name="mail").status == 409
    effect(server, child, "charge:7", params={"cents": 701})
    for number in range(6, 9):
        step(server, child, number, "changed")
    return Run(channel, child, cursors)


def test_a_tree_shows_every_generation(actae: Command, server: RunningServer, run: Run) -> None:
    """With names, boundaries and sizes; whole in JSON."""
    fork(server, run.child, f"{run.child}.c", 1)
    told = actae("forks", "tree", run.parent, **at(server))
    assert told.out.splitlines() == [
        f"{run.parent}  13 events",
        f"└── {run.child}  at cursor 7, 8 events",
        "    shorter prompt: does it still find it?",
        f"    └── {run.child}.c  at cursor 1, 1 event",
    ]
    tree = actae("forks", "tree", run.parent, "--json", **at(server)).json()
    assert tree["children"][0]["children"][0]["channel_id"] == f"{run.child}.c"


def test_a_tree_of_many_generations_is_drawn_whole(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Wider than any terminal, if need be."""
    server.post(f"/state/{channel}", {"cursor": 0, "state": {}})
    for generation in range(60):
        parent = f"{channel}.{generation - 1}" if generation else channel
        assert fork(server, parent, f"{channel}.{generation}").status == 200
    for told in (
        actae("forks", "tree", channel, **at(server)).out,
        plain(on_a_terminal("forks", "tree", channel, **at(server))),
    ):
        assert len(told.splitlines()) == 61
        assert f"{channel}.59  at cursor 1, 1 event" in told


def test_a_diff_shows_where_states_differ(actae: Command, server: RunningServer, run: Run) -> None:
    """Which channels, where they parted, and each place with both values."""
    told = actae("forks", "diff", run.parent, run.child, **at(server)).out
    rows = [line.split() for line in told.splitlines()]
    assert ["left", run.parent, "13", "-"] in rows
    assert ["right", run.child, "8", "7"] in rows
    assert ["in", "common", run.parent, "7", "-"] in rows
    assert ["changed", "/after", "9", "8"] in rows
    found = actae("forks", "diff", run.parent, run.child, "--json", **at(server)).json()
    assert found["entries"] == [{"path": ["after"], "kind": "changed", "left": 9, "right": 8}]


STATES = [
    # left, right, what is told
    ({"a": 1}, {"a": 1.0}, ["The states do not differ."]),
    ({"a/b": [1, {"~": 2}]}, {"a/b": [1, {"~": None}]}, ["changed /a~1b/1/~0 2 null"]),
    ({"a": None}, {}, ["removed /a null -"]),
    ([], {}, ["changed (everything) [] {}"]),
    ({"a": "x" * 300}, {"a": 0}, [f'"{"x" * 199}… (302 characters)']),
    ({"a": "\x9b2J\u202e"}, {"a": "\ud800"}, [r'"\x9b2J\u202e"', r'"\ud800"']),
    (list(range(501)), [], ["removed /499 499 -", "the first 500 of 501 differences"]),
]


@pytest.mark.parametrize(("left", "right", "said"), STATES)
def test_every_kind_of_difference_is_told(
    actae: Command, server: RunningServer, channel: str, left: Any, right: Any, said: list[str]
) -> None:
    """Paths as JSON pointers, long values cut, nothing in them that a terminal would obey."""
    for side, state in (("left", left), ("right", right)):
        server.post(f"/state/{channel}.{side}", {"cursor": 0, "state": state})
    told = actae("forks", "diff", f"{channel}.left", f"{channel}.right", **at(server))
    assert told.code == 0
    lines = "\n".join(" ".join(line.split()) for line in told.out.splitlines())
    for each in said:
        assert each in lines


def test_a_comparison_says_what_was_not_paid_for_again(
    actae: Command, server: RunningServer, run: Run
) -> None:
    """What was inherited and replayed, what was refused, what ran anew and what it differs in."""
    told = actae("forks", "compare", run.parent, run.child, **at(server)).out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for said in (
        "operations of its own 2 1 -1",
        "inherited, so not paid for again 0 1 +1",
        "replayed 0 1 +1",
        "blocked 0 1 +1",
        "charge:3 charge completed inherited, replayed -",
        "charge:7 charge completed completed params",
        "mail:1 mail - refused by 'block' -",
        "changed /after 9 8",
        "The manifests do not differ.",
    ):
        assert said in lines, told
    found = actae("forks", "compare", run.parent, run.child, "--json", **at(server)).json()
    assert found["tool_diff"]["same"]["charge:3"]["shared"] is True


def test_a_comparison_adds_up_what_was_spent(actae: Command, server: RunningServer, channel: str) -> None:
    """And leaves out what nobody mentions."""
    server.record(channel, "step", {"usage": {"input_tokens": 12345}, "cost": 0.5})
    fork(server, channel, f"{channel}.b")
    server.record(f"{channel}.b", "step", {"usage": {"input_tokens": 345}})
    told = actae("forks", "compare", channel, f"{channel}.b", **at(server)).out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert "input tokens 12,345 345 -12,000" in lines
    assert "cost 0.5 - -0.5" in lines
    assert "output tokens" not in told
    assert "There are no operations." in lines


def test_a_promotion_is_told_once_and_again(actae: Command, server: RunningServer, run: Run) -> None:
    """What came to the parent; the second time is the first result."""
    first = actae("forks", "promote", run.child, **at(server))
    assert first.out == f"{run.child} is promoted: event 14 of {run.parent}; its state is version 10 there.\n"
    second = actae("forks", "promote", run.child, **at(server))
    assert second.out.startswith(f"{run.child} was promoted before: event 14 of {run.parent}")
    assert actae("forks", "promote", run.child, "--json", **at(server)).json()["replayed"] is True
    assert server.get(f"/state/{run.parent}").body["state"] == {"after": 8}


def test_a_run_is_forked_at_a_step(actae: Command, server: RunningServer, run: Run) -> None:
    """The child has its steps and its state; the same command again makes nothing new."""
    asked = ("fork", run.parent, "--at-step", "4", "--name", f"{run.parent}.d", "--reason", "why not")
    made = actae(*asked, **at(server))
    assert made.out.splitlines() == [
        f"{run.parent}.d is forked from {run.parent} after step 4, which is at cursor {run.cursors[4]}.",
        "Its state is version 4.",
    ]
    assert server.get(f"/channels/{run.parent}.d/steps").body["last_step_number"] == 4
    assert server.get(f"/state/{run.parent}.d").body["state"] == {"after": 4}
    again = actae(*asked, "--json", **at(server)).json()
    assert (again["replayed"], again["child_channel_id"]) == (True, f"{run.parent}.d")


def test_a_fork_at_an_inherited_step_is_one_of_the_channel_that_recorded_it(
    actae: Command, server: RunningServer, run: Run
) -> None:
    """Step 2 of the child is the parent's."""
    made = actae("fork", run.child, "--at-step", "2", "--name", f"{run.child}.d", **at(server))
    said = f"{run.child}.d is forked from {run.parent} after step 2, which is at cursor {run.cursors[2]}.\n"
    assert made.out.startswith(said)


def test_a_fork_at_a_cursor_tells_which_state_it_got(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """The newest at or before the cursor; none, where none is wanted; the latest at 0."""
    server.record(channel)
    server.post(f"/state/{channel}", {"cursor": 1, "state": {}})
    server.record(channel)
    older = actae("fork", channel, "--at-cursor", "2", "--name", f"{channel}.b", **at(server)).out
    assert older.splitlines() == [
        f"{channel}.b is forked from {channel} after cursor 2.",
        "Its state is version 1, the newest by then, saved at cursor 1.",
    ]
    none = actae(
        "fork", channel, "--at-cursor", "2", "--name", f"{channel}.c", "--without-state", **at(server)
    )
    assert "It starts without a state." in none.out
    latest = actae("fork", channel, "--at-cursor", "0", "--name", f"{channel}.d", **at(server)).out
    assert latest.splitlines() == [
        f"{channel}.d is forked from {channel} at its latest state.",
        "Its state is version 1.",
    ]


def test_a_name_that_cannot_be_is_refused_as_that_option(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Not as the channel that is forked."""
    misnamed = actae("fork", channel, "--at-cursor", "1", "--name", "bad name", **at(server))
    assert "'--name' must be" in misnamed.err


def test_policies_and_names_are_given_with_the_fork(actae: Command, server: RunningServer, run: Run) -> None:
    """A tool's name may hold an equals sign."""
    named = ("--display-name", "dry run", "--reason", "look only")
    policies = ("--policy", "*=replay", "--policy", "a=b=block")
    place = ("--at-cursor", "0", "--name", f"{run.parent}.d")
    made = actae("fork", run.parent, *place, *named, *policies, "--json", **at(server)).json()
    assert made["tool_policies"] == {"*": "replay", "a=b": "block"}
    metadata = server.get(f"/channels/{run.parent}.d/metadata").body
    assert (metadata["display_name"], metadata["reason"]) == ("dry run", "look only")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Say where"),
        (("--at-step", "1", "--at-cursor", "1"), "Say where"),
        (("--at-step", "0"), "--at-step"),
        (("--at-cursor", "1", "--policy", "mail"), "TOOL=POLICY"),
        (("--at-cursor", "1", "--policy", "mail=never"), "replay, block, live, auto"),
        (("--at-cursor", "1", "--policy", "a=live", "--policy", "a=block"), "two policies"),
    ],
)
def test_a_fork_that_is_not_understood_is_wrong_usage(
    actae: Command, options: tuple[str, ...], said: str
) -> None:
    """With 2, and before any server is asked."""
    refused = actae("fork", "run", "--name", "child", *options, ACTAE_URL="http://127.0.0.1:1")
    assert refused.code == 2
    assert said in refused.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("fork {run} --at-step 12 --name {run}.x", "has no step 12; the last one is 9"),
        ("fork {run}.gone --at-step 1 --name {run}.x", "There is no channel"),
        ("fork {run}.gone --at-cursor 0 --name {run}.x", "has neither events nor state"),
        ("fork {run} --at-cursor 1 --name {run}.b", "exists with another source, boundary"),
        ("fork {run} --at-cursor 1 --name bad/name", "must be 1 to 256"),
        ("forks tree bad/name", "must be 1 to 256"),
        ("forks diff {run} bad/name", "must be 1 to 256"),
        ("forks tree {run}.gone", "has neither events nor state"),
        ("forks diff {run} {run}.gone", "has neither events nor state"),
        ("forks compare {run}.gone {run}", "has neither events nor state"),
        ("forks promote {run}", "is no fork"),
        ("forks promote {run}.gone", "has neither events nor state"),
    ],
)
def test_what_cannot_be_forked_is_told_in_one_line(
    actae: Command, server: RunningServer, run: Run, command: str, said: str
) -> None:
    """With 1."""
    failed = actae(*command.format(run=run.parent).split(), **at(server))
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1), failed
    assert said in failed.err


def test_a_boundary_without_a_state_says_what_to_do(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """On the same line, and in the words of the command."""
    server.record(channel)
    failed = actae("fork", channel, "--at-cursor", "1", "--name", f"{channel}.b", **at(server))
    assert (failed.code, failed.err.count("\n")) == (1, 1)
    assert "no snapshot at or before cursor 1. Fork at a later step, or pass --without-state" in failed.err


@pytest.mark.parametrize("command", ["tree {run}", "diff {run} {run}.b", "compare {run} {run}.b"])
def test_pages_fit_a_terminal(server: RunningServer, run: Run, command: str) -> None:
    """Eighty columns, with colours; without them where they are not wanted."""
    arguments = ("forks", *command.format(run=run.parent).split())
    coloured = on_a_terminal(*arguments, **at(server))
    assert "\x1b[" in coloured
    assert max(map(len, plain(coloured).splitlines())) <= 80
    quiet = on_a_terminal(*arguments, NO_COLOR="1", **at(server))
    assert "\x1b" not in quiet
    assert quiet == plain(coloured)


def test_a_name_cannot_command_the_terminal(server: RunningServer, channel: str) -> None:
    """Who may name a fork may not clear the screen of those who look at it."""
    server.record(channel)
    fork(server, channel, f"{channel}.b", display_name="\x1b[2J\x07gone\nand a line")
    told = on_a_terminal("forks", "tree", channel, **at(server))
    assert r"\x1b[2J\x07gone\nand a line" in told
