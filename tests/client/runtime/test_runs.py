"""A run says when it starts and how it ends."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.errors import ActaeConnectionError
from actae_client.retry import RetryPolicy
from actae_client.runtime import Actae, deterministic_operation_key
from tests.client.runtime.conftest import Types
from tests.support.server import RunningServer


async def test_a_run_is_recorded_from_start_to_end(actae: Actae, client: ActaeClient, channel: str) -> None:
    """Both events carry who it was; neither carries a clock."""
    async with actae.run("nightly", channel_id=channel, attempt=0, metadata={"size": 3}) as scope:
        assert scope.run_id == "nightly"
    started, completed = await client.replay(channel)
    assert (started.event_type, completed.event_type) == ("framework.run.started", "framework.run.completed")
    assert started.actor == "custom"
    assert started.payload == {
        "schema": "actae.framework-event/v1",
        "kind": "run.started",
        "framework": "custom",
        "run_id": "nightly",
        "parent_run_id": None,
        "agent_id": None,
        "data": {
            "workflow_id": None,
            "native_run_id": None,
            "attempt": 0,
            "invocation_id": "attempt:0",
            "metadata": {"size": 3},
        },
    }


async def test_the_operation_id_follows_the_shared_derivation(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The start of an attempt is one event, whichever worker says it."""
    async with actae.run("r", channel_id=channel, attempt=1):
        pass
    started = (await client.replay(channel))[0]
    key = deterministic_operation_key("actae.runtime", "run.started", channel, "r", "attempt:1")
    again = await client.record(
        channel, started.event_type, started.payload, actor=started.actor, operation_id=key
    )
    assert again.id == started.id


async def test_the_channel_is_derived_from_the_run(actae: Actae, types: Types, channel: str) -> None:
    """Without a channel of its own, a run goes to the one of its framework and id."""
    async with actae.run(channel, framework="etl") as scope:
        assert scope.channel_id == f"etl:{channel}"
    assert await types(f"etl:{channel}") == ["framework.run.started", "framework.run.completed"]


async def test_entering_again_with_the_same_attempt_repeats_nothing(
    actae: Actae, types: Types, channel: str
) -> None:
    """A redelivered task says the same again; the log keeps one event of each kind."""
    for _ in range(2):
        async with actae.run("r", channel_id=channel, attempt=1):
            pass
    async with actae.run("r", channel_id=channel, attempt=2):
        pass
    assert await types(channel) == ["framework.run.started", "framework.run.completed"] * 2


async def test_entering_again_in_other_words_is_no_error(actae: Actae, types: Types, channel: str) -> None:
    """The attempt is on record already; that its metadata names another host stops nobody."""
    for host in ("a", "b"):
        async with actae.run("r", channel_id=channel, execution_id="e-1", metadata={"host": host}):
            pass
    assert await types(channel) == ["framework.run.started", "framework.run.completed"]


async def test_long_names_do_not_make_two_attempts_one(actae: Actae, types: Types) -> None:
    """The attempt counts, however long the names before it are."""
    run_id = "r" * 300
    for attempt in (1, 2):
        async with actae.run(run_id, attempt=attempt) as scope:
            pass
    assert len(await types(scope.channel_id)) == 4


async def test_an_error_ends_the_run_as_failed(actae: Actae, client: ActaeClient, channel: str) -> None:
    """The application's error is raised; type and message are on record."""
    with pytest.raises(ValueError, match="no stock"):
        async with actae.run("r", channel_id=channel):
            raise ValueError("no stock" + "!" * 5000)
    failed = (await client.replay(channel))[-1]
    assert failed.event_type == "framework.run.failed"
    error = failed.payload["data"]["error"]
    assert error["type"] == "ValueError"
    assert error["message"].startswith("no stock!")
    assert len(error["message"]) == 4000


