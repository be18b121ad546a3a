"""Steps: which event of which channel a number stands for, through the lineage of forks."""

from actae.domain.errors import ChannelNotFoundError, StepNotFoundError
from actae.domain.forks import owner_of_step
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store.channels import Step
from actae.store.database import Database


async def latest_step(db: Database, channel_id: str) -> int:
    """The highest number that the channel recorded or inherited; 0 if there is none.

    Raises:
        ChannelNotFoundError
    """
    head = await channels_store.get_head(db, channel_id)
    if head is None:
        raise ChannelNotFoundError(channel_id)
    fork = await forks_store.get_fork(db, channel_id)
    return max(head.latest_step, 0 if fork is None else fork.inherited_steps)


async def resolve_step(db: Database, channel_id: str, step_number: int) -> Step:
    """Where a step stands. An inherited one stands on the ancestor who recorded it, in its numbering, and
    as it stood at the boundary: what the ancestor recorded later under the same number is not seen.

    Raises:
        StepNotFoundError: the channel or the step is unknown; nothing is guessed.
    """
    fork = await forks_store.get_fork(db, channel_id)
    owner = None if fork is None else owner_of_step(fork, step_number)
    if owner is None:
        step = await channels_store.get_step(db, channel_id, step_number)
    else:
        step = await channels_store.get_step(db, owner.channel_id, step_number, at_most=owner.boundary)
    if step is None:
        raise StepNotFoundError(channel_id, step_number)
    return step
