"""What the agent's effects are called at the provider."""

from __future__ import annotations

from typing import Any

_COLLECTIONS = {"charge_customer": "charges", "mail_receipt": "mails"}


def reference_of(tool: str, params: dict[str, Any]) -> str:
    """The reference under which the provider counts an effect, and can be asked for it."""
    return f"{_COLLECTIONS[tool]}/{params['order_id']}"
