"""Certificates of compositions: the models, the laws of their pairs, and how the laws are multiplied.

The checker repeats the products. How much work that is stands in the certificate (docs/certificates.md,
3.8); it is counted here as the checker counts it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.accounting.account import Account, Choice, Mechanism
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.evidence import laws_evidence
from prover.accounting.grid import Above, Below, Grid
from prover.accounting.lattice import Monomials, coprime_basis, monomials_of, unit_of
from prover.accounting.power import power
from prover.certificate.schema import Certificate, chain_model, encode
from prover.chain.arguments import Slope
from prover.chain.breakpoints import POINT_BITS, ending_bounds, endings
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.chain.secrets import Secrets
from prover.errors import Fault
from prover.exact.convex import Piecewise
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

Json = dict[str, Any]

_UNITS_PER_DIGIT, _UNITS_PER_CELL = 40, 400


def certificate_of(account: Account, slope: Slope, *, upper: bool) -> Certificate:
    """The certificate of the upper end of δ at α = e^ε, and of the lower one too where α is rational.

    Raises TooMuchWork.
    """
    alpha = slope.upper if upper else slope.lower
    low, high = account.delta(Slope.of_alpha(alpha))
    if slope.epsilon is not None:
        low, high = (Fraction(0), high) if upper else (low, Fraction(1))
    claim = {
        "kind": "composition",
        "lower": format_rational(low),
        "upper": format_rational(high),
        **slope.claim(upper=upper),
    }
    parts = [_part(part) for part in account.mechanisms]
    model = {"type": "composition", "version": 1, "parts": parts}
    proofs = [_proof(part) for part in account.mechanisms]
    return encode(claim, model, {"parts": proofs, **_method(account, alpha)})


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
    for twin in sorted({merged.twin(pair) for pair in secrets.directions}):
        found = ending_bounds(merged, twin, width, progress)
        for ends in (found.lower, found.upper):
            loss = LossDistribution.of_endings(ends)
            for alpha in points:
                bits = 2 * _longest(loss) + _long(alpha) + POINT_BITS
                work += 8 * (len(loss.atoms) + 1) * _operation(bits, bits)
    return _profile(secrets, claim, work, width, progress)


def certificate_of_profile(secrets: Secrets, delta: Piecewise, progress: Progress = silent) -> Certificate:
    """The certificate of δ of the secrets as a function of all α ≥ 1. Raises TooMuchWork, TooManyWords."""
    merged = secrets.merged
    claim = _profile_claim(secrets) | {
        "corners": [[format_rational(alpha), format_rational(value)] for alpha, value in delta.corners]
    }
    twins = sorted({merged.twin(pair) for pair in secrets.directions})
    alphas = [alpha for alpha, _ in delta.corners]
    alphas += [(low + high) / 2 for low, high in pairwise(alphas)]
    work = 0
    for twin in twins:
        loss = LossDistribution.of_endings(endings(merged, twin, progress))
        for alpha in alphas:
            bits = (len(loss.atoms) + 2) * (2 * _longest(loss) + _long(alpha))
            work += 16 * (len(loss.atoms) + 1) * _operation(bits, bits)
    return _profile(secrets, claim, work, Fraction(0), progress)


def _profile_claim(secrets: Secrets) -> Json:
    claim: Json = {
        "kind": "profile",
        "of": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
    }
    return claim | ({"from": secrets.source, "to": secrets.target} if secrets.named else {})


def _profile(secrets: Secrets, claim: Json, work: int, width: Fraction, progress: Progress) -> Certificate:
    chain = secrets.chain
    model = chain_model(chain.states, chain.labels, chain.rows, chain.relation)
    laws = laws_evidence(secrets, secrets.directions, width, progress)
    return encode(claim, model, {"laws": laws, "work": work})


def _longest(loss: LossDistribution) -> int:
    return max((_long(x) for atom in loss.atoms for x in (atom.ratio, atom.p)), default=0)


def _long(number: Fraction) -> int:
    return max(n.bit_length() for n in number.as_integer_ratio())


def _part(part: Mechanism) -> Json:
    """A mechanism as certificates hold it."""
    if part.secrets is not None:
        secrets = part.secrets
        chain = secrets.chain
        found: Json = {"chain": chain_model(chain.states, chain.labels, chain.rows, chain.relation)}
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
    return laws_evidence(part.secrets, [*pairs, *((t, s) for s, t in pairs)], part.width)


def _method(account: Account, alpha: Fraction) -> Json:
    """How the laws are multiplied, and the work of that."""
    times = [part.times for part in account.mechanisms]
    enclosed = [one for one in account.compositions if isinstance(one, EnclosedLossDistribution)]
    if not enclosed:
        rows = [[choice.loss for choice in row] for row in account.choices]
        ratios = (atom.ratio for row in rows for loss in row for atom in loss.atoms)
        basis = coprime_basis(n for ratio in ratios for n in ratio.as_integer_ratio())
        work = sum(_exact_work(list(zip(row, times, strict=True)), basis, alpha) for row in rows)
        return {"basis": [str(b) for b in basis], "work": work}
    grid = enclosed[0].grid
    work = sum(_grid_work(list(zip(row, times, strict=True)), grid) for row in account.choices)
    limits = {"digits": grid.digits, "steps": grid.steps, "tail": str(grid.tail)}
    return {"grid": {**limits, "work": work}}


def _operation(bits: int, other: int) -> int:
    """The units of an operation, as the checker counts them."""
    return 32 + (bits // 64 + 1) * (other // 64 + 1)


def _exact_work(parts: Sequence[tuple[LossDistribution, int]], basis: Sequence[int], alpha: Fraction) -> int:
    """The units of an exact product, and of δ at α."""
    if not all(loss.atoms for loss, _ in parts):
        return 0
    laws = [({atom.ratio: atom.p for atom in loss.atoms}, times) for loss, times in parts]
    factors = monomials_of(laws, basis or (2,))
    units = bits = 0
    for (law, times), factor in zip(laws, factors, strict=True):
        for ratio in law:
            size = ratio.numerator.bit_length() + ratio.denominator.bit_length()
            units += sum((size // (b.bit_length() - 1) + 2) * _operation(size, b.bit_length()) for b in basis)
        whole = factor.whole.bit_length()
        units += sum(8 * _operation(whole, mass.denominator.bit_length()) for mass in law.values())
        degrees = factor.polynomial.degrees()
        reach = [(low, low + int(degree)) for low, degree in zip(factor.lows, degrees, strict=True)]
        bits += times * sum(
            max(abs(low), abs(high)) * b.bit_length() for b, (low, high) in zip(basis, reach, strict=False)
        )
    product = unit_of(factors[0])
    for (_, times), factor in zip(laws, factors, strict=True):
        square, rest = factor, times
        while rest:
            if rest % 2:
                units += _product_work(product, square)
                product = product * square
            rest //= 2
            if rest:
                units += _product_work(square, square)
                square = square * square
    atoms, whole = len(product.polynomial), product.whole.bit_length()
    return units + 8 * atoms * max(1, len(basis)) * _operation(
        whole + 8 * bits, 8 * bits + alpha.numerator.bit_length()
    )


def _product_work(first: Monomials, second: Monomials) -> int:
    bits = _operation(first.whole.bit_length(), second.whole.bit_length())
    return len(first.polynomial) * len(second.polynomial) * bits


@dataclass(frozen=True, slots=True)
class _Counted:
    """A side of a product on a grid, which counts the units of products in ``tally``."""

    side: Above | Below
    tally: list[int]

    def __mul__(self, other: _Counted) -> _Counted:
        pairs = [(self.side.p, other.side.p)]
        if isinstance(self.side, Below) and isinstance(other.side, Below):
            pairs.append((self.side.q, other.side.q))
            product: Above | Below = self.side * other.side
        elif isinstance(self.side, Above) and isinstance(other.side, Above):
            product = self.side * other.side
        else:
            raise Fault("sides of different kinds are multiplied")
        for first, second in pairs:
            digits = len(str(int(first(1)) * int(second(1))))
            cells = self.side.p.degree() + other.side.p.degree() + 2
            self.tally.append(cells * digits * _UNITS_PER_DIGIT)
        return _Counted(product, self.tally)


def _grid_work(parts: Sequence[tuple[Choice, int]], grid: Grid) -> int:
    """The units of a product on a grid, both sides, and of δ at one α."""
    tally: list[int] = []
    one = grid.inverses.one.bit_length()
    for of in (Above.of, Below.of):
        product: _Counted | None = None
        for choice, times in parts:
            loss = choice.most if of is Above.of else choice.loss
            base = of(loss, grid)
            for atom in loss.atoms:
                numbers = (*atom.ratio.as_integer_ratio(), *atom.p.as_integer_ratio())
                bits = max(n.bit_length() for n in numbers) + 2 * one
                tally.append(64 * _operation(bits, bits))
            tally.append((base.p.degree() + 3) * _UNITS_PER_CELL)
            factor = power(_Counted(base, tally), times)
            product = factor if product is None else product * factor
        if product is None:
            raise Fault("a composition of nothing")
        tally.append((product.side.p.degree() + 1) * _UNITS_PER_CELL)
        if isinstance(product.side, Above):
            reached = product.side.low + product.side.p.degree() + 1
            tally.append(max(0, reached) * _UNITS_PER_CELL)
    return sum(tally) + grid.inverses.computed * _UNITS_PER_CELL
