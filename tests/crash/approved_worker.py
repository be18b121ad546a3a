"""An agent whose one effect a person has to approve. A process, and killed as one.

    ACTAE_URL=… ACTAE_API_KEY=… python approved_worker.py CHANNEL CENTS BOOK SECONDS

It writes the refund down in BOOK, and prints what came back. While nobody has answered it waits, so many
SECONDS; then it prints the request, and ends with code 75. With 65, if something else was approved.
"""

import sys
from pathlib import Path

from actae_client import Actae, ApprovalMismatchError, ApprovalPendingError, SyncActaeClient

# As sysexits.h calls them: bad data, and try again later.
MISMATCH, NOT_YET = 65, 75


def main(channel: str, cents: int, book: Path, seconds: float) -> int:
    """Refund once, if somebody says so."""
    with SyncActaeClient.from_env() as client:
        actae = Actae(client)

        @actae.effect("refund:T-1", approval="Refund {cents} cents?", wait_seconds=seconds)
        def refund(cents: int) -> str:
            with book.open("a") as lines:
                lines.write(f"{cents}\n")
            return f"{cents} back"

        try:
            with actae.run_sync("r", channel_id=channel):
                sys.stdout.write(f"{refund(cents)}\n")
        except ApprovalPendingError as pending:
            sys.stdout.write(f"{pending.approval_request_id}\n")
            return NOT_YET
        except ApprovalMismatchError:
            return MISMATCH
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4])))
