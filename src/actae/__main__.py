"""`python -m actae`, and the command `actae`."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from actae.cli import main as run
    except ModuleNotFoundError as missing:
        sys.exit(
            f"{missing.name} is not installed. The command needs more than the client: "
            "pip install 'actae[server,embedded]'"
        )
    run()


if __name__ == "__main__":
    main()
