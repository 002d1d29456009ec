"""Answers about chains: exact rationals or intervals, with the certificate that proves them."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from prover.certificate.schema import Certificate
from prover.chain.errors import unknown_state
from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.errors import EMPTY, WrongArgument, abbreviated, must_be
from prover.exact.readable import readable, readable_alpha, readable_interval
from prover.views import Bounded, Paged, frame

MERGED = ", with bisimilar states merged"


class Enclosed(Bounded):
    """Answers about one number: lower ≤ number ≤ upper, and a proof."""

    __slots__ = ()

    make_certificate: Callable[[], Certificate]

    @property
    def certificate(self) -> Certificate:
        """The evidence for this answer, in the form that ``prover.verify`` checks."""
        return self.make_certificate()


@dataclass(frozen=True, slots=True, repr=False)
class Distance(Enclosed):
    """lower ≤ distance ≤ upper for one pair of states, or for the largest of a relation.

    ``kind`` is one of ld, lgd, bd, kernel, bisimilarity; ``alpha`` is None where the kind has none. Where
    ``over_relation`` holds, the distance is the maximum over the chain's relation and (source, target)
    attains it. Where ε was given and e^ε is irrational, ``epsilon`` is ε and ``alpha`` is a rational number
    just below e^ε: distances that bound δ at ``alpha`` bound it at ε, too. ``engine`` names what computed it,
    and ``effort`` counts what it took, such as "pairs" and "rounds". kernel and bisimilarity are 0 (related)
    or 1. ``merged`` says that bisimilar states count as one, and ``from_delta`` that the lower end is what
    some event gains: a lower end of δ, which the distance bounds.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> answer = prover.distance(pin_checker(), "0", "1", "11/10")
        >>> answer
        <Distance: ld_11/10(0, 1) = 412/7791 (0.052881…)>
        >>> answer.is_at_most(Fraction(1, 20)), answer.value
        (False, Fraction(412, 7791))
    """

    kind: str
    alpha: Fraction | None
    source: str
    target: str
    lower: Fraction
    upper: Fraction
    engine: str
    over_relation: bool
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    effort: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    epsilon: Fraction | None = None
    chain: System | None = field(default=None, repr=False, compare=False)
    merged: bool = False
    from_delta: bool = False

    @property
    def headline(self) -> str:
        """The answer in a line."""
        found = statement(
            symbol(self.kind, self.alpha),
            (self.source, self.target),
            (self.lower, self.upper),
            over_relation=self.over_relation,
        )
        return found + MERGED * self.merged


class PairBounds(Mapping[tuple[str, str], Fraction]):
    """A bound of every ordered pair of some states, by their names. A number comes into being when it is
    asked for: long ones take time and memory.
    """

    def __init__(self, places: Mapping[str, int], bound: Callable[[Pair], Fraction]) -> None:
        self._places, self._bound = places, bound

    def __getitem__(self, names: object) -> Fraction:
        if not isinstance(names, tuple) or len(names) != 2:
            raise KeyError(names)
        return self._bound((self._places[names[0]], self._places[names[1]]))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return product(self._places, self._places)

    def __len__(self) -> int:
        return len(self._places) ** 2

    def items(self) -> ItemsView[tuple[str, str], Fraction]:
        """The pairs with their bounds."""
        return _PairItems(self)

    def values(self) -> ValuesView[Fraction]:
        """The bounds, in the order of the pairs."""
        return _PairValues(self)

    def in_order(self) -> Iterator[Fraction]:
        """The bounds, in the order of the pairs, which need not be looked up."""
        return map(self._bound, product(self._places.values(), self._places.values()))

    def __repr__(self) -> str:
        return repr(dict(self))


class _PairItems(ItemsView[tuple[str, str], Fraction]):
    _mapping: PairBounds

    def __iter__(self) -> Iterator[tuple[tuple[str, str], Fraction]]:
        return zip(self._mapping, self._mapping.in_order(), strict=True)


class _PairValues(ValuesView[Fraction]):
    _mapping: PairBounds

    def __iter__(self) -> Iterator[Fraction]:
        return self._mapping.in_order()


@dataclass(frozen=True, slots=True, repr=False)
class DistanceTable(Paged):
    """lower ≤ distance ≤ upper for all ordered pairs of states, by their names.

    ``epsilon`` and ``merged`` say what they say in ``Distance``.

        >>> import prover
        >>> from prover.zoo import randomised_response
        >>> table = prover.distances(randomised_response(), "6/5")
        >>> table["a", "b"]
        <Distance: ld_6/5(a, b) = 4/15 (0.266666…)>
    """

    kind: str
    alpha: Fraction | None
    states: tuple[str, ...]
    lower: Mapping[tuple[str, str], Fraction]
    upper: Mapping[tuple[str, str], Fraction]
    engine: str
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    effort: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    epsilon: Fraction | None = None
    chain: System | None = field(default=None, repr=False, compare=False)
    merged: bool = False

    @property
    def exact(self) -> bool:
        """Whether every distance is known exactly."""
        return self.lower is self.upper or all(low == high for _, low, high in self.bounds())

    def bounds(self) -> Iterator[tuple[tuple[str, str], Fraction, Fraction]]:
        """All ordered pairs with both bounds."""
        for (pair, low), high in zip(self.lower.items(), self.upper.values(), strict=True):
            yield pair, low, high

    @property
    def certificate(self) -> Certificate:
        """The evidence for this answer, in the form that ``prover.verify`` checks."""
        return self.make_certificate()

    def __getitem__(self, pair: tuple[str, str]) -> Distance:
        """The distance from one state to another one, by their names; its certificate is that of all pairs.

        Raises WrongArgument, UnknownName.
        """
        must_be(tuple, pair=pair)
        if len(pair) != 2:
            raise WrongArgument("pair", "two names of states", pair)
        for name in pair:
            if name not in self.states:
                raise unknown_state(name, self.states)
        return Distance(
            self.kind,
            self.alpha,
            *pair,
            self.lower[pair],
            self.upper[pair],
            self.engine,
            False,
            self.make_certificate,
            self.effort,
            self.epsilon,
            self.chain,
            self.merged,
        )

    def to_pandas(self) -> Any:
        """The distances as a table of pandas, a row and a column for each state, in exact numbers.

        Where one is not known exactly it is None. Raises NotInstalled.
        """
        known = {t: [self[s, t].value for s in self.states] for t in self.states}
        return frame(known, self.states)

    @property
    def headline(self) -> str:
        """The answer in a line."""
        known = "exact" if self.exact else "each between two bounds"
        pairs = f"all {len(self.lower)} ordered pairs of {len(self.states)} states"
        return f"{symbol(self.kind, self.alpha)} of {pairs}, {known}{MERGED * self.merged}"


def is_against_attackers(answer: Distance | DistanceTable) -> bool:
    """Whether it is about a process: about all attackers, whatever they choose."""
    return isinstance(answer.chain, LabelledMarkovDecisionProcess)


def statement(
    name: str, pair: tuple[str, str], bounds: tuple[Fraction, Fraction], *, over_relation: bool
) -> str:
    """What is known of a distance called ``name``, at a pair that maximises it if it is over a relation.

    Names that have a comma inside, as secrets of several parameters do, are parted by a semicolon.
    """
    shorter = [abbreviated(secret) or EMPTY for secret in pair]
    separator = "; " if any(", " in secret for secret in shorter) else ", "
    subject = f"{name}({separator.join(shorter)})"
    if bounds[0] == bounds[1]:
        return f"{f'max {name} = ' * over_relation}{subject} = {readable(bounds[0])}"
    lower, upper = readable_interval(*bounds)
    return f"{lower} <= {subject} <= {f'max {name} <= ' * over_relation}{upper}"


def symbol(kind: str, alpha: Fraction | None) -> str:
    """A kind of distance with its α, such as ld_6/5."""
    return kind if alpha is None else f"{kind}_{readable_alpha(alpha)}"
