"""Certificates are read by the stand-alone checker before they are written, in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from prover.certificate.acceptance import RejectedProof
from prover.cli.worker import WorkerOutcome, run
from prover.progress import Progress

LEAST_TIME = 10.0
"""Seconds that checking always has; where the search had a deadline, it has as long as the search took, and
what is left until the deadline.
"""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What it took to check certificates that are accepted: seconds, and MiB of memory at most."""

    seconds: float
    peak_mib: float | None


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """Why there are no certificates: they are too large to check, or checking was ended."""

    reason: str


def accepted(proofs: Sequence[bytes], deadline: float | None, progress: Progress) -> Accepted | NotAccepted:
    """Have the checker read all of the certificates, for at most ``deadline`` seconds or until Ctrl-C.

    Raises RejectedProof if it rejects one.
    """
    outcome: WorkerOutcome[Accepted | NotAccepted | RejectedProof] = run(
        partial(_checked, proofs), deadline, progress
    )
    if isinstance(outcome.result, RejectedProof):
        raise outcome.result
    if outcome.result is None:
        return NotAccepted(f"{outcome.reason} while the certificate was checked")
    return outcome.result


def _checked(
    proofs: Sequence[bytes], progress: Progress, emit: Callable[[object], None]
) -> Accepted | NotAccepted | RejectedProof:
    from prover.bench.machine import peak_memory
    from prover.certificate.acceptance import accept
    from prover.certificate.errors import TooMuchWork

    del emit
    began = time.monotonic()
    for index, data in enumerate(proofs):
        progress("checking the certificate", index, len(proofs))
        try:
            accept(data)
        except TooMuchWork as why:
            return NotAccepted(str(why))
        except RejectedProof as why:
            return why
    seconds, peak = time.monotonic() - began, peak_memory()
    return Accepted(round(seconds, 3), None if peak is None else round(peak, 1))
