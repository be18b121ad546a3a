"""What is to be done: which agent, against which providers, as what, killed where."""

from dataclasses import dataclass

from actae.crashtest.kinds import Behaviour, Kind
from actae_client.testing import Boundary


class CrashtestError(Exception):
    """The test cannot be run; the sentence says why, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that was asked for.

    `kill_at` narrows the boundaries: a number, a name, or a name and a subject; empty is all. An agent is
    started `starts_max` times at most, for `start_seconds` each. `jobs` runs go on at a time.
    """

    command: tuple[str, ...]
    kinds: tuple[Kind, ...]
    behaviours: tuple[Behaviour, ...]
    policies: tuple[str | None, ...]
    kill_at: tuple[str, ...]
    starts_max: int
    start_seconds: float
    jobs: int

    def wants(self, boundary: Boundary) -> bool:
        """Whether the agent is to be killed there."""
        names = {str(boundary.index), boundary.name, f"{boundary.name} {boundary.subject}", str(boundary)}
        return not self.kill_at or not names.isdisjoint(self.kill_at)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Against what a run is played, and as what."""

    kind: Kind
    behaviour: Behaviour
    policy: str | None

    def __str__(self) -> str:
        return f"{self.policy or 'as written'}, {self.kind}, {self.behaviour}"
