"""Values that are to be sent, checked and copied before anything is."""

from __future__ import annotations

import json

from actae_client._calls.encoding import encode
from actae_client._types.json import Json


def checked(name: str, value: Json) -> Json:
    """A copy of the value as JSON holds it; what its owner changes later does not reach the copy.

    Raises TypeError that names the path of the first value that is not JSON, such as
    `params.items[2].amount`.
    """
    try:
        return json.loads(encode({name: value}))[name]
    except ValueError as error:
        raise TypeError(str(error)) from error
