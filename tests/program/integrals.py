"""Probabilities of runs by other means: nested numerical integration, and SymPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import sympy

from prover.exact.exponential_sum import ExponentialSum
from prover.program.model import Edge, Program
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME

Windows = Mapping[int, tuple[Fraction, Fraction]]
EPSILON = sympy.Symbol("epsilon", positive=True)
U = sympy.Symbol("u", real=True)


def numerical(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], epsilon: Fraction, windows: Windows
) -> float:
    """By Gauss-Legendre quadrature over every number that is stored."""
    breaks = {float(read + program.states[edge.source].mean) for edge, read in zip(path, inputs, strict=True)}
    breaks = {center + far for center in breaks for far in (-25.0, -8.0, -3.0, 0.0, 3.0, 8.0, 25.0)}
    breaks |= {float(end) for window in windows.values() for end in window}
    nodes = list(zip(*(part.tolist() for part in np.polynomial.legendre.leggauss(12)), strict=True))
    loudness = float(epsilon)

    def below(value: float, center: float, rate: float) -> float:
        tail = math.exp(-rate * loudness * abs(value - center)) / 2
        return tail if value < center else 1 - tail

    def rest(place: int, stored: float) -> float:
        if place == len(path):
            return 1.0
        edge, state = path[place], program.states[path[place].source]
        center, rate = float(inputs[place] + state.mean), float(state.rates[0])
        low, high = map(float, windows.get(place, (Fraction(-90), Fraction(90))))
        chance = 1.0
        if edge.output == INSAMPLE_PRIME and place in windows:
            assert state.second is not None
            prime, mean = map(float, state.second)
            middle = float(inputs[place]) + mean
            chance = below(high, middle, prime) - below(low, middle, prime)
        if edge.output != INSAMPLE:
            low, high = -90.0, 90.0
        if edge.relation == "<":
            high = min(high, stored)
        if edge.relation == ">=":
            low = max(low, stored)
        if low >= high:
            return 0.0
        if not edge.assigns:
            return chance * (below(high, center, rate) - below(low, center, rate)) * rest(place + 1, stored)

        total = 0.0
        for start, end in pairwise([low, *sorted(b for b in breaks if low < b < high), high]):
            for node, weight in nodes:
                value = (start + end) / 2 + node * (end - start) / 2
                height = rate * loudness / 2 * math.exp(-rate * loudness * abs(value - center))
                if height > 1e-14:
                    total += weight * (end - start) / 2 * height * rest(place + 1, value)
        return chance * total

    return rest(0, 0.0)


def symbolical(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], windows: Windows
) -> sympy.Expr:
    """By SymPy's integrals over u = ε·sample, between the points where densities or windows have corners."""
    centers = [
        sympy.Rational(str(read + program.states[edge.source].mean))
        for edge, read in zip(path, inputs, strict=True)
    ]
    ends = [sympy.Rational(str(end)) for window in windows.values() for end in window]
    points = sorted({*centers, *ends})
    rest = [sympy.Integer(1)] * (len(points) + 1)
    for place in range(len(path) - 1, -1, -1):
        edge, state, center = path[place], program.states[path[place].source], centers[place]
        rate = sympy.Rational(str(state.rate))
        primitives = []
        for piece in range(len(points) + 1):
            left = piece <= points.index(center)
            far = center * EPSILON - U if left else U - center * EPSILON
            density = rate / 2 * sympy.exp(-rate * far)
            if edge.output == INSAMPLE and place in windows:
                low, high = (points.index(sympy.Rational(str(end))) for end in windows[place])
                density = density if low < piece <= high else sympy.Integer(0)
            primitives.append(_primitive(density * (rest[piece] if edge.assigns else 1)))
        asked = _asked(edge.relation, primitives, [point * EPSILON for point in points])
        rest = asked if edge.assigns else [a * r for a, r in zip(asked, rest, strict=True)]
    return rest[0]


def _primitive(weighed: sympy.Expr) -> sympy.Expr:
    """Term by term, with what does not depend on u taken out: else SymPy takes minutes."""
    found = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.powsimp(sympy.expand(weighed))):
        constant, dependent = sympy.expand(term).as_independent(U)
        found += constant * sympy.integrate(sympy.powsimp(dependent), U)
    return found


def _asked(relation: str, primitives: list[sympy.Expr], points: list[sympy.Expr]) -> list[sympy.Expr]:
    """The integral up to u, from u on, or everywhere; primitives vanish towards infinity."""
    upto, done = [], sympy.Integer(0)
    for piece, primitive in enumerate(primitives):
        start = done - (primitive.subs(U, points[piece - 1]) if piece else 0)
        upto.append(primitive + start)
        done = upto[-1].subs(U, points[piece]) if piece < len(points) else start
    if relation == "<":
        return upto
    return [done - part if relation else done for part in upto]


def is_equal(found: ExponentialSum, expected: sympy.Expr) -> bool:
    """Whether an exponential sum is the function of ε that SymPy's expression is."""
    terms = (
        sympy.Rational(str(c)) * EPSILON**power * sympy.exp(sympy.Rational(str(exponent)) * EPSILON)
        for c, power, exponent in found.terms
    )
    difference = sympy.expand(expected - sum(terms, sympy.Integer(0)))
    return bool(sympy.expand(sympy.powsimp(difference)) == 0)
