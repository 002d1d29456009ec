"""Which secrets of a protocol are related: all of them, neighbours in words, or what a function says.

Of two related secrets the parameters that are not secret are equal. Words say in how many of the others they
differ; a function ``near(one, other)`` of the file is read like the protocol and never executed. It is asked
both ways round, so every relation is symmetric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from prover.errors import BadInput, BadValue, BeyondLimit, did_you_mean, quoted
from prover.exact.given import given_rational
from prover.language.errors import Unbounded, Unsupported, WrongCode
from prover.language.mechanism.steps import LONGEST
from prover.language.reading.compiler import compiled_relation, parameters
from prover.language.reading.machine import Bindings, FileConstants, plain_step
from prover.language.reading.source import FunctionNode, of_function
from prover.language.values import Record, described, frozen

SecretRelation = str | Callable[..., Any]
"""Words such as "differ in one", the name of a function in the file, or the function itself."""

MOST_PAIRS = 1_000_000
"""The most pairs of secrets that are related, or that a relation is asked about."""

_WORDS = re.compile(r"\s*differ(?:\s+by\s+(?P<step>\S+))?\s+in\s+one\s*")
_KNOWN = '"differ in one", "differ by 1 in one", or the name of a function near(one, other) in the same file'

Starts = Mapping[str, Bindings]
"""The values of all parameters for each secret, by the names of initial states."""


def related_pairs(
    constants: FileConstants, starts: Starts, secret: Iterable[str] | None, related: SecretRelation | None
) -> list[tuple[str, str]]:
    """The pairs of related secrets. Their values differ in parameters of ``secret`` only, None for any.

    Raises BadValue, also where nothing is related, BeyondLimit, CodeError.
    """
    names = list(next(iter(starts.values())))
    chosen = names if secret is None else list(dict.fromkeys(secret))
    for name in chosen:
        if name not in names:
            there = f"{did_you_mean(name, names)}the parameters are {', '.join(names)}"
            raise BadValue(f"there is no parameter {quoted(name)} that could be secret; {there}")
    words = _WORDS.fullmatch(related) if isinstance(related, str) else None
    listed = ", ".join(chosen)
    if words is None:
        groups = _alike(starts, chosen)
        found: Iterable[tuple[str, str]] = (pair for group in groups for pair in combinations(group, 2))
        what = f"differ in {listed} alone"
        if related is not None:
            name, holds = _function(constants, related)
            found = ((s, t) for s, t in found if holds(starts[s], starts[t]) or holds(starts[t], starts[s]))
            what = f"are related by {name}"
    else:
        apart = {name: _alike(starts, [name]) for name in chosen}
        groups = [group for own in apart.values() for group in own]
        step = None if words["step"] is None else _step(words["step"])
        found = (
            (s, t)
            for name, own in apart.items()
            for group in own
            for s, t in combinations(group, 2)
            if step is None or abs(_number(name, starts[s]) - _number(name, starts[t])) == step
        )
        what = " ".join(words[0].split()) + f" of {listed}"
    many = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    if many > MOST_PAIRS:
        raise BeyondLimit(
            f"{many:,} pairs of secrets would be compared, but at most {MOST_PAIRS:,} can be; relate "
            'neighbours (--related "differ in one"), or name the pairs in a file (--secret-pairs)',
            code="too-many-pairs",
        )
    pairs = list(found)
    if not pairs:
        raise BadValue(f"no two of the {len(starts):,} secrets {what}", code="no-secrets")
    return pairs


def function_node(constants: FileConstants, related: SecretRelation | None) -> FunctionNode | None:
    """The function of the same file that a relation names."""
    return constants.source.functions.get(related) if isinstance(related, str) else None


def _alike(starts: Starts, changing: Sequence[str]) -> list[list[str]]:
    """The secrets in groups that agree in all other parameters."""
    groups: dict[Hashable, list[str]] = {}
    for start, values in starts.items():
        rest = tuple(frozen(value) for name, value in values.items() if name not in changing)
        groups.setdefault(rest, []).append(start)
    return list(groups.values())


def _step(text: str) -> Fraction:
    try:
        return given_rational(text, "the difference", more_than=0)
    except BadInput as error:
        raise BadValue(f"{error.message}; a relation is {_KNOWN}", code="bad-relation") from None


def _number(name: str, values: Bindings) -> Fraction:
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise BadValue(
            f'{name} is {described(value)}, and only numbers differ by a number; write "differ in one"',
            code="bad-relation",
        )
    return Fraction(value)


def _function(
    constants: FileConstants, related: SecretRelation
) -> tuple[str, Callable[[Bindings, Bindings], bool]]:
    """The name of a function, and whether it holds of two secrets."""
    if isinstance(related, str):
        known = list(constants.source.functions)
        if related not in known:
            there = did_you_mean(related, known)
            raise BadValue(f"{quoted(related)} is no relation; {there}write {_KNOWN}", code="bad-relation")
        source, node = constants.source, constants.source.functions[related]
    else:
        source, node = of_function(related)
        constants = constants if source.file == constants.source.file else FileConstants(source)
    wanted = f"a relation of secrets has two: def {node.name}(one, other)"
    if len(parameters(node)) != 2:
        many = len(parameters(node))
        problem = f"{node.name} has {many} parameter{'' if many == 1 else 's'}"
        raise source.error(WrongCode, node, problem, wanted)
    code = compiled_relation(source, node, constants.find)
    end = len(code.instructions) - 1

    def holds(one: Bindings, other: Bindings) -> bool:
        values: Bindings = {"one": Record(one), "other": Record(other)}
        at: int | None = 0
        for _ in range(LONGEST):
            before, at = at, plain_step(code, at or 0, values, source.error)
            if at is None:
                break
        else:
            raise source.error(Unbounded, node, f"{node.name} runs too long", "write a loop that ends")
        if before != end:
            place = code.instructions[before or 0].place
            raise source.error(Unsupported, place, "a relation draws nothing and sees nothing")
        if not isinstance(values["value"], bool):
            problem = f"{node.name} returns {described(values['value'])}"
            raise source.error(WrongCode, node, problem, "return True or False, such as a comparison")
        return values["value"]

    return node.name, holds
