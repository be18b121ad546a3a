"""`make bench`: starts servers and databases of its own, puts the questions, judges the answers."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping, Sequence

import click
from rich.console import Console

from benchmarks import (
    a_million_executions,
    delivery,
    dispatched_mark,
    fan_out,
    first_paint,
    forks_of_a_long_run,
    idle_subscribers,
    inherited_claims,
    memory,
    one_hot_channel,
    pairs_from_the_client,
    pairs_over_http,
    restart,
    resume_a_session,
    transitions,
    two_servers,
)
from benchmarks.harness.machine import this_machine
from benchmarks.harness.record import as_json, write_record
from benchmarks.harness.report import show_result, show_summary
from benchmarks.harness.rounds import FULL, QUICK
from benchmarks.harness.run import Question, put_all

QUESTIONS: Mapping[str, Question] = {
    "pairs_over_http": pairs_over_http,
    "one_hot_channel": one_hot_channel,
    "pairs_from_the_client": pairs_from_the_client,
    "dispatched_mark": dispatched_mark,
    "transitions": transitions,
    "a_million_executions": a_million_executions,
    "two_servers": two_servers,
    "forks_of_a_long_run": forks_of_a_long_run,
    "inherited_claims": inherited_claims,
    "resume_a_session": resume_a_session,
    "delivery": delivery,
    "fan_out": fan_out,
    "idle_subscribers": idle_subscribers,
    "first_paint": first_paint,
    "memory": memory,
    "restart": restart,
}


@click.command()
@click.option("--quick", is_flag=True, help="One short round each: about two minutes, for finding mistakes.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(list(QUESTIONS)),
    metavar="NAME",
    help=f"Put this question; repeatable. One of {', '.join(QUESTIONS)}.",
)
@click.option("--json", "prints_json", is_flag=True, help="Print JSON instead of tables.")
@click.option("--record", is_flag=True, help="Write each answer beside its script.")
def main(*, quick: bool, only: Sequence[str], prints_json: bool, record: bool) -> None:
    """Measure Actae against raw PostgreSQL, in the same run and on the same disk.

    Exits with 1 when a question has no answer or a figure misses its floor.
    """
    if quick and record:
        raise click.UsageError("Figures of a quick run are not for keeping. Leave out --quick or --record.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that servers are stopped on the way out.
    pace = QUICK if quick else FULL
    console = Console(stderr=prints_json)
    asked = {name: QUESTIONS[name] for name in only or QUESTIONS}
    results = put_all(asked, pace, tell=lambda result: show_result(console, result))
    machine = this_machine()
    if prints_json:
        print(json.dumps(as_json(results, machine, pace), indent=2))
    else:
        show_summary(console, results, machine)
    if record:
        for result in results:
            if result.answer is not None:
                console.print(f"wrote {write_record(result, result.answer, machine, pace)}")
    sys.exit(0 if all(result.is_good for result in results) else 1)


if __name__ == "__main__":
    main()
