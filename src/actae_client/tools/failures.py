"""An exception as text that any server and any reader can take."""

from __future__ import annotations

import contextlib
import traceback
from dataclasses import dataclass

_MESSAGE_CHARACTERS_MAX = 4_000
_STACK_CHARACTERS_MAX = 16_000


@dataclass(frozen=True, slots=True)
class Failure:
    """What is recorded of an exception: its message, its class and its traceback."""

    message: str
    error_type: str
    stack: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Read an exception; one that cannot even be printed is named by its class."""
        kind = type(error).__qualname__
        return cls(
            message=shortened(message_of(error) or kind, _MESSAGE_CHARACTERS_MAX),
            error_type=kind,
            stack=shortened(_stack(error), _STACK_CHARACTERS_MAX),
        )


def annotate(error: BaseException, note: str) -> None:
    """Add a note to somebody else's exception; one that takes none goes without."""
    with contextlib.suppress(Exception):
        error.add_note(note)


def shortened(text: str, characters_max: int) -> str:
    """The text without NULs and lone surrogates, its middle cut out where it is too long."""
    clean = text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
    if len(clean) <= characters_max:
        return clean
    mark = f" … {len(clean) - characters_max} characters cut … "
    head = (characters_max - len(mark)) // 2
    tail = characters_max - len(mark) - head
    return f"{clean[:head]}{mark}{clean[-tail:]}"


def message_of(error: BaseException) -> str:
    """What the exception says."""
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__qualname__} without a message>"


def _stack(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except Exception:
        return ""
