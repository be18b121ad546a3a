"""`actae demo`: an agent is killed between a payment and its record, three ways, on real parts."""

from pathlib import Path


def run_demo(*, as_json: bool = False, keep: bool = False, data_dir: Path | None = None) -> int:
    """Play the story and tell it on standard output; return the exit code.

    0 if everything that Actae promises was seen, 1 if not or if a part failed, 128 + n after signal n.
    What is durable goes to `data_dir`, which stays, or to a new directory that is removed unless `keep`.
    Call it from the main thread: it handles SIGINT, SIGTERM and SIGHUP until it returns.
    """
    # Imported here because the agents pass through this package too, and are short-lived.
    from actae.demo.run import run

    return run(as_json=as_json, keep=keep, data_dir=data_dir)
