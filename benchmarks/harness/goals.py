"""What the project has promised itself, for a machine where server, database and load share two cores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Three marks on the way from acceptable to excellent."""

    floor: float  # Past this side something is broken.
    target: float
    aim: float

    def reached_by(self, value: float) -> str:
        """The best mark that `value` reaches: `aim`, `target`, `floor` or `missed`."""
        less_is_better = self.aim < self.floor
        for name in ("aim", "target", "floor"):
            mark = getattr(self, name)
            if value <= mark if less_is_better else value >= mark:
                return name
        return "missed"


PAIRS_OVER_HTTP = Goal(floor=0.4, target=0.55, aim=0.75)
PAIRS_ON_ONE_HOT_CHANNEL = Goal(floor=0.4, target=0.55, aim=0.75)
PAIRS_FROM_THE_CLIENT = Goal(floor=0.2, target=0.35, aim=0.5)
LATENCY_AT_ONE_CALLER = Goal(floor=5, target=4, aim=3)
P99_MS_AT_64_CALLERS = Goal(floor=30, target=20, aim=12)
THROUGHPUT_AT_A_MILLION = Goal(floor=0.85, target=0.95, aim=1.0)
TWO_SERVERS_OVER_ONE = Goal(floor=0.5, target=0.8, aim=1.0)
SERVER_MEMORY_MB = Goal(floor=150, target=100, aim=70)
FORK_OF_A_LONG_RUN = Goal(floor=2, target=1.2, aim=1.05)
MARKED_PAIRS = Goal(floor=0.5, target=0.62, aim=0.7)  # two requests in three
INHERITED_CLAIM_AT_DEPTH_100 = Goal(floor=3, target=1.5, aim=1.2)
RESUME_OF_A_LONG_SESSION = Goal(floor=2, target=1.2, aim=1.05)
DELIVERY_AT_ONE_SUBSCRIBER = Goal(floor=5, target=3, aim=2)
RESTART_SECONDS = Goal(floor=2, target=0.8, aim=0.4)
FIRST_PAINT_WITH_A_MILLION = Goal(floor=2, target=1.3, aim=1.1)
FIRST_PAINT_OF_A_LONG_RUN = Goal(floor=2, target=1.3, aim=1.1)
