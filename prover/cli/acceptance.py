"""Certificates are read by the stand-alone checker before they are written, in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from prover.certificate.acceptance import RejectedProof
from prover.cli.worker import INTERRUPTED, WorkerOutcome, run
from prover.progress import Progress

if TYPE_CHECKING:
    from prover.report.reply import Reply

LEAST_TIME = 10.0
"""Seconds that checking always has; where the search had a deadline, it has as long as the search took, and
what is left until the deadline. Where that is not enough, the certificates of earlier answers have as many
seconds as checking always has.
"""

_MUCH_LESS = Fraction(1, 2)
"""Of two earlier answers, the earlier one is kept if it has at most this part of the other's bytes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of some replies has certificates that are accepted; it took ``seconds`` and ``peak_mib`` memory.

    ``why_not`` says why it is not the last one, or, if ``place`` is None, why it is none: certificates are
    too large to check, or checking was ended.
    """

    place: int | None
    seconds: float = 0.0
    peak_mib: float | None = None
    why_not: str | None = None
    interrupted: bool = False

    @property
    def took(self) -> dict[str, float | None]:
        """What checking took, as answers in JSON say it."""
        return {"seconds": self.seconds, "peak_mib": self.peak_mib}


def accepted(proofs: Sequence[Sequence[bytes]], deadline: float | None, progress: Progress) -> Verdict:
    """Have the checker read the certificates of replies, one reply after the other, the best one last.

    It takes ``deadline`` seconds at most, and ends at Ctrl-C. Raises RejectedProof if it rejects one.
    """
    outcome: WorkerOutcome[Verdict | RejectedProof] = run(partial(_checked, proofs), deadline, progress)
    if isinstance(outcome.result, RejectedProof):
        raise outcome.result
    if outcome.finished and outcome.result is not None:
        return outcome.result
    why_not = f"{outcome.reason} while the certificate was checked"
    return replace(
        outcome.result or Verdict(None), why_not=why_not, interrupted=outcome.reason == INTERRUPTED
    )


def kept_with(kept: Sequence[Reply], later: Reply) -> list[Reply]:
    """The replies to keep, after one more, in case the certificates of the last cannot be checked in time.

    These are the first one that says something and has a certificate, the last one, and between them some
    whose certificates are the shorter the earlier they are, so that all together are not much longer than
    the longest.
    """
    if not later.so_far or _length(later) == 0:
        return list(kept)
    shorter = [one for one in kept[1:] if _length(one) <= _MUCH_LESS * _length(later)]
    return [*kept[:1], *shorter, later]


def _length(reply: Reply) -> int:
    return sum(len(data) for data in (reply.certificate, reply.lower_certificate) if data is not None)


def _checked(
    replies: Sequence[Sequence[bytes]], progress: Progress, emit: Callable[[Verdict], None]
) -> Verdict | RejectedProof:
    from prover.bench.machine import peak_memory
    from prover.certificate.acceptance import accept
    from prover.certificate.errors import TooMuchWork

    known = Verdict(None)
    for place, proofs in enumerate(replies):
        began = time.monotonic()
        for index, data in enumerate(proofs):
            progress("checking the certificate", index, len(proofs))
            try:
                accept(data)
            except TooMuchWork as why:
                return replace(known, why_not=str(why))
            except RejectedProof as why:
                return why
        seconds, peak = time.monotonic() - began, peak_memory()
        known = Verdict(place, round(seconds, 3), None if peak is None else round(peak, 1))
        emit(known)
    return known
