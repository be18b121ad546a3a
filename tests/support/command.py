"""How a command of the command line ended."""

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple


class Ran(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output, as one document."""
        assert self.code == 0, self
        return json.loads(self.out)

    def json_lines(self) -> list[Any]:
        """Standard output, as a document a line."""
        assert self.code == 0, self
        return [json.loads(line) for line in self.out.splitlines()]


Command = Callable[..., Ran]


def environment(**variables: str) -> dict[str, str]:
    """Ours, without settings that happen to be there, and with these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ACTAE_")}
    return {**inherited, **variables}
