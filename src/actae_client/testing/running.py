"""Running a crash test from Python: `actae crashtest` as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from actae_client.testing.matrix import Matrix

_WAS_JUDGED = (0, 3)  # 3 says that an expectation does not hold; here the caller judges


class CrashtestError(Exception):
    """The test could not be run; the sentence says why."""


def crashtest(
    command: Sequence[str | os.PathLike[str]],
    *,
    providers: Iterable[str] = (),
    behaviours: Iterable[str] = (),
    policies: Iterable[str] = (),
    kill_at: Iterable[str] = (),
    starts: int | None = None,
    start_seconds: float | None = None,
    jobs: int | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Matrix:
    """Kill an agent at every boundary, against every kind of provider, and return what came of it.

    `command` starts the agent. The options are those of `actae crashtest`; what is empty or None is its
    default. `environment` is added to this process's own. Needs the extra `server`, and `embedded` unless
    PostgreSQL is installed. Raises CrashtestError when the test cannot be run; judging is left to the caller,
    `matrix.expect()` say.
    """
    options: list[str] = []
    for name, several in (
        ("provider", providers),
        ("behaviour", behaviours),
        ("policy", policies),
        ("kill-at", kill_at),
    ):
        for each in [several] if isinstance(several, str) else several:
            options += [f"--{name}", each]
    for name, one in (
        ("starts", starts),
        ("start-seconds", start_seconds),
        ("jobs", jobs),
        ("data-dir", None if data_dir is None else Path(data_dir)),
    ):
        options += [] if one is None else [f"--{name}", str(one)]
    ended = subprocess.run(  # noqa: S603 - our own interpreter, the caller's own command
        [
            sys.executable,
            "-m",
            "actae",
            "crashtest",
            "--json",
            *options,
            "--",
            *(os.fspath(word) for word in command),
        ],
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode not in _WAS_JUDGED:
        raise CrashtestError(ended.stderr.strip() or f"`actae crashtest` ended with {ended.returncode}")
    return Matrix.from_dict(json.loads(ended.stdout))
