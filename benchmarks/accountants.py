"""The tables of docs/accountants.md: python benchmarks/accountants.py [--measure] [--certificates]

With --measure every question is asked of prover, of dp_accounting and of a reference, which is autodp or a
sum or an integral with 50 digits; this needs dp-accounting and autodp. With --certificates the accounts of
examples are composed, and their certificates made and checked. Without, the page is only written again from
what is recorded.
"""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import mpmath

from prover.accounting.account import Questions, account
from prover.accounting.certificates import certifiable, proofs_of
from prover.accounting.divergences import divergences
from prover.accounting.least_epsilon import DIGITS
from prover.accounting.mechanism import Mechanism
from prover.accounting.programs import ProgramLosses
from prover.accounting.sampling import fixed_size_sampled, poisson_sampled
from prover.bench.machine import machine
from prover.certificate.check import check
from prover.chain.arguments import given_slope
from prover.exact.rational import decimal_text
from prover.formats.account_file import read_account

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent / "docs" / "accountants.md"
RECORDED = FOLDER / "results" / "accountants.json"
CERTIFIED = FOLDER / "results" / "certified_accounts.json"
EXAMPLES = FOLDER.parent / "examples"
FILES = ("pipeline.toml", "sparse_vectors.toml")
"""Accounts with one question, an ε."""

FLOATS = 1e-8
"""The part of a number that floats of others may have wrong, beside the error that they state."""

_DIGITS = 50
_NOTHING = "—"

Ends = tuple[float, float]
"""Two numbers between which an answer is said to be."""

Asked = Callable[[Any], float]
"""A question to a privacy loss distribution of dp_accounting."""


@dataclass(frozen=True)
class Row:
    """A question, and how each one answers it; ``reference`` says of whom its number is."""

    mechanisms: str
    asked: str
    ours: Callable[[], Ends]
    theirs: Callable[[], Ends] | None
    reference: tuple[str, Callable[[], mpmath.mpf]] | None = None


def main(arguments: Sequence[str]) -> int:
    """Measure if that is asked for, and write the table into the page."""
    if "--measure" in arguments:
        logging.disable(logging.WARNING)
        RECORDED.write_text(json.dumps(measured(ROWS), indent=1) + "\n", encoding="utf-8")
    if "--certificates" in arguments:
        found = {"machine": machine(), "rows": [certified(name) for name in FILES]}
        CERTIFIED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def measured(rows: Sequence[Row]) -> dict[str, Any]:
    """The answers to all questions, with the seconds that each one took, and where that was."""
    packages = ("dp-accounting", "autodp", "mpmath", "python-flint")
    found = [
        {
            "mechanisms": row.mechanisms,
            "asked": row.asked,
            "prover": _timed(row.ours),
            "dp_accounting": row.theirs and _timed(row.theirs),
            "reference": row.reference and {"by": row.reference[0], **_timed(_both(row.reference[1]))},
        }
        for row in rows
    ]
    return {"machine": machine(), "versions": {name: version(name) for name in packages}, "rows": found}


def _timed(answer: Callable[[], Ends]) -> dict[str, Any]:
    began = process_time()
    lower, upper = map(float, answer())
    return {"lower": lower, "upper": upper, "seconds": round(process_time() - began, 3)}


def _both(number: Callable[[], mpmath.mpf]) -> Callable[[], Ends]:
    def ends() -> Ends:
        with mpmath.workdps(_DIGITS):
            return (found := float(number())), found

    return ends


