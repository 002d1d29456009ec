"""Claims about compositions, by laws and their products."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..budget import Budget
from ..chains import epsilon_rule
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    TooLarge,
    at,
    at_most,
    demand,
    natural,
    rational,
    record,
    typed,
)
from .adaptive import adaptive_delta
from .endings import Key, Laws, key_of
from .grids import enclosed_delta, read_grid
from .parts import MOST_CHOICES, Options, Part, read_parts
from .products import exact_delta
from .sums import summed_delta
from .tally import Tally

ENCLOSED = "laws that are only enclosed are allowed only with a grid, or with a basis if they are of programs"
POINT_BITS = 128  # after the point, of masses and gains where δ is bounded at points


def composition(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ the largest δ(α) ≤ upper, over both directions and all choices of pairs of secrets."""
    with at("claim"):
        alpha, lower, upper = (rational(fields[key]) for key in ("alpha", "lower", "upper"))
        demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
        demand(
            lower[0] >= 0 and at_most(lower, upper) and at_most(upper, (1, 1)),
            BadClaim,
            "the bounds do not satisfy 0 <= lower <= upper <= 1",
        )
        if "epsilon" in fields:
            epsilon_rule(alpha, fields["epsilon"], budget)
    with at("evidence"):
        method = next((key for key in ("adaptive", "basis") if key in typed(evidence, dict)), "grid")
        name = "sums" if "sums" in evidence else "work"
        sides = record(evidence, f"basis parts {name}" if method == "basis" else f"{method} parts")
        parts = read_parts(model, sides["parts"], budget)
        rows = list(choices(parts))
        times = [part.times for part in parts]
        if method == "grid":
            grid = read_grid(sides["grid"], budget)
            asked = lower[0] > 0, upper[0] < upper[1]
            ends = enclosed_delta([alone(row, times) for row in rows], alpha, grid, *asked)
            lows, highs = ([end.as_integer_ratio()] for end in ends)
        elif method == "adaptive":
            demand(is_known(rows), BadEvidence, ENCLOSED)
            tally = Tally(budget, typed(sides["adaptive"], int))
            laws = ([[law for law, _ in options] for options in row] for row in rows)
            steps = (list(zip(row, times, strict=True)) for row in laws)
            lows = highs = [adaptive_delta(row, alpha, tally) for row in steps]
        else:
            known = known_rule(rows, parts)
            tally, basis = Tally(budget, typed(sides[name], int)), basis_of(sides["basis"])
            delta = summed_delta if name == "sums" else exact_delta
            single = [alone(row, times) for row in rows]

            def values(up: bool) -> list[Ratio]:
                exact = ([(laws[up], n) for laws, n in row] for row in single)
                return [delta(row, alpha, basis, tally) for row in exact]

            lows = values(False) if known or lower[0] > 0 else [(0, 1)]
            highs = lows if known else values(True) if upper[0] < upper[1] else [(1, 1)]
    proved = any(at_most(lower, low) for low in lows)
    demand(proved, ClaimOpen, "the evidence does not prove lower")
    proved = all(at_most(high, upper) for high in highs)
    demand(proved, ClaimOpen, "the evidence does not prove upper")


def basis_of(value: Json) -> list[int]:
    basis = [natural(b) for b in typed(value, list)]
    demand(all(b > 1 for b in basis), Malformed, "a number of the basis is less than 2")
    return basis


def known_rule(rows: Sequence[Sequence[Options]], parts: Sequence[Part]) -> bool:
    """Whether the laws from below are those from above; only laws of programs may be others."""
    others = [[own for own, part in zip(row, parts, strict=True) if not part.noisy] for row in rows]
    demand(is_known(others), BadEvidence, ENCLOSED)
    return is_known(rows)


def is_known(rows: Sequence[Sequence[Options]]) -> bool:
    return all(lower is upper for row in rows for options in row for lower, upper in options)


def alone(row: Sequence[Options], times: Sequence[int]) -> list[tuple[Laws, int]]:
    """The laws of parts that are one mechanism each."""
    demand(all(len(options) == 1 for options in row), BadEvidence, "options are allowed only with adaptive")
    return [(laws, n) for (laws,), n in zip(row, times, strict=True)]


def choices(parts: Sequence[Part]) -> Iterator[tuple[Options, ...]]:
    """The laws of one pair of each part, all one way round, or all the other way."""
    kinds, seen = dict[Sequence[Key], int](), set[tuple[int, ...]]()
    for side in ([part.forward for part in parts], [part.backward for part in parts]):
        number = 1
        for several in side:
            number *= len(several)
            demand(number <= MOST_CHOICES, TooLarge, "the parts have too many choices of pairs")
        listed = [
            [(kinds.setdefault(tuple(map(key_of, options)), len(kinds)), options) for options in several]
            for several in side
        ]
        for row in product(*listed):
            kind = tuple(number for number, _ in row)
            if kind not in seen:
                seen.add(kind)
                yield tuple(options for _, options in row)
