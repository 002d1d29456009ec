"""Certificates of compositions: the models, the laws of their pairs, and how the laws are multiplied.

The checker repeats the products. How much work that is stands in the certificate (docs/certificates.md,
3.8); it is counted here as the checker counts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.accounting.account import DEFAULT_GAP, Account, Mechanism, Questions, account
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import BadQuestion
from prover.accounting.evidence.laws import laws_counted, laws_evidence
from prover.accounting.evidence.work import exact_work, grid_work, operation
from prover.accounting.lattice import coprime_basis
from prover.certificate.schema import Certificate, TooMuchWork, chain_model, encode
from prover.chain.arguments import Slope
from prover.chain.breakpoints import POINT_BITS, ending_bounds, endings
from prover.chain.collapsing.certificates import collapsing_evidence, observer_claim
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.ld.certificates import certify
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.chain.secrets import Secrets
from prover.exact.convex import Piecewise
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

Json = dict[str, Any]

_MOST_ALPHA = 10**150  # beyond, masses on a grid have too few digits
_MOST_WORK = 10**10  # units that checkers spend on any file (docs/certificates.md, 6)


def certificate_of(found: Account, slope: Slope, *, upper: bool) -> Certificate:
    """The certificate of the upper end of δ at α = e^ε, and of the lower one too where α is rational.

    Raises TooMuchWork.
    """
    alpha = slope.upper if upper else slope.lower
    low, high = found.delta(Slope.of_alpha(alpha))
    if slope.epsilon is not None:
        low, high = (Fraction(0), high) if upper else (low, Fraction(1))
    claim = {
        "kind": "composition",
        "lower": format_rational(low),
        "upper": format_rational(high),
        **slope.claim(upper=upper),
    }
    parts = [_part(part) for part in found.mechanisms]
    model = {"type": "composition", "version": 1, "parts": parts}
    proofs = [_proof(part) for part in found.mechanisms]
    return encode(claim, model, {"parts": proofs, **_method(found, alpha)})


def proofs_of(found: Account, questions: Questions) -> tuple[Certificate | None, Certificate | None]:
    """The certificates of the one number that is asked for; of the lower end where that has its own α.

    Raises TooMuchWork.
    """
    for slope in questions.slopes:
        upper = certificate_of(found, slope, upper=True)
        return upper, None if slope.epsilon is None else certificate_of(found, slope, upper=False)
    for bound in questions.deltas:
        alpha = found.epsilon(bound).alpha_upper
        if alpha is not None:
            return certificate_of(found, Slope.of_alpha(alpha), upper=True), None
    return None, None


def provable(
    found: Account, questions: Questions, gap: Given = DEFAULT_GAP, progress: Progress = silent
) -> Account:
    """The account, if checkers can repeat its products within their budget; and else, where it is exact, one
    between bounds on a grid, which takes less work.

    Raises what ``account`` raises, and TooMuchWork where grids do not answer the questions up to the gap.
    """
    if not found.exact:
        return found
    try:
        proofs_of(found, questions)
    except TooMuchWork:
        if questions.largest_alpha(found) > _MOST_ALPHA:
            raise
        enclosed = account(found.mechanisms, questions, gap=gap, exact=False, progress=progress)
        width = questions.width(enclosed)
        if width is None or width > given_rational(gap, "the gap", BadQuestion, at_least=0):
            raise
        return enclosed
    return found


def profile_certificate(chain: LabelledMarkovChain, curve: Curve, progress: Progress = silent) -> Certificate:
    """The certificate of a curve that was asked for with ``provable``: of δ as a function of all α ≥ 1 where
    that is known, and else of bounds at the α of its points.

    Raises TooMuchWork.
    """
    secrets = Secrets.of(chain, curve.source, curve.target, curve.kind)
    if curve.exact is not None:
        return certificate_of_profile(secrets, curve.exact, progress)
    points: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for point in curve:
        for alpha, low, high in (
            (point.slope.upper, Fraction(0), point.upper),
            (point.slope.lower, point.lower, Fraction(1)),
        ):
            lower, upper = points.get(alpha, (Fraction(0), Fraction(1)))
            points[alpha] = max(lower, low), min(upper, high)
    return certificate_of_points(secrets, points, curve.width, progress)


def certificate_of_points(
    secrets: Secrets,
    points: Mapping[Fraction, tuple[Fraction, Fraction]],
    width: Fraction,
    progress: Progress = silent,
) -> Certificate:
    """The certificate of bounds of δ at some α, as laws tell them that were looked for up to ``width``."""
    merged = secrets.merged
    claim = _profile_claim(secrets) | {
        "points": [[format_rational(x) for x in (alpha, *points[alpha])] for alpha in sorted(points)]
    }
    work = 0
    for twin, count in laws_counted(secrets).items():
        found = ending_bounds(merged, twin, width, progress)
        for ends in (found.lower, found.upper):
            loss = LossDistribution.of_endings(ends)
            for alpha in points:
                bits = 2 * _longest(loss) + _long(alpha) + POINT_BITS
                work += count * 8 * (len(loss.atoms) + 1) * operation(bits, bits)
    return _profile(secrets, claim, work, width, progress)


def certificate_of_profile(secrets: Secrets, delta: Piecewise, progress: Progress = silent) -> Certificate:
    """The certificate of δ of the secrets as a function of all α ≥ 1. Raises TooMuchWork, TooManyWords."""
    merged = secrets.merged
    claim = _profile_claim(secrets) | {
        "corners": [[format_rational(alpha), format_rational(value)] for alpha, value in delta.corners]
    }
    alphas = [alpha for alpha, _ in delta.corners]
    alphas += [(low + high) / 2 for low, high in pairwise(alphas)]
    work = 0
    for twin, count in laws_counted(secrets).items():
        loss = LossDistribution.of_endings(endings(merged, twin, progress))
        for alpha in alphas:
            bits = (len(loss.atoms) + 2) * (2 * _longest(loss) + _long(alpha))
            work += count * 16 * (len(loss.atoms) + 1) * operation(bits, bits)
    return _profile(secrets, claim, work, Fraction(0), progress)


def _profile_claim(secrets: Secrets) -> Json:
    claim: Json = {
        "kind": "profile",
        "of": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
    }
    return claim | ({"from": secrets.source, "to": secrets.target} if secrets.named else {})


def _profile(secrets: Secrets, claim: Json, work: int, width: Fraction, progress: Progress) -> Certificate:
    laws = laws_evidence(secrets, secrets.directions, width, progress)
    return certify(secrets.chain, claim, {"laws": laws, "work": work})


def _longest(loss: LossDistribution) -> int:
    return max((_long(x) for atom in loss.atoms for x in (atom.ratio, atom.p)), default=0)


def _long(number: Fraction) -> int:
    return max(n.bit_length() for n in number.as_integer_ratio())


def _part(part: Mechanism) -> Json:
    """A mechanism as certificates hold it."""
    if part.secrets is not None:
        secrets = part.secrets
        chain = secrets.chain
        found: Json = {}
        if isinstance(chain, CollapsedChain):
            found["observer"] = observer_claim(chain.collapsing)
            chain = chain.collapsing.original
        found["chain"] = chain_model(chain.states, chain.labels, chain.rows, chain.relation)
        pair = {"from": secrets.source, "to": secrets.target} if secrets.named else {}
        return {**found, **pair, "times": part.times}
    if part.known is not None:
        return {**part.known, "times": part.times}
    loss = part.forward[0].loss
    rows = [[atom.p, atom.q] for atom in loss.atoms]
    rows += [[loss.infinite, Fraction(0)], [Fraction(0), loss.zero]]
    return {"laws": [[format_rational(x) for x in row] for row in rows if any(row)], "times": part.times}


def _proof(part: Mechanism) -> Json:
    if part.secrets is None:
        return {}
    pairs = part.secrets.pairs
    laws = laws_evidence(part.secrets, [*pairs, *((t, s) for s, t in pairs)], part.width)
    chain = part.secrets.chain
    return laws | ({"collapsing": collapsing_evidence(chain)} if isinstance(chain, CollapsedChain) else {})


def _method(found: Account, alpha: Fraction) -> Json:
    """How the laws are multiplied, and the work of that."""
    times = [part.times for part in found.mechanisms]
    enclosed = [one for one in found.compositions if isinstance(one, EnclosedLossDistribution)]
    if not enclosed:
        rows = [[choice.loss for choice in row] for row in found.choices]
        ratios = (atom.ratio for row in rows for loss in row for atom in loss.atoms)
        basis = coprime_basis(n for ratio in ratios for n in ratio.as_integer_ratio())
        work = sum(exact_work(list(zip(row, times, strict=True)), basis, alpha) for row in rows)
        return {"basis": [str(b) for b in basis], "work": _affordable(work)}
    grid = enclosed[0].grid
    work = sum(grid_work(list(zip(row, times, strict=True)), grid) for row in found.choices)
    limits: Json = {"digits": grid.digits, "steps": grid.steps, "tail": str(grid.tail)}
    if any(grid.halvings):
        limits["halvings"] = list(grid.halvings)
    return {"grid": {**limits, "work": _affordable(work)}}


def _affordable(work: int) -> int:
    """So many units, which no checker refuses to spend. Raises TooMuchWork."""
    if work > _MOST_WORK:
        raise TooMuchWork
    return work
