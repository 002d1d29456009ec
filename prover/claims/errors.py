"""What can be wrong with a file of claims."""

from __future__ import annotations

from prover.errors import BadInput


class BadClaim(BadInput):
    """A claim names no model, claims nothing, or something that models of its kind do not have."""


class NoClaims(BadInput):
    """A file claims nothing."""

    def __init__(self) -> None:
        super().__init__("claims nothing; write a table [[claim]] for each claim", path="$.claim")
