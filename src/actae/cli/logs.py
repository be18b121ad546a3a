"""The log: each fact one line on standard error, as JSON for machines or as text for people.

A fact carries its name and its values, never a sentence.
"""

import logging
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import msgspec

from actae.cli.facts import DatabaseUnreachable, VariableIgnored, WorkerEnded
from actae.cli.masking import mask_secrets
from actae.cli.printable import printable
from actae.observations import (
    AskPoisoned,
    BatchCommitted,
    BatchIsolated,
    DatabaseFull,
    DatabaseLost,
    EmbeddedRestarted,
    HintsLost,
    RaceLost,
    RemovalFailed,
    RequestFailed,
    RetentionFailed,
    RetentionInterrupted,
    SweepFailed,
    SweepInterrupted,
    TailFailed,
    WakeupFailed,
    WakeupFired,
    WakeupPutOff,
    WakeupsDeferred,
)
from actae.settings import LOG_LEVELS, Settings

_LEVEL_OF: Final[Mapping[type, str]] = {
    BatchCommitted: "debug",
    RaceLost: "debug",
    WakeupFired: "debug",
    BatchIsolated: "warning",
    DatabaseLost: "warning",
    DatabaseUnreachable: "warning",
    EmbeddedRestarted: "warning",
    SweepInterrupted: "warning",
    RemovalFailed: "warning",
    RetentionInterrupted: "warning",
    HintsLost: "warning",
    VariableIgnored: "warning",
    WakeupFailed: "warning",
    WakeupPutOff: "warning",
    WakeupsDeferred: "warning",
    WorkerEnded: "warning",
    AskPoisoned: "error",
    DatabaseFull: "error",
    RequestFailed: "error",
    RetentionFailed: "error",
    SweepFailed: "error",
    TailFailed: "error",
}

Log = Callable[[object], None]  # takes any fact: a frozen dataclass
Write = Callable[[str, str, Mapping[str, object]], None]


def log_facts(settings: Settings, stream: TextIO) -> Log:
    """Writes facts from the chosen level on, and what other libraries log from warning on in the same way."""
    write = _writer(settings.log_format, stream)
    wanted = frozenset(LOG_LEVELS[LOG_LEVELS.index(settings.log_level) :])

    def log(fact: object) -> None:
        level = _LEVEL_OF.get(type(fact), "info")
        if level in wanted:
            write(level, _name(type(fact)), _values(fact))

    logging.basicConfig(handlers=[_FromLibraries(write, log)], level=logging.WARNING, force=True)
    return log


def _writer(form: str, stream: TextIO) -> Write:
    if form == "auto":
        form = "text" if stream.isatty() else "json"
    line = {"json": _json_line, "text": _text_line}[form]

    def write(level: str, name: str, values: Mapping[str, object]) -> None:
        try:
            stream.write(line(datetime.now(UTC), level, name, values))
            stream.flush()
        except (OSError, ValueError):
            pass  # nobody reads any more; the server goes on

    return write


def _json_line(now: datetime, level: str, name: str, values: Mapping[str, object]) -> str:
    return msgspec.json.encode({"timestamp": now, "level": level, "event": name, **values}).decode() + "\n"


def _text_line(now: datetime, level: str, name: str, values: Mapping[str, object]) -> str:
    trace = values.get("traceback")
    told = " ".join(f"{key}={_shown(value)}" for key, value in values.items() if key != "traceback")
    line = f"{now:%H:%M:%S}.{now.microsecond // 1000:03} {level:7} {name} {told}".rstrip()
    return f"{line}\n{trace}\n" if trace else f"{line}\n"


def _shown(value: object) -> str:
    text = str(value)
    return msgspec.json.encode(text).decode() if not text or set(text) & set(' "\n=') else printable(text)


def _name(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def _values(fact: Any) -> dict[str, object]:
    values: dict[str, object] = {}
    for each in fields(fact):
        value = getattr(fact, each.name)
        if isinstance(value, BaseException):
            values[each.name] = mask_secrets(f"{type(value).__name__}: {value}")
            values["traceback"] = mask_secrets("".join(traceback.format_exception(value)).rstrip())
        else:
            values[each.name] = mask_secrets(value) if isinstance(value, str) else value
    return values


class _FromLibraries(logging.Handler):
    """Takes what the standard library's logging is told, so that the log has one form."""

    def __init__(self, write: Write, log: Log) -> None:
        super().__init__()
        self._write = write
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        error = record.exc_info[1] if record.exc_info else None
        if record.name == "asyncpg.pool" and error is not None:
            # Where the pool was when its server went away helps nobody.
            self._log(DatabaseUnreachable(f"{type(error).__name__}: {error}"))
            return
        level = "error" if record.levelno >= logging.ERROR else "warning"
        values: dict[str, object] = {"logger": record.name, "message": mask_secrets(record.getMessage())}
        if error is not None:
            values["traceback"] = mask_secrets("".join(traceback.format_exception(error)).rstrip())
        self._write(level, "library_message", values)
