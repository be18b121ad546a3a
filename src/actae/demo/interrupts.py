"""Ctrl-C, SIGTERM and a closed terminal: one exception, then a clean-up that nothing disturbs."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Somebody asked the demo to end."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"Ended by {signal.Signals(signum).name}.")
        self.exit_code = 128 + signum


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` at the first signal and ignore the next; restore the old handlers at the end.

    What was ignored before, as under nohup, stays ignored. For the main thread.
    """

    def interrupt(signum: int, _frame: FrameType | None) -> None:
        _hold_signals()
        raise Interrupted(signum)

    before = {signum: signal.getsignal(signum) for signum in _SIGNALS}
    for signum, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(signum, interrupt)
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


@contextmanager
def undisturbed_afterwards() -> Iterator[None]:
    """Ignore signals once the block is left: what follows is the clean-up, and it is short."""
    try:
        yield
    finally:
        _hold_signals()


def _hold_signals() -> None:
    for signum in _SIGNALS:
        signal.signal(signum, signal.SIG_IGN)
