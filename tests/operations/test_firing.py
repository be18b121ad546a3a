"""Due wakeups under contention and in trouble: each fires once, or is given up for a reason of its own."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from actae.domain.errors import ActaeError, IdempotencyConflictError, UnavailableError, WakeupNotPendingError
from actae.domain.events import Event
from actae.domain.fingerprint import content_digest
from actae.domain.identity import identify
from actae.domain.wakeups import RETRY_DELAYS, DueWakeup, Wakeup
from actae.observations import WakeupFailed, WakeupFired, WakeupPutOff, WakeupsDeferred
from actae.operations import channels, deletion, firing, wakeups
from actae.operations.events import replay
from actae.operations.wakeups import ScheduleWakeup
from actae.operations.writer import Writer
from actae.store.database import Database
from tests.support import asks
from tests.support.postgres import Clock
from tests.support.verified import assert_whole
from tests.support.writers import Facts, writing

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