async def test_a_cancellation_ends_the_run_as_cancelled(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Being stopped is not failing."""
    entered = asyncio.Event()

    async def work() -> None:
        async with actae.run("r", channel_id=channel):
            entered.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    cancelled = (await client.replay(channel))[-1]
    assert cancelled.event_type == "framework.run.cancelled"
    assert cancelled.payload["data"]["cancellation"] == {"type": "CancelledError"}


def test_a_blocking_run_is_recorded_the_same_way(server: RunningServer, channel: str) -> None:
    """`run_sync` on either client; Ctrl-C counts as a cancellation."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        actae = Actae(client)
        with actae.run_sync("one", channel_id=channel) as scope:
            assert actae.current() is scope
        with pytest.raises(KeyboardInterrupt), actae.run_sync("two", channel_id=channel):
            raise KeyboardInterrupt
        types = [event.event_type for event in client.replay(channel)]
    assert types == [
        "framework.run.started",
        "framework.run.completed",
        "framework.run.started",
        "framework.run.cancelled",
    ]


@dataclass(frozen=True)
class OutOfStock(Exception):  # noqa: N818 - an application's own
    """An error that lets nobody set its attributes."""

    item: str


async def test_an_error_that_refuses_attributes_is_raised_as_it_is(
    actae: Actae, types: Types, channel: str
) -> None:
    """Whichever way the run was opened, or made ambient."""
    error = OutOfStock("tea")
    with pytest.raises(OutOfStock) as caught:
        async with actae.run("one", channel_id=channel):
            raise error
    assert caught.value is error
    with pytest.raises(OutOfStock), actae.run_sync("two", channel_id=channel) as scope:
        raise error
    with pytest.raises(OutOfStock), actae.use(scope):
        raise error
    assert await types(channel) == ["framework.run.started", "framework.run.failed"] * 2


def nowhere() -> ActaeClient:
    """A client of a server that does not exist."""
    return ActaeClient(api_key="sk-test", endpoint="http://127.0.0.1:9", retry=RetryPolicy(attempts=1))


async def test_a_run_that_cannot_be_recorded_is_not_entered() -> None:
    """By default the application learns of it before it has done anything."""
    async with Actae(nowhere()) as actae:
        with pytest.raises(ActaeConnectionError):
            await actae.run("r").__aenter__()


async def test_recording_failures_can_be_warnings(caplog: pytest.LogCaptureFixture) -> None:
    """With `lifecycle_errors="warn"` the application goes on."""
    async with Actae(nowhere(), lifecycle_errors="warn") as actae:
        with caplog.at_level(logging.WARNING):
            async with actae.run("r"):
                pass
    assert "run.started of run 'r' could not be recorded" in caplog.text
    assert "run.completed of run 'r' could not be recorded" in caplog.text


async def test_the_applications_error_wins_over_a_failure_to_record_it() -> None:
    """The reason why a run failed is not hidden by the network."""
    async with Actae(nowhere(), lifecycle_errors="warn") as actae:

        async def work() -> None:
            async with actae.run("r"):
                actae.lifecycle_errors = "raise"
                raise ValueError("no stock")

        with pytest.raises(ValueError, match="no stock"):
            await work()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"run_id": ""}, ValueError),
        ({"run_id": 7}, TypeError),
        ({"framework": ""}, ValueError),
        ({"channel_id": "not a channel"}, ValueError),
        ({"attempt": -1}, ValueError),
        ({"attempt": True}, TypeError),
        ({"attempt": "1"}, TypeError),
        ({"metadata": []}, TypeError),
        ({"metadata": {"x": {1, 2}}}, TypeError),
        ({"workflow_id": ""}, ValueError),
    ],
)
def test_bad_options_are_refused_at_once(actae: Actae, options: dict, error: type[Exception]) -> None:
    """Before anything is recorded."""
    with pytest.raises(error):
        actae.run(**{"run_id": "r", **options})


def test_unknown_options_are_ignored(actae: Actae) -> None:
    """Options of a later version do not break an older client."""
    assert actae.run("r", of_a_later_version=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("client", [object(), None])
def test_a_client_has_to_record(client: object) -> None:
    """A mistake in the wiring shows at the start."""
    with pytest.raises(TypeError, match="record"):
        Actae(client)


def test_the_policy_for_failures_is_one_of_two(actae: Actae) -> None:
    """A misspelt policy is no policy."""
    with pytest.raises(ValueError, match="lifecycle_errors"):
        Actae(actae.client, lifecycle_errors="ignore")  # type: ignore[arg-type]


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch, server: RunningServer, channel: str) -> None:
    """`ACTAE_URL` and `ACTAE_API_KEY` are enough, and a `with` closes what was opened."""
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    with Actae.from_env(lifecycle_errors="warn") as actae, actae.run_sync("r", channel_id=channel) as scope:
        assert scope.record_sync("note", {"x": 1}).event_type == "framework.note"


async def test_closing_where_a_loop_runs_is_refused(actae: Actae) -> None:
    """It would wait for itself."""
    with pytest.raises(RuntimeError, match="await close"):
        actae.close_sync()
