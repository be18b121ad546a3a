"""What a caller may do here, what they prefer, and which server this is."""

from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

import actae
from actae.domain import errors
from actae.domain.access import Permissions
from actae.operations import accounts
from actae.transport.route import Asked, Route
from actae.transport.services import Services

PREFERENCES_BYTES_MAX: Final = 65_536


class CapabilitiesReply(msgspec.Struct):
    """What the credential may do, and which operations this server has."""

    permissions: Permissions
    auth_method: str
    key_id: str | None
    key_source: Literal["local"] | None
    expires_at: datetime | None
    operations: list[str]


class InstanceReply(msgspec.Struct):
    """Which server this is. All servers of a database are one instance."""

    instance_id: str
    name: str
    version: str
    api_version: str
    started_at: datetime
    uptime_seconds: int


async def get_capabilities(_services: Services, asked: Asked) -> CapabilitiesReply:
    """What the credential may do."""
    caller = asked.caller
    source: Literal["local"] | None = None if caller.key_id is None else "local"
    return CapabilitiesReply(
        caller.permissions, caller.auth_method, caller.key_id, source, caller.expires_at, _operations()
    )


async def get_preferences(services: Services, asked: Asked) -> msgspec.Raw:
    """The caller's preferences."""
    return msgspec.Raw(await accounts.get_preferences(services.db, asked.caller.owner))


async def put_preferences(services: Services, asked: Asked) -> msgspec.Raw:
    """Replace the caller's preferences."""
    preferences = bytes(asked.body).strip()
    if not preferences.startswith(b"{"):
        raise errors.InvalidRequestError("Preferences are a JSON object.")
    if len(preferences) > PREFERENCES_BYTES_MAX:
        raise errors.PayloadTooLargeError(PREFERENCES_BYTES_MAX)
    await accounts.replace_preferences(services.db, asked.caller.owner, preferences)
    return msgspec.Raw(preferences)


async def get_instance(services: Services, _asked: Asked) -> InstanceReply:
    """Which server this is."""
    uptime = datetime.now(UTC) - services.started_at
    return InstanceReply(
        services.instance_id,
        "actae",
        actae.__version__,
        "v1",
        services.started_at,
        max(0, int(uptime.total_seconds())),
    )


def _operations() -> list[str]:
    # Here, because the list of all routes holds those of this file.
    from actae.transport.routes.all import ROUTES as ALL

    return [f"actae.api.v1.{route.operation}" for route in ALL if route.prefix == "/api/v1"]


ROUTES = (
    Route(
        method="GET",
        path="/auth/capabilities",
        operation="auth.capabilities.get",
        summary="What the credential may do",
        handler=get_capabilities,
        reply=CapabilitiesReply,
    ),
    Route(
        method="GET",
        path="/user/preferences",
        operation="user.preferences.get",
        summary="The caller's preferences",
        handler=get_preferences,
    ),
    Route(
        method="PUT",
        path="/user/preferences",
        operation="user.preferences.put",
        summary="Replace the caller's preferences",
        handler=put_preferences,
        body=msgspec.Raw,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError, errors.PayloadTooLargeError),
    ),
    Route(
        method="GET",
        path="/instance",
        operation="instance.get",
        summary="Which server this is",
        handler=get_instance,
        reply=InstanceReply,
    ),
)
