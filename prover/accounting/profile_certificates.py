"""Certificates of δ of secrets of a chain as a function of α (docs/certificates.md, 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from prover.accounting.distribution import LossDistribution
from prover.accounting.evidence.laws import laws_counted, laws_evidence
from prover.accounting.units import bits_of, operation
from prover.certificate.schema import Certificate, Json
from prover.chain.breakpoints import POINT_BITS, ending_bounds, endings
from prover.chain.ld.certificates import certify
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.chain.secrets import Secrets
from prover.exact.convex import Piecewise
from prover.exact.rational import format_rational
from prover.progress import Progress, silent


def profile_certificate(chain: LabelledMarkovChain, curve: Curve, progress: Progress = silent) -> Certificate:
    """The certificate of a curve that was asked for with ``provable``: of δ as a function of all α ≥ 1 where
    that is known, and else of bounds at the α of its points.

    Raises TooMuchWork.
    """
    secrets = curve.secrets or Secrets.of(chain, curve.source, curve.target, curve.kind)
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
    for merged_pair, count in laws_counted(secrets).items():
        found = ending_bounds(merged, merged_pair, width, progress)
        for ends in (found.lower, found.upper):
            loss = LossDistribution.of_endings(ends)
            longest = _longest(loss)
            for alpha in points:
                bits = 2 * longest + bits_of(alpha) + POINT_BITS
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
    for merged_pair, count in laws_counted(secrets).items():
        loss = LossDistribution.of_endings(endings(merged, merged_pair, progress))
        longest = _longest(loss)
        for alpha in alphas:
            bits = (len(loss.atoms) + 2) * (2 * longest + bits_of(alpha))
            work += count * 16 * (len(loss.atoms) + 1) * operation(bits, bits)
    return _profile(secrets, claim, work, Fraction(0), progress)


def _profile_claim(secrets: Secrets) -> Json:
    claim: Json = {
        "kind": "profile",
        "of": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
    }
    named = {"from": secrets.source, "to": secrets.target} if secrets.named else {}
    return claim | named | secrets.lost_claim()


def _profile(secrets: Secrets, claim: Json, work: int, width: Fraction, progress: Progress) -> Certificate:
    laws = laws_evidence(secrets, secrets.directions, width, progress)
    return certify(secrets.chain, claim, {"laws": laws, "work": work, **secrets.lost_evidence()})


def _longest(loss: LossDistribution) -> int:
    return max((bits_of(x) for atom in loss.atoms for x in (atom.ratio, atom.p)), default=0)
