"""All routes of a server."""

from actae.transport.routes import (
    accounts,
    callers,
    channels,
    description,
    events,
    executions,
    forks,
    health,
    metrics,
    states,
)

ROUTES = (
    *events.ROUTES,
    *states.ROUTES,
    *channels.ROUTES,
    *executions.ROUTES,
    *forks.ROUTES,
    *accounts.ROUTES,
    *callers.ROUTES,
    *health.ROUTES,
    *metrics.ROUTES,
    *description.ROUTES,
)
