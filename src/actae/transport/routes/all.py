"""All routes of a server."""

from actae.transport.routes import (
    accounts,
    callers,
    channels,
    comparison,
    description,
    event_stream,
    events,
    execution_groups,
    executions,
    experiments,
    forks,
    group_forks,
    group_messages,
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
    *execution_groups.ROUTES,
    *group_messages.ROUTES,
    *group_forks.ROUTES,
    *accounts.ROUTES,
    *callers.ROUTES,
    *health.ROUTES,
    *metrics.ROUTES,
    *description.ROUTES,
)
