"""What an ask gets back: a value of its own, or a refusal."""

from typing import NamedTuple

from actae.domain.errors import ActaeError


class Refused(NamedTuple):
    """No, and why. A value and not an exception: it must not undo the asks that share its transaction."""

    error: ActaeError
