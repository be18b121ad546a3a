"""Environments that hold a model and what runs it, and nothing of ours."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from evidence.failures import EvidenceError

PINS: Final = Path(__file__).parent
Tell = Callable[[str], None]

_INSTALL_SECONDS = 1_800  # llama-cpp-python is compiled
_COMPLAINT_LINES_MAX = 15


def python_of(pins: str, tell: Tell) -> Path:
    """The interpreter of the environment that `pins` describes; made when it is first wanted, and kept.

    The file lists each package with its version, and everything that they need: what is not listed is
    not installed, whatever a package asks for. Raises `EvidenceError` when it cannot be made.
    """
    wanted = PINS / f"{pins}.txt"
    digest = hashlib.sha256(wanted.read_bytes()).hexdigest()[:12]
    kept = cache_folder() / f"{pins}-{digest}-python-{platform.python_version()}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    python, complete = kept / "bin" / "python", kept / "complete"
    with _locked(kept.with_name(f"{kept.name}.lock")):
        if not (complete.exists() and python.exists()):
            tell(f"Installing what {wanted.name} lists; kept in {kept.parent}.")
            shutil.rmtree(kept, ignore_errors=True)
            _make(kept, python, wanted)
            complete.touch()
    return python


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where such environments are kept."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "actae-evidence"


def package_folder(python: Path, package: str) -> Path:
    """Where a package of the environment is. It is not imported."""
    folders = list(python.parent.parent.glob(f"lib/python*/site-packages/{package}"))
    if not folders:
        raise EvidenceError(f"{package} is not in {python.parent.parent}. Remove that folder and try again.")
    return folders[0]


def _make(kept: Path, python: Path, pins: Path) -> None:
    _run(sys.executable, "-m", "venv", str(kept))
    quietly = ("--quiet", "--disable-pip-version-check", "--no-input")
    _run(str(python), "-m", "pip", "install", *quietly, "--no-deps", "--requirement", str(pins))


def _run(*command: str) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
            command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise EvidenceError(f"{' '.join(command)} took longer than {_INSTALL_SECONDS} s.") from None
    if done.returncode != 0:
        last = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-_COMPLAINT_LINES_MAX:])
        raise EvidenceError(f"{' '.join(command)} failed. It said:\n{last}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Several runs may want one environment at once; the first makes it for all."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