def certified(name: str) -> dict[str, Any]:
    """An account of the examples: ε, and what it takes to find it, and to check its certificates."""
    began = process_time()
    read = read_account(EXAMPLES / name)
    (delta,) = read.questions.deltas
    gap = read.gap / len(read.parts)
    parts = [part.mechanism(gap=gap, delta=delta) for part in read.parts]
    composed = certifiable(parts, read.questions, gap=read.gap).account
    proofs = [proof.data for proof in proofs_of(composed, read.questions) if proof is not None]
    least, found = composed.epsilon(delta), process_time() - began
    row: dict[str, Any] = {
        "account": f"examples/{name}",
        "mechanisms": len(parts),
        "runs": sum(part.times for part in parts),
        "lower": decimal_text(least.lower or Fraction(0), DIGITS),
        "upper": "inf" if least.upper is None else decimal_text(least.upper, DIGITS),
        "seconds": round(found, 3),
        "certificates": [],
    }
    for proof in proofs:
        began = process_time()
        check(proof)
        row["certificates"].append({"bytes": len(proof), "seconds": round(process_time() - began, 3)})
    return row


def agree(ours: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two intervals have a number in common, up to what floats may have wrong."""
    room = FLOATS * max(abs(ours["upper"]), abs(other["upper"]))
    return bool(ours["lower"] - room <= other["upper"] and other["lower"] - room <= ours["upper"])


# What is asked of prover.


def known(name: str, times: int = 1, rate: str | None = None, **parameters: str | int) -> Mechanism:
    """A known mechanism, on Poisson samples if there is a rate."""
    whole = Mechanism.of_known(name, parameters, times=times)
    return whole if rate is None else poisson_sampled(whole, rate)


def least_error(error: str, make: Callable[[], Mechanism]) -> Callable[[], Ends]:
    """The least type II error of a test with this type I error."""

    def ends() -> Ends:
        losses = make().losses
        if not isinstance(losses, ProgramLosses):
            raise TypeError("a mechanism with noise is asked about")
        lower, upper = losses.tradeoff()
        return float(lower.value(error)), float(upper.value(error))

    return ends


def least_epsilon(delta: str, *make: Callable[[], Mechanism]) -> Callable[[], Ends]:
    """The least ε with this δ."""

    def ends() -> Ends:
        found = account([one() for one in make], Questions((), (Fraction(delta),))).epsilon(delta)
        return float(found.lower or 0), float(math.inf if found.upper is None else found.upper)

    return ends


def delta_at(epsilon: str, *make: Callable[[], Mechanism]) -> Callable[[], Ends]:
    """δ at this ε."""

    def ends() -> Ends:
        slope = given_slope("delta", None, epsilon)
        lower, upper = account([one() for one in make], Questions((slope,)), gap="1e-10").delta(slope)
        return float(lower), float(upper)

    return ends


def renyi(order: str, *make: Callable[[], Mechanism]) -> Callable[[], Ends]:
    """The Rényi divergence of this order."""

    def ends() -> Ends:
        (found,) = divergences([one() for one in make], [order])
        return float(found.lower or 0), float(math.inf if found.upper is None else found.upper)

    return ends


def least_rho(*make: Callable[[], Mechanism]) -> Callable[[], Ends]:
    """The ρ of zCDP."""

    def ends() -> Ends:
        rho = divergences([one() for one in make], [2]).rho
        if rho is None or rho.lower is None or rho.upper is None:
            return 0.0, math.inf
        return float(rho.lower), float(rho.upper)

    return ends


# What is asked of dp_accounting.


def distribution(name: str, times: int, pessimistic: bool, **parameters: Any) -> Any:
    """A mechanism of dp_accounting, composed with itself."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    made = getattr(pld, f"from_{name}")(**parameters, pessimistic_estimate=pessimistic)
    return made.self_compose(times) if times > 1 else made


def their(asked: Asked, *make: Callable[[bool], Any]) -> Callable[[], Ends]:
    """Its optimistic and its pessimistic answer."""

    def ends() -> Ends:
        found = []
        for pessimistic in (False, True):
            first, *others = (one(pessimistic) for one in make)
            for other in others:
                first = first.compose(other)
            found.append(float(asked(first)))
        return found[0], found[1]

    return ends


def of_them(name: str, times: int = 1, **parameters: Any) -> Callable[[bool], Any]:
    """The same, for either estimate."""
    return lambda pessimistic: distribution(name, times, pessimistic, **parameters)


def certain(epsilon: float, delta: float) -> Callable[[bool], Any]:
    """A mechanism of which no more is known than that it is (ε, δ)-differentially private."""

    def made(pessimistic: bool) -> Any:
        from dp_accounting.pld import common
        from dp_accounting.pld import privacy_loss_distribution as pld

        if not pessimistic:  # there is no such estimate: nothing at all is one
            return pld.identity(pessimistic_estimate=False)
        return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta))

    return made


