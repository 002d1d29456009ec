"""Comparisons of numbers drawn: which ways they may go, and what guards say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.exact.rational import format_rational
from prover.language.errors import NotYetInTheModel, WrongCode
from prover.language.mechanism.draws import Draws, is_number
from prover.language.mechanism.moved import Pair, compared_later, signs_between
from prover.language.mechanism.path import Signs, Trace
from prover.language.reading.instructions import Instruction
from prover.language.reading.operations import compare
from prover.language.values import CONSTANT, CURRENT, PRIME, Difference, Query, Sample, described, is_constant

TRUE: Mapping[str, Signs] = {
    "<": frozenset({-1}), "<=": frozenset({-1, 0}), ">": frozenset({1}), ">=": frozenset({0, 1}),
    "==": frozenset({0}), "!=": frozenset({-1, 1}),
}  # fmt: skip
"""The signs of the difference of which a comparison is true."""

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Comparisons(Draws):
    """What comparisons mean; the rest of a step is added on top.

    ``pairs`` are numbers that are compared when the later one is drawn, ``found`` others that the code
    compares after both have been drawn.
    """

    pairs: frozenset[Pair] = frozenset()
    found: frozenset[Pair] = frozenset()

    def compare(self, path: Trace, step: Instruction, left: Any, right: Any) -> list[Trace] | None:
        """The ways on from a comparison; one only, the path itself, where its outcome is known.

        None where a query is compared without noise, which is a draw of its own that has not happened yet.
        """
        relation: str = step.data
        if relation not in TRUE:
            raise self.error(
                NotYetInTheModel, step, f"drawn numbers are compared by {relation}", "write <, <=, > or >="
            )
        if isinstance(left, Difference) and is_constant(right):
            left, right = left.above, self.moved(left.below, right, step)
        elif isinstance(right, Difference) and is_constant(left):
            left, right = self.moved(right.below, left, step), right.above
        if any(isinstance(value, Query | Sample) and value.based for value in (left, right)):
            raise self.based(step)
        pair = [self._answered(path, value) for value in (left, right)]
        if any(isinstance(value, Query) for value in pair):
            if all(isinstance(value, Query) or is_constant(value) for value in pair):
                raise self.error(
                    NotYetInTheModel, step, "a private query is compared without any noise",
                    'add noise: laplace(query, rate="1/4")',
                )  # fmt: skip
            return None
        left, right = map(_stored, pair)
        for value, other in ((left, right), (right, left)):
            if not isinstance(value, Sample):
                raise self.error(
                    NotYetInTheModel if isinstance(other, Sample | Difference) else WrongCode,
                    step,
                    f"{described(left)} is compared with {described(right)}",
                    "compare drawn numbers with each other or with public numbers",
                )
            if value.store == PRIME:
                raise self.error(
                    NotYetInTheModel, step, "a second draw of the same query can only be seen",
                    "compare the first draw, and see a fresh one",
                )  # fmt: skip
        return self._ways(path, step, relation, left, right)

    def _answered(self, path: Trace, value: Any) -> Any:
        """A query that this step compares without noise, as the sample that it is."""
        if not isinstance(value, Query) or path.drawn is None or path.drawn.kind is not None:
            return value
        query = path.drawn.query
        if query is None or query.number != value.number:
            return value
        return Sample(CURRENT, value.offset, query)

    def _ways(
        self, path: Trace, step: Instruction, relation: str, left: Sample, right: Sample
    ) -> list[Trace]:
        if left.store == right.store:
            return [self._went(path, step, compare(relation, left.offset, right.offset))]
        if CURRENT not in (left.store, right.store):
            return self._known(path, step, relation, left, right)
        if left.store != CURRENT:
            left, right, relation = right, left, _TURNED.get(relation, relation)
        self.use(path, left, step)
        store = self._shifted(path, step, left, right)
        known = path.tests.get(store, path.drawn.signs if path.drawn else frozenset())
        parts = ((True, known & TRUE[relation]), (False, known - TRUE[relation]))
        if not all(signs for _, signs in parts):
            return [self._went(path, step, bool(parts[0][1]))]
        ways = []
        for outcome, signs in parts:
            ways += [self._went(way, step, outcome) for way in self._split(path, step, store, signs)]
        return ways

    def ordered(self, path: Trace, live: Sequence[Sample]) -> list[Trace] | None:
        """The ways on from the end of a step if its sample has to be compared now, as the later of two."""
        pair = compared_later(path, self.pairs, live)
        if pair is None or path.drawn is None:
            return None
        step = self.code.instructions[path.at]
        self.use(path, pair[0], step)
        store = self._shifted(path, step, *pair)
        return [
            way
            for sign in sorted(path.drawn.signs)
            for way in self._split(path, step, store, frozenset({sign}))
        ]

    def _split(self, path: Trace, step: Instruction, store: str, signs: Signs) -> list[Trace]:
        """Copies of a path on which the difference to a store has signs, in parts that guards can say."""
        halves: list[Signs] = [frozenset({-1}), frozenset({1})] if signs == {-1, 1} else [signs]
        ways = []
        for half in halves:
            way = path.fork()
            way.tests[store] = half
            way.places.setdefault(store, step.place)
            ways.append(way)
        return ways

    def _known(
        self, path: Trace, step: Instruction, relation: str, left: Sample, right: Sample
    ) -> list[Trace]:
        """The way on from a comparison of two stored numbers, which was made when the later one was drawn.

        Where it was not, it will be the next time that the code is read; until then it may go both ways.
        """
        if right.store == CONSTANT:
            right = Sample(f"{CONSTANT}{format_rational(right.offset - left.offset)}", left.offset)
        elif left.store == CONSTANT:
            left = Sample(f"{CONSTANT}{format_rational(left.offset - right.offset)}", right.offset)
        signs = signs_between(path.order, left.store, right.store)
        decided = signs is not None and (signs <= TRUE[relation] or not signs & TRUE[relation])
        if signs is not None and decided and left.offset == right.offset:
            return [self._went(path, step, signs <= TRUE[relation])]
        numbers = [one.store if one.drawn is None else one.drawn for one in (left, right)]
        pair = frozenset(numbers)
        known = pair in self.pairs or left.offset != right.offset
        if not self.moves or known or not any(isinstance(one, int) for one in numbers):
            raise self.error(
                NotYetInTheModel, step, "both numbers were drawn before the last draw",
                "compare two numbers right after the later one is drawn",
            )  # fmt: skip
        self.found |= {pair}
        return [self._went(path.fork(), step, outcome) for outcome in (True, False)]

    def _shifted(self, path: Trace, step: Instruction, current: Sample, stored: Sample) -> str:
        """The store to compare with, the public offsets moved into the mean of the draw."""
        if stored.store == CONSTANT:
            if path.shift is None:
                path.shift = current.offset
            number = stored.offset - current.offset + path.shift
            return f"{CONSTANT}{format_rational(number)}"
        shift = current.offset - stored.offset
        if path.shift is None:
            path.shift = shift
        elif path.shift != shift:
            raise self.error(
                NotYetInTheModel, step, "one drawn number is compared at two different offsets",
                "add the same public number in all comparisons of a draw",
            )  # fmt: skip
        return stored.store

    def _went(self, path: Trace, step: Instruction, outcome: bool) -> Trace:
        path.values[step.dst or ""] = outcome
        path.at += 1
        return path


def constant_of(store: str) -> Fraction | None:
    """The public number in a store; None where it holds a number drawn."""
    return Fraction(store.removeprefix(CONSTANT)) if store.startswith(CONSTANT) else None


def _stored(value: Any) -> Any:
    """A public number as a number that is stored from the beginning."""
    if is_number(value):
        return Sample(CONSTANT, Fraction(value))
    return value
