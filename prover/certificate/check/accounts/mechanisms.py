"""The laws of threshold programs: from above by closed tables, from below by two neighbouring inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from ..budget import Budget, bits_of
from ..profiles.claims import steps_rule
from ..profiles.cut import as_seen
from ..profiles.functions import KNOT, VALUE
from ..profiles.guarded import BITS, ONE, Line, read_cuts
from ..profiles.inputs import apart_rule, near, read_pair
from ..profiles.pair import TOGETHER, read_words
from ..profiles.pure import pure_rule
from ..profiles.regions import WHOLE
from ..profiles.scale import bits, read_scale
from ..profiles.table import closed_table
from ..programs import Program, read_program
from ..reading import (
    BadEvidence,
    Json,
    Malformed,
    at,
    demand,
    each,
    items,
    positive,
    record,
    typed,
)
from .endings import Law, Laws, added, corners_below, falls, law_of_corners, mass_of

# By adjacency: the directions in which the neighbour's inputs may differ, and the other way round.
DIRECTIONS = {
    "all-differ": (["all-differ"], ["all-differ"]),
    "one-differ": (["one-differ"], ["one-differ"]),
    "increasing": (["increasing"], ["decreasing"]),
    "decreasing": (["decreasing"], ["increasing"]),
    "monotonic": (["decreasing", "increasing"], ["decreasing", "increasing"]),
}
SAME: Law = [(Fraction(1), Fraction(1))]  # both worlds show the same
ATOM_BITS = 128
SLOPE_BITS = 64


def program_laws(part: Mapping[str, Json], proof: Json, budget: Budget) -> tuple[list[Laws], list[Laws]]:
    """Of all neighbouring inputs, one way round and the other; without evidence, of nothing and of all."""
    scale = "q" if "q" in part else "at_epsilon"
    record(part, f"adjacency {scale} program times", "steps")
    sides = record(proof, "", "inputs pure tables")
    adjacency = typed(part["adjacency"], str)
    demand(adjacency in DIRECTIONS, Malformed, "the adjacency is unknown")
    positive(part[scale])
    steps_rule(part)
    listed = "inputs" in sides and not {"cuts", "followed"} & typed(sides["inputs"], dict).keys()
    with at("program"):
        program = read_program(part["program"], budget, gaussian=not listed and "pure" not in sides)
        noise = read_scale(program, part)
    forward, backward = DIRECTIONS[adjacency]
    both = sorted({*forward, *backward})
    upper: Mapping[str, Law] = dict.fromkeys(both, ())
    if "tables" in sides:
        tables = record(sides["tables"], " ".join(both))
        with at("table"):
            upper = {side: law_above(program, side, part, tables[side]) for side in both}
    if "pure" in sides:
        with at("pure"):
            most = pure_rule(program, adjacency, noise, sides["pure"])
            upper = {side: with_pure(law, most, budget) for side, law in upper.items()}
    lower: Mapping[str, Law] = dict.fromkeys(both, SAME)
    if "inputs" in sides:
        with at("inputs"):
            lower = laws_below(program, part, sides["inputs"])
    laws = {side: (lower[side], upper[side]) for side in both}
    return [laws[side] for side in forward], [laws[side] for side in backward]


def law_above(program: Program, side: str, part: Mapping[str, Json], evidence: Json) -> Law:
    """Of the convex minorant of 1 and the function of the first node of the initial state."""
    function = closed_table(program, side, part, evidence)[0]
    program.budget.spend(16 * len(function.knots), ATOM_BITS, ATOM_BITS)
    points = zip(function.knots[1:], function.values[1:], strict=True)
    return law_of_corners(corners_below((Fraction(k, KNOT), Fraction(v, VALUE)) for k, v in points))


def with_pure(law: Law, most: Fraction, budget: Budget) -> Law:
    """Of a pair that dominates all that this one dominates, of which the ratios are from 1/A to A. The slopes
    of its δ are rounded up, so that its masses are short."""
    size = 2 * bits_of(n for atom in [*law, (most, most)] for x in atom for n in x.as_integer_ratio())
    budget.spend(64 * (len(law) + 2), 4 * (size + SLOPE_BITS), 4 * (size + SLOPE_BITS))
    least, points = 1 / most, list[tuple[Fraction, Fraction]]()
    p, q = 1 - mass_of(law), Fraction(0)
    for ratio, mass in sorted(law, reverse=True):
        if least < ratio < most:
            points.append((ratio, min(p - ratio * q, (most - ratio) / (most + 1))))
        p, q = p + mass, q + mass / ratio
    _, first, *before, last = corners_below([(least, 1 - least), *reversed(points), (most, Fraction(0))])
    raised = [last]
    for corner, after in reversed([*pairwise([*before, last])]):
        fall = Fraction(ceil(falls(corner, after) * 2**SLOPE_BITS), 2**SLOPE_BITS)
        raised.append((corner[0], raised[-1][1] + fall * (raised[-1][0] - corner[0])))
    return law_of_corners(corners_below([first, *reversed(raised)]))


def laws_below(program: Program, part: Mapping[str, Json], evidence: Json) -> Mapping[str, Law]:
    """Of outcomes: the first with the rest one way round, and the last with the rest
    the other way."""
    program, fields = as_seen(program, evidence)
    chances_of = of_segments if "cuts" in fields else of_words if "followed" in fields else of_runs
    chances, moved = chances_of(program, part, fields)
    ahead = law_below(program.budget, [(a, d) for a, _, _, d in chances[1:]])
    behind = law_below(program.budget, [(c, b) for _, b, c, _ in chances[:-1]])
    rises = all(d >= 0 for d in moved)
    return {
        "all-differ": ahead,
        "one-differ": ahead,
        "increasing": ahead if rises else behind,
        "decreasing": behind if rises else ahead,
    }


Chances = tuple[Sequence[Sequence[int]], Sequence[Fraction]]
"""Four bounds for each outcome, and how far the numbers of the neighbour are from the others."""


def of_runs(program: Program, part: Mapping[str, Json], fields: Mapping[str, Json]) -> Chances:
    """Outcomes are sets of runs."""
    record(fields, "bits inputs neighbour outcomes")
    pair = read_pair(program, part, fields)
    given, runs = read_outcomes(fields["outcomes"], "runs")
    apart_rule(sorted(run for own in runs for run in own))
    chances = []
    for index, (four, own) in enumerate(zip(given, runs, strict=True)):
        with at("outcome", index):
            chances.append(chances_rule(four, pair.chances(own, exact=False)))
    return chances, pair.moved


def of_words(program: Program, part: Mapping[str, Json], fields: Mapping[str, Json]) -> Chances:
    """Outcomes are sets of words, of which each stands for all that have runs with the same segments."""
    record(fields, "followed inputs neighbour outcomes")
    words = read_words(program, part, fields, record(fields["followed"], "", "bits step strip"))
    given, listed = read_outcomes(fields["outcomes"], "words")
    alike, chances = dict(words.alike()), []
    for index, (four, own) in enumerate(zip(given, listed, strict=True)):
        with at("outcome", index):
            ends = [[0, 0], [0, 0]]
            for word in own:
                known = all(0 <= number < len(program.transitions) for number in word)
                demand(known, BadEvidence, "no such transition")
                groups = words.walk.likely_as([program.transitions[number].seen for number in word])
                demand(groups in alike, BadEvidence, "words that are as likely as others")
                for total, more in zip(ends, alike.pop(groups), strict=True):
                    total[:] = (one + another for one, another in zip(total, more, strict=True))
            chances.append(chances_rule(four, [[Fraction(x, 1 << TOGETHER) for x in own] for own in ends]))
    return chances, words.moved


def of_segments(program: Program, part: Mapping[str, Json], fields: Mapping[str, Json]) -> Chances:
    """Outcomes are where the number lies that the first step shows, those first that the neighbour makes
    likelier."""
    record(fields, "chances cuts inputs neighbour")
    pair = read_pair(program, part, {**fields, "bits": BITS})
    first, *others = program.leaving(program.initial)
    alone = not others and first.takes_input and first.pinned and not first.tests
    demand(alone, BadEvidence, "the first step does not show its number, whatever it is")
    demand(len(pair.inputs) == 1, BadEvidence, "not one input")
    near(program, [first], pair.moved)
    cuts, budget, lines = read_cuts(fields["cuts"]), program.budget, list[Line]()
    for x in (*pair.inputs, *pair.neighbour):
        center, long = first.means[0] + x, max(map(bits, (first.means[0], x, *cuts)))
        budget.spend(8 * len(cuts), 2 * long, 2 * long)
        own = [(cut - center) / program.noise[0] for cut in cuts]
        lines.append(Line(read_scale(program, part), first.noise, own))
    given = [items(each(four, int), 4) for four in items(fields["chances"], len(cuts) + 1)]
    chances = []
    for index, (four, *both) in enumerate(zip(given, *(line.masses for line in lines), strict=True)):
        with at("outcome", index):
            ends = [[Fraction(low, ONE), Fraction(high, WHOLE)] for low, high in both]
            chances.append(chances_rule(four, ends))
    return chances[::-1] if pair.moved[0] > 0 else chances, pair.moved


def read_outcomes(value: Json, name: str) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[list[int]]]]:
    """Four numbers of each outcome, and its lists of transitions."""
    outcomes = [record(outcome, f"chances {name}") for outcome in typed(value, list)]
    listed = [[each(one, int) for one in typed(outcome[name], list)] for outcome in outcomes]
    return [items(each(outcome["chances"], int), 4) for outcome in outcomes], listed


def chances_rule(chances: Sequence[int], ends: Sequence[Sequence[Fraction]]) -> Sequence[int]:
    """An outcome has a probability between the first two on the inputs, and between the others on the
    neighbour; in parts of VALUE."""
    (low, high), (least, most) = ends
    a, b, c, d = chances
    right = a <= low * VALUE and high * VALUE <= b and c <= least * VALUE and most * VALUE <= d
    demand(right, BadEvidence, "probabilities that are not those of the outcome")
    return chances


def law_below(budget: Budget, chances: Sequence[tuple[int, int]]) -> Law:
    """Of outcomes with at least p under the first law and at most q under the second, and of all that is
    left, whose ratio may not be larger than another one."""
    budget.spend(16 * len(chances), ATOM_BITS, ATOM_BITS)
    p, q = (VALUE - sum(side) for side in ([a for a, _ in chances], [d for _, d in chances]))
    least = p >= 0 and q > 0 and all(p * d <= a * q for a, d in chances)
    demand(least, BadEvidence, "what is left has not the least ratio")
    return added((Fraction(a, d), Fraction(a, VALUE)) for a, d in ((p, q), *chances) if a and d)
