"""`actae executions resolve`: somebody has looked, and says what became of an operation."""

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from click.core import ParameterSource

from actae.cli.operation_names import naming
from actae.cli.output import json_option, print_json, shown_moment
from actae.cli.people import ask_to_go_on, name_of_person
from actae.cli.printable import printable
from actae.cli.remote import Server, connected, server_options

if TYPE_CHECKING:
    from actae_client import ExecutionInfo

_BECOMES: Final = {
    "applied": "every claim replays this result from now on",
    "not_applied": "the next claim runs the tool",
    "unknown": "nothing changes, and the log says that you looked",
}


class _Json(click.ParamType[Any]):
    """Any JSON."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What it says."""
        try:
            return json.loads(value, parse_float=_finite, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            is_bare = not str(value).lstrip().startswith(("{", "[", '"'))
            advice = " A text needs quotes of its own: '\"ch_1\"'." if is_bare else ""
            self.fail(f"it is no JSON: {error}.{advice}", param, ctx)


def _finite(literal: str) -> float:
    if not math.isfinite(number := float(literal)):
        raise ValueError(f"{literal} is more than a number can be")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is none of its numbers")


@click.command()
@click.argument("place", metavar="ID|CHANNEL")
@click.argument("key_name", metavar="[KEY]", required=False)
@click.option("--applied", "result", type=_Json(), help="It happened, and the tool returned this.")
@click.option("--not-applied", is_flag=True, help="It did not happen, and will not any more.")
@click.option("--unknown", is_flag=True, help="Nobody can tell yet; only say that you looked.")
@click.option("--by", metavar="NAME", help="Who says so.  [your login name]")
@click.option("--reason", help="Why.")
@click.option("--evidence", type=_Json(), help="What was looked at.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_options
@json_option
def resolve(
    place: str,
    key_name: str | None,
    not_applied: bool,
    unknown: bool,
    by: str | None,
    reason: str | None,
    evidence: Any,
    yes: bool,
    server: Server,
    as_json: bool,
    result: Any,
) -> None:
    """Say what became of an operation that nobody holds and that is not completed.

    The tool is not run, and nobody is asked but you: look at the provider first. What you say counts for the
    attempt that is there when you call this, and is refused once another one has begun.
    """
    outcome = _outcome(not_applied=not_applied, unknown=unknown)
    person = name_of_person(by, "--by")
    with connected(server) as client, naming(place, key_name) as identity:
        seen = client.get_execution(identity)
        if not yes:
            _ask(seen, outcome)
        resolved = client.resolve_execution(
            seen.id,
            outcome,
            by=person,
            result=result,
            reason=reason,
            evidence=evidence,
            attempts=seen.attempts,
        )
    if as_json:
        print_json(asdict(resolved))
    else:
        click.echo(f"{printable(resolved.key_name)} {_became(resolved, outcome)}.")


def _became(resolved: "ExecutionInfo", outcome: str) -> str:
    if outcome != "not_applied":
        return f"is {resolved.status}: {_BECOMES[outcome]}"
    error = resolved.error if isinstance(resolved.error, dict) else {}
    if error.get("error_type") != "NotApplied":
        return (
            'had failed by itself, and keeps that failure: a call with on_failure="replay" raises it again, '
            "any other claim runs the tool. `client.delete_execution` frees the key"
        )
    until = resolved.expires_at
    expiry = f", until its key expires at {shown_moment(until)}; then KeyExpiredError" if until else ""
    return f"is resolved as not applied: {_BECOMES[outcome]}{expiry}"


def _outcome(*, not_applied: bool, unknown: bool) -> Any:
    is_applied = click.get_current_context().get_parameter_source("result") is ParameterSource.COMMANDLINE
    said = [
        outcome
        for outcome, is_said in (("applied", is_applied), ("not_applied", not_applied), ("unknown", unknown))
        if is_said
    ]
    if len(said) != 1:
        raise click.UsageError("Say one of --applied JSON, --not-applied and --unknown.")
    return said[0]


def _ask(seen: "ExecutionInfo", outcome: str) -> None:
    about = f"Attempt {seen.attempts} of {printable(seen.key_name)} ({printable(seen.tool_name)})"
    ask_to_go_on(f"{about} is {seen.status}. {outcome}: {_BECOMES[outcome]}.")
