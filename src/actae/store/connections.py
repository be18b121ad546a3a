"""How many connections of the pool are in use."""

from typing import NamedTuple

from actae.store.database import Database


class PoolUse(NamedTuple):
    """Connections of one process: those at work, those that are open, and the most there may be."""

    active: int
    open: int
    most: int

    @property
    def is_exhausted(self) -> bool:
        """Whether the next caller has to wait."""
        return self.active >= self.most


def pool_use(db: Database) -> PoolUse:
    """How the pool stands at this moment. Asks nobody."""
    pool = db._pool
    return PoolUse(pool.get_size() - pool.get_idle_size(), pool.get_size(), pool.get_max_size())
