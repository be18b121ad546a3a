"""What an event or a state depends on, as it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from actae_client._types.json import Json


def parents(dependencies: Sequence[Mapping[str, str]]) -> Json:
    """A list of objects. Raises TypeError that names the first of `dependencies` that is none."""
    for place, each in enumerate(dependencies):
        if not isinstance(each, Mapping):
            raise TypeError(
                f"dependencies[{place}] must be a dict of event_id and dependency_type, "
                f"not {type(each).__name__}"
            )
    return [dict(each) for each in dependencies]
