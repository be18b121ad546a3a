"""What the routes work with. `server.py` builds it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from actae.observations import Observations
from actae.operations.runs import RunList
from actae.operations.tail import Tail
from actae.operations.writer import Writer
from actae.settings import Settings
from actae.store.database import Database
from actae.transport.auth import Authenticator
from actae.transport.live.readers import Readers
from actae.transport.monitor import Monitor
from actae.transport.rate_limits import RateLimiter


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts of one server process that requests use."""

    settings: Settings
    db: Database
    writer: Writer
    authenticator: Authenticator
    rate_limiter: RateLimiter | None
    observe: Observations
    monitor: Monitor
    tail: Tail
    runs: RunList
    readers: Readers
    stopping: asyncio.Event  # set when the server begins to leave: responses that go on end
    instance_id: str
    secret: bytes  # from which tokens are derived; the same on all servers of a database
    started_at: datetime
    url: str
