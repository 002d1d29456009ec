"""Which of some noisy numbers is the largest, or the least: runs that say so together are one integral.

Judges follow every run alone, and integrate again and again; the probability that one of independent
numbers is the largest is also integrated by itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import exp, pi, sqrt
from random import Random
from typing import Any

import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from prover.certificate.check import BadModel, TooLarge, budget
from prover.errors import NotSupported
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.noise import INFINITE, Gaussian
from prover.program.profiles import runs
from prover.program.profiles.followable import followable
from prover.program.profiles.pair import WIDTH, delta_of_pair
from prover.program.profiles.pair_answer import PairDelta
from tests.certificate.check.profiles.test_pair import confirm_and_forge, is_exactly
from tests.certificate.pair_judge import delta
from tests.certificate.verdicts import accepted, edited, refused
from tests.profiles import everything
from tests.refusals import refuses

Json = Any
SEEDS = range(600) if everything() else range(8)
ONE = Fraction(1)
FIXED = State(True, None, Fraction(0), None, None, (), INFINITE, INFINITE)


def drawn(rate: Any) -> State:
    return State(True, rate, Fraction(0), None, None, ())


def race(
    samples: Sequence[State], outputs: Sequence[str], sides: str, *, last: bool = True, shown: str = ""
) -> Program:
    """Each sample is compared with the one that leads, and leads from then on if it is on that side of it: >=
    or <. The last one need not be stored. It is shown which number leads at last, by these letters; and
    before that whether each one leads, if its number is among those ``shown``.
    """
    states = {"s0 0": samples[0]}
    names: dict[str, tuple[Transition, ...]] = {"s0 0": (Transition((), ("x",), "o", "s1 0"),)}
    for k, own in enumerate(samples[1:], start=1):
        for best in range(k):
            leads = {side: k if side == sides[k - 1] else best for side in ("<", ">")}
            end = k == len(samples) - 1
            cases = tuple(
                Transition(
                    (("<" if side == "<" else ">=", "x"),),
                    ("x",) if after == k and (last or not end) else (),
                    outputs[after]
                    if end
                    else ("leads" if after == k else "trails")
                    if str(k) in shown
                    else "o",
                    "end" if end else f"s{k + 1} {after}",
                )
                for side, after in leads.items()
            )
            states[f"s{k} {best}"], names[f"s{k} {best}"] = own, cases
    made = {
        name: State(own.input, own.rate, own.mean, None, None, names[name], own.rate_left, own.rate_right)
        for name, own in states.items()
    }
    return Program("s0 0", made)


def answer(program: Program, x: Sequence[Any], y: Sequence[Any], alpha: Fraction = ONE) -> PairDelta:
    one, two = ([Fraction(v) for v in own] for own in (x, y))
    return delta_of_pair(program, Adjacency.ALL_DIFFER, ONE, (alpha, alpha), one, two)


def certificate(found: PairDelta) -> Json:
    return json.loads(found.certificate.data)


def wins(k: int, centers: Sequence[float], sigmas: Sequence[float], sign: int) -> float:
    """The probability that sample k is the largest, or with the sign -1 the least, in floats."""

    def density(z: float) -> float:
        found = exp(-(((z - centers[k]) / sigmas[k]) ** 2) / 2) / (sigmas[k] * sqrt(2 * pi))
        for place, (center, sigma) in enumerate(zip(centers, sigmas, strict=True)):
            found *= 1.0 if place == k else float(ndtr(sign * (z - center) / sigma))
        return found

    far = 10 * sigmas[k]
    return float(quad(density, centers[k] - far, centers[k] + far, epsabs=1e-14, limit=400)[0])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("sigmas", "last"), [("1 1 1", True), ("2 1 3 1/2", False), ("3/2 " * 6, True)])
def test_one_integral_for_each_output(sigmas: str, last: bool, sign: int) -> None:
    spreads = [Fraction(sigma) for sigma in sigmas.split()]
    n = len(spreads)
    program = race(
        [drawn(Gaussian(sigma)) for sigma in spreads], "abcdefghi"[:n], ("<", ">")[sign > 0] * n, last=last
    )
    x = [Fraction(k % 4, 3) for k in range(n)]
    y = [v + Fraction((-1) ** k, 1 + k % 2) for k, v in enumerate(x)]
    for alpha in (ONE, Fraction(6, 5))[: 1 + (n == 3)]:
        found = answer(program, x, y, alpha)
        laws = [
            [wins(k, [*map(float, own)], [*map(float, spreads)], sign) for k in range(n)] for own in (x, y)
        ]
        number = max(
            sum(max(0.0, p - float(alpha) * q) for p, q in zip(*both, strict=True))
            for both in (laws, laws[::-1])
        )
        assert found.width < WIDTH
        assert float(found.lower) == pytest.approx(number, abs=1e-11)
        accepted(certificate(found))
        if n == 3:
            is_exactly(certificate(found), number, 11)


def test_many_candidates() -> None:
    """The runs of one output are one, whatever their number was."""
    program = race([drawn(Gaussian(ONE))] * 12, "abcdefghijkl", ">" * 12)
    pairs = [(Fraction(k), Fraction(k + k % 2)) for k in range(12)]
    followed = runs.Runs(followable(program, ONE), pairs)
    assert sorted((own.count, own.groups[0][1]) for own in followed.ended) == [(1, 1)] * 12
    assert {len(own.groups) for own in followed.ended} == {1}
    # all of them equally likely
    alike = runs.Runs(followable(program, ONE), [(ONE, ONE)] * 12)
    assert [own.count * times for own in alike.ended for _, times in own.groups] == [12]


def raced(seed: int) -> Program:
    """Three or four numbers; in some programs the side changes, or outputs show some of the order."""
    random = Random(f"largest {seed}")
    n = random.choice([3, 4])
    gaussian = seed % 2 == 0
    samples = []
    for _ in range(n):
        size = random.choice([Fraction(1, 2), ONE, Fraction(2)])
        own = drawn(Gaussian(size)) if gaussian else drawn(size)
        samples.append(FIXED if not gaussian and random.random() < 0.3 else own)
    side = random.choice("<>")
    other = "<" if side == ">" else ">"
    sides = "".join(other if random.random() < 0.15 else side for _ in range(n - 1))
    letters = [random.choice("abcd") if random.random() < 0.3 else "abcd"[k] for k in range(n)]
    shown = "".join(str(k) for k in range(1, n) if random.random() < 0.15)
    return race(samples, letters, sides, last=random.random() < 0.5, shown=shown)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_races(seed: int) -> None:
    random = Random(f"inputs {seed}")
    program = raced(seed)
    x = [Fraction(random.randint(-2, 2), random.choice([1, 2])) for _ in range(4)]
    y = [v + Fraction(random.choice([-2, 0, 1, 2]), 2) for v in x]
    try:
        found = answer(program, x, y, Fraction(8 + seed % 3, 8))
    except NotSupported as why:
        if why.code != "gaussian-in-a-row":
            raise
        return
    confirm_and_forge(certificate(found), seed, 4)


@pytest.mark.parametrize(
    ("sides", "shown"),
    [
        (">>", "1"),  # the order of the first two is shown
        ("><", ""),  # the larger one of two, or a lesser one
    ],
)
def test_other_orders_are_refused(sides: str, shown: str) -> None:
    with refuses("gaussian-in-a-row"):
        answer(race([drawn(Gaussian(ONE))] * 3, "abc", sides, shown=shown), [0, 0, 0], [1, 0, 0])
    found = certificate(answer(race([drawn(Gaussian(ONE))] * 3, "abc", ">>"), [0, 0, 0], [1, 0, 0]))
    other = race([drawn(ONE)] * 3, "abc", sides, shown=shown)
    model = certificate(answer(other, [0, 0, 0], [1, 0, 0]))["model"]
    for own in model["states"].values():
        own |= {"rate": None, "sigma": "1"}
    refused(edited(found, {("model",): model}), BadModel, "compared and stored")


def test_ways_that_meet_later() -> None:
    """The larger of two is below a third number; on both ways another number is compared with that one."""
    below, above = (("<", "x"),), ((">=", "x"),)

    def own(*cases: Transition) -> State:
        return State(True, Gaussian(ONE), Fraction(0), None, None, cases)

    states = {
        "draw": own(Transition((), ("x",), "o", "second")),
        "second": own(Transition(below, (), "o", "third 0"), Transition(above, ("x",), "o", "third 1")),
        "last": own(Transition(below, (), "below", "end"), Transition(above, (), "above", "end")),
    }
    for way in "01":
        cases = Transition(below, (), "less", "end"), Transition(above, ("x",), "o", f"fourth {way}")
        states[f"third {way}"] = own(*cases)
        states[f"fourth {way}"] = own(
            Transition(below, (), "o", "last"), Transition(above, (), "more", "end")
        )
    found = certificate(answer(Program("draw", states), [0, 1, 0, 1, 0], [1, 0, 1, 0, 1]))
    confirm_and_forge(found, 1, 4)


def test_equal_constants() -> None:
    """Where two of them may be equal, runs are followed one by one: the last of the largest wins."""
    for sides, winner in ((">>", 2), ("<<", 0)):
        program = race([FIXED] * 3, "abc", sides)
        others = [0 if k == winner else 1 for k in range(3)]
        still, moved = (answer(program, [0, 0, 0], [sign * d for d in others]) for sign in (-1, 1))
        if sides == "<<":
            still, moved = moved, still
        assert moved.lower > 1 - WIDTH
        assert still.upper < WIDTH
        for own in (still, moved):
            is_exactly(certificate(own), delta(certificate(own)), 9)


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    program = race([drawn(Gaussian(ONE))] * 4, "abcd", ">" * 4)
    found = certificate(answer(program, range(4), [k + 1 for k in range(4)]))
    accepted(found)
    monkeypatch.setattr(budget, "UNITS", 100_000)
    monkeypatch.setattr(budget, "UNITS_PER_BYTE", 0)
    refused(found, TooLarge, "the work exceeds the limit")
