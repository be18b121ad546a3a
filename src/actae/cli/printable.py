"""Text from elsewhere, made fit for a terminal."""


def printable(text: str, *, kept: str = "") -> str:
    """The text with an escape for each character that cannot be seen, as in Python's `repr`.

    Names and values come from whoever writes to the server: control sequences could rewrite a terminal,
    U+202E could turn a line around, and half a surrogate pair cannot be printed at all. `kept` stays.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in kept else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
