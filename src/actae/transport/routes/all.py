"""All routes of a server."""

from actae.transport.routes import (
    accounts,
    callers,
    channels,
    comparison,
    description,
    event_stream,
    events,
    executions,
    experiments,
    forks,
    health,
    metrics,
    states,
)

ROUTES = (
    *events.ROUTES,
    *event_stream.ROUTES,
    *states.ROUTES,
    *channels.ROUTES,
    *executions.ROUTES,
    *forks.ROUTES,
    *comparison.ROUTES,
    *experiments.ROUTES,
    *accounts.ROUTES,
    *callers.ROUTES,
    *health.ROUTES,
    *metrics.ROUTES,
    *description.ROUTES,
)