def epsilon_for(delta: float) -> Asked:
    """The least ε."""
    return lambda found: float(found.get_epsilon_for_delta(delta))


def delta_for(epsilon: float) -> Asked:
    """δ at an ε."""
    return lambda found: float(found.get_delta_for_epsilon(epsilon))


def their_renyi(
    order: float,
    event: Callable[[Any], Any],
    times: int = 1,
    *,
    replaced: bool = False,
    attained: bool = True,
) -> Callable[[], Ends]:
    """The Rényi divergence that its accountant adds up; an upper bound only, unless it is attained."""

    def ends() -> Ends:
        from dp_accounting import NeighboringRelation, dp_event
        from dp_accounting.rdp import RdpAccountant

        relation = NeighboringRelation.REPLACE_ONE if replaced else NeighboringRelation.ADD_OR_REMOVE_ONE
        found = RdpAccountant([order], relation).compose(event(dp_event), times)
        divergence = float(found.rdp[0])
        return divergence if attained else 0.0, divergence

    return ends


# References, with 50 digits.


def gaussian_delta(sigma: float, epsilon: float) -> mpmath.mpf:
    """δ of Gaussian noise on numbers that differ by 1."""
    s, e = mpmath.mpf(sigma), mpmath.mpf(epsilon)
    return mpmath.ncdf(1 / (2 * s) - e * s) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * s) - e * s)


def normal_quantile(chance: mpmath.mpf) -> mpmath.mpf:
    """Below which a standard normal number is with this chance."""
    return mpmath.sqrt(2) * mpmath.erfinv(2 * chance - 1)


