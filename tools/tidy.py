"""Checks the tree's own habits: no dead module, no dead link, no machine's path, no overgrown file."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES_MAX = 500

# Built up from pieces, so that this file does not match itself.
UNWANTED = {
    "a path of one machine": re.compile("|".join(("/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/"))),
    "a note to self": re.compile("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X"))),
    "a registry's host": re.compile(
        "|".join(("pypi" + r"\.org", "python" + "hosted", "registry" + r"\.npmjs"))
    ),
}
UNREAD = {"LICENSE", "constraints.txt"}


def tracked() -> list[Path]:
    """Every file that git knows, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def unwanted_words(files: list[Path]) -> Iterator[str]:
    """What belongs to a machine or to a moment, not to the product."""
    for file in files:
        if file.name in UNREAD:
            continue
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for what, pattern in UNWANTED.items():
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{file.relative_to(ROOT)}:{line}: {what}: {found[0]}"


def overgrown(files: list[Path]) -> Iterator[str]:
    """A file this long has a second idea in it."""
    for file in files:
        if file.suffix == ".py" and (count := len(file.read_text("utf-8").splitlines())) > LINES_MAX:
            yield f"{file.relative_to(ROOT)}: {count} lines; {LINES_MAX} is the most"


def dead_modules(files: list[Path]) -> Iterator[str]:
    """A module that nobody imports."""
    sources = [file for file in files if file.suffix == ".py"]
    imported = "\n".join(
        line
        for file in sources
        for line in file.read_text("utf-8").splitlines()
        if "import" in line or line.startswith((" ", ")"))
    )
    for file in sources:
        if ROOT / "src" not in file.parents or file.name in {"__init__.py", "__main__.py"}:
            continue
        if not re.search(rf"\b{re.escape(file.stem)}\b", imported):
            yield f"{file.relative_to(ROOT)}: nobody imports it"


def dead_links(files: list[Path]) -> Iterator[str]:
    """A link in a page to a file that is not there."""
    for file in files:
        if file.suffix != ".md":
            continue
        text = re.sub(r"```.*?```", "", file.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (file.parent / target).exists():
                yield f"{file.relative_to(ROOT)}: no such page: {target}"


def main() -> int:
    """Print what is untidy; the exit code says whether anything is."""
    files = tracked()
    complaints = [
        complaint
        for check in (unwanted_words, overgrown, dead_modules, dead_links)
        for complaint in check(files)
    ]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
