"""Facts worth watching. A fact is a type; the log and the metrics each decide what to make of it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatchCommitted:
    """A batch of writes was committed."""

    asks: int
    events: int
    seconds: float
    waiting: int


@dataclass(frozen=True, slots=True)
class RaceLost:
    """Another server moved a head between read and write; the batch is decided again."""

    asks: int
    losses: int


@dataclass(frozen=True, slots=True)
class BatchIsolated:
    """A batch failed for an unexpected reason; its asks now run alone."""

    asks: int
    error: str


@dataclass(frozen=True, slots=True)
class AskPoisoned:
    """One ask fails whenever it runs."""

    ask: str
    channel_id: str
    error: str


@dataclass(frozen=True, slots=True)
class DatabaseLost:
    """The writer's connection is gone."""

    error: str
    write_was_under_way: bool


@dataclass(frozen=True, slots=True)
class DatabaseFull:
    """The database had no room for a batch: no disk, say. Nothing of it was written, and its callers know."""

    error: str


@dataclass(frozen=True, slots=True)
class LeaseTakenOver:
    """An operation was handed to a new owner."""

    execution_id: str
    attempts: int


@dataclass(frozen=True, slots=True)
class StaleOwnerRefused:
    """A claim token that no longer owns its operation was refused."""

    execution_id: str
    call: str


@dataclass(frozen=True, slots=True)
class WakeupFired:
    """A wake-up has become an event."""

    wakeup_id: str
    attempts: int


@dataclass(frozen=True, slots=True)
class WakeupPutOff:
    """A wake-up could not be fired, and is tried again later."""

    wakeup_id: str
    attempts: int
    delay_seconds: float
    error: BaseException


@dataclass(frozen=True, slots=True)
class WakeupFailed:
    """A wake-up was given up: it will not fire."""

    wakeup_id: str
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class WakeupsDeferred:
    """A channel could not be had for the moment; what it has due is put off, and counted against nobody."""

    channel_id: str
    delay_seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class SweepInterrupted:
    """The database was away when due wake-ups were looked for; told once, until it is back."""

    reason: str


@dataclass(frozen=True, slots=True)
class SweepFailed:
    """A defect ended a sweep, for due wake-ups or of guards; told once, until one succeeds again."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class ChannelRemoved:
    """A channel was past its retention policy, and what it held is removed."""

    channel_id: str
    pattern: str
    events: int


@dataclass(frozen=True, slots=True)
class RetentionSwept:
    """A sweep for channels that are past their policy came to its end."""

    removed: int
    kept: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RemovalFailed:
    """A channel that is past its policy could not be removed. Others are, and the next sweep tries again."""

    channel_id: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class RetentionInterrupted:
    """The database was away when a sweep for retention was due; told once, until it is back."""

    reason: str


@dataclass(frozen=True, slots=True)
class RetentionFailed:
    """A defect ended a sweep for retention; told once, until one succeeds again."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """A defect of the server met a request."""

    request_id: str
    method: str
    path: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class TailFailed:
    """A defect met the live tail. It goes on; the readers concerned come back with their cursors."""

    part: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class HintsLost:
    """The line over which servers tell each other of new events is down; until it is back, they poll."""

    error: str


@dataclass(frozen=True, slots=True)
class ServerStarted:
    """Requests are accepted from now on."""

    url: str
    database: str


@dataclass(frozen=True, slots=True)
class ServerStopping:
    """No new requests; what was accepted is finished."""

    accepted: int


@dataclass(frozen=True, slots=True)
class EmbeddedEnded:
    """The embedded PostgreSQL has ended without being asked; it is started again."""

    exit_status: int


@dataclass(frozen=True, slots=True)
class EmbeddedRestartFailed:
    """The embedded PostgreSQL could not be started again; that is tried once more after the delay."""

    error: BaseException
    delay_seconds: float


@dataclass(frozen=True, slots=True)
class EmbeddedRestarted:
    """The embedded PostgreSQL had ended and was started again."""

    exit_status: int


Observation = (
    BatchCommitted
    | RaceLost
    | BatchIsolated
    | AskPoisoned
    | DatabaseLost
    | DatabaseFull
    | LeaseTakenOver
    | StaleOwnerRefused
    | WakeupFired
    | WakeupPutOff
    | WakeupFailed
    | WakeupsDeferred
    | SweepInterrupted
    | SweepFailed
    | ChannelRemoved
    | RetentionSwept
    | RemovalFailed
    | RetentionInterrupted
    | RetentionFailed
    | RequestFailed
    | TailFailed
    | HintsLost
    | ServerStarted
    | ServerStopping
    | EmbeddedEnded
    | EmbeddedRestartFailed
    | EmbeddedRestarted
)

Observer = Callable[[Observation], None]


class Observations:
    """Passes each fact on to everybody who asked for it."""

    def __init__(self) -> None:
        self._observers: tuple[Observer, ...] = ()

    def subscribe(self, observer: Observer) -> None:
        """From now on, the observer is told of every fact."""
        self._observers = (*self._observers, observer)

    def __call__(self, fact: Observation) -> None:
        """Tell everybody."""
        for observer in self._observers:
            observer(fact)
