"""The model's consumer groups: sets of cursors, written from the protocol as well."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.model import Channel, Expected, refusal
from tests.support.names import ANYTHING


@dataclass
class Worker:
    """One consumer."""

    last_cursor: int = 0
    highest_handed: int = 0
    lease_until: int = 0


@dataclass
class Progress:
    """What one group has done, and who has what."""

    workers: dict[str, Worker] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    held: dict[int, str] = field(default_factory=dict)


class ConsumerGroup:
    """One group. `now` counts whole seconds; the real clock is moved along with it."""

    def __init__(self, group_id: str, channel: Channel) -> None:
        self.id = group_id
        self.channel = channel
        self.now = 0
        self._progress: Progress | None = None

    def create(self) -> Expected:
        """POST /groups: one that is there is the answer."""
        if self.channel.lifecycle == "deleted":
            return refusal(409, "channel_deleted")
        if self._progress is None:
            self._progress = Progress()
        return Expected(200, self._shown(self._progress))

    def listed(self) -> Expected:
        """GET /groups"""
        groups = [] if self._progress is None else [self._shown(self._progress)]
        return Expected(200, {"groups": groups, "has_more": False})

    def delete(self) -> Expected:
        """DELETE /groups/{group_id}"""
        if self._progress is None:
            return refusal(404, "group_not_found")
        self._progress = None
        return Expected(200, {"group_id": self.id, "status": "deleted"})

    def forget(self) -> None:
        """The channel was deleted."""
        self._progress = None

    def join(self, name: str, lease_seconds: int) -> Expected:
        """POST …/join"""
        progress = self._current()
        if progress is None:
            return self._refused()
        worker = progress.workers.setdefault(name, Worker())
        worker.lease_until = self.now + lease_seconds
        return Expected(200, {**self._offset(progress, name), "group_created_at": ANYTHING})

    def work(self, name: str, limit: int) -> Expected:
        """POST …/work: what it has in hand, or else the lowest free ones."""
        progress = self._working(name)
        if progress is None:
            return self._refused()
        cursors = sorted(cursor for cursor, holder in progress.held.items() if holder == name)[:limit]
        if not cursors:
            taken = progress.done | progress.held.keys()
            every = range(1, len(self.channel.log) + 1)
            cursors = [cursor for cursor in every if cursor not in taken][:limit]
            progress.held.update(dict.fromkeys(cursors, name))
            worker = progress.workers[name]
            worker.highest_handed = max([worker.highest_handed, *cursors])
        events = [self.channel.log[cursor - 1] for cursor in cursors]
        body = {"group_id": self.id, "consumer_id": name, "lease_until": ANYTHING, "events": events}
        is_all_done = len(progress.done) == len(self.channel.log)
        return Expected(200, {**body, "is_finished": is_all_done and self.channel.lifecycle == "closed"})

    def ack(self, name: str, cursor: int) -> Expected:
        """POST …/ack: a watermark over what it has in hand."""
        progress = self._working(name)
        if progress is None:
            return self._refused()
        worker = progress.workers[name]
        if cursor > worker.highest_handed:
            return refusal(400, "invalid_request", field="cursor")
        finished = {at for at, holder in progress.held.items() if holder == name and at <= cursor}
        progress.done |= finished
        for at in finished:
            del progress.held[at]
        worker.last_cursor = max(worker.last_cursor, cursor)
        body = {
            "group_id": self.id,
            "consumer_id": name,
            "last_cursor": worker.last_cursor,
            "acked_count": len(finished),
            "status": "acked",
        }
        return Expected(200, body)

    def heartbeat(self, name: str, lease_seconds: int) -> Expected:
        """POST …/heartbeat: a lapsed lease is not revived."""
        progress = self._working(name)
        if progress is None:
            return self._refused()
        progress.workers[name].lease_until = self.now + lease_seconds
        kept = {"group_id": self.id, "consumer_id": name, "lease_until": ANYTHING, "status": "extended"}
        return Expected(200, kept)

    def offsets(self) -> Expected:
        """GET …/offsets"""
        progress = self._current()
        if progress is None:
            return refusal(404, "group_not_found")
        offsets = [self._offset(progress, name) for name in sorted(progress.workers)]
        return Expected(200, {"offsets": offsets, "has_more": False})

    def _current(self) -> Progress | None:
        """Without what lapsed consumers have in hand."""
        progress = self._progress
        if progress is not None:
            held, workers = progress.held, progress.workers
            progress.held = {at: name for at, name in held.items() if self.now < workers[name].lease_until}
        return progress

    def _working(self, name: str) -> Progress | None:
        progress = self._current()
        if progress is None or name not in progress.workers:
            return None
        return progress if self.now < progress.workers[name].lease_until else None

    def _refused(self) -> Expected:
        return refusal(409, "consumer_not_found")

    def _offset(self, progress: Progress, name: str) -> dict[str, Any]:
        worker = progress.workers[name]
        held = [cursor for cursor, holder in progress.held.items() if holder == name]
        return {
            "group_id": self.id,
            "consumer_id": name,
            "last_cursor": worker.last_cursor,
            "claimed_cursor": max(held, default=worker.last_cursor),
            "updated_at": ANYTHING,
            "lease_until": ANYTHING,
        }

    def _shown(self, progress: Progress) -> dict[str, Any]:
        watermark = 0
        while watermark + 1 in progress.done:
            watermark += 1
        return {
            "group_id": self.id,
            "channel_id": self.channel.id,
            "created_at": ANYTHING,
            "metadata": None,
            "watermark": watermark,
            "latest_cursor": len(self.channel.log),
        }
