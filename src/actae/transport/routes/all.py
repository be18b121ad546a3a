"""All routes of a server."""

from actae.transport.routes import (
    accounts,
    callers,
    channels,
    comparison,
    description,
    events,
    executions,
    experiments,
    forks,
    health,
    metrics,
    states,
    wakeups,
)

ROUTES = (
    *events.ROUTES,
    *states.ROUTES,
    *channels.ROUTES,
    *executions.ROUTES,
    *forks.ROUTES,
    *comparison.ROUTES,
    *experiments.ROUTES,
    *wakeups.ROUTES,
    *accounts.ROUTES,
    *callers.ROUTES,
    *health.ROUTES,
    *metrics.ROUTES,
    *description.ROUTES,
)
