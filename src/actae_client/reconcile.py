"""Finding out what became of an effect whose outcome nobody knows.

An effect with a `reconcile` probe is never called again on a guess: before a second attempt, the probe
asks the provider.

    @actae.effect("transfer:{reference}", on_lapse="ambiguous", reconcile=lookup(find_transfer))
    async def transfer(reference: str, amount_cents: int): ...

A probe is a function, async or not, that gets the operation and answers `Applied(result)`,
`NotApplied()` or `Unknown(reason)`. What it answers has to hold: that a request is not there *yet* is
`Unknown`. The probes below are ready made.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any, TypeVar, cast

from actae_client.tools.verdicts import Applied, NotApplied, Probe, UncertainOperation, Unknown, Verdict

__all__ = [
    "Applied",
    "NotApplied",
    "Probe",
    "UncertainOperation",
    "Unknown",
    "Verdict",
    "list_and_match",
    "lookup",
    "witnessed",
]

T = TypeVar("T")


def lookup(
    get: Callable[[UncertainOperation], Any],
    *,
    found: Callable[[Any], bool] = lambda answer: answer is not None,
    result: Callable[[Any], object] = lambda answer: answer,
) -> Probe:
    """A probe for providers that can be asked for the thing itself, by a reference of yours.

    `get`, async or not, brings what the provider has; `found` says whether that is it, by default
    whether it is not None. `result` makes of it what the tool would have returned.
    """

    def judge(answer: Any) -> Verdict:
        return Applied(result(answer), evidence={"found": True}) if found(answer) else NotApplied()

    def probe(operation: UncertainOperation) -> Verdict | Awaitable[Verdict]:
        return _then(get(operation), judge)

    return probe


def list_and_match(
    pages: Callable[[UncertainOperation], Iterable[Iterable[T]] | AsyncIterable[Iterable[T]]],
    *,
    match: Callable[[T, UncertainOperation], bool],
    result: Callable[[T], object] = lambda item: item,
) -> Probe:
    """A probe for providers that only show lists: what they did lately, page by page.

    `pages`, which may be an async generator, has to bring everything since the first attempt. One item
    that matches is the effect, none that there was none. Two are for a person: either the match is too
    wide, or the effect has happened twice.
    """

    def judge(matching: list[T]) -> Verdict:
        match matching:
            case []:
                return NotApplied()
            case [item]:
                return Applied(result(item))
        return Unknown(f"{len(matching)} things match")

    def probe(operation: UncertainOperation) -> Verdict | Awaitable[Verdict]:
        listed = pages(operation)
        if isinstance(listed, AsyncIterable):
            return _then(_gathered(listed, lambda item: match(item, operation)), judge)
        return judge([item for page in listed for item in page if match(item, operation)])

    return probe


def witnessed(otherwise: Probe | None = None) -> Probe:
    """A probe that first believes a worker which reported a result after it had lost the operation.

    Where there was none, `otherwise` is asked.
    """

    def probe(operation: UncertainOperation) -> Verdict | Awaitable[Verdict]:
        for report in operation.late_evidence:
            if report.says == "completed":
                return Applied(report.value, evidence={"late_evidence": report.event_id})
        if otherwise is None:
            return Unknown("no worker has reported a result")
        return otherwise(operation)

    return probe


async def _gathered(pages: AsyncIterable[Iterable[T]], matches: Callable[[T], bool]) -> list[T]:
    return [item async for page in pages for item in page if matches(item)]


def _then(answer: Any, judge: Callable[[Any], Verdict]) -> Verdict | Awaitable[Verdict]:
    """Judge the answer, at once or when it is there."""
    if not inspect.isawaitable(answer):
        return judge(answer)

    async def judged() -> Verdict:
        return judge(await answer)

    return cast("Awaitable[Verdict]", judged())
