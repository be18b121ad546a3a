"""What was not caused by anything after a cut: the boundaries of a forked group.

The channel of the intervention is cut where the caller says. A message that was sent behind a cut must not
have arrived in front of one, so its recipient is cut just before it came; what that recipient sent afterwards
taints others in turn, until nothing changes any more. Each channel keeps as much as it can: cuts only ever
move as far as a message forces them to, so the result does not depend on the order of looking.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from actae.domain.group_messages import MessagePlace


def find_cuts(
    heads: Mapping[str, int], messages: Iterable[MessagePlace], channel_id: str, cursor: int
) -> dict[str, int]:
    """The last cursor of each channel that does not depend on anything behind `cursor` of `channel_id`.

    `heads` are the newest cursors of all channels that take part; messages from or to others are ignored.
    """
    cuts = {**heads, channel_id: min(cursor, heads[channel_id])}
    sent_by: defaultdict[str, list[MessagePlace]] = defaultdict(list)
    for message in messages:
        if message.source_channel_id in cuts and message.channel_id in cuts:
            sent_by[message.source_channel_id].append(message)
    moved = [channel_id]
    while moved:
        source = moved.pop()
        for message in sent_by[source]:
            if message.source_cursor > cuts[source] and message.cursor <= cuts[message.channel_id]:
                cuts[message.channel_id] = message.cursor - 1
                moved.append(message.channel_id)
    return cuts


def find_undelivered(cuts: Mapping[str, int], messages: Iterable[MessagePlace]) -> list[MessagePlace]:
    """Messages that were on their way at the cuts: their senders remember them, their recipients do not."""
    return [
        message
        for message in messages
        if message.source_channel_id in cuts
        and message.channel_id in cuts
        and message.source_cursor <= cuts[message.source_channel_id]
        and message.cursor > cuts[message.channel_id]
    ]
