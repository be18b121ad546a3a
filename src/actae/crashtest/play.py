"""One run of the agent: killed once at most, and started again until it has come to its end."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actae.crashtest.agents import Agents, last_words
from actae.crashtest.journal import RUN, Journal, Operation
from actae.crashtest.plan import Scene
from actae.crashtest.stage import Stage
from actae_client.testing import Boundary


@dataclass(frozen=True, kw_only=True)
class Played:
    """What became of a run. The references of `account` have `{run}` where the run's id was.

    `operations` are those under keys that are the same in each run.
    """

    run_id: str
    boundaries: Sequence[Boundary]
    operations: frozenset[Operation]
    account: Mapping[str, Mapping[str, int]]
    unsettled: int
    exit_codes: tuple[int | None, ...]
    is_finished: bool
    is_killed: bool
    last_words: str


def play(stage: Stage, agents: Agents, scene: Scene, kill_at: Boundary | None, *, starts_max: int) -> Played:
    """Start the agent, with a run id of its own, until it ends with 0 and was not killed.

    Before each further start the leases that it left behind are ended. Raises CrashtestError.
    """
    run_id = f"crash-{secrets.token_hex(4)}"
    files = stage.directory / "runs" / run_id
    files.mkdir()
    log = files.with_suffix(".log")
    journal = Journal(files.with_suffix(".journal"))
    environment = stage.environment(scene, run_id, journal=journal.path, files=files)
    exit_codes: list[int | None] = []
    is_finished = False
    while not is_finished and len(exit_codes) < starts_max:
        stage.ledger.end_leases(journal.channel_ids)
        start = len(exit_codes) + 1
        exit_codes.append(agents.run(environment | _killing(kill_at, start), log))
        was_killed = any(entry.killed for entry in journal.read(start=start))
        is_finished = exit_codes[-1] == 0 and not was_killed  # a shell around the agent may end with 0
    account = stage.account(run_id)
    return Played(
        run_id=run_id,
        boundaries=journal.boundaries(),
        operations=journal.operations,
        account={reference.replace(run_id, RUN): counts for reference, counts in account.items()},
        unsettled=stage.ledger.count_unsettled(journal.channel_ids),
        exit_codes=tuple(exit_codes),
        is_finished=is_finished,
        is_killed=any(entry.killed for entry in journal.entries),
        last_words=last_words(log),
    )


def _killing(boundary: Boundary | None, start: int) -> dict[str, str]:
    if boundary is None or boundary.start != start:
        return {}
    place = [boundary.name, boundary.subject, boundary.occurrence]
    return {"ACTAE_CRASHTEST_KILL_AT": json.dumps(place)}
