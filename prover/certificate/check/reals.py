"""Chains with real probabilities, and the rational chains that are cut from them (docs/theory.md, *Real
probabilities*)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .budget import Budget
from .chains import Chain, read_chain, read_relation
from .collapsing import read_entered, read_observer
from .growth import growth_rule
from .profiles.sums import Exponentials, Sum, add, times
from .reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    canonical,
    constant,
    demand,
    items,
    natural,
    positive,
    rational,
    record,
    typed,
)

SPARE = 64  # bits of exponentials beyond those that are asked for
MOST_BITS = 10_000

Term = tuple[Sum, Sum, bytes]  # the quotient of two sums, and a name of the second


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a model by their texts, and the multiples of 2^-bits below them."""

    bits: int
    exponentials: Exponentials
    budget: Budget
    terms: dict[bytes, Term]
    below: dict[bytes, int]

    def read(self, value: Json) -> bytes:
        """The name of a probability, which is positive."""
        name = canonical(value)
        if name not in self.terms:
            self.terms[name], self.below[name] = self.bounded(value)
        return name

    def bounded(self, value: Json) -> tuple[Term, int]:
        if isinstance(value, str):
            n, d = positive(value)
            self.budget.spend(4, max(n.bit_length(), d.bit_length()) + self.bits, d.bit_length())
            return (Sum((Fraction(0), Fraction(n, d))), one(), b""), (n << self.bits) // d
        fields = record(value, "above below")
        above, below = read_sum(fields["above"]), read_sum(fields["below"])
        (least, _), (denominator, most) = map(self.exponentials.enclosed, (above, below))
        known = all(c > 0 for _, c in above.terms) or least > 0
        demand(known and denominator > 0, BadModel, "a number is not known to be positive")
        long = sum(x.bit_length() for y in (least, most) for x in y.as_integer_ratio())
        self.budget.spend(8, long + self.bits, long)
        return (above, below, canonical(fields["below"])), max(0, int(least * (1 << self.bits) / most))

    def add_up(self, names: Sequence[bytes]) -> None:
        """The sum of these numbers is exactly 1: as functions of powers of e, which is transcendental."""
        alike = defaultdict[bytes, list[Term]](list)
        for name in names:
            alike[self.terms[name][2]].append(self.terms[name])
        total, whole = Sum(), one()
        for terms in alike.values():
            numerator = Sum()
            for above, _, _ in terms:
                add(numerator, above, self.budget)
            below = terms[0][1]
            total = times(total, below, self.budget)
            add(total, times(numerator, whole, self.budget), self.budget)
            whole = times(whole, below, self.budget)
        add(total, times(whole, Sum((Fraction(0), Fraction(-1))), self.budget), self.budget)
        demand(all(c == 0 for _, c in total.terms), BadModel, "the probabilities do not sum to 1")


def one() -> Sum:
    return Sum((Fraction(0), Fraction(1)))


