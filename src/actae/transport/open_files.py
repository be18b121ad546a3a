"""How many connections the system lets this process keep."""

import resource
from contextlib import suppress
from typing import Final

_WANTED: Final = 65_536


def allow_many_open_files() -> None:
    """Raise the soft limit on open files as far as the hard one allows.

    Every reader is an open file. The soft limit is 1,024 on most systems for the sake of programs that call
    select(2), which cannot see more; event loops do not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # then with as many as it was given
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
