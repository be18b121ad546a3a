"""An environment of its own for the client that is published on PyPI, to measure it beside ours."""

from __future__ import annotations

import shutil
import subprocess
import venv

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.folders import cache_folder

VERSION = "1.3"


def published_client_python() -> str:
    """The interpreter of that environment, which is made the first time and then kept.

    Raises:
        BenchmarkError: the package cannot be had, most often because no registry can be reached.
    """
    environment = cache_folder() / f"actae-client-{VERSION}"
    python = environment / "bin" / "python"
    if python.exists():
        return str(python)
    unfinished = environment.with_suffix(".unfinished")
    venv.create(unfinished, with_pip=True, clear=True)
    install = [str(unfinished / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    # With uvloop, because ours is measured with it too.
    done = subprocess.run([*install, f"actae-client=={VERSION}.*", "uvloop"], capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(unfinished)
        raise BenchmarkError(f"actae-client {VERSION} could not be installed: {done.stderr.strip()[-300:]}")
    unfinished.rename(environment)
    return str(python)
