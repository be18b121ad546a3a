"""Reads what the agent wrote down at its boundaries."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actae_client.testing import Boundary

RUN = "{run}"  # stands for the run's id in what an entry is about

Operation = tuple[str, str]
"""A channel, and a key on it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One boundary that was reached: in which start, and whether the agent died of it."""

    start: int
    name: str
    subject: str
    occurrence: int
    killed: bool
    channel_id: str | None = None


class Journal:
    """The journal of one run, over all its starts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self._bytes_read = 0

    def read(self, *, start: int) -> Sequence[Entry]:
        """What this start has added."""
        if not self.path.exists():
            return ()
        with self.path.open("rb") as file:
            file.seek(self._bytes_read)
            lines = file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]  # a writer may have died within its last
        self._bytes_read += sum(map(len, lines))
        added = [Entry(start=start, **json.loads(line)) for line in whole]
        self.entries += added
        return added

    @property
    def channel_ids(self) -> list[str]:
        """The channels on which the agent has claimed anything."""
        return sorted({entry.channel_id for entry in self.entries if entry.channel_id is not None})

    @property
    def operations(self) -> frozenset[Operation]:
        """What the agent has claimed, except under keys that the run's id is part of."""
        return frozenset(
            (entry.channel_id, entry.subject)
            for entry in self.entries
            if entry.channel_id is not None and entry.name == "claim.answered" and RUN not in entry.subject
        )

    def boundaries(self) -> list[Boundary]:
        """All that were reached, numbered from 1."""
        return [
            Boundary(
                index=index,
                start=entry.start,
                name=entry.name,
                subject=entry.subject,
                occurrence=entry.occurrence,
            )
            for index, entry in enumerate(self.entries, 1)
        ]
