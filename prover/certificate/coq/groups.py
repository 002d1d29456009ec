"""Groups of runs that look alike, and together have the samples that keep an order, as
`proofs/programs/Groups.v` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from graphlib import TopologicalSorter
from itertools import product
from typing import Any

from prover.certificate.coq.parts import Fields
from prover.certificate.coq.programs import CoqProgram
from prover.certificate.coq.sentences import not_covered
from prover.certificate.coq.tokens import listed
from prover.certificate.coq.ways import numbers_of, rates_of

TESTS = {"<": 0, "<=": 1, ">=": 2, ">": 3}
"""Of `proofs/programs/ObserverClaims.v`."""

LONGEST = 6
"""Steps of runs in groups, of which Coq tries all orders of the samples."""

CoqRun = tuple[int, ...]
CoqDemand = tuple[int, str, int]
"""How the sample of a step compares with that of an earlier one."""
CoqShifts = Mapping[int, int]
"""Of the samples of some steps, in steps of the grid."""


def seconds(whole: Mapping[str, Any]) -> int:
    """That Coq needs to try all orders of the samples of groups, roughly."""
    sizes = [(len(group["runs"][0]), len(group["runs"])) for group in whole["evidence"].get("groups", [])]
    tried = sum(int(steps**steps) * (runs + 1) for steps, runs in sizes)
    return tried // 400_000


def levels(program: CoqProgram, whole: Fields) -> Iterator[int]:
    """The runs of each length with the numbers of their groups, and the groups."""
    groups = [{"order": [], "runs": [[]], "sequence": []}, *whole["evidence"]["groups"]]
    longest = max(len(group["runs"][0]) for group in groups)
    if any("cones" in group for group in groups):
        raise not_covered("ladders, for outputs of programs that hide the run")
    if longest > LONGEST:
        raise not_covered(f"groups of runs of more than {LONGEST} steps")
    ways = ways_of(program)
    yield longest + 1
    for length in range(longest + 1):
        own = [group for group in groups if len(group["runs"][0]) == length]
        place = {tuple(run): i for i, group in enumerate(own) for run in group["runs"]}
        runs = _runs(ways, program.model["initial"], length)
        yield from listed([place.get(run, len(own))] for run in runs)
        yield from listed(_group(program, whole["claim"]["adjacency"], group, ways) for group in own)


def ways_of(program: CoqProgram) -> Sequence[tuple[str, Fields]]:
    """The transitions by their numbers, each with the state that it leaves."""
    states = program.model["states"]
    return [(name, way) for name in sorted(states) for way in states[name]["transitions"]]


def _runs(ways: Sequence[tuple[str, Fields]], state: str, length: int) -> list[CoqRun]:
    """In the order of `proofs/programs/Program.v`."""
    if length == 0:
        return [()]
    leaving = [(i, way["to"]) for i, (name, way) in enumerate(ways) if name == state]
    return [(i, *run) for i, to in leaving for run in _runs(ways, to, length - 1)]


def _group(
    program: CoqProgram, adjacency: str, group: Fields, ways: Sequence[tuple[str, Fields]]
) -> Iterator[int]:
    """The demands of a group, and shifts for all differences that are as large as they may be."""
    runs = [[ways[i] for i in run] for run in group["runs"]]
    demands = _demands(group["order"], _row(runs))
    yield from listed([a, TESTS[test], b] for a, test, b in demands)
    steps = [(program.model["states"][name], way) for name, way in runs[0]]
    reach = [program.reach if state["input"] else 0 for state, _ in steps]
    found = dict.fromkeys(
        tuple(_cheapest(program, steps, group, differences)) for differences in _extremes(adjacency, reach)
    )
    yield from listed(listed([shift] for shift in shifts) for shifts in found)


def _row(runs: Sequence[Sequence[tuple[str, Fields]]]) -> Sequence[int]:
    """The place of each step in a row that decides ties as all tests of the runs do."""
    before: dict[int, set[int]] = {i: set() for i in range(len(runs[0]))}
    for run in runs:
        home = dict[str, int]()
        for i, (_, way) in enumerate(run):
            for test, variable in way["guard"]:
                first, second = (home[variable], i) if test in ("<", ">=") else (i, home[variable])
                before[second].add(first)
            home.update(dict.fromkeys(way["assign"], i))
    row = list(TopologicalSorter(before).static_order())
    return [row.index(i) for i in range(len(row))]


def _demands(order: Sequence[Sequence[int]], place: Sequence[int]) -> list[CoqDemand]:
    """For each pair of steps of which the first sample comes before the second, as in the row."""
    found = list[CoqDemand]()
    for a, b in order:
        tied = place[a] < place[b]
        found.append((b, ">=" if tied else ">", a) if a < b else (a, "<=" if tied else "<", b))
    return found


def _extremes(adjacency: str, reach: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The differences of inputs that are as large as they may be."""
    if adjacency == "one-differ":
        yield (0,) * len(reach)
        for i, own in enumerate(reach):
            for difference in sorted({-own, own} - {0}):
                yield (*(0,) * i, difference, *(0,) * (len(reach) - i - 1))
        return
    ends = {"all-differ": [(-1, 1)], "increasing": [(0, 1)], "decreasing": [(-1, 0)]}
    for low, high in ends.get(adjacency, [(0, 1), (-1, 0)]):
        yield from product(*(sorted({low * own, high * own}) for own in reach))


def _cheapest(
    program: CoqProgram, steps: Sequence[tuple[Fields, Fields]], group: Fields, differences: Sequence[int]
) -> list[int]:
    """Shifts of the samples that keep the order of the group at the least cost.

    Steps are taken in the sequence of the group; of shifts only those are remembered that later ones are
    compared with."""
    sequence, order = group["sequence"], [tuple(pair) for pair in group["order"]]
    best: dict[frozenset[tuple[int, int]], tuple[Fraction, CoqShifts]] = {frozenset(): (Fraction(0), {})}
    for k, step in enumerate(sequence):
        later = set(sequence[k + 1 :])
        needed = {a for pair in order for a, b in (pair, pair[::-1]) if b in later} - later
        state, way = steps[step]
        following: dict[frozenset[tuple[int, int]], tuple[Fraction, CoqShifts]] = {}
        for cost, shifts in best.values():
            for shift in (-program.reach, 0, program.reach):
                chosen = {**shifts, step: shift}
                price = _price(state, way, differences[step], shift)
                kept = all(chosen[a] <= chosen[b] for a, b in order if a in chosen and b in chosen)
                if price is None or not kept:
                    continue
                key = frozenset((i, chosen[i]) for i in needed)
                if key not in following or cost + price < following[key][0]:
                    following[key] = cost + price, chosen
        best = following
    _, shifts = min(best.values(), key=lambda found: found[0])
    return [shifts[i] for i in range(len(steps))]


def _price(state: Fields, way: Fields, difference: int, shift: int) -> Fraction | None:
    """Up to a factor, the same for all; None if noise lacks the side, or if the sample is shown and moves."""
    outputs = numbers_of(way)
    if shift and "insample" in outputs:
        return None
    left, right, *second = rates_of(state)
    moved = shift - difference
    rate = right if moved > 0 else left
    if moved and rate == "inf":
        return None
    cost = abs(moved) * Fraction(rate) if moved else Fraction(0)
    return cost + (abs(difference) * Fraction(second[0]) if "insampleprime" in outputs else 0)
