"""What a client says over its WebSocket, and what is done about it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from actae.domain.access import Caller
from actae.domain.errors import ActaeError, ForbiddenError, InvalidRequestError, TooManyReadersError
from actae.domain.events import Authorship, Record
from actae.observations import RequestFailed
from actae.operations import events as operations
from actae.operations.tail import Follower
from actae.transport.endpoint import ANONYMOUS, new_request_id
from actae.transport.fields import check_channel_id
from actae.transport.live.frames import ack_fields, refusal_fields, subscription_fields
from actae.transport.live.line import BadMessage, Line, LineClosed, Message
from actae.transport.routes.events import identity_of
from actae.transport.services import Services
from actae.transport.web_socket import DEFECT

SOCKET_PATH: Final = "/ws"
PUBLISHED: Final = "broadcast"  # the type of events that are published over a WebSocket

_PUBLISHES_AT_ONCE: Final = 64


class Conversation:
    """One authenticated connection: its subscriptions, and its publishes under way."""

    def __init__(self, line: Line, services: Services, caller: Caller, connection_id: str) -> None:
        self.line = line
        self._services = services
        self._tail = services.tail
        self._caller = caller
        self._connection = {"connection_id": connection_id}
        self._followers: dict[str, Follower] = {}
        self._publishes: dict[asyncio.Task[None], str] = {}  # and the topic of each
        self._answers: dict[str, Callable[[Message], Awaitable[None]]] = {
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "broadcast": self._publish,
            "connection": self._pong,
        }

    async def go_on(self) -> None:
        """Answer until either side ends the connection.

        Raises:
            LineClosed
        """
        try:
            while True:
                try:
                    await self._answer(await self.line.hear())
                except BadMessage as bad:
                    named = bad.named
                    await self._refuse(named.type, named.topic, named.request_id, bad.refusal)
        finally:
            for topic in list(self._followers):
                self._end_subscription(topic)
            await _all_of(self._publishes)  # They are stored, though nobody is left to hear of it.

    async def check_access(self, caller: Caller) -> None:
        """What the key may do has been looked up again: end what it may not follow any more.

        Raises:
            LineClosed
        """
        self._caller = caller
        for topic in list(self._followers):
            if not caller.permissions.allows("read", topic):
                self._end_subscription(topic)
                refusal = ForbiddenError("This credential may no longer read the channel.")
                await self._refuse("subscribe", topic, None, refusal)

    def expel(self) -> None:
        """The credential is good no longer: what is still on its way through is refused."""
        self._caller = ANONYMOUS

    async def _answer(self, message: Message) -> None:
        try:
            answer = self._answers.get(message.type)
            if answer is None:
                raise InvalidRequestError(f"There is no message of type {message.type!r}.", field="type")
            if self._services.rate_limiter is not None and message.type != "connection":
                self._services.rate_limiter.check(self._caller)
            await answer(message)
        except ActaeError as refusal:
            await self._refuse(message.type, message.topic, message.request_id, refusal)

    async def _refuse(
        self, message_type: str, topic: str | None, request_id: str | None, refusal: ActaeError
    ) -> None:
        """Whoever waits goes by the Nack or the subscription's error; an Error reaches the others.

        It names the request of the Nack that it repeats, for clients that know both.
        """
        fields = refusal_fields(refusal)
        if message_type == "broadcast":
            await self.line.say("Nack", **fields | {"request_id": request_id, "topic": topic})
            fields |= {"request_id": request_id}
        elif message_type == "subscribe":
            fields |= {"error": refusal.message}
            await self.line.say("Subscription", **subscription_fields("error", topic, **fields))
            return
        await self.line.say("Error", **fields)

    async def _pong(self, message: Message) -> None:
        if message.event != "ping":
            raise InvalidRequestError(f"{message.event!r} is no event of a connection.", field="event")
        await self.line.say("Connection", event="pong", payload=self._connection)

    async def _subscribe(self, message: Message) -> None:
        topic = _topic_of(message)
        self._caller.require("read", topic)
        most = self._services.settings.stream_subscriptions_max
        if len(self._followers) >= most and topic not in self._followers:
            raise TooManyReadersError(f"One connection follows at most {most} channels.", most)
        # What this connection publishes before is history to the subscription, and no echo.
        await self._published_to(topic)
        follower = await self._tail.follow(topic, self.line, after=message.cursor)
        self._end_subscription(topic)  # A second one starts over; between the two nothing is missed.
        self._followers[topic] = follower
        # Confirmed early, with the cursor from which a client that is cut off now must go on.
        fields = subscription_fields("subscribed", topic, cursor=follower.position)
        fields["payload"]["latest_cursor"] = follower.position if message.cursor is None else follower.head
        await self.line.say("Subscription", **fields)
        follower.start()

    async def _unsubscribe(self, message: Message) -> None:
        topic = _topic_of(message)
        self._end_subscription(topic)
        await self.line.say("Subscription", **subscription_fields("unsubscribed", topic))

    def _end_subscription(self, topic: str) -> None:
        follower = self._followers.pop(topic, None)
        if follower is not None:
            self._tail.leave(follower)

    async def _publish(self, message: Message) -> None:
        topic = _topic_of(message)
        self._caller.require("write", topic)
        if not message.has_payload:
            raise InvalidRequestError("Object missing required field `payload`.", field="payload")
        payload = bytes(message.payload)
        identity = None
        if message.operation_id is not None:
            identity = await identity_of(message.operation_id, PUBLISHED, payload)
        author = Authorship(self._caller.owner)
        ask = Record(topic, PUBLISHED, payload, author, len(payload) + 512, identity)
        follower = self._followers.get(topic)
        if follower is not None and follower.is_kept_waiting:
            await self._published_to(topic)  # Others' events must not wait for ever behind own ones.
        if len(self._publishes) >= _PUBLISHES_AT_ONCE:
            await asyncio.wait(self._publishes, return_when=asyncio.FIRST_COMPLETED)
        if follower is not None:
            follower.hold()
        task = asyncio.create_task(self._store(ask, message.request_id, follower), name="actae publish")
        self._publishes[task] = topic
        task.add_done_callback(self._publishes.pop)

    async def _published_to(self, topic: str) -> None:
        """Return when nothing that was published to this topic is under way."""
        await _all_of(task for task, published_to in self._publishes.items() if published_to == topic)

    async def _store(self, ask: Record, request_id: str | None, follower: Follower | None) -> None:
        own: int | None = None
        try:
            try:
                appended = await operations.append(self._services.db, self._services.writer, ask)
            except ActaeError as refusal:
                await self._refuse("broadcast", ask.channel_id, request_id, refusal)
            else:
                own = None if appended.is_repetition else appended.event.cursor
                await self.line.say("Ack", **ack_fields(appended.event, request_id))
        except LineClosed:
            pass
        except Exception as error:  # a defect is seen in the log, and ends this connection only
            self._services.observe(RequestFailed(new_request_id(), "GET", SOCKET_PATH, error))
            self.line.drop(DEFECT)
        finally:
            if follower is not None:
                follower.release(own)


async def _all_of(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Return when they have ended."""
    waited_for = set(tasks)
    if waited_for:
        await asyncio.wait(waited_for)


def _topic_of(message: Message) -> str:
    if message.topic is None:
        raise InvalidRequestError("Object missing required field `topic`.", field="topic")
    return check_channel_id(message.topic, "topic")
