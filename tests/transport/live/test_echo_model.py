"""Several connections on several channels, through two servers, beside a model of what each must have heard.

An event is heard by everybody who follows its channel when it is written, except by the connection that
published it; and by everybody who subscribes later with a cursor below it, that connection too. Hypothesis
chooses what they do.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.support.crowd import Crowd, crowd_at
from tests.support.live import Connection, let_in, record
from tests.support.server import new_channel
from tests.transport.live.conftest import Pair

WHO = st.integers(0, 2)
WHERE = st.integers(0, 1)
BACK = st.none() | st.integers(0, 6)


@dataclass(eq=False)
class Client:
    """One connection, and by topic what it must have heard since its last subscription."""

    connection: Connection
    due: dict[str, list[int]] = field(default_factory=dict)


class EchoModel(RuleBasedStateMachine):
    """The servers beside the model."""

    pair: Pair

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.topics = [new_channel(), new_channel()]
        self.heads = dict.fromkeys(self.topics, 0)
        self.operations: dict[tuple[str, str], int] = {}
        self.clients = [Client(self.run(let_in(self.pair[place % 2]))) for place in range(3)]
        self.open = AsyncExitStack()
        self.crowds = [self.run(self.open.enter_async_context(crowd_at(server))) for server in self.pair]

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do it, on the machine's own loop."""
        return self.runner.run(work)

    @rule(server=WHERE, topic=WHERE, count=st.integers(1, 4))
    def record(self, server: int, topic: int, count: int) -> None:
        crowd: Crowd = self.crowds[server]
        assert self.run(record(crowd, self.topics[topic], count)) == self.heads[self.topics[topic]] + count
        for _ in range(count):
            self._written(self.topics[topic], by=None)

    @rule(who=WHO, topic=WHERE, count=st.integers(1, 4))
    def publish(self, who: int, topic: int, count: int) -> None:
        """Several at once, none of them waiting for another."""
        client, name = self.clients[who], self.topics[topic]

        async def publish() -> list[int]:
            waiting = [await client.connection.begin_to_publish(name) for _ in range(count)]
            return [ack["cursor"] for ack in await asyncio.gather(*waiting)]

        acks = self.run(publish())
        assert acks == [self._written(name, by=client) for _ in range(count)]

    @rule(who=WHO, topic=WHERE, operation=st.sampled_from(["one", "two"]))
    def publish_once(self, who: int, topic: int, operation: str) -> None:
        """Whoever comes first publishes; to the others it is history or news like any other event."""
        client, name = self.clients[who], self.topics[topic]
        ack = self.run(client.connection.publish(name, operation, operation_id=operation))
        if (name, operation) not in self.operations:
            self.operations[name, operation] = self._written(name, by=client)
        assert ack["cursor"] == self.operations[name, operation]

    @rule(who=WHO, topic=WHERE, back=BACK)
    def subscribe(self, who: int, topic: int, back: int | None) -> None:
        client, name = self.clients[who], self.topics[topic]
        self.run(client.connection.subscribe(name, self._cursor(name, back)))
        self._begun(client, name, back)

    @rule(who=WHO, topic=WHERE, back=BACK)
    def publish_and_subscribe(self, who: int, topic: int, back: int | None) -> None:
        """Both at once: what was said first happens first."""
        client, name = self.clients[who], self.topics[topic]
        cursor = self._cursor(name, back)

        async def say_both() -> int:
            acknowledged = await client.connection.begin_to_publish(name)
            await client.connection.subscribe(name, cursor)
            ack: int = (await acknowledged)["cursor"]
            return ack

        assert self.run(say_both()) == self._written(name, by=client)
        self._begun(client, name, back if back is None else back + 1)

    @rule(who=WHO, topic=WHERE)
    def unsubscribe(self, who: int, topic: int) -> None:
        client, name = self.clients[who], self.topics[topic]
        self._look()
        self.run(client.connection.unsubscribe(name))
        client.due.pop(name, None)

    @rule(who=WHO, server=WHERE, back=BACK)
    def cut(self, who: int, server: int, back: int | None) -> None:
        """And come back, to either server."""
        client = self.clients[who]
        client.connection.cut()
        client.connection = self.run(let_in(self.pair[server]))
        for name in client.due:
            self.run(client.connection.subscribe(name, self._cursor(name, back)))
            self._begun(client, name, back)

    @precondition(lambda self: any(client.due for client in self.clients))
    @rule()
    def look(self) -> None:
        self._look()

    def teardown(self) -> None:
        try:
            self._look()
        finally:
            self.run(self.open.aclose())
            for client in self.clients:
                self.run(client.connection.close())
            self.runner.close()

    def _look(self) -> None:
        """Everybody has heard what is due, and nothing else: what was due comes before one more event."""
        for name in self.topics:
            self.record(0, self.topics.index(name), 1)
            for client in self.clients:
                if name in client.due:
                    heard = self.run(client.connection.until_heard(name, self.heads[name]))
                    assert heard == client.due[name]

    def _written(self, name: str, by: Client | None) -> int:
        self.heads[name] += 1
        for client in self.clients:
            if client is not by and name in client.due:
                client.due[name].append(self.heads[name])
        return self.heads[name]

    def _cursor(self, name: str, back: int | None) -> int | None:
        return None if back is None else max(0, self.heads[name] - back)

    def _begun(self, client: Client, name: str, back: int | None) -> None:
        start = self._cursor(name, 0 if back is None else back)
        assert start is not None
        client.due[name] = list(range(start + 1, self.heads[name] + 1))


@pytest.mark.timeout(400)
def test_everybody_hears_what_is_due_and_nothing_else(pair: Pair) -> None:
    """In order, and nobody hears an echo."""

    class Here(EchoModel):
        pass

    Here.pair = pair
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
