"""Before a certificate leaves the program, the stand-alone checker has accepted it."""

from __future__ import annotations

from prover.certificate.errors import TooMuchWork
from prover.errors import Fault


class RejectedProof(Fault):
    """The checker rejects a certificate that this program has made."""


def accept(data: bytes) -> None:
    """Let the checker read a certificate, in memory.

    Raises TooMuchWork if this takes more work than checkers spend on a file of its size, and RejectedProof.
    """
    from prover.certificate.check import Rejected, TooLarge, check

    try:
        check(data)
    except TooLarge as why:
        raise TooMuchWork from why
    except Rejected as why:
        raise RejectedProof(f"the checker rejects this program's certificate: {why}") from why
