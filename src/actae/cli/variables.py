"""Which variables of the environment are ours, and which look like it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches

from actae.cli.facts import VariableIgnored
from actae.settings import Settings

_PREFIX = "ACTAE_"
# Read by the client, by commands, and by the search for PostgreSQL's programs.
_OTHERS = frozenset(
    {f"{_PREFIX}{name}" for name in ("API_KEY", "CONFIG_DIR", "ENDPOINT", "PG_BIN", "URL", "WS_URL")}
)
_OF_TESTS = (f"{_PREFIX}TEST_", f"{_PREFIX}CRASHTEST")


def ignored_variables(environment: Mapping[str, str]) -> Iterator[VariableIgnored]:
    """Each `ACTAE_*` variable that nothing reads, with the setting that may have been meant."""
    settings = [variable_of(each.name) for each in fields(Settings)]
    for name in sorted(environment):
        is_ours = name in settings or name in _OTHERS or name.startswith(_OF_TESTS)
        if name.startswith(_PREFIX) and not is_ours:
            yield VariableIgnored(name, next(iter(get_close_matches(name, settings, n=1)), None))


def variable_of(setting: str) -> str:
    """The environment variable of a setting."""
    return f"{_PREFIX}{setting.upper()}"
