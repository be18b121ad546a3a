"""`verify` on a database with forks: nothing that a fork does by right looks broken."""

from actae.operations.verification import verify
from actae.store.database import Database
from tests.support.forking import effect, fork, step
from tests.support.server import RunningServer


async def test_forks_are_whole(start_server: type[RunningServer], db: Database) -> None:
    """Inherited effects, refusals, promotions, deletions and step numbers recorded twice."""
    server = start_server()
    cursor = step(server, "run", 1)
    effect(server, "run", "charge:1")
    step(server, "run", 2)
    step(server, "run", 1, "again")
    fork(
        server,
        "run",
        "run.b",
        tool_policies={"mail": "block", "*": "auto"},
        experiment_metadata={"forked_at_step": 2},
    )
    server.claim("run.b", "charge:1", emit_replay_event=True)
    server.claim("run.b", "mail:1", tool_name="mail")
    effect(server, "run.b", "charge:2")
    step(server, "run.b", 3)
    fork(server, "run.b", "run.c", 1)
    fork(server, "run", "run.d", cursor, copy_state=False)
    server.post("/channels/run.b/promote", None)
    server.request("DELETE", "/api/v1/channels/run.c")
    report = await verify(db, keys_were_freed=False)
    assert [str(each) for each in report.broken] == []
    assert report.is_whole
