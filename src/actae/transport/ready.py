"""What is told once a server accepts requests."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from actae import __version__


@dataclass(frozen=True, kw_only=True)
class Ready:
    """What a caller needs to know of a server that accepts requests."""

    url: str
    api_key: str | None  # the development key, or a first key that was made just now; shown once
    database_url: str
    data_dir: str | None
    pid: int
    version: str = __version__

    @classmethod
    def from_json(cls, told: bytes) -> Self:
        """What another process told."""
        return cls(**json.loads(told))

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    def write(self, path: Path) -> None:
        """Write it as JSON, whole or not at all, readable by the owner only: it may hold a key."""
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(self.to_json())
        draft.replace(path)
