"""All routes of a server."""

from actae.transport.routes import accounts, channels, events, executions, states

ROUTES = (*events.ROUTES, *states.ROUTES, *channels.ROUTES, *executions.ROUTES, *accounts.ROUTES)
