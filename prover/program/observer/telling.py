"""Numbers that tell a run from all others, where its outputs alone do not.

Near the numbers of some samples of a run no other run with the same letters may be: each other one would
output a number on the wrong side of a threshold. Then an observer of such numbers knows the run, and loses
what it loses (docs/theory_observer.md, *Numbers that tell the run*).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational, rational_or_inf
from prover.graphs import nearest_way, strong_components
from prover.program.canonical import program_model
from prover.program.decision.blocks import Block, RunStep
from prover.program.decision.certificates import blocks_evidence
from prover.program.model import Edge, Program, Transition, out_edges
from prover.program.noise import INFINITE
from prover.program.optimum.certificates import upper_evidence
from prover.program.optimum.cost import Cost
from prover.program.optimum.witness import written_out
from prover.program.outputs import Gap, numbers_of

MOST_STEPS = 2_000
"""The longest run of which this is asked."""

SeenToken = str | Fraction
"""A letter, or a number, that is seen."""

_NONE = Fraction(0)


@dataclass(frozen=True, slots=True)
class Told:
    """Runs that observers know who see numbers close to those of the samples, one for each step written."""

    blocks: tuple[Block, ...]
    samples: tuple[Fraction, ...]


def told(program: Program, blocks: Sequence[Block]) -> Told | None:
    """The runs, with what comes next up to something that is seen, and samples that tell them.

    ``program`` unfolds one in which some outputs are not seen as they are. None if no samples were found.
    """
    whole = program.of
    steps = [step for block in blocks for step in block.steps]
    if whole is None or not steps or len(steps) > MOST_STEPS:
        return None
    for more in _endings(program, steps[-1].edge):
        ended = (*blocks, Block(repeat=False, steps=more)) if more else tuple(blocks)
        samples = _samples(whole, ended)
        if samples is not None and _is_alone(whole, ended, samples):
            return Told(ended, tuple(samples))
    return None


def told_run(program: Program, cost: Cost) -> Told | None:
    """The costliest run that was found, if numbers tell it."""
    if cost.witness is None or not cost.witness.steps or cost.witness.length > MOST_STEPS:
        return None
    return told(program, [Block(repeat=False, steps=tuple(written_out(cost.witness)))])


def told_certificate(program: Program, cost: Cost, found: Told | None) -> Certificate | None:
    """The certificate of what an observer loses: what runs lose at most, and at least what numbers tell."""
    claim = {"adjacency": str(cost.adjacency), "kind": "epsilon", "loss": "observer"}
    evidence: dict[str, Any] = {} if found is None else blocks_evidence(found.blocks, found.samples)
    if cost.upper is not None:
        evidence |= upper_evidence(program, cost)
    lower = _NONE if found is None else cost.lower or _NONE
    claim |= {"lower": format_rational(lower), "upper": rational_or_inf(cost.upper)}
    return encode(claim, program_model(program), evidence) if evidence else None


def _endings(program: Program, last: Edge) -> Iterator[tuple[RunStep, ...]]:
    """Steps without difference after the last one of a run, the last of which is seen."""
    if last.seen != ():
        yield ()
        return
    leaving = out_edges(program)
    plain = [
        edge
        for edges in leaving.values()
        for edge in edges
        if not edge.fixed and not (edge.input and edge.fixed is None and edge.discloses)
    ]
    unseen = {
        state: [(e.target, e) for e in plain if e.source == state and e.seen == ()] for state in leaving
    }
    for edge in plain:
        if edge.seen != () and last.target in leaving:
            way = nearest_way([last.target], lambda state: unseen.get(state, ()), {edge.source})
            if way is not None:
                yield tuple(RunStep(own) for own in (*way[1], edge))


def _samples(whole: Program, blocks: Sequence[Block]) -> list[Fraction] | None:
    """Samples that lead along the runs, and show numbers that as few transitions as possible may show."""
    cases = [case for state in whole.states.values() for case in state.transitions]
    numbers = sorted({_added(case.seen) for case in cases if numbers_of(case.output)} | {_NONE})
    middles = [(low + high) / 2 for low, high in pairwise(numbers)]
    tried = [numbers[0] - 1, *middles, numbers[-1] + 1]
    places = sorted({*numbers, *tried})
    steps = [(step.edge, block.repeat) for block in blocks for step in block.steps]
    margin = min(high - low for low, high in pairwise(places)) / (2 * len(steps) + 2)
    arcs: list[tuple[int, int, Fraction]] = []  # the second is at most so much more than the first
    stored: dict[str, int] = {}
    for place, (edge, repeat) in enumerate(steps, start=1):
        if INFINITE in edge.rates or (repeat and edge.assign):
            return None
        for relation, name in edge.guard:
            low, high = (place, stored[name]) if relation == "<" else (stored[name], place)
            arcs.append((high, low, -margin))
        if numbers_of(edge.outputs):
            sides = {relation for relation, name in edge.guard if name in edge.gaps}
            own = [y for y in tried if _is_on(sides, y - _added(edge.seen))]
            number = min(own, key=lambda y: sum(_may_show(case, y) for case in cases))
            home = stored[edge.gaps[0]] if edge.gaps else 0
            arcs += _apart(home, place, number - _added(edge.seen))
        stored.update(dict.fromkeys(edge.assign, place))
    return _placed(len(steps) + 1, arcs)


def _apart(home: int, place: int, gap: Fraction) -> Iterator[tuple[int, int, Fraction]]:
    yield home, place, gap
    yield place, home, -gap


def _placed(count: int, arcs: Sequence[tuple[int, int, Fraction]]) -> list[Fraction] | None:
    """Numbers that obey all arcs, the first one 0, which is left out; None if there are none."""
    at = [_NONE] * count
    for _ in range(count + 1):
        moved = False
        for first, second, most in arcs:
            if at[second] > at[first] + most:
                at[second], moved = at[first] + most, True
        if not moved:
            return [number - at[0] for number in at[1:]]
    return None


def _added(seen: tuple[Fraction, ...] | None) -> Fraction:
    """What is added to a number that is seen."""
    return sum(seen or (), _NONE)


def _is_on(sides: Iterable[str], gap: Fraction) -> bool:
    """Whether a gap is on the sides of 0 that tests ask for."""
    return all(gap < 0 if side == "<" else gap > 0 for side in sides)


def _may_show(case: Transition, token: SeenToken) -> bool:
    """Whether this may be what is seen of a transition."""
    shown = numbers_of(case.output)
    if isinstance(token, str) or not shown:
        return case.output == token
    gap = token - _added(case.seen)
    variables = {output.variable for output in shown if isinstance(output, Gap)}
    return all(gap <= 0 if side == "<" else gap >= 0 for side, x in case.guard if x in variables)


def _is_alone(whole: Program, blocks: Sequence[Block], samples: Sequence[Fraction]) -> bool:
    """Whether no other path of the program may show what is seen of runs with these samples."""

    def unseen(state: str) -> list[str]:
        cases = whole.states[state].transitions
        return [case.target for case in cases if case.seen == () and case.target in whole.states]

    components = strong_components([whole.initial, *whole.states], unseen)
    if any(len(own) > 1 or own[0] in unseen(own[0]) for own in components):
        return False
    order = [own[0] for own in reversed(components)]

    def after(paths: Mapping[str, int], token: SeenToken) -> Mapping[str, int]:
        found, waiting = Counter[str](), Counter(paths)
        for state in order:
            for case in whole.states[state].transitions if waiting[state] else ():
                ahead = waiting if case.seen == () else found
                if case.seen == () or _may_show(case, token):
                    ahead[case.target] = min(2, ahead[case.target] + waiting[state])
        return found

    paths: Mapping[str, int] = {whole.initial: 1}
    left, stored = iter(samples), dict[str, Fraction]()
    for block in blocks:
        tokens = [
            token for step in block.steps if (token := _token(step.edge, next(left), stored)) is not None
        ]
        for token in tokens:
            paths = after(paths, token)
        again = paths
        for token in tokens if block.repeat else ():
            again = after(again, token)
        if again != paths:
            return False
    return sum(paths.values()) == 1


def _token(edge: Edge, sample: Fraction, stored: dict[str, Fraction]) -> SeenToken | None:
    """What is seen of a step, None for nothing; what it stores is noted."""
    number = sample - (stored[edge.gaps[0]] if edge.gaps else 0) + _added(edge.seen)
    stored.update(dict.fromkeys(edge.assign, sample))
    if edge.seen == ():
        return None
    return number if numbers_of(edge.outputs) else edge.output
