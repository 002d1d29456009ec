"""Chains with real probabilities, and the rational chains that are cut from them.

Each probability is rounded down, and so is what silent states lead to. What a row then lacks is lost.

Reference: docs/theory.md, *Real probabilities*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from flint import fmpq

from prover.certificate.schema import Json
from prover.chain.canonical import chain_model
from prover.chain.collapsing.chain import fresh
from prover.chain.collapsing.elimination import next_seen
from prover.chain.errors import state_path, unknown_successor
from prover.chain.model import LabelledMarkovChain, Pair, indexed_relation
from prover.errors import InvalidModel, abbreviated, quoted
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.rational import format_rational
from prover.exact.real import Real
from prover.graphs import search, strong_components
from prover.views import SourceCode

Chance = fmpq | Real
RealRow = Mapping[int, Chance]

_FIRST_BITS, _MOST_BITS = 48, 6144
USUALLY_LOST = Fraction(1, 10**12)
"""Runs are lost at most so often, where nothing is said about it."""

_ROUNDS = 20_000
"""The most rounds through a cycle of silent states."""
_DIGITS = 3
"""Of the bound on lost runs."""
_SPARE = 32
"""Bits below the last one, at which a probability must be above 0 to be known as positive."""


@dataclass(frozen=True, slots=True)
class RealChain:
    """A labelled Markov chain like others, with some probabilities that are no rationals.

    The states of the label ``silent`` are not seen. If the chain is itself cut from a larger system, ``lost``
    is the label of lost runs. ``rows`` have probabilities above 0 that add up to 1. Raises InvalidModel.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[RealRow, ...]
    relation: tuple[Pair, ...] = ()
    silent: str | None = None
    lost: str | None = None
    code: SourceCode | None = None

    @staticmethod
    def of(
        states: Mapping[str, tuple[str, Mapping[str, Chance]]],
        relation: Iterable[tuple[str, str]] = (),
        *,
        silent: str | None = None,
        lost: str | None = None,
        code: SourceCode | None = None,
    ) -> RealChain:
        """The chain with these states, each with its label and its row. Raises InvalidModel."""
        names = tuple(sorted(states))
        places = {name: place for place, name in enumerate(names)}
        rows = []
        for name in names:
            row = states[name][1]
            unknown = next((target for target in row if target not in places), None)
            if unknown is not None:
                raise unknown_successor(name, unknown)
            rows.append({places[t]: chance for t, chance in sorted(row.items()) if chance != 0})
        labels = tuple(states[name][0] for name in names)
        pairs = indexed_relation(relation, places)
        return RealChain(names, labels, tuple(rows), pairs, silent, lost, code)

    def __post_init__(self) -> None:
        for state, row in zip(self.states, self.rows, strict=True):
            total = sum(row.values(), fmpq(0))
            if total != 1:
                shown = abbreviated(str(total))
                raise InvalidModel(
                    f"the probabilities of state {quoted(state)} add up to {shown}, not to 1",
                    path=f"{state_path(state)}.next",
                    code="row-sum",
                )
            for target, chance in row.items():
                if not chance > 0:
                    name = quoted(self.states[target])
                    raise InvalidModel(
                        f"the probability from {quoted(state)} to {name} is below 0",
                        path=state_path(state, self.states[target]),
                        code="negative-probability",
                    )

    def model(self) -> Json:
        """The chain as certificates hold it."""
        states = {
            name: {"label": label, "next": {self.states[t]: _written(p) for t, p in row.items()}}
            for name, label, row in zip(self.states, self.labels, self.rows, strict=True)
        }
        pairs = [[self.states[s], self.states[t]] for s, t in self.relation]
        related = {"relation": pairs} if pairs else {}
        return {"type": "labelled-markov-chain", "version": 1, "states": states, **related}


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a chain was rounded: the real one, the bits, which of its states are entered, and what silent ones
    lead to next, in multiples of 2^−bits.
    """

    original: RealChain
    bits: int
    entered: Mapping[int, int]
    exits: Mapping[int, Mapping[int, int]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RoundedChain(LabelledMarkovChain):
    """A chain with rational probabilities that is cut from one with real ones, as far as this is seen."""

    rounding: Rounding = field(kw_only=True)

    def most_lost(self) -> Fraction:
        """At most so likely is a run from a related state lost; from any, if none is related."""
        related = self.relation or [(s, s) for s in range(len(self))]
        return most_lost(losing(self), related)


def rounded(chain: RealChain, most: Fraction) -> RoundedChain:
    """A rational chain that is cut from a real one: runs from its related states are lost with at most the
    probability ``most``, if rounding to more bits helps. It has the states that these lead to; all visible
    ones, if there are no silent ones.

    Reference: docs/theory.md, *Real probabilities*.
    """
    bits = _FIRST_BITS
    starts = sorted({s for pair in chain.relation for s in pair})
    if chain.silent is None:
        starts = [*range(len(chain.states))]
    before: Fraction | None = None
    while True:
        found = _rounded_at(chain, bits, starts)
        if found is not None:
            lost = found.most_lost()
            if lost <= most or (before is not None and lost > before / 2) or 2 * bits > _MOST_BITS:
                return found
            before = lost
        bits *= 2


def _rounded_at(chain: RealChain, bits: int, starts: Sequence[int]) -> RoundedChain | None:
    """The chain rounded to so many bits; None where these do not tell a probability from 0."""
    known: dict[str, int | None] = {}
    rows: list[dict[int, int]] = []
    for row in chain.rows:
        rows.append({})
        for t, chance in row.items():
            name = str(chance)
            if name not in known:
                known[name] = _below(chance, bits)
            below = known[name]
            if below is None:
                return None
            rows[-1][t] = below
    silent = [label == chain.silent for label in chain.labels]
    exits = _exits(rows, silent, starts, bits)
    whole = 1 << bits

    def seen(s: int) -> dict[int, int]:
        return {v: n >> bits for v, n in _next(rows[s], silent, exits, whole).items() if n >> bits}

    kept = search(starts, seen)
    names = {s: chain.states[s] for s in kept}
    label = chain.lost or fresh("lost", chain.labels)
    lost = fresh("lost", {*names.values()})
    states: dict[str, tuple[str, dict[str, Fraction]]] = {lost: (label, {lost: Fraction(1)})}
    for s in kept:
        certain = {names[v]: Fraction(n, whole) for v, n in seen(s).items()}
        rest = 1 - sum(certain.values(), Fraction(0))
        states[names[s]] = chain.labels[s], certain | ({lost: rest} if rest else {})
    relation = [(names[s], names[t]) for s, t in chain.relation]
    made = LabelledMarkovChain.of(states, relation, code=chain.code)
    entered = {made.index(name): s for s, name in names.items()}
    return RoundedChain(
        made.states,
        made.labels,
        made.rows,
        made.relation,
        code=chain.code,
        lost=label,
        rounding=Rounding(chain, bits, entered, exits),
    )


def _below(chance: Chance, bits: int) -> int | None:
    """A probability in multiples of 2^−bits, rounded down further than checkers do; None where it is not
    known to be positive.
    """
    if not isinstance(chance, Real):
        return floor(fraction_of(chance) * (1 << bits))
    low, _ = chance.enclosed(bits + _SPARE)
    if low * (1 << bits + _SPARE) < 1 and any(c < 0 for c in chance.parts()[0].numbers.values()):
        return None
    return max(0, floor(low * (1 << bits)) - 1)


def _exits(
    rows: Sequence[Mapping[int, int]], silent: Sequence[bool], starts: Sequence[int], bits: int
) -> dict[int, dict[int, int]]:
    """What silent states lead to next, from below: iterated from nothing, so it never falls, and what is
    found at any time is at most what it leads to in the next round.
    """
    whole = 1 << bits
    reached = [s for s in search(starts, rows.__getitem__) if silent[s]]

    def unseen(s: int) -> list[int]:
        return [t for t in rows[s] if silent[t]]

    exits: dict[int, dict[int, int]] = {}
    place = {s: k for k, s in enumerate(reached)}
    for members in strong_components(reached, unseen):
        members = sorted(members, key=place.__getitem__, reverse=True)  # what is farthest from starts first
        once = len(members) == 1 and members[0] not in rows[members[0]]
        for _ in range(1 if once else _ROUNDS):
            moved = False
            for u in members:
                found = {v: n >> bits for v, n in _next(rows[u], silent, exits, whole).items() if n >> bits}
                moved = moved or found != exits.get(u)
                exits[u] = found
            if not moved:
                break
    return {u: found for u, found in sorted(exits.items()) if found}


def _next(
    row: Mapping[int, int], silent: Sequence[bool], exits: Mapping[int, Mapping[int, int]], whole: int
) -> dict[int, int]:
    found: dict[int, int] = {}
    for t, n in row.items():
        for v, m in (exits.get(t, {}) if silent[t] else {t: whole}).items():
            found[v] = found.get(v, 0) + n * m
    return found


def rounding_claim(rounding: Rounding) -> Json:
    """What a claim says of the observer, if there are silent states."""
    silent = rounding.original.silent
    return {} if silent is None else {"observer": {"sees": "labels", "silent": [silent]}}


def rounding_evidence(chain: RoundedChain) -> Json:
    """That the chain is cut from the real one (docs/certificates.md, 3.13)."""
    rounding = chain.rounding
    return {
        "bits": rounding.bits,
        "entered": [[c, s] for c, s in sorted(rounding.entered.items())],
        "exits": [
            [u, [[v, str(n)] for v, n in sorted(found.items())]] for u, found in rounding.exits.items()
        ],
        "model": chain_model(chain, related=False),
    }


def _written(chance: Chance) -> Any:
    """A probability as certificates have it; the denominator is positive."""
    if not isinstance(chance, Real):
        return format_rational(fraction_of(chance))
    above, below = chance.parts()
    return {"above": _terms(above), "below": _terms(below)}


def _terms(total: ExponentialSum) -> list[list[str]]:
    found = sorted((exponent, coefficient) for coefficient, _, exponent in total.terms)
    return [[format_rational(exponent), format_rational(coefficient)] for exponent, coefficient in found]


def lost_within(width: Fraction, alpha: Fraction) -> Fraction:
    """With which probability runs may be lost, so that an interval of δ at α is wider for it by at most half
    of ``width``.
    """
    return width / (4 + 2 * alpha)


def losing(chain: LabelledMarkovChain) -> tuple[Fraction, ...]:
    """For each state of a chain with lost runs the probability that a run from it is ever lost."""
    rows = {s: {t: fmpq_of(p) for t, p in row.items()} for s, row in enumerate(chain.rows)}
    ends = next_seen(rows, lambda _, t: chain.labels[t] == chain.lost, range(len(rows)))
    return tuple(
        Fraction(1) if label == chain.lost else sum(map(fraction_of, ends[s].values()), Fraction(0))
        for s, label in enumerate(chain.labels)
    )


def most_lost(chances: Sequence[Fraction], pairs: Iterable[Pair]) -> Fraction:
    """The most of these for the states of some pairs, rounded up to few digits; 0 if there are none."""
    most = max((chances[s] for pair in pairs for s in pair), default=Fraction(0)) if chances else Fraction(0)
    scale = 10 ** (_DIGITS + len(str(int(1 / most)))) if most else 1
    return Fraction(-(-most * scale // 1), scale)
