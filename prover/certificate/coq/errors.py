"""What stands between a certificate and a theorem."""

from __future__ import annotations

from prover.errors import BadInput


class NotInCoq(BadInput):
    """The claim, or its evidence, is of a kind that the proofs do not cover, or too large for Coq to read."""
