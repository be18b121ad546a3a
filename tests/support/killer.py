"""Runs `actae` until it reaches a crash point for the n-th time, and kills it there.

python -m tests.support.killer POINT NTH serve …
"""

import os
import signal
import sys

from actae import crash_points
from actae.__main__ import main
from actae.crash_points import CrashPoint


class Killer:
    """Counts how often one point is reached."""

    def __init__(self, point: CrashPoint, nth: int) -> None:
        self._point = point
        self._reaches_left = nth

    def __call__(self, point: CrashPoint) -> None:
        """SIGKILL, as a machine that loses power: nothing is put away, nothing is said."""
        if point is self._point:
            self._reaches_left -= 1
            if self._reaches_left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    crash_points.install(Killer(CrashPoint(sys.argv[1]), int(sys.argv[2])))
    sys.argv = ["actae", *sys.argv[3:]]
    main()
