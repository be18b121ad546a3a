"""Messages and leases under contention: two servers, lost replies, rivals on the same channels."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actae.domain.access import EVERYTHING, Caller
from actae.domain.errors import IdempotencyConflictError, UnavailableError
from actae.domain.fingerprint import content_digest
from actae.domain.group_errors import MemberLeaseHeldError
from actae.domain.group_forks import ForkGroup, GroupFork
from actae.domain.group_messages import GroupMessage
from actae.domain.identity import identify
from actae.domain.member_leases import MemberLease, Ownership
from actae.operations import execution_groups, group_forks, group_messages, member_leases
from actae.operations.execution_groups import AddMember
from actae.operations.group_messages import SendMessage
from actae.store.database import Database
from actae.store.queries import query
from tests.support import asks
from tests.support.proxy import Proxy, target_of, through
from tests.support.verified import assert_whole
from tests.support.writers import writing

_EVENTS = query("replay_events")

ANYBODY = Caller(EVERYTHING, "none")


@pytest.fixture
async def crew(db: Database) -> Database:
    """A group of four, on as many channels."""
    await execution_groups.create(db, "crew", b"{}", caller=ANYBODY)
    for name in "abcd":
        ask = AddMember(group_id="crew", member_id=name, channel_id=f"run-{name}", role=None, metadata=b"{}")
        await execution_groups.add_member(db, ask, caller=ANYBODY)
    return db


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[Database]:
    """The connections of a second server."""
    database = await Database.connect(database_url, connections_max=10, read_timeout_seconds=15)
    yield database
    await database.close()


async def send(
    db: Database, sender: str, recipient: str, payload: bytes = b"1", operation_id: str | None = None
) -> GroupMessage:
    """Send a message."""
    content = content_digest(sender, recipient, payload)
    ask = SendMessage(
        group_id="crew",
        from_member_id=sender,
        to_member_id=recipient,
        type="note",
        payload=payload,
        causal_context=b"null",
        identity=None if operation_id is None else identify("test", operation_id, content),
    )
    return await group_messages.send(db, ask, caller=ANYBODY)


async def claim(db: Database, owner: str) -> MemberLease:
    """Claim a."""
    return await member_leases.claim(db, "crew", "a", owner, 60, caller=ANYBODY)


async def mail(db: Database, name: str) -> list[GroupMessage]:
    """A member's messages."""
    found, has_more = await group_messages.list_mail(db, "crew", name, after=None, most=1000, caller=ANYBODY)
    assert not has_more
    return found


def fork(db: Database, cursor: int = 0, name: str = "what-if") -> Any:
    """Fork the group at a cursor of a."""
    ask = ForkGroup(
        fork_group_id=name,
        source_group_id="crew",
        intervention_member_id="a",
        intervention_cursor=cursor,
        member_policies={},
        tool_policies={},
        content_digest=content_digest(str(cursor)),
    )
    return group_forks.fork(db, ask, caller=ANYBODY)


async def test_of_racing_claims_one_wins(crew: Database, other: Database) -> None:
    """On two servers; and when the winner lets go, the next one does, in the next generation."""
    for generation in (1, 2, 3):
        calls = (claim(each, f"owner {n}") for n, each in enumerate([crew, other] * 6))
        made = await asyncio.gather(*calls, return_exceptions=True)
        (won,) = [each for each in made if isinstance(each, MemberLease)]
        assert len([each for each in made if isinstance(each, MemberLeaseHeldError)]) == 11
        assert won.generation == generation
        held = Ownership(won.owner_id, won.generation)
        await member_leases.release(other, "crew", "a", held, caller=ANYBODY)


async def test_racing_members_write_to_each_other(crew: Database, other: Database, database_url: str) -> None:
    """In all directions, on two servers, while the writer appends to the same channels: nothing is lost."""
    pairs = [(one, two) for one in "abcd" for two in "abcd"]
    async with writing(database_url) as (writer, _):
        calls = [
            send(db, one, two, b"[%d]" % n) for n in range(3) for one, two in pairs for db in (crew, other)
        ]
        records = [writer.submit(asks.record(channel_id=f"run-{name}")) for name in "abcd" for _ in range(20)]
        sent = await asyncio.gather(*calls)
        await asyncio.gather(*records)
    for name in "abcd":
        received = await mail(crew, name)
        assert len(received) == 24
        wanted = {each.message_id for each in sent if each.to_member_id == name}
        assert {each.message_id for each in received} == wanted
    await assert_whole(database_url)


