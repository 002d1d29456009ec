"""How many runs fit into a budget, as an answer that can be printed."""

from __future__ import annotations

from prover.accounting.account import Questions
from prover.accounting.certificates import certificate_of
from prover.accounting.distribution import MOST_TIMES
from prover.accounting.fitting import MostRuns
from prover.exact.rational import format_rational
from prover.report.account import account_json, document
from prover.report.reply import Reply

_TOO_WIDE = "delta of more runs is not enclosed narrowly enough to decide"
_TOO_MANY = f"no number of runs above {MOST_TIMES:,} is tried"


def reply_of_runs(found: MostRuns, *, certified: bool) -> Reply:
    """The reply about how many runs fit, with the account of so many; and the certificates that so many fit,
    and that one more does not, if they are wanted.

    Raises TooMuchWork.
    """
    questions, ends = Questions((found.slope,)), ((found.fitting, True), (found.failing, False))
    proofs = [
        certificate_of(one, found.slope, upper=upper).data
        for one, upper in ends
        if certified and one is not None
    ]
    most = {
        "mechanism": found.place,
        "delta": format_rational(found.delta),
        "fits": found.fits,
        "fails": found.fails,
    }
    return Reply(
        document(found.account, questions=questions, runs=found).text,
        {**account_json(found.account, questions, ()), "most_runs": most},
        next(iter(proofs), None),
        found.exact or found.account.has_programs,
        refuted=found.fits is None,
        obstacle=_TOO_MANY if found.fits == MOST_TIMES else _TOO_WIDE,
        lower_certificate=proofs[1] if len(proofs) == 2 else None,
    )
