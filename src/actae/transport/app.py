"""Takes requests to their endpoints: the frequent ones by a look-up, the others through Starlette."""

from collections.abc import Awaitable, Iterable
from typing import Final

from starlette.routing import Match, Router
from starlette.routing import Route as StarletteRoute

from actae.domain.errors import MethodNotAllowedError, RouteNotFoundError
from actae.transport.asgi import Receive, Scope, Send
from actae.transport.endpoint import Endpoint, send_error
from actae.transport.live.endpoint import SOCKET_PATH, SocketEndpoint
from actae.transport.route import Route
from actae.transport.services import Services

_EXECUTIONS: Final = "/api/v1/executions/"
_HOT: Final = frozenset(
    {
        "executions.claim",
        "executions.complete",
        "executions.fail",
        "executions.heartbeat",
        "executions.dispatched",
        "events.record",
        "events.transition",
    }
)


class App:
    """The ASGI application."""

    def __init__(self, services: Services, routes: Iterable[Route], page_of_nowhere: Route) -> None:
        self._by_path: dict[str, Endpoint] = {}
        self._by_verb: dict[str, Endpoint] = {}
        starlette_routes: list[StarletteRoute] = []
        for route in routes:
            endpoint = Endpoint(route, services)
            if route.operation in _HOT:
                if "{id}" in route.path:
                    self._by_verb[route.path.rpartition("/")[2]] = endpoint
                else:
                    self._by_path[route.full_path] = endpoint
            starlette_routes.append(StarletteRoute(route.full_path, endpoint, methods=[route.method]))
        # Fixed segments win over parameters: a channel may be called `causal-graph`.
        starlette_routes.sort(key=_parameters)
        self._router = Router(starlette_routes, redirect_slashes=False, default=self._not_found)
        self._socket = SocketEndpoint(services)
        self._page_of_nowhere = Endpoint(page_of_nowhere, services)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request, or hold one connection; no coroutine of its own would be held with it."""
        if scope["type"] != "http":
            return self._other(scope, receive, send)
        if scope["method"] == "POST":
            path: str = scope["path"]
            endpoint = self._by_path.get(path)
            if endpoint is not None:
                return endpoint.serve(scope, receive, send, {})
            if path.startswith(_EXECUTIONS):
                execution_id, _, verb = path[len(_EXECUTIONS) :].partition("/")
                endpoint = self._by_verb.get(verb)
                if endpoint is not None:
                    return endpoint.serve(scope, receive, send, {"id": execution_id})
        scope["app"] = self
        return self._route(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Starlette matches; a known path under another method is answered in our own shape."""
        nearest, allowed = "", set[str]()
        for route in self._router.routes:
            match, child_scope = route.matches(scope)
            if match is Match.FULL:
                scope.update(child_scope)
                await route.handle(scope, receive, send)
                return
            if match is Match.PARTIAL and isinstance(route, StarletteRoute):
                nearest = nearest or route.path
                if route.path == nearest:
                    allowed |= route.methods or set()
        if allowed:
            error = MethodNotAllowedError(
                f"{scope['path']} does not take {scope['method']}.", allow=", ".join(sorted(allowed))
            )
            await send_error(send, error)
            return
        await self._not_found(scope, receive, send)

    async def _not_found(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET" and not scope["path"].startswith("/api/") and _is_from_a_browser(scope):
            await self._page_of_nowhere.serve(scope, receive, send, {})
            return
        await send_error(send, RouteNotFoundError(f"There is no route {scope['method']} {scope['path']}."))

    def _other(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "websocket" and scope["path"] == SOCKET_PATH:
            return self._socket.serve(scope, receive, send)
        return _turn_away(scope, receive, send)


async def _turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})


def _is_from_a_browser(scope: Scope) -> bool:
    """Whether a person went there; programs name no HTML in what they accept."""
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _parameters(route: StarletteRoute) -> list[bool]:
    return [segment.startswith("{") for segment in route.path.split("/")]
