"""`actae crashtest`: your own agent, killed at every boundary, and what its provider counts then."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, tell

if TYPE_CHECKING:
    from actae_client.testing import Cell, Cells, Matrix

_KINDS = ("honours_key", "queryable", "blind")
_BEHAVIOURS = ("normal", "slow", "drops_reply", "fails")
_SHOWN = 10
_EXPECTATIONS = ("no-duplicates", "no-losses", "no-stuck")


def _read_expectations(_ctx: click.Context, param: click.Parameter, given: str) -> tuple[str, ...]:
    wanted = tuple(each.strip() for each in given.split(",") if each.strip())
    for each in wanted:
        if each not in _EXPECTATIONS:
            known = ", ".join(_EXPECTATIONS)
            raise click.BadParameter(f"{each!r} cannot be expected; there are {known}.", param=param)
    return wanted


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--provider",
    "kinds",
    multiple=True,
    type=click.Choice(_KINDS),
    help="The kind of provider; repeatable.  [all]",
)
@click.option(
    "--behaviour",
    "behaviours",
    multiple=True,
    type=click.Choice(_BEHAVIOURS),
    help="How it behaves; repeatable.  [normal]",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME",
    help="Given to the agent as ACTAE_CRASHTEST_POLICY, to choose by; repeatable.",
)
@click.option(
    "--kill-at",
    "kill_at",
    multiple=True,
    metavar="WHERE",
    help="Only there: a boundary's number or name; repeatable.  [everywhere]",
)
@click.option(
    "--expect",
    default="no-duplicates,no-losses",
    metavar="LIST",
    callback=_read_expectations,
    help="What must hold: of no-duplicates, no-losses, no-stuck.  [no-duplicates,no-losses]",
)
@click.option("--judge-blind", is_flag=True, help="Expect it of a blind provider, too.")
@click.option(
    "--starts",
    default=5,
    type=click.IntRange(min=2),
    help="How often an agent is started before it has given up.  [5]",
)
@click.option(
    "--start-seconds",
    default=60.0,
    type=click.FloatRange(min=0, min_open=True),
    help="How long one start may take.  [60]",
)
@click.option("--jobs", default=2, type=click.IntRange(min=1), help="Runs that go on at a time.  [2]")
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Put the database, the journals and the agent's output here; they stay.",
)
@json_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def crashtest(
    *,
    kinds: tuple[str, ...],
    behaviours: tuple[str, ...],
    policies: tuple[str, ...],
    kill_at: tuple[str, ...],
    expect: tuple[str, ...],
    judge_blind: bool,
    starts: int,
    start_seconds: float,
    jobs: int,
    data_dir: Path | None,
    as_json: bool,
    command: tuple[str, ...],
) -> None:
    """Kill your agent at every boundary, and count.

    COMMAND starts the agent; write -- before it. It is run once untouched, which finds the boundaries, and
    then once for each of them: killed there by SIGKILL, started again until it ends with 0, and compared.
    Exits with 3 when an expectation does not hold.
    """
    from actae.crashtest.kinds import Behaviour, Kind
    from actae.crashtest.plan import CrashtestError, Plan
    from actae.crashtest.run import run_crashtest
    from actae.demo.interrupts import Interrupted
    from actae_client.testing.matrix import CAN_BE_ASKED

    plan = Plan(
        command=command,
        kinds=tuple(map(Kind, kinds or _KINDS)),
        behaviours=tuple(map(Behaviour, behaviours or ("normal",))),
        policies=policies or (None,),
        kill_at=kill_at,
        starts_max=starts,
        start_seconds=start_seconds,
        jobs=jobs,
    )
    tell("A database and a provider are set up; then the agent runs untouched.")
    try:
        matrix = run_crashtest(plan, data_dir=data_dir, tell=_tell_progress)
    except CrashtestError as error:
        raise CommandFailed(str(error)) from error
    except Interrupted as interruption:
        sys.exit(interruption.exit_code)
    judged = set(_KINDS) if judge_blind else CAN_BE_ASKED
    broken = matrix.broken(expect, providers=judged)
    if as_json:
        print_json({"holds": not broken, "expected": expect, "judged": sorted(judged), **matrix.to_dict()})
    else:
        _print_matrix(matrix)
        _print_verdict(broken, expect, [kind for kind in plan.kinds if kind in judged])
    sys.exit(3 if broken else 0)


def _tell_progress(cell: "Cell") -> None:
    tell(f"{cell.policy or 'as written'}, {cell.behaviour}: {cell}")


def _print_matrix(matrix: "Matrix") -> None:
    kills = sum(cell.is_killed for cell in matrix.cells)
    click.echo(f"{matrix}\n\n{_count(kills, 'kill')} in {_count(len(matrix.cells), 'run')}.")


def _print_verdict(broken: "Cells", expected: tuple[str, ...], judged: list[str]) -> None:
    if not (judged and expected) and not broken:
        click.echo("Nothing was expected.")
        return
    click.echo(f"Expected with {' and '.join(judged)}: {', '.join(expected)}.")
    click.echo(f"It does not hold in {_count(len(broken), 'run')}:" if broken else "It holds.")
    for cell in broken[:_SHOWN]:
        click.echo(f"  {cell}")
    if len(broken) > _SHOWN:
        click.echo(f"  and {len(broken) - _SHOWN} more")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
