"""Identifiers that come out the same wherever and whenever they are made.

They are shared with the clients in other languages: the derivations are a contract.
"""

from __future__ import annotations

import hashlib
import re
from uuid import UUID

from actae_client._calls.channel_ids import is_channel_id
from actae_client._canonical import canonical_json
from actae_client._types.json import Json

_NAMESPACE = UUID("3f74e5f1-9b2c-4a7e-8f1d-000000000001")
_NAME_BYTES_MAX = 256
_PART_CHARACTERS_MAX = 80

_NOT_IN_CHANNEL_IDS = re.compile(r"[^A-Za-z0-9._:-]+")


def deterministic_operation_key(scope: str, action: str, *identity: object) -> str:
    """The operation id of an action on a thing: the UUID, version 5, of all parts joined by NUL.

    None counts as the empty string, other parts as their `str()`. Only the first 256 bytes of
    the joined name count: identities that first differ after them get the same id.

    Raises ValueError when scope or action is not a non-empty str.
    """
    if not (isinstance(scope, str) and scope and isinstance(action, str) and action):
        raise ValueError("scope and action must be str that are not empty")
    parts = (scope, action, *("" if part is None else str(part) for part in identity))
    # A lone surrogate has no UTF-8, and must not make an identity impossible.
    name = "\0".join(parts).encode("utf-8", "surrogatepass")[:_NAME_BYTES_MAX]
    digest = hashlib.sha1(_NAMESPACE.bytes + name, usedforsecurity=False).digest()
    return str(UUID(bytes=digest[:16], version=5))


def step_operation_id(
    channel_id: str,
    step_type: str,
    step_number: int,
    *,
    input: Json = None,  # noqa: A002 - the name that the payload has
    output: Json = None,
    context: Json = None,
    metadata: dict[str, Json] | None = None,
) -> str:
    """The operation id of one step of a session, derived from all that it records.

    The name is cut at 256 bytes like every other: steps that differ only far into their content
    share an id, and the server answers the second with `idempotency_conflict`. Where that matters,
    `full_step_operation_id` is the one to take.

    Raises ValueError for NaN and infinities, TypeError for what is not JSON.
    """
    content = _step_content(step_number, input, output, context, metadata)
    return deterministic_operation_key("agent-session", step_type, channel_id, step_number, content)


def full_step_operation_id(
    channel_id: str,
    step_type: str,
    step_number: int,
    *,
    input: Json = None,  # noqa: A002 - the name that the payload has
    output: Json = None,
    context: Json = None,
    metadata: dict[str, Json] | None = None,
) -> str:
    """The operation id of one step, which differs wherever the steps differ.

    Made of the SHA-256 of what `step_operation_id` is made of, so nothing is cut off. Clients in
    other languages derive another id for the same step.

    Raises ValueError for NaN and infinities, TypeError for what is not JSON.
    """
    content = _step_content(step_number, input, output, context, metadata)
    name = "\0".join((step_type, channel_id, str(step_number), content))
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return deterministic_operation_key("agent-session", "full", digest)


def _step_content(
    step_number: int,
    input: Json,  # noqa: A002 - the name that the payload has
    output: Json,
    context: Json,
    metadata: dict[str, Json] | None,
) -> str:
    payload: dict[str, Json] = {"step_number": step_number, "input": input, "output": output}
    if context is not None:
        payload["context"] = context
    described = {**(metadata or {}), "step_number": step_number}
    return f'{{"payload":{canonical_json(payload)},"metadata":{canonical_json(described)}}}'


def channel_for_run(run_id: str, namespace: str = "run") -> str:
    """The channel of a run: `namespace:run_id` where that is a channel id.

    Otherwise both parts are rewritten with the characters of channel ids and shortened, and a
    digest of the run id keeps different runs apart. Raises ValueError for an empty run id.
    """
    if not run_id:
        raise ValueError("run_id is empty")
    plain = f"{namespace}:{run_id}"
    if is_channel_id(plain):
        return plain
    digest = hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_slug(namespace)}:{_slug(run_id)}:{digest}"


def _slug(text: str) -> str:
    return (_NOT_IN_CHANNEL_IDS.sub("-", text).strip("-._:") or "run")[:_PART_CHARACTERS_MAX]
