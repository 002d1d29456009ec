"""Functions of a real sample and their integrals, exactly: between two neighbours of some numbers they are
sums of number · z^power · e^(rate·z + constant), found by texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..budget import LEAST_BITS, Budget
from ..reading import BadModel, RuleBroken, TooLarge, demand, written
from .pieces import Law
from .sums import MOST_TERMS, Sum, longest, times

Term = tuple[Fraction, int, Fraction, Fraction]  # rate, power, constant, number
Terms = Mapping[str, Term]
Function = Sequence[Terms]  # on the pieces, from left to right
ZERO = Fraction(0)


def added(terms: Iterable[Term]) -> Terms:
    """Terms that differ only in their numbers are one; none is 0."""
    found: dict[str, Term] = {}
    for rate, power, constant, number in terms:
        key = written(*rate.as_integer_ratio(), power, *constant.as_integer_ratio())
        if key in found:
            number += found[key][3]
        found[key] = rate, power, constant, number
    demand(len(found) <= MOST_TERMS, TooLarge, f"a function of more than {MOST_TERMS} terms")
    return {key: term for key, term in found.items() if term[3]}


def size(terms: Terms) -> int:
    """The bits of the longest rational."""
    return longest(x for rate, _, constant, number in terms.values() for x in (rate, constant, number))


@dataclass(frozen=True, slots=True)
class Line:
    """The functions with these places, to which all centers belong, between their pieces. Of a sample without
    noise a function is a number, which is a sum."""

    ends: Sequence[Fraction]
    budget: Budget

    def density(self, law: Law) -> Function | Sum:
        if law.is_fixed:
            return Sum((ZERO, Fraction(1)))
        left, right = law.left, law.right
        height = 1 / ((0 if left is None else 1 / left) + (0 if right is None else 1 / right))
        slopes = [left if end <= law.center else None if right is None else -right for end in self.ends]
        slopes.append(None if right is None else -right)
        return [
            {} if slope is None else added([(slope, 0, -slope * law.center, Fraction(height))])
            for slope in slopes
        ]

    def product(self, first: Function | Sum, second: Function | Sum) -> Function | Sum:
        if isinstance(first, Sum) or isinstance(second, Sum):
            return times(number(first), number(second), self.budget)
        found = []
        for one, two in zip(first, second, strict=True):
            self.budget.spend(16 * len(one) * len(two), size(one), size(two))
            found.append(
                added(
                    (r + s, k + n, c + d, x * y) for r, k, c, x in one.values() for s, n, d, y in two.values()
                )
            )
        self.budget.fit(sum(map(len, found)), max(LEAST_BITS, *map(size, found)))
        return found

    def passed(self, relation: str, child: Law, function: Function | Sum, own: Law) -> Function | Sum:
        """The integral of a function of a sample, where that is so related to another one, as a function of
        the other one."""
        above = relation in (">=", ">")
        if isinstance(function, Sum):
            if own.is_fixed:
                same = child.center == own.center
                return (
                    function
                    if (relation[1:] == "=" if same else (child.center > own.center) == above)
                    else Sum()
                )
            terms = added((ZERO, 0, exponent, x) for exponent, x in function.terms)
            return [terms if (end <= child.center) == above else {} for end in self.ends] + [
                {} if above else terms
            ]
        below, total = self.below(function)
        if above:
            whole = [(ZERO, 0, exponent, x) for exponent, x in total.terms]
            self.budget.spend(
                4 * len(below) * (len(whole) + max(map(len, below))), total.size(), total.size()
            )
            below = [added([*whole, *((r, k, c, -x) for r, k, c, x in terms.values())]) for terms in below]
        if own.is_fixed:
            return self.value(below[self.ends.index(own.center)], own.center)
        return below

    def total(self, function: Function | Sum) -> Sum:
        return function if isinstance(function, Sum) else self.below(function)[1]

    def below(self, function: Function) -> tuple[Function, Sum]:
        """The integrals up to each place, and over all."""
        found: list[Terms] = []
        base = Sum()  # what is left of a piece, without the primitive function there
        for index, terms in enumerate(function):
            inner = self.primitive(terms)
            if index:
                base = self.plus(base, inner, self.ends[index - 1], -1)
            else:
                demand(all(term[0] > 0 for term in inner.values()), RuleBroken, "an infinite integral")
            found.append(added([*inner.values(), *((ZERO, 0, e, x) for e, x in base.terms)]))
            if index < len(self.ends):
                base = self.plus(base, inner, self.ends[index], 1)
            else:
                demand(all(term[0] < 0 for term in inner.values()), RuleBroken, "an infinite integral")
        self.budget.fit(sum(map(len, found)), max(LEAST_BITS, *map(size, found)))
        return found, base

    def primitive(self, terms: Terms) -> Terms:
        """Of z^n·e^(rz) that is Σ (−1)^j n!/(n − j)! z^(n−j)/r^(j+1)·e^(rz), or z^(n+1)/(n + 1) if r = 0."""
        made: list[Term] = []
        for rate, power, constant, x in terms.values():
            self.budget.spend(16 * (power + 1), (power + 1) * longest([rate, x]), longest([rate, x]))
            if rate == 0:
                made.append((rate, power + 1, constant, x / (power + 1)))
                continue
            for k in range(power, -1, -1):
                x /= rate
                made.append((rate, k, constant, x))
                x *= -k
        return added(made)

    def value(self, terms: Terms, z: Fraction) -> Sum:
        return self.plus(Sum(), terms, z, 1)

    def plus(self, total: Sum, terms: Terms, z: Fraction, sign: int) -> Sum:
        """A sum, and the value at a place."""
        long, power = longest([z]), max((term[1] for term in terms.values()), default=0)
        self.budget.spend(16 * (len(total) + len(terms)), total.size() + size(terms), (power + 1) * long)
        found = Sum(*total.terms)
        for rate, k, constant, x in terms.values():
            found.put(rate * z + constant, sign * x * z**k)
        demand(len(found) <= MOST_TERMS, TooLarge, f"a sum of more than {MOST_TERMS} terms")
        return Sum(*((exponent, x) for exponent, x in found.terms if x))


def number(function: Function | Sum) -> Sum:
    if not isinstance(function, Sum):
        raise BadModel("a function where a number belongs")
    return function
