"""What is answered about retention policies."""

from actae.domain.errors import MissingError


class RetentionPolicyNotFoundError(MissingError):
    """Nobody has set a policy for exactly this pattern."""

    code = "retention_policy_not_found"
    hint = "`actae retention list`, or GET /api/v1/retention/policies, has the patterns with one."

    def __init__(self, pattern: str) -> None:
        super().__init__(f"There is no retention policy for {pattern!r}.", pattern=pattern)
