"""`actae approvals`: what waits for a person, and their answer."""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import uuid4

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_record, readable_json, shown_moment
from actae.cli.people import name_of_person
from actae.cli.printable import printable
from actae.cli.remote import Server, channel_argument, checked_channel, connected, server_options

if TYPE_CHECKING:
    from actae_client import Approval, SyncActaeClient

_STATUSES: Final = ("pending", "approved", "rejected", "expired", "superseded", "all")
_PAGE: Final = 100


@click.group()
def approvals() -> None:
    """See what agents ask people, and answer."""


@approvals.command("list")
@click.option(
    "--channel",
    metavar="CHANNEL",
    callback=lambda _ctx, _param, value: None if value is None else checked_channel(value),
    help="Only of this channel.",
)
@click.option(
    "--status", type=click.Choice(_STATUSES), default="pending", show_default=True, help="Only these."
)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@server_options
@json_option
def list_(channel: str | None, status: str, limit: int, server: Server, as_json: bool) -> None:
    """The requests that wait for an answer, newest first, and what an answer binds."""
    with connected(server) as client:
        found = _read(client, channel, None if status == "all" else status, limit + 1)
    has_more = len(found) > limit
    if as_json:
        print_json([asdict(each) for each in found[:limit]])
        return
    if not found:
        click.echo("Nothing waits for an answer." if status == "pending" else "There are no such requests.")
    for number, each in enumerate(found[:limit]):
        if number:
            click.echo()
        print_record(_described(each))
    if has_more:
        click.echo(f"These are the newest {limit}; there are more: --limit.", err=True)


def _read(client: "SyncActaeClient", channel: str | None, status: str | None, most: int) -> "list[Approval]":
    """The newest requests, page by page: a page is short where they are large."""
    found: list[Approval] = []
    while len(found) < most:
        page = client.list_approvals(
            channel_id=channel,
            status=status,
            limit=min(_PAGE, most - len(found)),
            before=found[-1].requested_event_id if found else None,
        )
        if not page:
            break
        found += page
    return found


def _described(approval: "Approval") -> dict[str, str]:
    from actae.cli.ages import ago, left

    operation = approval.operation or {}
    asked_at = f"{shown_moment(approval.requested_at)}, {ago(approval.requested_at)}"
    lines = {
        "request": approval.request_id,
        "channel": approval.channel_id,
        "question": _text(approval.summary),
        "details": None if approval.details is None else _text(approval.details),
        "key": operation.get("key_name", "none: the answer is bound to no operation"),
        "tool": operation.get("tool_name"),
        "params": _text(operation.get("params")) if operation else None,
        "binds": _bound(approval) if operation else None,
        "asked": f"{asked_at}, by {approval.requester}",
        "expires": None,
        "status": None if approval.status == "pending" else approval.status,
        "decided": None,
        "superseded": None,
        "reason": None if approval.reason is None else _text(approval.reason),
    }
    if approval.expires_at is not None and approval.status == "pending":
        lines["expires"] = f"{shown_moment(approval.expires_at)}, {left(approval.expires_at)}"
    if approval.decided_at is not None:
        ended = "superseded" if approval.status == "superseded" else "decided"
        lines[ended] = f"{shown_moment(approval.decided_at)}, by {approval.decided_by}"
    return {name: line for name, line in lines.items() if line is not None}


def _bound(approval: "Approval") -> str:
    """What may not differ in what is run, in words that nobody misreads."""
    if approval.approval_fields is None:
        return "all params: nothing else may be run"
    return f"only {_listed(approval.approval_fields)}; every other param may differ from what is shown"


def _listed(names: list[str]) -> str:
    return ", ".join(map(printable, names))


def _text(value: object) -> str:
    return value if isinstance(value, str) else readable_json(value)


def _deciding(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments and options of an answer."""

    @channel_argument
    @click.argument("request_id", metavar="REQUEST")
    @click.option("--reason", help="Why; the agent can read it.")
    @click.option("--as", "actor", metavar="NAME", help="Who decides.  [your login name]")
    @server_options
    @json_option
    @wraps(command)
    def with_answer(*args: Any, actor: str | None, **options: Any) -> Any:
        return command(*args, actor=name_of_person(actor, "--as"), **options)

    return with_answer


@approvals.command()
@_deciding
def approve(
    channel: str, request_id: str, reason: str | None, actor: str, server: Server, as_json: bool
) -> None:
    """Say yes: the operation may be run, once, with all params as shown, or those that the request binds."""
    _decide(channel, request_id, "approved", reason, actor, server, as_json=as_json)


@approvals.command()
@_deciding
def reject(
    channel: str, request_id: str, reason: str | None, actor: str, server: Server, as_json: bool
) -> None:
    """Say no, or take a yes back. Who runs the operation already is not stopped."""
    _decide(channel, request_id, "rejected", reason, actor, server, as_json=as_json)


def _decide(
    channel: str,
    request_id: str,
    decision: Literal["approved", "rejected"],
    reason: str | None,
    actor: str,
    server: Server,
    *,
    as_json: bool,
) -> None:
    with connected(server) as client:
        before = _find(client, channel, request_id)
        if before.status == "pending" or (before.status, decision) == ("approved", "rejected"):
            client.decide_approval(
                channel,
                request_id,
                decision=decision,
                actor=actor,
                reason=reason,
                operation_id=str(uuid4()),  # what stands was looked at, so a repetition changes nothing
            )
        after = _find(client, channel, request_id)
    if after.status != decision:
        raise CommandFailed(f"It is too late: request {request_id} {_how(after)}.")
    if as_json:
        print_json(asdict(after))
    elif before.status == decision:
        click.echo(f"Request {request_id} {_how(after)}; nothing is changed.")
    else:
        click.echo(_sentence(after, was_approved=before.status == "approved"))


def _find(client: "SyncActaeClient", channel: str, request_id: str) -> "Approval":
    found = client.list_approvals(channel_id=channel, request_id=request_id)
    if not found:
        raise CommandFailed(f"Channel {channel} has no request {request_id}.")
    return found[0]


def _how(approval: "Approval") -> str:
    if approval.status == "superseded":
        return "was superseded by a later one about the same key"
    by = f" by {approval.decided_by}" if approval.decided_by and approval.status != "expired" else ""
    verb = "has expired" if approval.status == "expired" else f"was {approval.status}"
    at = f" at {shown_moment(approval.decided_at)}" if approval.decided_at else ""
    return f"{verb}{by}{at}"


def _sentence(approval: "Approval", *, was_approved: bool) -> str:
    if approval.operation is None:
        return f"Request {approval.request_id} is {approval.status}. It is bound to no operation."
    key = printable(approval.operation["key_name"])
    if approval.status == "approved":
        if approval.approval_fields is None:
            return f"Approved: {key} may be run, with exactly the params that were asked about."
        fields = _listed(approval.approval_fields)
        return f"Approved: {key} may be run, with {fields} as asked about and any other params."
    if was_approved:
        return f"Withdrawn: {key} may not be run any more. Who runs it already is not stopped."
    return f"Rejected: {key} may not be run."
