"""Heights of nodes: evidence that the walk along the entries ends almost surely.

An entry of factor c leads from node q to node p with chance c |x_p| / |x_q|, where |x| is the sum of the
vector x. The expected number of steps to an end, times |x_q|, is a height h_q: it falls by a factor ρ < 1 in
the mean with each step. `proofs/Unrolling.v` asks for h_q ≥ v_q, and Σ c h_p ≤ ρ h_q over the entries of q,
where ends count 0."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from prover.errors import NotSupported

ONE = 1 << 20
"""A step, where numbers of steps are integers."""

SWEEPS = 2000
"""Times that all expected numbers are computed from one another before that is given up."""

Links = Sequence[tuple[int, Fraction]]


def heights(
    links: Sequence[Links], mass: Sequence[int], values: Sequence[Fraction]
) -> tuple[Fraction, list[Fraction]]:
    """ρ and h, for nodes with their entries, |x| and v. A node without entries is an end, of height 0.

    Raises NotSupported where the expected numbers of steps are too large to be found."""
    inner = [q for q, entries in enumerate(links) if entries and mass[q]]
    steps = _expected_steps(inner, links, mass)
    factor = max([Fraction(1), *(values[q] * ONE / (mass[q] * steps[q]) for q in inner)])
    found = [factor * m * Fraction(t, ONE) for m, t in zip(mass, steps, strict=True)]
    worst = max(
        (sum((c * found[p] for p, c in links[q]), Fraction(0)) / found[q] for q in inner), default=Fraction(0)
    )
    short = 1 << (1 / (1 - worst)).__ceil__().bit_length()
    return 1 - Fraction(1, short), found


def _expected_steps(inner: Sequence[int], links: Sequence[Links], mass: Sequence[int]) -> list[int]:
    """Integers t, in multiples of 1 / ONE: each exceeds the mean of its successors by half a step or more."""
    chances = [[(p, c * mass[p] / mass[q]) for p, c in links[q] if mass[p]] for q in inner]
    steps = [0] * len(links)
    ends = set(range(len(links))) - set(inner)
    for _ in range(SWEEPS):
        worst = 0
        for q, entries in zip(reversed(inner), reversed(chances), strict=True):
            mean = sum(steps[p] * w.numerator // w.denominator + 1 for p, w in entries if p not in ends)
            worst = max(worst, ONE + mean - steps[q])
            steps[q] = max(steps[q], ONE + mean)
        if 2 * worst <= ONE:
            return steps
    raise NotSupported(f"{SWEEPS} rounds do not bound the length of the events", code="not-in-coq")
