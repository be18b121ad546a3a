"""`actae channels close`, `delete` and `outcome`: a run ends as somebody says."""

import pytest

from tests.support.command import Command
from tests.support.forking import fork
from tests.support.server import RunningServer
from tests.support.terminal import answered


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_a_closed_channel_takes_nothing_and_can_be_read(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Closed again, it is closed since the same moment."""
    server.record(channel)
    told = actae("channels", "close", channel, "--yes", **at(server))
    assert told.out.startswith(f"{channel} is closed since 20")
    assert actae("channels", "close", channel, "--yes", **at(server)).out == told.out
    assert actae("channels", "close", channel, "--yes", "--json", **at(server)).json()["status"] == "closed"
    assert server.record(channel).body["status"] == "channel_closed"
    assert len(server.get(f"/events/replay/{channel}").body["events"]) == 1


def test_a_channel_is_deleted_alone_or_with_its_forks(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Never without them, and each that went is named."""
    server.record(channel)
    child = f"{channel}.b"
    assert fork(server, channel, child).status == 200
    refused = actae("channels", "delete", channel, "--yes", **at(server))
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        f"actae: Channel '{channel}' has forks that read from it. Delete them first, or add --recursive.\n"
    )
    assert server.record(channel).status == 200
    told = actae("channels", "delete", channel, "--recursive", "--yes", **at(server))
    assert told.out == f"{channel} is deleted.\n{child} is deleted.\n"
    assert server.record(child).body["status"] == "channel_deleted"
    server.record(f"{channel}.c")
    gone = actae("channels", "delete", f"{channel}.c", "--yes", "--json", **at(server)).json()
    assert gone["deleted"] == [f"{channel}.c"]


def test_an_outcome_is_a_remark_that_can_be_changed(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """But a crash is no verdict on what was promoted, and only a crash is taken back."""
    server.record(channel)
    said = (
        (("crashed",), "has the outcome crashed."),
        (("none",), "has no outcome."),
        (("rejected", "--score", "0.25"), "has the outcome rejected, score 0.25."),
        (("none",), "still has the outcome rejected, score 0.25."),
        (("promoted",), "has the outcome promoted, score 0.25."),
        (("crashed",), "still has the outcome promoted, score 0.25."),
    )
    for arguments, sentence in said:
        told = actae("channels", "outcome", channel, *arguments, **at(server))
        assert (told.code, told.out) == (0, f"{channel} {sentence}\n")
    shown = actae("channels", "outcome", channel, "inconclusive", "--json", **at(server)).json()
    assert (shown["outcome"], shown["result_score"]) == ("inconclusive", 0.25)
    assert server.record(channel).status == 200


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("close", "NOTHING", "--yes"), 1, "NOTHING"),
        (("delete", "NOTHING", "--yes"), 1, "NOTHING"),
        (("outcome", "NOTHING", "rejected"), 1, "NOTHING"),
        (("close", "run-1"), 1, "Nobody is there to be asked. Say --yes."),
        (("outcome", "run-1", "lost"), 2, "'lost' is not one of"),
        (("outcome", "run-1", "rejected", "--score", "nan"), 2, "--score: must be a number"),
    ],
)
def test_what_cannot_be_meant_changes_nothing(
    actae: Command, server: RunningServer, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """In one sentence."""
    refused = actae("channels", *arguments, **at(server))
    assert (refused.code, refused.out, said in refused.err) == (code, "", True), refused.err


CLOSE = "Close {channel}? Every claim in it is refused then, and nothing opens it again. Go on?"
DELETE = (
    "Delete {channel} (events: 1; 1 running; forks: 1) with all its forks? It is gone for good, and the id "
    "is not used again. Go on?"
)


@pytest.mark.parametrize(
    ("command", "question"),
    [(("close",), CLOSE), (("delete", "--recursive"), DELETE)],
    ids=["close", "delete"],
)
@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_person_is_asked_once(
    server: RunningServer, channel: str, command: tuple[str, ...], question: str, answer: str
) -> None:
    """On a terminal; with no, nothing is changed."""
    server.claim(channel, "charge")
    assert fork(server, channel, f"{channel}.b").status == 200
    ran = answered(answer, "channels", *command, channel, **at(server))
    assert question.format(channel=channel) in ran.err
    assert ran.code == (0 if answer == "y" else 1)
    assert (server.record(channel).status == 200) is (answer == "n")
