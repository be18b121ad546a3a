"""One crash test from the command line: a directory, a stage, the matrix, and what is made of it."""

from collections.abc import Callable
from pathlib import Path

from actae.crashtest.perform import perform
from actae.crashtest.plan import CrashtestError, Plan
from actae.crashtest.stage import set_up
from actae.demo.interrupts import interruptible, undisturbed_afterwards
from actae.demo.processes import DemoError
from actae.demo.workspace import workspace
from actae_client.testing import Cell, Matrix


def run_crashtest(plan: Plan, *, data_dir: Path | None, tell: Callable[[Cell], None]) -> Matrix:
    """Set up, play, clear away. What is durable goes to `data_dir`, which stays, or to a new one, which goes.

    Call it from the main thread: it handles SIGINT, SIGTERM and SIGHUP until it returns. Raises
    CrashtestError, and `Interrupted` after a signal.
    """
    try:
        with (
            interruptible(),
            workspace(data_dir, keep=False, name="crashtest") as directory,
            set_up(directory) as stage,
            undisturbed_afterwards(),
        ):
            return perform(stage, plan, tell)
    except DemoError as error:
        raise CrashtestError(str(error)) from error
