"""Guards for the ways that comparisons went, and ways put together that a comparison need not tell apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from prover.language.mechanism.path import ALL, Signs
from prover.language.mechanism.states import CodeMove, CodeState
from prover.program.noise import NO_NOISE

_CONTINUOUS: Mapping[Signs, str] = {frozenset({-1}): "<", frozenset({1}): ">=", frozenset({0, 1}): ">="}
_DISCRETE: Mapping[Signs, str] = {
    frozenset({-1}): "<", frozenset({-1, 0}): "<=", frozenset({0}): "=",
    frozenset({0, 1}): ">=", frozenset({1}): ">",
}  # fmt: skip


def relation(signs: Signs, possible: Signs, *, discrete: bool, noisy: bool = False) -> str | None:
    """The relation of a test that says how insample compares to a variable; None where there is none.

    ``possible`` are the signs that the difference may have at all. ``noisy`` says that what the variable
    holds has continuous noise; then the two are equal with probability 0, also where insample has no noise.
    """
    if discrete:
        return _DISCRETE.get(signs)
    if noisy and signs == {-1, 0}:
        return "<"
    return None if possible == ALL and signs == {1} and not noisy else _CONTINUOUS.get(signs)


def is_noisy(store: str, nodes: Iterable[CodeState]) -> bool:
    """Whether each number that steps keep in a store was drawn with noise, and some step keeps one there."""
    noises = [
        node.drawn is not None and node.drawn.noise != NO_NOISE
        for node in nodes
        for move in node.moves
        if move.keep == store
    ]
    return bool(noises) and all(noises)


def merged(moves: Iterable[CodeMove], possible: Signs, *, discrete: bool) -> list[CodeMove]:
    """The moves, those put together that a test tells apart after which all is the same."""
    kept = list(moves)
    while (pair := _needless(kept, possible, discrete=discrete)) is not None:
        first, second, store, signs = pair
        tests = dict(kept[first].tests)
        if signs == possible:
            del tests[store]
        else:
            tests[store] = signs
        kept[first] = replace(kept[first], tests=tests)
        del kept[second]
    return kept


def _needless(
    moves: Sequence[CodeMove], possible: Signs, *, discrete: bool
) -> tuple[int, int, str, Signs] | None:
    """Two moves that differ in one test alone, the store that it is of, and what holds on both."""
    known: dict[Hashable, list[int]] = {}
    for place, move in enumerate(moves):
        outputs = tuple((event.output, event.sign, event.offset) for event in move.events)
        for store, signs in move.tests.items():
            rest = frozenset((one, other) for one, other in move.tests.items() if one != store)
            what = (rest, store, move.keep, outputs, move.target, move.registers)
            for before in known.setdefault(what, []):
                both = moves[before].tests[store] | signs
                if both == possible or relation(both, possible, discrete=discrete) is not None:
                    return before, place, store, both
            known[what].append(place)
    return None
