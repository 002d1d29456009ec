"""What the transitions of threshold programs output, what is seen of that, and what registers are set to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from .reading import BadModel, Json, Malformed, demand, each, lists, rational, record, typed

NO_LETTER = "no letter"

# What tests ask of shifts; only with discrete noise there are others than < and >=
ASKED = {"<": "<", "<=": "<", ">": ">=", ">=": ">=", "=": "="}


class Case(NamedTuple):
    """What a transition has of its case."""

    tests: tuple[tuple[str, str], ...]
    stored: tuple[str, ...]
    bounds: tuple[tuple[str, str], ...]
    pinned: bool
    primed: bool
    seen: tuple[str, int]
    written: tuple[str, ...]
    gaps: tuple[str, ...]
    sums: Mapping[str, Mapping[str, int]] | None
    told: tuple[Fraction, ...] | None


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a program; those with one output that are written alike are read once."""

    discrete: bool
    known: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Case] = field(default_factory=dict)

    def of(self, case: Mapping[str, Json], takes_input: bool) -> Case:
        """``case`` has the keys of a case."""
        tests = [word for test in lists(case["guard"], 2) for word in test]
        written = case["output"], tuple(each(case["assign"], str)), tuple(each(tests, str))
        if type(written[0]) is not str or "registers" in case or "seen" in case:
            return self.read(case, takes_input, *written[1:])
        found = self.known.get(written)
        if found is None:
            found = self.known[written] = self.read(case, takes_input, *written[1:])
        return found

    def read(
        self, case: Mapping[str, Json], takes_input: bool, stored: tuple[str, ...], tests: tuple[str, ...]
    ) -> Case:
        """``tests`` are relations, and variables behind them."""
        asked, names = tests[::2], tests[1::2]
        demand(len(set(stored)) == len(stored), BadModel, "a transition assigns a variable twice")
        relations = set(ASKED if self.discrete else ("<", ">="))
        demand(relations.issuperset(asked), Malformed, "a test is unknown")
        guard = tuple(zip(map(ASKED.__getitem__, asked), names, strict=True))
        bounds = {variable: relation for relation, variable in guard}
        demand(len(bounds) == len(guard), BadModel, "a guard has two tests of one variable")
        gaps, pinned, primed, seen = read_outputs(case["output"])
        bounds.update(dict.fromkeys(gaps, "="))
        listed = tuple((relation, variable) for variable, relation in bounds.items())
        sums, told = read_sums(case, takes_input), read_told(case, seen)
        return Case(guard, stored, listed, pinned, primed, seen, asked, tuple(gaps), sums, told)


def read_outputs(value: Json) -> tuple[list[str], bool, bool, tuple[str, int]]:
    """One output or a list of several, at most one letter, and different numbers.

    Returns the variables of gaps, whether insample and insampleprime are output, and the symbol of the
    outputs.
    """
    many = isinstance(value, list)
    parts = typed(value, list) if many else [value]
    texts = [part for part in parts if isinstance(part, str)]
    gaps = [typed(record(part, "gap")["gap"], str) for part in parts if not isinstance(part, str)]
    letters = [text for text in texts if text not in ("insample", "insampleprime")]
    different = len(set(texts)) == len(texts) and len(set(gaps)) == len(gaps)
    demand(different and len(letters) <= 1 and len(parts) >= 1 + many, BadModel, "the outputs are malformed")
    seen = (f"letter {letters[0]}" if letters else NO_LETTER, len(parts) - len(letters))
    return gaps, "insample" in texts, "insampleprime" in texts, seen


def read_told(case: Mapping[str, Json], seen: tuple[str, int]) -> tuple[Fraction, ...] | None:
    """What observers see of a transition: () is nothing, (a,) its number plus a, and None what it outputs."""
    if "seen" not in case:
        return None
    told = tuple(Fraction(*rational(x)) for x in typed(case["seen"], list))
    demand(len(told) < 2, Malformed, "more than one number is seen")
    demand(0 not in told, Malformed, "a number is seen as it is")
    demand(len(told) == seen[1], BadModel, "a number that is not seen, or one without a number")
    return told


def read_sums(case: Mapping[str, Json], takes_input: bool) -> Mapping[str, Mapping[str, int]] | None:
    """The sums, with signs, of registers and of its input that a transition puts into registers, or None."""
    if "registers" not in case:
        return None
    sums = typed(case["registers"], dict)
    demand(len(sums) > 0, Malformed, "no register is set")
    demand(
        all(r.isidentifier() and r != "input" for r in sums), BadModel, "a register has no name of its own"
    )
    for own in sums.values():
        signs = [typed(sign, int) for sign in typed(own, dict).values()]
        demand(all(sign in (-1, 1) for sign in signs), BadModel, "a sign is neither 1 nor -1")
        demand(takes_input or "input" not in own, BadModel, "a register is set to an input that is not read")
    return sums