def laplace_delta(scale: float, times: int, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ of so many runs with Laplace noise on numbers that differ by 1, by integrals.

    Under e^(-loss/2) of the first law the loss is 1/scale times the sum of numbers that are ±1, or evenly
    spread between, with these weights; y is half of what the sum lacks.
    """
    e = 1 / mpmath.mpf(scale)
    most = (times - epsilon / e) / 2

    def density(k: int, y: mpmath.mpf) -> mpmath.mpf:
        signs = times - k
        return mpmath.fsum(
            mpmath.binomial(signs, j) * (-1) ** i * mpmath.binomial(k, i) * (y - j - i) ** (k - 1)
            for j in range(min(signs, int(y)) + 1)
            for i in range(min(k, int(y) - j) + 1)
        ) / mpmath.factorial(k - 1)

    def gain(y: mpmath.mpf) -> mpmath.mpf:
        loss = (times - 2 * y) * e
        return mpmath.exp(loss / 2) * (1 - mpmath.exp(epsilon - loss))

    whole = mpmath.fsum(mpmath.binomial(times, j) * gain(mpmath.mpf(j)) for j in range(int(most) + 1))
    cells = [*range(int(most) + 1), most]
    for k in range(1, times + 1):
        weight = mpmath.binomial(times, k) * e**k
        pieces = (mpmath.quad(lambda y: gain(y) * density(k, y), ends) for ends in pairwise(cells))  # noqa: B023
        whole += weight * mpmath.fsum(pieces)
    return whole * mpmath.exp(-times * e / 2) / 2**times


def root(delta: Callable[[mpmath.mpf], mpmath.mpf], bound: str, low: float, high: float) -> mpmath.mpf:
    """Where a function that falls takes this value."""
    ends, value = [mpmath.mpf(low), mpmath.mpf(high)], mpmath.mpf(bound)
    for _ in range(60):
        middle = sum(ends) / 2
        ends[delta(middle) <= value] = middle
    return sum(ends) / 2


def law_delta(law: Sequence[tuple[mpmath.mpf, mpmath.mpf]], times: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """δ of so many runs of a law of losses that are multiples of one number: (mass, loss)."""
    unit = min(abs(loss) for _, loss in law if loss)
    masses = {round(loss / unit): mass for mass, loss in law}
    lowest = min(masses)
    once = [masses.get(k, mpmath.mpf(0)) for k in range(lowest, max(masses) + 1)]
    power, square, rest = [mpmath.mpf(1)], once, times
    while rest:
        power = product(power, square) if rest % 2 else power
        rest //= 2
        square = product(square, square) if rest else square
    losses = [((times * lowest + k) * unit, mass) for k, mass in enumerate(power)]
    return lambda e: mpmath.fsum(m * (1 - mpmath.exp(e - loss)) for loss, m in losses if loss > e)


def product(one: Sequence[mpmath.mpf], two: Sequence[mpmath.mpf]) -> list[mpmath.mpf]:
    """Of two polynomials, with balls of 60 digits."""
    from flint import arb, arb_poly, ctx

    with ctx.workdps(60):
        found = arb_poly([arb(str(x)) for x in one]) * arb_poly([arb(str(x)) for x in two])
        return [mpmath.mpf(found[k].mid().str(55, radius=False)) for k in range(len(one) + len(two) - 1)]


def response(q: float | Fraction) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Randomised response with two values."""
    odds = mpmath.mpf(1) * Fraction(q).denominator / Fraction(q).numerator
    return [(odds / (1 + odds), mpmath.log(odds)), (1 / (1 + odds), -mpmath.log(odds))]


def counts(q: Fraction, sensitivity: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Discrete Laplace noise on an integer."""
    unit = mpmath.mpf(q.numerator) / q.denominator
    inner = [((1 - unit) / (1 + unit) * unit**x, x) for x in range(1, sensitivity)]
    ends = [(1 / (1 + unit), 0), (unit**sensitivity / (1 + unit), sensitivity)]
    return [(mass, (sensitivity - 2 * x) * -mpmath.log(unit)) for mass, x in [*inner, *ends]]


def whole_noise(sigma: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Discrete Gaussian noise on integers that differ by 1."""
    places = range(-15 * sigma, 15 * sigma + 2)
    weights = [mpmath.exp(-mpmath.mpf(k * k) / (2 * sigma**2)) for k in places]
    whole = mpmath.fsum(weights)
    return [
        (weight / whole, mpmath.mpf(1 - 2 * k) / (2 * sigma**2))
        for k, weight in zip(places, weights, strict=True)
    ]


def sampled_renyi(sigma: float, rate: float, order: float) -> mpmath.mpf:
    """The Rényi divergence of Gaussian noise on Poisson samples, by an integral: the larger of both ways."""
    s, g, a = mpmath.mpf(sigma), mpmath.mpf(str(rate)), mpmath.mpf(order)

    def ratio(x: mpmath.mpf) -> mpmath.mpf:
        return 1 - g + g * mpmath.exp((2 * x - 1) / (2 * s**2))

    places = [-mpmath.inf, *range(-10 * int(s), 10 * int(s * order), 4 * int(s)), mpmath.inf]
    ways = (
        lambda x: ratio(x) ** a * mpmath.npdf(x, 0, s),
        lambda x: ratio(x) ** (1 - a) * mpmath.npdf(x, 0, s),
    )
    moments = [
        mpmath.fsum(mpmath.quad(way, [low, high]) for low, high in pairwise(map(mpmath.mpf, places)))
        for way in ways
    ]
    return mpmath.log(max(moments)) / (a - 1)


def law_renyi(law: Sequence[tuple[mpmath.mpf, mpmath.mpf]], order: mpmath.mpf) -> mpmath.mpf:
    """Of a law of losses."""
    return mpmath.log(mpmath.fsum(m * mpmath.exp((order - 1) * loss) for m, loss in law)) / (order - 1)


def law_rho(law: Sequence[tuple[mpmath.mpf, mpmath.mpf]]) -> mpmath.mpf:
    """The largest divergence in proportion to its order: where orders fall to 1, the mean of the losses."""
    orders = [1 + mpmath.mpf(k) / 50 for k in range(1, 200)]
    return max([mpmath.fsum(m * loss for m, loss in law), *(law_renyi(law, a) / a for a in orders)])


def autodp_renyi(order: float, mechanism: str, rate: float | None = None, **parameters: float) -> mpmath.mpf:
    """The Rényi divergence of autodp; on Poisson samples if there is a rate."""
    from autodp import mechanism_zoo, transformer_zoo

    made = getattr(mechanism_zoo, mechanism)(**parameters)
    if rate is not None:
        sampled = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
        made = sampled(made, rate, improved_bound_flag=True)
    return mpmath.mpf(float(made.RenyiDP(order)))


def _pipeline_of_them() -> list[Callable[[bool], Any]]:
    return [
        of_them("gaussian_mechanism", 5, standard_deviation=10, sensitivity=2),
        of_them("laplace_mechanism", 20, parameter=20),
        of_them("randomized_response", 3, noise_parameter=18 / 19, num_buckets=2),
        of_them("randomized_response", 2, noise_parameter=16 / 17, num_buckets=4),
        of_them("discrete_laplace_mechanism", 4, parameter=math.log(10 / 9), sensitivity=2),
        of_them("gaussian_mechanism", 100, standard_deviation=2, sampling_prob=0.01),
        certain(0.1, 1e-8),
    ]


PIPELINE = (
    lambda: known("gaussian", 5, sigma="10", sensitivity="2"),
    lambda: known("laplace", 20, scale="20"),
    lambda: known("randomised-response", 3, q="9/10"),
    lambda: known("randomised-response", 2, q="4/5", values=4),
    lambda: known("discrete-laplace", 4, q="9/10", sensitivity=2),
    lambda: known("gaussian", 100, "1/100", sigma="2"),
    lambda: known("approximate", alpha="1.105170918075648", delta="1e-8"),
)
"""Seven mechanisms together."""


def _rows() -> Iterator[Row]:
    yield Row(
        "Gaussian, σ = 2",
        "δ at ε = 1",
        delta_at("1", lambda: known("gaussian", sigma="2")),
        their(delta_for(1.0), of_them("gaussian_mechanism", standard_deviation=2)),
        ("formula", lambda: gaussian_delta(2, 1)),
    )
    yield Row(
        "100 × Gaussian, σ = 10",
        "ε for δ = 10⁻⁶",
        least_epsilon("1e-6", lambda: known("gaussian", 100, sigma="10")),
        their(epsilon_for(1e-6), of_them("gaussian_mechanism", 100, standard_deviation=10)),
        ("formula", lambda: root(lambda e: gaussian_delta(1, e), "1e-6", 4, 6)),
    )
    yield Row(
        "Laplace, scale 1/2",
        "δ at ε = 1",
        delta_at("1", lambda: known("laplace", scale="1/2")),
        their(delta_for(1.0), of_them("laplace_mechanism", parameter=0.5)),
        ("formula", lambda: 1 - mpmath.exp(mpmath.mpf(-1) / 2)),
    )
    yield Row(
        "20 × Laplace, scale 20",
        "δ at ε = 0.8",
        delta_at("0.8", lambda: known("laplace", 20, scale="20")),
        their(delta_for(0.8), of_them("laplace_mechanism", 20, parameter=20)),
        ("integral", lambda: laplace_delta(20, 20, mpmath.mpf(4) / 5)),
    )
    for times in (10, 100, 1000):
        yield Row(
            f"{times:,} × randomised response, q = 1/2",
            "ε for δ = 10⁻⁶",
            least_epsilon("1e-6", lambda n=times: known("randomised-response", n, q="1/2")),
            their(
                epsilon_for(1e-6), of_them("randomized_response", times, noise_parameter=2 / 3, num_buckets=2)
            ),
            (
                "sum",
                lambda n=times: root(law_delta(response(Fraction(1, 2)), n), "1e-6", 0.32 * n, 0.7 * n),
            ),
        )
    yield Row(
        "10,000 × randomised response, q = 1/2",
        "ε for δ = 10⁻⁶",
        least_epsilon("1e-6", lambda: known("randomised-response", 10_000, q="1/2")),
        None,
        ("sum", lambda: root(law_delta(response(Fraction(1, 2)), 10_000), "1e-6", 2618, 2619)),
    )
    for times in (10, 100):
        yield Row(
            f"{times} × discrete Laplace, q = 3/4, sensitivity 2",
            "ε for δ = 10⁻⁶",
            least_epsilon("1e-6", lambda n=times: known("discrete-laplace", n, q="3/4", sensitivity=2)),
            their(
                epsilon_for(1e-6),
                of_them("discrete_laplace_mechanism", times, parameter=math.log(4 / 3), sensitivity=2),
            ),
            ("sum", lambda n=times: root(law_delta(counts(Fraction(3, 4), 2), n), "1e-6", 0.3 * n, 0.58 * n)),
        )
    for times in (10, 100):
        yield Row(
            f"{times} × discrete Gaussian, σ = 4",
            "ε for δ = 10⁻⁶",
            least_epsilon("1e-6", lambda n=times: known("discrete-gaussian", n, sigma="4")),
            their(epsilon_for(1e-6), of_them("discrete_gaussian_mechanism", times, sigma=4)),
            ("sum", lambda n=times: root(law_delta(whole_noise(4), n), "1e-6", 0.1 * n, 0.6 * n)),
        )
    for times, rate in ((50, "1/10"), (1000, "1/100")):
        yield Row(
            f"{times:,} × Gaussian, σ = 2, on Poisson samples of rate {rate}",
            "ε for δ = 10⁻⁵",
            least_epsilon("1e-5", lambda n=times, r=rate: known("gaussian", n, r, sigma="2")),
            their(
                epsilon_for(1e-5),
                of_them(
                    "gaussian_mechanism", times, standard_deviation=2, sampling_prob=float(Fraction(rate))
                ),
            ),
        )
    yield Row(
        "Gaussian, σ = 2, on samples of a fixed size, of rate 1/10",
        "δ at ε = 1/2",
        delta_at("1/2", lambda: fixed_size_sampled(known("gaussian", sigma="2"), "1/10")),
        None,
        ("formula", lambda: gaussian_delta(2, mpmath.log(10 * mpmath.exp(mpmath.mpf(1) / 2) - 9)) / 10),
    )
    yield Row(
        "Gaussian, σ = 2",
        "type II error for the type I error 1/10",
        least_error("1/10", lambda: known("gaussian", sigma="2")),
        None,
        ("formula", lambda: mpmath.ncdf(normal_quantile(mpmath.mpf(9) / 10) - mpmath.mpf(1) / 2)),
    )
    yield Row(
        "pipeline of seven",
        "ε for δ = 10⁻⁶",
        least_epsilon("1e-6", *PIPELINE),
        their(epsilon_for(1e-6), *_pipeline_of_them()),
    )
    for order in ("2", "5/2", "32"):
        yield Row(
            "Gaussian, σ = 2, on Poisson samples of rate 1/100",
            f"Rényi divergence of order {order}",
            renyi(order, lambda: known("gaussian", 1, "1/100", sigma="2")),
            their_renyi(
                float(Fraction(order)),
                lambda event: event.PoissonSampledDpEvent(0.01, event.GaussianDpEvent(2.0)),
                attained=order != "5/2",
            ),
            ("autodp", lambda: autodp_renyi(32, "GaussianMechanism", 0.01, sigma=2.0))
            if order == "32"
            else ("integral", lambda a=order: sampled_renyi(2, 0.01, float(Fraction(a)))),
        )
    yield Row(
        "20 × Laplace, scale 20",
        "Rényi divergence of order 8",
        renyi("8", lambda: known("laplace", 20, scale="20")),
        their_renyi(8, lambda event: event.LaplaceDpEvent(20), 20),
        ("autodp", lambda: 20 * autodp_renyi(8, "LaplaceMechanism", b=20.0)),
    )
    yield Row(
        "1,000 × randomised response, q = 1/2",
        "Rényi divergence of order 3/2",
        renyi("3/2", lambda: known("randomised-response", 1000, q="1/2")),
        their_renyi(1.5, lambda event: event.RandomizedResponseDpEvent(2 / 3, 2), 1000, replaced=True),
        ("autodp", lambda: 1000 * autodp_renyi(1.5, "RandresponseMechanism", p=2 / 3)),
    )
    yield Row(
        "7 × randomised response, q = 1/2",
        "ρ of zCDP",
        least_rho(lambda: known("randomised-response", 7, q="1/2")),
        None,
        ("sum", lambda: 7 * law_rho(response(Fraction(1, 2)))),
    )
    yield Row(
        "100 × Gaussian, σ = 10",
        "ρ of zCDP",
        least_rho(lambda: known("gaussian", 100, sigma="10")),
        None,
        ("formula", lambda: mpmath.mpf(1) / 2),
    )


ROWS = tuple(_rows())


# The page.


def renewed(page: str) -> str:
    """The page with the tables of the recorded results between their marks."""
    for name, file, table in (("table", RECORDED, _table), ("certificates", CERTIFIED, _certificates)):
        begin, end = (f"<!-- {word} {name} -->" for word in ("begin", "end"))
        before, _, rest = page.partition(f"{begin}\n")
        _, _, after = rest.partition(end)
        lines = table(json.loads(file.read_text(encoding="utf-8")))
        page = "\n".join([f"{before}{begin}", *lines, f"{end}{after}"])
    return page


def _table(recorded: dict[str, Any]) -> Iterator[str]:
    yield (
        "| mechanisms | asked | prover, at most | width | time | dp_accounting, at most | width | time "
        "| above prover | reference | | off |"
    )
    yield f"|{'---|' * 12}"
    for row in recorded["rows"]:
        ours, theirs, reference = row["prover"], row["dp_accounting"], row["reference"]
        cells = [row["mechanisms"], row["asked"], _number(ours["upper"]), _width(ours), _time(ours)]
        if theirs is None:
            cells += [_NOTHING] * 4
        else:
            excess = f"{theirs['upper'] - ours['upper']:.1e}"
            cells += [_number(theirs["upper"]), _width(theirs), _time(theirs), excess]
        if reference is None:
            cells += [_NOTHING] * 3
        else:
            cells += [reference["by"], _number(reference["upper"]), _off(ours, reference)]
        yield f"| {' | '.join(cells)} |"


def _certificates(recorded: dict[str, Any]) -> Iterator[str]:
    yield "| account | mechanisms | runs | ε, at least | at most | found | certificate | lower | checked |"
    yield f"|{'---|' * 9}"
    for row in recorded["rows"]:
        own = [f"{proof['bytes']:,} bytes" for proof in row["certificates"]]
        checked = " and ".join(_time(proof) for proof in row["certificates"])
        cells = [row["account"], row["mechanisms"], row["runs"], row["lower"], row["upper"]]
        yield f"| {' | '.join([*map(str, cells), _time(row), *own, checked])} |"


def _number(value: float) -> str:
    return f"{value:.10g}"


def _width(ends: dict[str, Any]) -> str:
    width = ends["upper"] - ends["lower"]
    return f"{width:.1e}" if width > 1e-12 * abs(ends["upper"]) else "0"


def _time(answer: dict[str, Any]) -> str:
    return f"{answer['seconds']:.2g} s" if answer["seconds"] >= 0.01 else "< 0.01 s"


def _off(ours: dict[str, Any], reference: dict[str, Any]) -> str:
    """How far the reference is outside of the interval of prover."""
    far = max(ours["lower"] - reference["upper"], reference["lower"] - ours["upper"], 0.0)
    return f"{far:.1e}" if far > 1e-11 * abs(ours["upper"]) else "0"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
