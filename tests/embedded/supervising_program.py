"""A process that runs an embedded PostgreSQL until its standard input ends, and tells of it line by line.

    python supervising_program.py DATA_DIR

Each line of output is JSON: {"progress": sentence} any number of times, then {"pid": …, "dsn": …} or
{"error": class name, "sentence": …}.
"""

import json
import sys
from pathlib import Path

from actae.embedded import EmbeddedError, EmbeddedPostgres


def tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def main() -> None:
    postgres = EmbeddedPostgres(Path(sys.argv[1]), progress=lambda sentence: tell(progress=sentence))
    try:
        with postgres:
            tell(pid=postgres.pid, dsn=postgres.dsn)
            sys.stdin.read()
    except EmbeddedError as error:
        tell(error=type(error).__name__, sentence=str(error))


if __name__ == "__main__":
    main()
