"""The story of one cell: the agent is killed after the charge, started again, and the provider counts."""

import json
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

from actae.demo.cast import Cell, Strategy
from actae.demo.processes import Child
from actae.demo.provider_client import OrderAccount
from actae.demo.stage import Stage

_AGENT_SECONDS = 45.0


@dataclass(frozen=True, kw_only=True)
class Killed:
    """An agent's sudden end, between the provider's confirmation and the agent's own record of it."""

    pid: int
    started_at: datetime
    killed_at: datetime
    exit_code: int
    confirmed_charge_id: str


@dataclass(frozen=True, kw_only=True)
class Finished:
    """An agent that came to the end of its workflow, and what it then believed."""

    pid: int
    started_at: datetime
    charge_id: str
    mail_id: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one cell, as its agents and its provider tell it."""

    cell: Cell
    order_id: str
    killed: Killed
    restarted: Finished
    started_again: Finished | None
    """A further start after the end, as from a queue that delivers twice; only with Actae."""
    account: OrderAccount
    account_after_restart: OrderAccount


def play(cell: Cell, stage: Stage, order_id: str) -> Outcome:
    """Kill the agent at the worst moment, start it again, let it finish, and ask the provider.

    Raises `DemoError` when an agent fails in a way that is not part of the story.
    """
    provider = stage.provider(cell.keys)
    killed = _start_and_kill(cell, stage, order_id)
    restarted = _run_to_the_end(cell, stage, order_id)
    account_after_restart = provider.account(order_id)
    started_again = _run_to_the_end(cell, stage, order_id) if cell.strategy is Strategy.ACTAE else None
    return Outcome(
        cell=cell,
        order_id=order_id,
        killed=killed,
        restarted=restarted,
        started_again=started_again,
        account=provider.account(order_id),
        account_after_restart=account_after_restart,
    )


def _start_and_kill(cell: Cell, stage: Stage, order_id: str) -> Killed:
    """The agent says on a pipe that its charge is confirmed, and waits; the signal comes from here."""
    read_fd, write_fd = os.pipe()
    started_at = datetime.now(UTC)
    with os.fdopen(read_fd, "rb") as confirmed:
        with os.fdopen(write_fd, "wb"):  # ours; the agent has its own, and its end is then the pipe's
            agent = _start_agent(cell, stage, order_id, hold_fd=write_fd)
        with agent:
            charge_id = agent.read_line_of(confirmed.fileno(), seconds=_AGENT_SECONDS)
            exit_code = agent.kill()
    return Killed(
        pid=agent.pid,
        started_at=started_at,
        killed_at=datetime.now(UTC),
        exit_code=exit_code,
        confirmed_charge_id=charge_id,
    )


def _run_to_the_end(cell: Cell, stage: Stage, order_id: str) -> Finished:
    started_at = datetime.now(UTC)
    with _start_agent(cell, stage, order_id) as agent:
        answer = json.loads(agent.read_line(seconds=_AGENT_SECONDS))
        exit_code = agent.wait(seconds=_AGENT_SECONDS)
        if exit_code != 0:
            raise agent.failed(f"ended with {exit_code}")
    return Finished(pid=agent.pid, started_at=started_at, **answer)


def _start_agent(cell: Cell, stage: Stage, order_id: str, *, hold_fd: int | None = None) -> Child:
    options = ["--order", order_id, "--strategy", cell.strategy, "--provider", stage.providers[cell.keys].url]
    if cell.strategy is Strategy.CHECKPOINT:
        options += ["--checkpoint", str(stage.directory / f"{order_id}.checkpoint.json")]
    if hold_fd is not None:
        options += ["--hold-fd", str(hold_fd)]
    return Child(
        f"agent ({cell.strategy}, keys {cell.keys})",
        [sys.executable, "-m", "actae.demo.agent", *options],
        log=stage.directory / "agents.log",
        environment=stage.agent_environment(),
        pass_fds=() if hold_fd is None else (hold_fd,),
        speaks=True,
    )
