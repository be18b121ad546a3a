"""Expected answers with blanks in them: what a server is free to choose, it may choose once."""

from typing import Any, NamedTuple


class Name(NamedTuple):
    """Stands for a string that the server makes up: an id, a token, a moment."""

    kind: str
    of: tuple[object, ...]


class AtLeast(dict[str, Any]):
    """An object that may have more members than these."""


class _Anything:
    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING = _Anything()


class Names:
    """What each name turned out to be. Two names are never the same string."""

    def __init__(self) -> None:
        self._values: dict[Name, str] = {}
        self._taken: dict[str, Name] = {}

    def __getitem__(self, name: Name) -> str:
        return self._values[name]

    def known(self, kind: str) -> list[Name]:
        """Those of a kind that the server has told, oldest first."""
        return [name for name in self._values if name.kind == kind]

    def check(self, expected: Any, actual: Any, where: str = "reply") -> None:
        """Assert that the answer is the one expected, and learn the names in it."""
        if expected is ANYTHING:
            return
        if isinstance(expected, Name):
            self._check_name(expected, actual, where)
        elif isinstance(expected, dict):
            assert isinstance(actual, dict), f"{where} is {actual!r}, not an object"
            if not isinstance(expected, AtLeast):
                assert actual.keys() == expected.keys(), where
            for member, value in expected.items():
                assert member in actual, f"{where} lacks {member}"
                self.check(value, actual[member], f"{where}.{member}")
        elif isinstance(expected, list):
            assert isinstance(actual, list), f"{where} is {actual!r}, not an array"
            assert len(actual) == len(expected), where
            for place, (value, found) in enumerate(zip(expected, actual, strict=True)):
                self.check(value, found, f"{where}[{place}]")
        else:
            assert actual == expected, f"{where} is {actual!r}, not {expected!r}"

    def _check_name(self, name: Name, actual: Any, where: str) -> None:
        assert isinstance(actual, str), f"{where} is {actual!r}, not the {name.kind}"
        if name in self._values:
            assert actual == self._values[name], f"{where} is {actual!r}, not the {name.kind} it was before"
            return
        assert actual not in self._taken, f"{where} is also {self._taken.get(actual)}"
        self._values[name] = actual
        if name.kind != "moment":  # two things may happen at the same moment
            self._taken[actual] = name
