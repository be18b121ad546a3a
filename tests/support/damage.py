"""Changes a database as nobody should, and names what a verification then says."""

import asyncpg

from actae.operations.verification import Report


async def damage(dsn: str, statement: str) -> None:
    """Run a statement behind everybody's back."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def invariants(report: Report) -> set[str]:
    """The names of what is broken."""
    return {broken.invariant for broken in report.broken}
