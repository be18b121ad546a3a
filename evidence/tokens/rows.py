"""The arithmetic of the token report: whole numbers, added and subtracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.harness.record import RecordedStep
from evidence.models.model import Usage

NOTHING = Usage(input_tokens=0, output_tokens=0)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step in both runs."""

    number: int
    name: str
    baseline: Usage
    fork: Usage
    is_inherited: bool
    """The fork has not run this step, so it has paid nothing for it."""

    @property
    def saved(self) -> int:
        """Tokens that the fork took less; below zero where it took more."""
        return self.baseline.total - self.fork.total


def rows_of(baseline: Sequence[RecordedStep], fork: Sequence[RecordedStep]) -> tuple[Row, ...]:
    """One row for each step of the baseline. A fork pays for the steps that it has recorded itself."""
    own = {step.number: step for step in fork}
    unknown = own.keys() - {step.number for step in baseline}
    assert not unknown, f"the fork has steps that the baseline has not: {sorted(unknown)}"
    return tuple(
        Row(
            number=step.number,
            name=step.name,
            baseline=step.usage,
            fork=own[step.number].usage if step.number in own else NOTHING,
            is_inherited=step.number not in own,
        )
        for step in baseline
    )


def total(usages: Sequence[Usage]) -> Usage:
    """The sum."""
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
    )


def percent(part: int, whole: int) -> str:
    """`part` of `whole`, exact or cut after two digits; `…` says that more would follow.

    Nothing of nothing is a dash.
    """
    if whole == 0:
        return "–"
    hundredths, rest = divmod(abs(part) * 10_000, whole)
    sign = "−" if part < 0 else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02d}{'…' if rest else ''} %"


def number(count: int) -> str:
    """All its digits."""
    return f"{count:,}".replace("-", "−")
