"""An agent that books, and what the world has of it."""

from __future__ import annotations

from typing import Any

from actae_client import Actae, UndoPlan, UndoReport


class Trip:
    """Its tools and their compensations, as every process defines them. `trouble` is by place."""

    def __init__(self, actae: Actae) -> None:
        self.booked: list[str] = []
        self.released: list[tuple[str, str]] = []
        self.trouble: dict[str, Exception] = {}

        def release(params: Any, result: Any) -> str:
            if params["place"] in self.trouble:
                raise self.trouble[params["place"]]
            self.released.append((params["place"], result))
            return f"released {params['place']}"

        @actae.effect("book:{place}", compensate=release)
        async def book(place: str) -> str:
            self.booked.append(place)
            return f"ticket {len(self.booked)}"

        @actae.effect("mail:{place}")
        async def mail(place: str) -> str:
            return "sent"

        @actae.effect("look:{place}", compensate=False)
        async def look(place: str) -> str:
            return "sunny"

        self.book, self.mail, self.look = book, mail, look


def reasons(report: UndoReport | UndoPlan) -> list[tuple[str, str]]:
    """What stays, and why."""
    return [(each.key_name, each.reason) for each in report.not_undone]
