"""All routes of a server."""

from actae.transport.routes import (
    accounts,
    approvals,
    callers,
    channels,
    comparison,
    consumer_groups,
    description,
    event_stream,
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
    *event_stream.ROUTES,
    *states.ROUTES,
    *channels.ROUTES,
    *executions.ROUTES,
    *approvals.ROUTES,
    *forks.ROUTES,
    *comparison.ROUTES,
    *experiments.ROUTES,
    *wakeups.ROUTES,
    *consumer_groups.ROUTES,
    *accounts.ROUTES,
    *callers.ROUTES,
    *health.ROUTES,
    *metrics.ROUTES,
    *description.ROUTES,
)
