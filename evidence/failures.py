"""What may go wrong while evidence is collected."""


class EvidenceError(Exception):
    """No report can be made; the sentence says why."""
