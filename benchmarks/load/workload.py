"""What every load program writes: the same names and values, so that subjects differ in nothing else.

Only the standard library: the published client's environment runs this too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

PARAMS = '{"invoice":"inv-2048","amount":"149.90","currency":"EUR","memo":"monthly subscription"}'
RESULT = '{"charge":"ch_3PqvXk2eZvKYlo2C","status":"succeeded"}'
STATE = '{"step":"charged","balance":"149.90","history":["created","approved","charged"]}'
TOOL_NAME = "charge_customer"
LEASE_SECONDS = 60
INHERITED_KEY = "inherited-0001"  # What an ancestor has completed under this key, its forks replay.


def channel_name(prefix: str, number: int) -> str:
    return f"{prefix}-{number:04d}"


def names(run: str, caller: int, *, channel_prefix: str, channel_count: int) -> Iterator[tuple[str, str]]:
    """Pairs of a channel and a key that nobody else uses, for ever.

    Every caller visits all channels in turn and starts at another one.
    """
    channels = [
        channel_name(channel_prefix, (caller + number) % channel_count) for number in range(channel_count)
    ]
    for number, channel in enumerate(itertools.cycle(channels)):
        yield channel, f"{run}-{caller:04d}-{number:08d}"
