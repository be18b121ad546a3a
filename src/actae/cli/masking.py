"""Keeps secrets out of what is printed: an error's text may quote what somebody sent."""

import re
from typing import Final

_SECRETS: Final = (
    (re.compile(r"\bsk-[0-9A-Za-z-]{8,}"), "sk-***"),
    (re.compile(r"\bct_[0-9a-f]{8,}"), "ct_***"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), "***"),  # a signed token
    (re.compile(r"(?<=://)([^:/@\s]*):[^@/\s]+@"), r"\1:***@"),
    (re.compile(r"(?i)(password=)[^&\s]+"), r"\1***"),
)


def mask_secrets(text: str) -> str:
    """The text without API keys, claim tokens, sign-in tokens and passwords in URLs."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text
