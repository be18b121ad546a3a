"""What a crash test found out: a cell for each run, with where the agent was killed and what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from actae_client.testing.expectations import DEFAULT_EXPECTATIONS, Expectation
from actae_client.testing.table import draw, explain

CAN_BE_ASKED = frozenset({"honours_key", "queryable"})
"""The kinds of provider with which nothing has to be doubled or lost."""


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """A moment of the agent: in which start, what, about what, and the how-manieth of that kind."""

    index: int
    start: int
    name: str
    subject: str
    occurrence: int

    def __str__(self) -> str:
        said = f"{self.name} {self.subject}".rstrip()
        said += f" #{self.occurrence}" if self.occurrence > 1 else ""
        return said + (f" (start {self.start})" if self.start > 1 else "")


@dataclass(frozen=True, kw_only=True)
class EffectCount:
    """What the provider's own record says about one reference.

    `calls` are the requests that reached it, `applied` the effects that it had, `expected` those that it
    has when nobody kills the agent.
    """

    reference: str
    calls: int
    applied: int
    expected: int

    @property
    def duplicates(self) -> int:
        """Effects too many."""
        return max(0, self.applied - self.expected)

    @property
    def losses(self) -> int:
        """Effects too few."""
        return max(0, self.expected - self.applied)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One run of the agent, killed at `boundary` (None: not killed) and started until it ended.

    `provider`, `behaviour` and `policy` say what it was run against and as what. `stuck` counts the
    operations that the ledger still holds as running or in doubt; `is_finished` is whether the agent came to
    its end with exit code 0 within the starts it was given; `is_killed` whether it came by the boundary.
    """

    provider: str
    behaviour: str
    policy: str | None
    boundary: Boundary | None
    effects: tuple[EffectCount, ...]
    stuck: int
    exit_codes: tuple[int | None, ...]
    is_finished: bool
    is_killed: bool
    run_id: str = field(compare=False, default="")

    @property
    def calls(self) -> int:
        """Requests that reached the provider."""
        return sum(effect.calls for effect in self.effects)

    @property
    def applied(self) -> int:
        """Effects at the provider."""
        return sum(effect.applied for effect in self.effects)

    @property
    def duplicates(self) -> int:
        """Effects too many, over all references."""
        return sum(effect.duplicates for effect in self.effects)

    @property
    def losses(self) -> int:
        """Effects too few, over all references."""
        return sum(effect.losses for effect in self.effects)

    @property
    def is_missed(self) -> bool:
        """Whether the agent was to be killed and never came by: it takes another way at each run."""
        return self.boundary is not None and not self.is_killed

    def __str__(self) -> str:
        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON, with its sums."""
        sums = ("calls", "applied", "duplicates", "losses")
        return {**asdict(self), **{name: getattr(self, name) for name in sums}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cell:
        """Read what `to_dict` gave."""
        return cls(
            provider=data["provider"],
            behaviour=data["behaviour"],
            policy=data["policy"],
            boundary=None if data["boundary"] is None else Boundary(**data["boundary"]),
            effects=tuple(EffectCount(**effect) for effect in data["effects"]),
            stuck=data["stuck"],
            exit_codes=tuple(data["exit_codes"]),
            is_finished=data["is_finished"],
            is_killed=data["is_killed"],
            run_id=data.get("run_id", ""),
        )


class Cells(tuple[Cell, ...]):
    """Some cells of a matrix. `str` shows them as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return draw(self)


@dataclass(frozen=True)
class Matrix:
    """All cells of a crash test. `str` shows them as a table."""

    cells: Cells

    def __str__(self) -> str:
        return str(self.cells)

    def of(
        self,
        *,
        provider: str | Iterable[str] | None = None,
        behaviour: str | None = None,
        policy: str | None = None,
    ) -> Matrix:
        """The part of these kinds of provider, this behaviour, this policy; None is all."""
        providers = None if provider is None else _names(provider)
        return Matrix(
            Cells(
                cell
                for cell in self.cells
                if (providers is None or cell.provider in providers)
                and (behaviour is None or cell.behaviour == behaviour)
                and (policy is None or cell.policy == policy)
            )
        )

    @property
    def duplicates(self) -> Cells:
        """The cells in which something was applied too often."""
        return Cells(cell for cell in self.cells if cell.duplicates)

    @property
    def losses(self) -> Cells:
        """The cells in which something was applied too rarely."""
        return Cells(cell for cell in self.cells if cell.losses)

    @property
    def stuck(self) -> Cells:
        """The cells that did not come to an end: an operation is unsettled, or the agent gave up."""
        return Cells(cell for cell in self.cells if cell.stuck or not cell.is_finished)

    @property
    def missed(self) -> Cells:
        """The cells whose boundary was never reached again, so that they prove nothing."""
        return Cells(cell for cell in self.cells if cell.is_missed)

    def broken(
        self,
        expectations: Iterable[str | Expectation] = DEFAULT_EXPECTATIONS,
        *,
        providers: str | Iterable[str] = CAN_BE_ASKED,
    ) -> Cells:
        """The cells of these kinds of provider in which an expectation does not hold, or which prove nothing.

        Raises ValueError for an expectation that is none.
        """
        wanted = [Expectation(each) for each in expectations]
        judged = self.of(provider=providers)
        found = {id(cell) for each in wanted for cell in getattr(judged, each.looks_at)}
        return Cells(cell for cell in judged.cells if id(cell) in found or cell.is_missed)

    def expect(
        self,
        *expectations: str | Expectation,
        providers: str | Iterable[str] = CAN_BE_ASKED,
    ) -> None:
        """Raise AssertionError, with the table of what is broken, unless the expectations hold.

        Without any: no duplicates, and no losses. Raises AssertionError too when there is nothing to judge.
        """
        wanted = [Expectation(each) for each in expectations or DEFAULT_EXPECTATIONS]
        kinds = _names(providers)
        assert self.of(provider=kinds).cells, f"the matrix has no cell of {', '.join(sorted(kinds))}"
        broken = self.broken(wanted, providers=kinds)
        assert not broken, (
            f"{', '.join(wanted)} does not hold in {len(broken)} of {len(self.cells)} runs:\n\n{broken}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"cells": [cell.to_dict() for cell in self.cells]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Matrix:
        """Read what `to_dict` gave, or what `actae crashtest --json` printed."""
        return cls(Cells(Cell.from_dict(cell) for cell in data["cells"]))


def _names(given: str | Iterable[str]) -> set[str]:
    return {given} if isinstance(given, str) else set(given)