def read_sum(value: Json) -> Sum:
    """Σ c·e^r, by [r, c], r increasing."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    terms = [(Fraction(*rational(r)), Fraction(*rational(c))) for r, c in entries]
    demand(len(terms) > 0 and all(c != 0 for _, c in terms), Malformed, "a sum is empty, or has a 0")
    ascending([r for r, _ in terms], Malformed, "exponents")
    return Sum(*terms)


def read_real_chain(model: Json, bits: int, budget: Budget) -> Chain:
    """The chain, whose rows have what is below its probabilities, multiples of 2^-bits."""
    fields = record(model, "states type version", "relation")
    constant(fields["type"], "labelled-markov-chain")
    constant(fields["version"], 1)
    names = sorted(typed(fields["states"], dict))
    index = {name: s for s, name in enumerate(names)}
    numbers = Numbers(bits, Exponentials(bits + SPARE, budget), budget, {}, {})
    labels, rows, classes = [], [], defaultdict(list)
    for s, name in enumerate(names):
        with at("state", s):
            state = record(fields["states"][name], "label next")
            following = typed(state["next"], dict)
            demand(following.keys() <= index.keys(), BadModel, "a successor is not a state")
            found = {t: numbers.read(value) for t, value in following.items()}
            numbers.add_up([*found.values()])
            budget.keep(len(found), bits)
            rows.append({index[t]: numbers.below[number] for t, number in found.items()})
            labels.append(typed(state["label"], str))
            classes[labels[s]].append(s)
    relation = read_relation(fields, index)
    return Chain(index, labels, rows, [1 << bits] * len(rows), classes, relation, budget)


def rounded(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> tuple[Chain, Json]:
    """The rational chain of the evidence, which is cut from the real chain as far as this is seen; and the
    evidence that is about it.

    Its states that stand for no state of the real one are where runs are lost. The others go to each other
    with at most the probabilities that the real chain goes there next, silent states apart.
    """
    rest = {key: value for key, value in evidence.items() if key != "rounding"}
    demand("lost" in fields, BadClaim, "a claim about real probabilities has no lost runs")
    changes, silent = read_observer(fields["observer"]) if "observer" in fields else (False, frozenset[str]())
    demand(not changes, BadClaim, "the observer of a chain with real probabilities sees changes")
    value = record(evidence["rounding"], "bits entered exits model")
    bits = typed(value["bits"], int)
    demand(0 < bits <= MOST_BITS, Malformed, "the bits are 0 or too many")
    with at("model"):
        chain = read_real_chain(model, bits, budget)
    record(value["model"], "states type version")
    small = read_chain(value["model"], budget)
    entered = read_entered(chain, small, value["entered"], silent)
    exits = read_exits(chain, value["exits"], silent, bits)
    way_rule(chain, exits)
    for u, listed_exits in exits.items():
        with at("exits of state", u):
            most = next_seen(chain, u, exits, silent)
            kept = all(n << bits <= most.get(v, 0) for v, n in listed_exits.items())
            demand(kept, RuleBroken, "they exceed those of the next states")
    place = {s: c for c, s in entered.items()}
    for c, row in enumerate(small.rows):
        with at("row of state", c):
            if c not in entered:
                demand(small.labels[c] == fields["lost"], BadEvidence, "it is neither entered nor lost")
                continue
            most = {place[v]: n for v, n in next_seen(chain, entered[c], exits, silent).items() if v in place}
            for d, n in row.items():
                budget.spend(4, n.bit_length() + 2 * bits, small.wholes[c].bit_length())
                kept = d not in entered or n << 2 * bits <= most.get(d, 0) * small.wholes[c]
                demand(kept, RuleBroken, f"state {d} is entered too often")
    if "growth" in rest:
        with at("growth"):
            growth_rule(chain, small, entered, silent, typed(fields["lost"], str), rest["growth"])
    names = list(chain.index)
    related = chain.relation if fields["scope"] == "relation" else ()
    demand(all(s in place for s, _ in related), BadEvidence, "the rounded chain lacks a related state")
    index = {names[s]: c for s, c in place.items()}
    return replace(small, index=index, relation=sorted((place[s], place[t]) for s, t in related)), rest


Exits = Mapping[int, Mapping[int, int]]


def read_exits(chain: Chain, value: Json, silent: frozenset[str], bits: int) -> Exits:
    """For silent states multiples of 2^-bits: not more than how likely a visible state is entered next."""
    exits = dict[int, Mapping[int, int]]()
    for row in typed(value, list):
        state, listed_exits = items(row, 2)
        entries = [items(entry, 2) for entry in typed(listed_exits, list)]
        states, numbers = [chain.state(v) for v, _ in entries], [natural(n) for _, n in entries]
        ascending(states, BadEvidence, "exits")
        demand(chain.labels[chain.state(state)] in silent, BadEvidence, "a state with exits is visible")
        demand(all(0 < n <= 1 << bits for n in numbers), BadEvidence, "a probability is 0 or above 1")
        chain.budget.keep(len(numbers), bits)
        exits[state] = dict(zip(states, numbers, strict=True))
    ascending([state for state, _ in value], BadEvidence, "states with exits")
    return exits


def next_seen(chain: Chain, s: int, exits: Exits, silent: frozenset[str]) -> Mapping[int, int]:
    """How likely visible states are entered next, by what is listed of silent ones: over 2^(2·bits)."""
    found, row, bits = dict[int, int](), chain.rows[s], chain.wholes[s].bit_length() - 1
    parts = [(n, exits.get(t, {}) if chain.labels[t] in silent else {t: 1 << bits}) for t, n in row.items()]
    chain.budget.spend(2 * sum(len(part) for _, part in parts), bits, bits)
    for n, part in parts:
        for v, m in part.items():
            found[v] = found.get(v, 0) + n * m
    return found


def way_rule(chain: Chain, exits: Exits) -> None:
    """From every state with exits some transitions lead to a state without: else what they say of each other
    could be too much."""
    before: dict[int, list[int]] = {u: [] for u in exits}
    for u in exits:
        for t in chain.rows[u]:
            if t in before:
                before[t].append(u)
    way = [u for u in exits if any(t not in exits for t in chain.rows[u])]
    found = set(way)
    for u in way:  # which grows
        new = [s for s in before[u] if s not in found]
        found.update(new)
        way += new
    demand(len(found) == len(exits), BadEvidence, "a state has exits, but no way leads out of it")
