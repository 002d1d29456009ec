"""The parts of a composition: mechanisms, how often each runs, and the laws of their pairs of secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from ..budget import Budget
from ..chains import find, read_chain
from ..collapsing import observed
from ..reading import BadModel, Json, Malformed, TooLarge, at, constant, demand, rational, record, typed
from .discrete import discrete_gaussian
from .endings import Law, Laws, added, exactly, key_of, laws_of_chain, read_laws, reverse
from .sampling import sampled

if TYPE_CHECKING:
    from .normal import Normal

MOST_TIMES = 1_000_000
MOST_UNITS = 10_000
MOST_CHOICES = 1_000
MOST_OPTIONS = 20

Options = Sequence[Laws]


@dataclass(frozen=True, slots=True)
class Part:
    """The laws of the pairs that may be meant, one way round and the other, each once; where one of several
    mechanisms is chosen, of each of them together."""

    times: int
    forward: Sequence[Options]
    backward: Sequence[Options]
    normal: Normal | None = None  # in place of laws, where moments are claimed
    noisy: bool = False  # a program, whose laws from below and from above have proofs of their own

    def side(self, first: bool) -> Sequence[Options]:
        return self.forward if first else self.backward


def read_parts(model: Json, evidence: Json, budget: Budget, *, moments: bool = False) -> list[Part]:
    fields = record(model, "parts type version")
    constant(fields["type"], "composition")
    constant(fields["version"], 1)
    listed, proofs = typed(fields["parts"], list), typed(evidence, list)
    demand(len(listed) == len(proofs) > 0, Malformed, "there are no parts, or not as many proofs")
    parts = []
    for number, (part, proof) in enumerate(zip(listed, proofs, strict=True)):
        with at("part", number):
            times = typed(typed(part, dict).get("times"), int)
            demand(1 <= times <= MOST_TIMES, BadModel, "the number of runs is out of range")
            if moments and "normal" in typed(proof, dict):
                from .normal import read_normal  # as with programs

                parts.append(Part(times, (), (), read_normal(part, proof, budget)))
                continue
            forward, backward = (options_laws if "options" in part else one_law)(part, proof, budget)
            parts.append(Part(times, different(forward), different(backward), noisy="program" in part))
    return parts


Sides = tuple[Sequence[Laws], Sequence[Laws]]


def one_law(
    part: Mapping[str, Json], proof: Json, budget: Budget
) -> tuple[Sequence[Options], Sequence[Options]]:
    forward, backward = laws_of(part, proof, budget)
    return [[laws] for laws in forward], [[laws] for laws in backward]


def laws_of(part: Mapping[str, Json], proof: Json, budget: Budget) -> Sides:
    """Of a part that is one mechanism, perhaps on samples."""
    kind = next((key for key in ("chain", "known", "program") if key in part), "laws")
    plain = {key: value for key, value in part.items() if key != "sampling"}
    sides = KINDS[kind](plain, proof, budget)
    if "sampling" in part:
        with at("sampling"):
            sides = sampled(part["sampling"], plain, sides, budget)
    return sides


def options_laws(
    part: Mapping[str, Json], proof: Json, budget: Budget
) -> tuple[Sequence[Options], Sequence[Options]]:
    """One pair of each of the mechanisms that may be chosen, in every way."""
    record(part, "options times")
    listed = typed(part["options"], list)
    proofs = typed(record(proof, "options")["options"], list)
    demand(len(listed) == len(proofs), Malformed, "there are not as many proofs as options")
    demand(1 <= len(listed) <= MOST_OPTIONS, BadModel, "the number of options is out of range")
    found = list[Sides]()
    for number, (option, own) in enumerate(zip(listed, proofs, strict=True)):
        with at("option", number):
            once = typed(typed(option, dict).get("times"), int) == 1
            demand(once, BadModel, "an option runs more than once")
            demand("program" not in option, BadModel, "an option is a program")
            found.append(laws_of(option, own, budget))
    forward, backward = (every_row([sides[way] for sides in found]) for way in (0, 1))
    return forward, backward


def every_row(sides: Sequence[Sequence[Laws]]) -> list[Options]:
    number = 1
    for several in sides:
        number *= len(several)
        demand(number <= MOST_CHOICES, TooLarge, "the options have too many choices of pairs")
    return [list(row) for row in product(*sides)]


def different(options: Sequence[Options]) -> list[Options]:
    return list({tuple(map(key_of, row)): row for row in reversed(options)}.values())[::-1]


def chain_laws(part: Mapping[str, Json], proof: Json, budget: Budget) -> Sides:
    """Two states of a chain, or all pairs of its relation; with an observer, of the collapsed chain."""
    named = "from" in part
    record(part, "chain from times to" if named else "chain times", "observer")
    chain = read_chain(part["chain"], budget)
    if "observer" in part:
        with at("collapsing"):
            seen = {"observer": part["observer"], "scope": "pair" if named else "relation"}
            chain, proof = observed(chain, seen, proof)
    pairs = [(find(chain.index, part["from"]), find(chain.index, part["to"]))] if named else chain.relation
    demand(len(pairs) > 0, BadModel, "the relation has no pair")
    back = [(t, s) for s, t in pairs]
    laws = laws_of_chain(chain, sorted({*pairs, *back}), proof)
    return [laws[pair] for pair in pairs], [laws[pair] for pair in back]


def given_laws(part: Mapping[str, Json], proof: Json, budget: Budget) -> Sides:
    """Two laws on finitely many outcomes."""
    record(part, "laws times")
    record(proof, "")
    law = read_laws(part["laws"], budget)
    return [exactly(law)], [exactly(reverse(law))]


def known_laws(part: Mapping[str, Json], proof: Json, budget: Budget) -> Sides:
    """A known mechanism; all are the same both ways round."""
    name = typed(part["known"], str)
    if name == "discrete-gaussian":
        laws = discrete_gaussian(part, proof, budget)
    else:
        record(proof, "")
        demand(name in KNOWN, Malformed, "the mechanism is unknown")
        laws = exactly(KNOWN[name](part, budget))
    return [laws], [laws]


def of_program(part: Mapping[str, Json], proof: Json, budget: Budget) -> Sides:
    """All neighbouring inputs of a threshold program."""
    from .mechanisms import program_laws  # with the rules about programs, which other parts do not wait for

    return program_laws(part, proof, budget)


def between(value: Json, least: int, most: int | None) -> Fraction:
    number = Fraction(*rational(value))
    demand(least <= number and (most is None or number <= most), BadModel, "a number is out of range")
    return number


def count(value: Json, least: int) -> int:
    demand(least <= typed(value, int) <= MOST_UNITS, BadModel, "a number is out of range")
    return typed(value, int)


def randomised_response(part: Mapping[str, Json], budget: Budget) -> Law:
    """The truth with probability t = 1/(1 + (k − 1) q), each of the k − 1 other values with tq."""
    record(part, "known q times values")
    q, values = between(part["q"], 0, 1), count(part["values"], 2)
    demand(q > 0, BadModel, "q is 0")
    budget.spend(8, size := sum(n.bit_length() for n in q.as_integer_ratio()), size)
    truth = 1 / (1 + (values - 1) * q)
    if q == 1:
        return [(q, Fraction(1))]
    others = [(Fraction(1), (values - 2) * truth * q)] if values > 2 else []
    return [(1 / q, truth), *others, (q, truth * q)]


def discrete_laplace(part: Mapping[str, Json], budget: Budget) -> Law:
    """x has weight q^|x|, |x| ≤ bound if there is one; the inputs differ by the sensitivity s, so the ratio
    of an outcome is q^(|x| − |x − s|)."""
    bounded = "bound" in part
    record(part, "bound known q sensitivity times" if bounded else "known q sensitivity times")
    q, s = between(part["q"], 0, 1), count(part["sensitivity"], 1)
    demand(0 < q < 1, BadModel, "q is not between 0 and 1")
    top = count(part["bound"], 1) if bounded else s
    size = (top + s) * sum(n.bit_length() for n in q.as_integer_ratio())
    budget.spend(24 * (2 * top + 1), size, size)
    if bounded:
        total = 1 + 2 * sum(q**x for x in range(1, top + 1))
        masses = {x: q ** abs(x) / total for x in range(max(-top, s - top), top + 1)}
    else:
        masses = {x: q**x * (1 - q) / (1 + q) for x in range(1, s)}
        masses |= {0: 1 / (1 + q), s: q**s / (1 + q)}  # all of at most 0, and all of at least s
    return added((q ** (abs(x) - abs(x - s)), mass) for x, mass in masses.items())


def approximate(part: Mapping[str, Json], budget: Budget) -> Law:
    """With probability δ the secret itself, and otherwise one of two values, with odds α : 1."""
    record(part, "alpha delta known times")
    alpha, delta = between(part["alpha"], 1, None), between(part["delta"], 0, 1)
    size = sum(n.bit_length() for x in (alpha, delta) for n in x.as_integer_ratio())
    budget.spend(16, size, size)
    hidden = 1 - delta
    if hidden == 0:
        return []
    if alpha == 1:
        return [(alpha, hidden)]
    return [(alpha, hidden * alpha / (1 + alpha)), (1 / alpha, hidden / (1 + alpha))]


KNOWN: Mapping[str, Callable[[Mapping[str, Json], Budget], Law]] = {
    "approximate": approximate,
    "discrete-laplace": discrete_laplace,
    "randomised-response": randomised_response,
}

KINDS: Mapping[str, Callable[[Mapping[str, Json], Json, Budget], Sides]] = {
    "chain": chain_laws,
    "known": known_laws,
    "laws": given_laws,
    "program": of_program,
}
