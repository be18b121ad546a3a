"""What an agent under test may say."""

from __future__ import annotations

from actae_client import _boundaries


def boundary(name: str, subject: str = "") -> None:
    """Say that a moment is here at which a crash might lose something: a file saved, a message sent.

    A crash test kills at it, as at the boundaries that the client announces. Outside of one it does nothing.
    """
    _boundaries.reach(name, subject)
