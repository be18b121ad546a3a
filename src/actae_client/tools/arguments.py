"""Arguments of a tool call, checked and copied before anything is claimed."""

from __future__ import annotations

import json

from actae_client._calls.encoding import encode
from actae_client._types.json import Json


def checked_arguments(params: Json) -> Json:
    """A copy of the parameters as JSON holds them; what the caller changes later does not reach it.

    Raises TypeError that names the path of the first value that is not JSON, such as
    `params.items[2].amount`.
    """
    try:
        return json.loads(encode({"params": params}))["params"]
    except ValueError as error:
        raise TypeError(str(error)) from error
