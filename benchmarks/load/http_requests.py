"""The requests that the HTTP load sends, as bytes, and what it reads from the answers."""

from __future__ import annotations

from benchmarks.load.broadcast import timed
from benchmarks.load.workload import LEASE_SECONDS, PARAMS, RESULT, STATE, TOOL_NAME


class Requests:
    """Builds complete HTTP/1.1 requests for one server."""

    def __init__(self, host: str, api_key: str, *, fork_cursor: int = 0) -> None:
        self._fork_cursor = fork_cursor
        self._head = (
            f"HTTP/1.1\r\nhost: {host}\r\nx-api-key: {api_key}\r\ncontent-type: application/json\r\n"
            "content-length:"
        )

    def _post(self, path: str, body: str) -> bytes:
        return f"POST {path} {self._head} {len(body)}\r\n\r\n{body}".encode("ascii")

    def claim(self, channel: str, key: str, *, terms: str = "") -> bytes:
        """`terms` are more fields, with their commas."""
        return self._post(
            "/api/v1/executions/claim",
            f'{{"channel_id":"{channel}","key_name":"{key}","tool_name":"{TOOL_NAME}","params":{PARAMS},'
            f'"lease_seconds":{LEASE_SECONDS}{terms}}}',
        )

    def dispatched(self, claimed: bytes) -> bytes:
        """The mark that belongs to the body of the answer to a claim."""
        return self._post(
            f"/api/v1/executions/{string_field(claimed, 'id')}/dispatched",
            f'{{"claim_token":"{string_field(claimed, "claim_token")}"}}',
        )

    def complete(self, claimed: bytes) -> bytes:
        """The complete that belongs to the body of the answer to a claim."""
        return self._post(
            f"/api/v1/executions/{string_field(claimed, 'id')}/complete",
            f'{{"claim_token":"{string_field(claimed, "claim_token")}","result":{RESULT}}}',
        )

    def transition(self, channel: str, operation_id: str) -> bytes:
        return self._post(
            "/api/v1/events/transition",
            f'{{"channel_id":"{channel}","type":"step.finished","payload":{PARAMS},"state":{STATE},'
            f'"metadata":{{"actor":"benchmark"}},"operation_id":"{operation_id}"}}',
        )

    def record(self, channel: str, moment: int) -> bytes:
        """An event that carries a moment."""
        return self._post(
            "/api/v1/events/record",
            f'{{"channel_id":"{channel}","event_type":"step.finished","payload":{timed(moment)},'
            f'"metadata":{{"actor":"benchmark"}}}}',
        )

    def fork(self, channel: str, name: str) -> bytes:
        return self._post(
            "/api/v1/channels/fork",
            f'{{"source_channel_id":"{channel}","new_channel_id":"{channel}.{name}","operation_id":"{name}",'
            f'"at_cursor":{self._fork_cursor}}}',
        )


def string_field(body: bytes, name: str) -> str:
    """The first string called `name` in compact JSON, found without decoding the rest.

    Raises:
        LookupError: there is none, or it is null.
    """
    opening = f'"{name}":"'.encode()
    start = body.find(opening)
    if start < 0:
        raise LookupError(f"no string {name!r} in {body[:400]!r}")
    start += len(opening)
    return body[start : body.index(b'"', start)].decode("ascii")
