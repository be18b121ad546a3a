"""Write the blocking client, and its tests, from the asyncio ones.

    python tools/generate_sync.py            write every `_sync` folder anew
    python tools/generate_sync.py --check    only say what is stale; exit status 1 if anything is

The source is rewritten token by token: `async` and `await` fall away, `Coroutine[Any, Any, X]`
becomes `X`, and the names below are exchanged. Ruff then removes imports that are left over.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "src/actae_client",
    "src/actae_client/session",
    "src/actae_client/groups",
    "tests/client",
    "tests/client/session",
    "tests/client/groups",
)
BY_HAND = ("__init__.py", "_io.py", "conftest.py")

NAMES = {
    "_async": "_sync",
    "ActaeClient": "SyncActaeClient",
    "AgentSession": "SyncAgentSession",
    "SessionTransport": "SyncSessionTransport",
    "StateManager": "SyncStateManager",
    "GroupSession": "SyncGroupSession",
    "GroupMemberSession": "SyncGroupMemberSession",
    "GroupTransport": "SyncGroupTransport",
    "ClaimedMember": "SyncClaimedMember",
    "AiohttpTransport": "Urllib3Transport",
    "AsyncTransport": "SyncTransport",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
}

Edit = tuple[tuple[int, int], tuple[int, int], str]


def to_sync(source: str) -> str:
    """The blocking twin of an asyncio source."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    lines = source.splitlines(keepends=True)
    for start, end, text in sorted(_edits(tokens), reverse=True):
        row, column = start[0] - 1, start[1]
        assert start[0] == end[0], "what is exchanged stands on one line"
        lines[row] = lines[row][:column] + text + lines[row][end[1] :]
    return "".join(lines)


def _edits(tokens: list[tokenize.TokenInfo]) -> Iterator[Edit]:
    for index, token in enumerate(tokens):
        if token.type != tokenize.NAME:
            continue
        if token.string in ("async", "await"):
            yield token.start, tokens[index + 1].start, ""
        elif token.string == "Coroutine" and tokens[index + 1].string == "[":
            # Coroutine [ Any , Any , X ]
            yield token.start, tokens[index + 6].start, ""
            closing = _closing_bracket(tokens, index + 1)
            yield closing.start, closing.end, ""
        elif token.string in NAMES:
            yield token.start, token.end, NAMES[token.string]


def _closing_bracket(tokens: list[tokenize.TokenInfo], opening: int) -> tokenize.TokenInfo:
    depth = 0
    for token in tokens[opening:]:
        depth += (token.string == "[") - (token.string == "]")
        if depth == 0:
            return token
    raise AssertionError("the brackets of a Coroutine[…] do not match")


def _tidied(source: str, target: Path) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    quiet = ("--quiet", f"--stdin-filename={target}", "-")
    for command in ([*ruff, "check", "--select=F401,I", "--fix", *quiet], [*ruff, "format", *quiet]):
        source = subprocess.run(
            command, input=source, capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
    return source


def generated() -> Mapping[Path, str]:
    """Every generated file, and what it should hold."""
    wanted = {}
    for folder in FOLDERS:
        for source in sorted((ROOT / folder / "_async").glob("*.py")):
            if source.name not in BY_HAND:
                header = f"# Written by tools/generate_sync.py from _async/{source.name}. Do not edit.\n"
                target = ROOT / folder / "_sync" / source.name
                wanted[target] = header + _tidied(to_sync(source.read_text()), target)
    return wanted


def main() -> int:
    """Write what is stale, or say what is."""
    parser = argparse.ArgumentParser(description="Write the blocking client from the asyncio one.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything is stale")
    only_check = parser.parse_args().check
    wanted = generated()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    existing = {path for folder in FOLDERS for path in (ROOT / folder / "_sync").glob("*.py")}
    orphans = [path for path in existing - wanted.keys() if path.name not in BY_HAND]
    for path in (*stale, *orphans):
        print(f"{'stale' if only_check else 'written'}: {path.relative_to(ROOT)}")
    if not only_check:
        for path in orphans:
            path.unlink()
        for path in stale:
            path.write_text(wanted[path])
    return int(only_check and bool(stale or orphans))


if __name__ == "__main__":
    sys.exit(main())