async def test_racing_repetitions_are_one_message(crew: Database, other: Database) -> None:
    """Into a channel that does not exist yet; everybody gets the same."""
    made = await asyncio.gather(*(send(db, "a", "b", operation_id="o") for db in [crew, other] * 5))
    assert len({each.message_id for each in made}) == 1
    assert len(await mail(crew, "b")) == 1


async def test_of_racing_messages_under_one_id_one_is_sent(crew: Database, other: Database) -> None:
    """Though they go to different members, and so lock different channels."""
    calls = (send(db, "a", name, operation_id="o") for db in (crew, other) for name in "bcd")
    made = await asyncio.gather(*calls, return_exceptions=True)
    sent = {each.to_member_id for each in made if isinstance(each, GroupMessage)}
    assert len(sent) == 1
    assert len([each for each in made if isinstance(each, IdempotencyConflictError)]) == 4
    assert sum([len(await mail(crew, name)) for name in "bcd"]) == 1


async def test_racing_forks_are_one(crew: Database, other: Database) -> None:
    """While messages go on; and of different ones under a name, one is made."""
    talking = asyncio.gather(*(send(crew, "a", "b") for _ in range(10)))
    made = await asyncio.gather(*(fork(db) for db in [crew, other] * 4))
    await talking
    assert all(isinstance(each, GroupFork) and each == made[0] for each in made)
    calls = (fork(db, cursor, "contested") for cursor, db in enumerate([crew, other] * 2))
    contested = await asyncio.gather(*calls, return_exceptions=True)
    assert len([each for each in contested if isinstance(each, GroupFork)]) == 1
    assert len([each for each in contested if isinstance(each, IdempotencyConflictError)]) == 3


async def test_forks_that_are_made_while_everybody_talks_fit_together(
    crew: Database, other: Database, database_url: str
) -> None:
    """No member remembers a message that its sender does not."""

    async def chatter(db: Database, pairs: list[tuple[str, str]]) -> None:
        for one, two in pairs * 3:
            await send(db, one, two)

    pairs = [(one, two) for one in "abcd" for two in "abcd" if one != two]
    talking = asyncio.gather(*(chatter(db, pairs[n:] + pairs[:n]) for n, db in enumerate([crew, other] * 2)))
    forks = []
    for cursor in (1, 3, 9, 20):
        # What is waited for is in the database.
        while not await crew.fetch(_EVENTS, channel_id="run-a", after=cursor - 1, event_type=None, most=1):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        forks.append(await fork(crew, cursor, f"what-if-{cursor}"))
    await talking
    sent = {each.delivery_event_id: each for name in "abcd" for each in await mail(crew, name)}
    places = {}
    for name in "abcd":
        rows = await crew.fetch(_EVENTS, channel_id=f"run-{name}", after=0, event_type=None, most=100_000)
        places |= {row["event_id"]: (name, row["cursor"]) for row in rows}
    for each in forks:
        cuts = {member.member_id: member.resolved_cursor for member in each.members}
        for message in sent.values():
            sender, sent_at = places[message.source_event_id]
            recipient, received_at = places[message.delivery_event_id]
            assert sent_at <= cuts[sender] or received_at > cuts[recipient]
    await assert_whole(database_url)


async def test_a_message_whose_commit_was_not_heard_of_is_sent_once(
    crew: Database, database_url: str
) -> None:
    """The outcome is unknown; the same call under the same id finds it."""
    with Proxy(target_of(database_url)) as proxy:
        db = await Database.connect(through(proxy, database_url), connections_max=2, read_timeout_seconds=15)
        proxy.lose("reply", b"COMMIT", then="cut")
        with pytest.raises(UnavailableError, match="outcome is unknown"):
            await send(db, "a", "b", operation_id="o")
        again = await send(db, "a", "b", operation_id="o")
        await db.close()
    assert await mail(crew, "b") == [again]


async def test_a_claim_whose_commit_was_not_heard_of_is_the_callers(
    crew: Database, database_url: str
) -> None:
    """Asking again finds oneself the owner, in the same generation."""
    with Proxy(target_of(database_url)) as proxy:
        db = await Database.connect(through(proxy, database_url), connections_max=2, read_timeout_seconds=15)
        proxy.lose("reply", b"COMMIT", then="cut")
        with pytest.raises(UnavailableError, match="outcome is unknown"):
            await claim(db, "me")
        assert (await claim(db, "me")).generation == 1
        await db.close()
