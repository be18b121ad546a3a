"""An environment that holds the published client and what it needs, and nothing of ours."""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PACKAGE: Final = "actae-client"
VERSION: Final = "1.3.0"
CONSTRAINTS: Final = Path(__file__).parents[3] / "constraints.txt"

_INSTALL_SECONDS = 90


def published_python(cache: Path | None = None) -> Path:
    """The interpreter of the environment, which is made when it is first wanted and kept.

    Raises:
        AssertionError: it could not be made; the sentence says why.
    """
    kept = (cache or cache_folder()) / f"{PACKAGE}-{VERSION}-python-{platform.python_version()}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    python, complete = kept / "bin" / "python", kept / "complete"
    # Several test processes may want it at once; the first makes it for all.
    with _locked(kept.with_name(f"{kept.name}.lock")):
        if not (complete.exists() and python.exists()):
            shutil.rmtree(kept, ignore_errors=True)
            _make(kept, python)
            complete.touch()
    return python


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where such environments are kept."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "actae-tests"


def _make(kept: Path, python: Path) -> None:
    uv = shutil.which("uv")
    if uv is not None:
        _run(uv, "venv", "--quiet", "--python", sys.executable, str(kept))
        installer = [uv, "pip", "install", "--python", str(python)]
    else:
        _run(sys.executable, "-m", "venv", "--without-pip", str(kept))
        quickly = ["--disable-pip-version-check", "--no-input", "--retries", "1"]
        installer = [sys.executable, "-m", "pip", "--python", str(python), "install", *quickly]
    _run(*installer, "--quiet", "--constraint", str(CONSTRAINTS), f"{PACKAGE}=={VERSION}")


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise AssertionError(_complaint(f"{command[0]} took longer than {_INSTALL_SECONDS} s.")) from None
    assert done.returncode == 0, _complaint(done.stderr.strip() or done.stdout.strip())


def _complaint(why: str) -> str:
    return (
        f"The published client {PACKAGE} {VERSION} could not be installed, and these tests are about it. "
        f"They need a package registry once; afterwards the environment is kept in {cache_folder()}. "
        f"The installer said:\n{why}"
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
