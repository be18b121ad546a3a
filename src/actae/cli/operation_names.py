"""How a command names an operation."""


def execution_id(place: str, key_name: str | None) -> str:
    """The id that was given, or that of a channel's key.

    Raises:
        InvalidRequestError, ExecutionNotFoundError
    """
    from actae.cli.remote import checked_channel
    from actae.domain import executions
    from actae.transport.fields import split_execution_id

    if key_name is not None:
        return executions.execution_id(checked_channel(place), executions.digest_key(key_name))
    split_execution_id(place)
    return place
