"""Tell whether the built console belongs to its sources, without Node.

python tools/console_digest.py            write the digests beside the built files; `make console` does
python tools/console_digest.py --check    only say what is stale; exit status 1 if anything is
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("src/**/*", "public/**/*", "index.html", "package*.json", "tsconfig*.json", "vite.config.*")
DIGESTS = "digests.json"


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    console, built = asked.root / "console", asked.root / "src/actae/transport/console/static"
    if not asked.check:
        found = {"sources": digest_sources(console), "built": digest_built(built)}
        (built / DIGESTS).write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        return 0
    complaints = list(complain(console, built))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def complain(console: Path, built: Path) -> Iterator[str]:
    """What does not fit together, and what to do about it."""
    if not console.is_dir():
        return
    lock = console / "package-lock.json"
    if lock.is_file() and names_registries(json.loads(lock.read_text("utf-8"))):
        yield (
            "console/package-lock.json names the registry of one machine in `resolved`: "
            "run `npm install --omit-lockfile-registry-resolved` in console/"
        )
    if not (built / DIGESTS).is_file():
        yield "the console is not built: run `make console`, and commit what it writes"
        return
    written = json.loads((built / DIGESTS).read_text("utf-8"))
    if written["sources"] != digest_sources(console):
        yield "the built console is older than its sources: run `make console`, and commit what it writes"
    if written["built"] != digest_built(built):
        yield (
            f"the files in {built.name}/ are not those that the last build wrote: run `make console`, "
            "and commit all of them"
        )


def digest_sources(console: Path) -> str:
    """Of everything that a build reads; the same whatever ends the lines."""
    found = {file for pattern in SOURCES for file in console.glob(pattern) if file.is_file()}
    return digest(console, found)


def digest_built(built: Path) -> str:
    """Of everything that a build writes."""
    return digest(built, (file for file in built.rglob("*") if file.is_file() and file.name != DIGESTS))


def digest(root: Path, found: Iterable[Path]) -> str:
    """SHA-256 over paths and contents, in the order of the paths."""
    whole = hashlib.sha256()
    for name, file in sorted((file.relative_to(root).as_posix(), file) for file in found):
        content = hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        whole.update(f"{content}  {name}\n".encode())
    return whole.hexdigest()


def names_registries(lock: Any) -> bool:
    """Whether a package of a lock file says where it was loaded from."""
    packages = lock.get("packages", {}).values()
    return any("resolved" in package for package in packages if not package.get("link"))


if __name__ == "__main__":
    sys.exit(main())
