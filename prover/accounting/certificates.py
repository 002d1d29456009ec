"""Certificates of compositions: the models, the laws of their pairs, and how the laws are multiplied.

The checker repeats the products. How much work that is stands in the certificate (docs/certificates.md,
3.8); it is counted here as the checker counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from prover.accounting.account import Account, Proofs, Questions, account, sides_of
from prover.accounting.discrete_gaussian import chances, places
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.evidence.laws import laws_evidence
from prover.accounting.evidence.products import grid_work, has_noise, method_of, room
from prover.accounting.evidence.work import least_exact_work
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.mechanism import DEFAULT_GAP, Mechanism
from prover.accounting.pairs import combinations
from prover.accounting.refining import compositions_on
from prover.accounting.units import MOST_WORK
from prover.accounting.zcdp import Concentration
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate, Json, encode
from prover.chain.arguments import Slope
from prover.chain.canonical import chain_model
from prover.chain.collapsing.certificates import collapsing_evidence, observer_claim
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.errors import NotSupported
from prover.exact.divergence import RenyiDivergence
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational, rational_or_inf
from prover.progress import Progress, silent

_NEAR = 10**15  # parts of an α just below another one
NO_FRACTIONS = "certificates about samples of Gaussian noise are about whole orders, and about inf"
NO_FIXED_SIZE = "there are no certificates of divergences of samples of a fixed size with Gaussian noise"
_MORE_DIGITS = 2  # that a finer grid may have
_LARGE_ALPHA = Fraction(10**6)
_MOST_ALPHA = 10**150  # beyond, masses on a grid have too few digits


def certificate_of(found: Account, slope: Slope, *, upper: bool, method: Json | None = None) -> Certificate:
    """The certificate of the upper end of δ at α = e^ε, and of the lower one too where α is rational and the
    evidence is the same. ``method`` says how laws are multiplied, if that is known.

    Raises TooMuchWork.
    """
    alpha = slope.upper if upper else slope.lower
    low, high = found.delta(Slope.of_alpha(alpha))
    if slope.epsilon is not None or found.has_programs:
        low, high = (Fraction(0), high) if upper else (low, Fraction(1))
    claim = {
        "kind": "composition",
        "lower": format_rational(low),
        "upper": format_rational(high),
        **slope.claim(upper=upper),
    }
    parts = [_part(part) for part in found.mechanisms]
    model = {"type": "composition", "version": 1, "parts": parts}
    proofs = [_proof(part, upper=upper) for part in found.mechanisms]
    return encode(claim, model, {"parts": proofs, **(method or method_of(found, alpha, upper=upper))})


def proofs_of(found: Account, questions: Questions) -> Proofs:
    """The certificates of the one number that is asked for; of the lower end where that has its own α, or its
    own evidence. They are made once for an account.

    Raises TooMuchWork.
    """
    if questions not in found.proofs:
        found.proofs[questions] = _proofs(_on_one_grid(found), questions)
    return found.proofs[questions]


def _on_one_grid(found: Account) -> Account:
    """The account with all choices on the finest of its grids, as certificates have one."""
    grid = found.grid
    grids = {one.grid for one in found.compositions if isinstance(one, EnclosedLossDistribution)}
    if grid is None or len(grids) == 1:
        return found
    times = [part.times for part in found.mechanisms]
    bounds = [[(choice.loss, choice.most) for choice in row] for row in found.choices]
    rows = [list(zip(row, times, strict=True)) for row in bounds]
    return replace(found, compositions=compositions_on(rows, grid))


def _proofs(found: Account, questions: Questions) -> Proofs:
    method = None if found.grid is None else method_of(found, Fraction(1))  # the same at every α
    for slope in questions.slopes:
        both = slope.epsilon is not None or found.has_programs
        upper = certificate_of(found, slope, upper=True, method=method)
        return upper, certificate_of(found, slope, upper=False, method=method) if both else None
    for bound in questions.deltas:
        least = found.epsilon(bound)
        if least.alpha_upper is not None:
            upper = certificate_of(found, Slope.of_alpha(least.alpha_upper), upper=True, method=method)
            return upper, _above(found, least, method) if has_noise(found) else None
        return None, _above(found, least, method)
    return None, None


def _above(found: Account, least: LeastEpsilon, method: Json | None) -> Certificate | None:
    """The certificate that δ is above the bound just below the least α; None where that is 1. Where no α is
    large enough, it is about a large one.
    """
    alpha = least.alpha_lower
    if alpha == 1:
        return None
    if alpha is None:
        return certificate_of(found, Slope.of_alpha(_LARGE_ALPHA), upper=False, method=method)
    before = Fraction(alpha.numerator * _NEAR // alpha.denominator - 1, _NEAR)
    return certificate_of(found, Slope.of_alpha(max(Fraction(1), before)), upper=False, method=method)


def certificates_of_moments(
    mechanisms: Sequence[Mechanism], orders: Sequence[RenyiDivergence], rho: Concentration
) -> tuple[Certificate, Certificate | None]:
    """The certificate of the bounds of Rényi divergences of all runs together and, where checkers can see it,
    of ρ; where there is noise without a closed form, of the upper ends, and another one of the lower ends.

    Raises TooMuchWork, and NotSupported where there is an obstacle.
    """
    obstacle = obstacle_of_moments(mechanisms, [one.order for one in orders])
    if obstacle is not None:
        raise NotSupported(obstacle, code="no-certificate")
    uppers, lowers = ([_moment_proof(part, upper=end) for part in mechanisms] for end in (True, False))
    if uppers == lowers:
        return _of_moments(mechanisms, orders, rho, uppers), None
    upper = _of_moments(
        mechanisms,
        [replace(one, moment_lower=Fraction(1)) for one in orders],
        replace(rho, lower=Fraction(0)),
        uppers,
    )
    if all(one.moment_lower == 1 for one in orders) and rho.lower == 0:
        return upper, None
    lower = _of_moments(
        mechanisms,
        [replace(one, moment_upper=None) for one in orders],
        replace(rho, upper=None, without=None, orders=(), work=0),
        lowers,
    )
    return (upper, lower) if is_bounded(orders, rho) else (lower, None)


def is_bounded(orders: Sequence[RenyiDivergence], rho: Concentration) -> bool:
    """Whether certificates prove an upper end, or approximate zCDP."""
    known = rho.provable and (rho.upper is not None or rho.without is not None)
    return known or any(one.moment_upper is not None for one in orders)


def obstacle_of_moments(mechanisms: Sequence[Mechanism], orders: Sequence[Fraction | None]) -> str | None:
    """Why there are no certificates of the Rényi divergences of these orders, if so."""
    whole = all(order is None or order.denominator == 1 for order in orders)
    for part in mechanisms:
        if part.squared_shift is not None:
            if part.rate not in (None, 1) and not whole:
                return NO_FRACTIONS
        elif part.discrete_gaussian is not None:
            return NO_FIXED_SIZE
    return None


def _moment_proof(part: Mechanism, *, upper: bool) -> Json:
    """The evidence for its moments, from above or from below."""
    if part.squared_shift is not None:
        noise = part.discrete_gaussian
        return {"normal": 0 if noise is None else places(noise[0])}
    return _proof(part, upper=upper) | (_pure_proof(part) if upper else {})


def _of_moments(
    mechanisms: Sequence[Mechanism],
    orders: Sequence[RenyiDivergence],
    rho: Concentration,
    proofs: Sequence[Json],
) -> Certificate:
    moments = [
        [rational_or_inf(x) for x in (one.order, one.moment_lower, one.moment_upper)] for one in orders
    ]
    model = {"type": "composition", "version": 1, "parts": [_part(part) for part in mechanisms]}
    claim: Json = {"kind": "composition", "moments": moments}
    evidence: Json = {"parts": proofs}
    if rho.provable:
        claim["rho"], evidence["rho"] = rho.claim, rho.evidence
    return encode(claim, model, evidence)


@dataclass(frozen=True, slots=True)
class Certifiable:
    """An account, and why no certificate of its answer can be checked, if so. ``enclosed`` says that exact
    products take too long to check, so that the account is between bounds.
    """

    account: Account
    why: TooMuchWork | None = None
    enclosed: bool = False


def certifiable(
    mechanisms: Sequence[Mechanism],
    questions: Questions,
    *,
    beside: Sequence[Slope] = (),
    gap: Given = DEFAULT_GAP,
    progress: Progress = silent,
    on_account: Callable[[Account], None] | None = None,
) -> Certifiable:
    """What ``account`` finds, as far as checkers can repeat the products: exactly, or else on a grid, which
    takes less work.

    How much work that is is bounded before the products are computed: exact ones whose last square alone is
    too much are not, nor are grids that are too fine, or too coarse for the α that is asked about. Where
    nothing else is left the interval is wider than the gap, or has no certificate. ``beside`` is where δ is
    asked for without a certificate. Raises what ``account`` raises.
    """
    wanted = Questions((*questions.slopes, *beside), questions.deltas)
    if any(part.options for part in mechanisms):
        found = account(mechanisms, wanted, gap=gap, progress=progress, on_account=on_account)
        return Certifiable(found, _why_not(found, questions))
    times = [part.times for part in mechanisms]
    rows = combinations(*sides_of(mechanisms))
    least = max(least_exact_work(zip((one.loss for one in row), times, strict=True)) for row in rows)
    ask = partial(
        account, mechanisms, wanted, gap=gap, progress=progress, on_account=on_account, everywhere=True
    )
    found = ask(exact=None if least <= MOST_WORK else False, finer_by=affordable(questions))
    if found.grid is not None:
        never_exact = any(one.upper is not None for row in rows for one in row)
        return Certifiable(found, _why_not(found, questions), least > MOST_WORK and not never_exact)
    why = _why_not(found, questions)
    if why is None or questions.largest_alpha(found) > _MOST_ALPHA:
        return Certifiable(found, why)
    enclosed = ask(exact=False, finer_by=affordable(questions))
    width = wanted.width(enclosed)
    if width is None or width > given_rational(gap, "the gap", "bad-question", at_least=0):
        return Certifiable(found, why)
    return Certifiable(enclosed, _why_not(enclosed, questions), enclosed=True)


def _why_not(found: Account, questions: Questions) -> TooMuchWork | None:
    """Why no certificate of the answers can be checked, if so."""
    if found.grid is not None and questions.largest_alpha(found) > _MOST_ALPHA:
        return TooMuchWork()
    try:
        proofs_of(found, questions)
    except TooMuchWork as why:
        return why
    return None


def affordable(questions: Questions) -> Callable[[Account], Fraction]:
    """By which factor the grid of an account may be finer, so that checkers can still repeat the products.

    That is told from the first grid: the work is about in proportion to the cells and to the digits.
    """
    first: list[Fraction] = []

    def factor(found: Account) -> Fraction:
        grid = found.grid
        if grid is None or questions.largest_alpha(found) > _MOST_ALPHA:
            return Fraction(0)
        if not first:
            first.append(Fraction(grid_work(found, grid), grid.steps * grid.digits))
        return room(found) / (first[0] * grid.steps * (grid.digits + _MORE_DIGITS))

    return factor


def _part(part: Mechanism) -> Json:
    """A mechanism as certificates hold it."""
    if part.options:
        return {"options": [_part(option) for option in part.options], "times": part.times}
    if part.whole is not None and part.rate is not None:
        kind = "fixed-size" if part.fixed else "poisson"
        return {**_part(part.whole), "sampling": {"kind": kind, "rate": format_rational(part.rate)}}
    if part.secrets is not None:
        secrets = part.secrets
        chain = secrets.chain
        found: Json = {}
        if isinstance(chain, CollapsedChain):
            found["observer"] = observer_claim(chain.collapsing)
            chain = chain.collapsing.original
        found["chain"] = chain_model(chain)
        pair = {"from": secrets.source, "to": secrets.target} if secrets.named else {}
        return {**found, **pair, "times": part.times}
    if part.known is not None:
        return {**part.known, "times": part.times}
    if part.losses is not None:
        return {**part.losses.part, "times": part.times}
    loss = part.forward[0].loss
    rows = [[atom.p, atom.q] for atom in loss.atoms]
    rows += [[loss.infinite, Fraction(0)], [Fraction(0), loss.zero]]
    return {"laws": [[format_rational(x) for x in row] for row in rows if any(row)], "times": part.times}


def part_alone(part: Mechanism, *, upper: bool) -> tuple[Json, Json]:
    """A mechanism of a composition as certificates hold it, and the evidence for its laws."""
    return _part(part), _proof(part, upper=upper)


def part_with_proof(part: Mechanism, *, upper: bool) -> tuple[Json, Json]:
    """A mechanism as certificates hold it, and the evidence for its laws, from above or from below."""
    return _part(part), _proof(part, upper=upper) | (_pure_proof(part) if upper else {})


def _pure_proof(part: Mechanism) -> Json:
    """Of a program, that it has no mass at ∞, if that is known."""
    pure = None if part.losses is None else part.losses.proof_pure
    return {} if pure is None else {"pure": pure}


def _proof(part: Mechanism, *, upper: bool) -> Json:
    if part.options:
        return {"options": [_proof(option, upper=upper) for option in part.options]}
    if part.losses is not None:
        return part.losses.proof_above if upper else part.losses.proof_below
    if part.discrete_gaussian is not None:
        return {"chances": [str(n) for n in chances(*part.discrete_gaussian)]}
    if part.secrets is None:
        return {}
    pairs = part.secrets.pairs
    laws = laws_evidence(part.secrets, [*pairs, *((t, s) for s, t in pairs)], part.width)
    chain = part.secrets.chain
    return laws | ({"collapsing": collapsing_evidence(chain)} if isinstance(chain, CollapsedChain) else {})
