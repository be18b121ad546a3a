"""The moments between which a crash loses something, by name. Outside of a crash test they are nothing.

`actae crashtest` starts the application with `ACTAE_CRASHTEST` in its environment: the journal in
which every boundary is written down as it is reached. `ACTAE_CRASHTEST_KILL_AT` names the one at which
this process ends, by SIGKILL and by its own hand, so that nothing happens between the boundary and the end.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actae_client._calls.call import Call

JOURNAL = "ACTAE_CRASHTEST"
KILL_AT = "ACTAE_CRASHTEST_KILL_AT"
RUN_ID = "ACTAE_CRASHTEST_RUN_ID"

_RUN = "{run}"  # stands for the run's id, which differs from one start of the test to the next


class Journal:
    """Writes each boundary down, and ends the process at one of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._file = os.open(
            environment[JOURNAL], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        self._run_id = environment.get(RUN_ID, "")
        self._kill_at: object = json.loads(environment.get(KILL_AT, "null"))
        self._reached: Counter[tuple[str, str]] = Counter()
        self._keys: dict[str, str] = {}
        self._lock = threading.Lock()

    def reach(self, name: str, subject: str = "", **facts: str) -> None:
        """Write it down; then, if it is the one, die."""
        if self._run_id:
            subject = subject.replace(self._run_id, _RUN)
        with self._lock:
            self._reached[name, subject] += 1
            occurrence = self._reached[name, subject]
            is_last = [name, subject, occurrence] == self._kill_at
            line = {"name": name, "subject": subject, "occurrence": occurrence, "killed": is_last, **facts}
            os.write(self._file, (json.dumps(line) + "\n").encode())
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)

    def sending(self, call: Call[Any]) -> None:
        """A call of the ledger is about to be sent for the first time."""
        if call.boundary is not None:
            verb, subject = call.boundary
            self.reach(f"{verb}.sending", self._keys.get(subject, subject))

    def answered(self, call: Call[Any], answer: Any) -> None:
        """The server has answered it, and nobody here knows yet."""
        if call.boundary is None:
            return
        verb, subject = call.boundary
        execution_id = answer.execution.id if verb == "claim" else subject
        if verb == "claim":  # what comes later names the execution, whose id differs from run to run
            self._keys[execution_id] = subject
        channel_id = execution_id.partition("~")[0]
        self.reach(f"{verb}.answered", self._keys.get(subject, subject), channel_id=channel_id)


if os.environ.get(JOURNAL):
    _journal = Journal(os.environ)
    reach, sending, answered = _journal.reach, _journal.sending, _journal.answered
else:

    def reach(name: str, subject: str = "", **facts: str) -> None:
        """Say that this moment is here."""

    def sending(call: Call[Any]) -> None:
        """Say that a call is about to be sent."""

    def answered(call: Call[Any], answer: Any) -> None:
        """Say that a call was answered."""
