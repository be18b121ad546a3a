"""The live tail: every committed event, told once and in order to whoever follows its channel."""

from actae.operations.tail.follower import Follower, ReaderGone, Sink
from actae.operations.tail.log import DatabaseLog, Log
from actae.operations.tail.tail import Tail
from actae.operations.tail.told import Encode, Run, Told

__all__ = ["DatabaseLog", "Encode", "Follower", "Log", "ReaderGone", "Run", "Sink", "Tail", "Told"]
