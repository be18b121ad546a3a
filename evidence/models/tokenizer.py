"""The tokenizer of dry runs: `o200k_base`, the public vocabulary of the GPT-4o family."""

from __future__ import annotations

import warnings
from importlib.metadata import version
from typing import Any, Final

from evidence.failures import EvidenceError

ENCODING: Final = "o200k_base"
PACKAGE: Final = "bpe-openai"


class Tokenizer:
    """Counts the tokens of texts. The vocabulary comes with the package, so nothing is fetched.

    Raises `EvidenceError` where the package is not installed.
    """

    def __init__(self) -> None:
        try:
            with warnings.catch_warnings():
                # It opens its data by a function that Python 3.11 deprecated, and 3.13 took back.
                warnings.simplefilter("ignore", DeprecationWarning)
                import bpe_openai  # only dry runs need it

                self._encoding = bpe_openai.get_encoding(ENCODING)
        except ImportError:
            raise EvidenceError(f"A dry run needs {PACKAGE!r}: pip install 'actae[dev]'.") from None

    def count(self, text: str) -> int:
        """The tokens of the text alone; the frame that a provider puts around messages is not counted."""
        return len(self._encoding.encode_ordinary(text))

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        return {"encoding": ENCODING, "package": PACKAGE, "version": version(PACKAGE)}
