"""Pairs of inputs behind lower ends about threshold programs: as text, in JSON, and on pages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Protocol

from prover.errors import shown
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.exact.readable import brief
from prover.language.mechanism.letters import is_unseen
from prover.program.model import Program, out_edges
from prover.program.profiles.below import Below
from prover.program.profiles.policy import Policy
from prover.program.profiles.streams import Losing
from prover.report.document import PageBlock, PageTable, Text
from prover.report.tables import aligned

SHOWN = 5
"""Runs of an event that people are shown."""
_DIGITS = 6
_NONE = "No attack was found; this does not prove that none exists."
_NONE_KNOWN = "No inputs for the lower end are known; this does not prove that there are none."
_NOT_SEARCHED = "Inputs for the lower end have not been searched yet."
_HEADING = ("inputs x", "inputs y")


class Attacked(Protocol):
    """What answers say of the inputs behind a lower end."""

    @property
    def program(self) -> Program: ...
    @property
    def losing(self) -> Losing | None: ...
    @property
    def attack(self) -> Below | Policy | None: ...
    @property
    def searched(self) -> bool: ...
    @property
    def obstacle(self) -> str | None: ...
    @property
    def upper(self) -> Fraction | None: ...


def attack_json(attack: Below | Policy) -> dict[str, Any]:
    """The JSON object of a pair of inputs, runs being numbers of transitions, or of a policy."""
    if isinstance(attack, Policy):
        about: dict[str, Any] = {"policy": attack.nodes}
    else:
        about = {
            "inputs": [[format_rational(x) for x in read] for read in (attack.inputs, attack.neighbour)],
            "count": format_rational(Fraction(attack.count)),
            "runs": [list(run) for run in attack.runs],
            **({"cut": True} if attack.is_cut else {}),
        }
    chances = map(format_rational, attack.probabilities)
    return about | dict(zip(("from_probability", "to_probability"), chances, strict=True))


def decimals_above(number: Fraction) -> str:
    """A bound from above, in a few decimals."""
    return decimal_text(decimal_above(number, _DIGITS), _DIGITS)


def decimals_below(number: Fraction) -> str:
    """A bound from below, in a few decimals."""
    return decimal_text(decimal_below(number, _DIGITS), _DIGITS)


def attack_lines(answer: Attacked) -> list[str]:
    """The pair of inputs behind the lower end, and its event."""
    attack = answer.attack
    if attack is None:
        if answer.losing is not None or answer.upper == 0:
            return []
        none = _NONE if answer.obstacle is None else _NONE_KNOWN
        return [none if answer.searched else _NOT_SEARCHED]
    more, less = decimals_below(attack.probabilities[0]), decimals_above(attack.probabilities[1])
    last = f"The guess is x with probability {more} under x and {less} under y."
    if isinstance(attack, Policy):
        return [_policy_text(attack), *aligned([("", *row) for row in _questions(attack)]), last]
    count, words = attack.count, _words(attack)
    which = f"one of {count:,} sequences" if count > 1 else "this sequence"
    listed = f" ({len(words)} shown)" if count > len(words) else ""
    return [
        "Attack: two neighbouring inputs, of which the attacker guesses x if the output begins with "
        f"{which}{listed}:",
        *aligned([(f"  {name}", *numbers) for name, numbers in zip(_HEADING, _inputs(attack), strict=True)]),
        *(f"  {word}" for word in words),
        last,
    ]


def _policy_text(attack: Policy) -> str:
    count = len(attack.questions)
    listed = f" ({SHOWN} shown)" if count > SHOWN else ""
    return (
        "Attack: two neighbouring inputs, of which each number depends on the outputs before it, by "
        f"{count} questions{listed}; after an output comes a question, or the guess x or y:"
    )


def _questions(attack: Policy) -> list[tuple[str, str, str, str]]:
    """The number, both inputs and what follows each output, of the first questions."""
    rows, edges = [], out_edges(attack.program)
    for number, one in enumerate(attack.questions[:SHOWN]):
        outputs = [outputs_text([edge.output]) or "then" for edge in edges[one.state]]
        outputs += ["stop"] * (len(one.after) - len(outputs))
        inputs = [f"{name} {brief(x)}" for name, x in zip("xy", one.inputs or (), strict=False)] or ["", ""]
        after = ("xy"[not own] if isinstance(own, bool) else str(own) for own in one.after)
        follows = ", ".join(f"{output}: {then}" for output, then in zip(outputs, after, strict=True))
        rows.append((f"{number}", inputs[0], inputs[1], follows))
    return rows


def _inputs(attack: Below) -> list[list[str]]:
    return [[brief(x) for x in read] for read in (attack.inputs, attack.neighbour)]


def _words(attack: Below) -> list[str]:
    """What some of the runs output."""
    edges = attack.played.edges
    return [outputs_text([edges[number].output for number in run]) for run in attack.runs[:SHOWN]]


def outputs_text(outputs: Sequence[str]) -> str:
    """What a run outputs; what is repeated more than twice is counted."""
    parts = []
    for output, alike in groupby(output for output in outputs if not is_unseen(output)):
        count = len(list(alike))
        parts += [f"{output} ({count} times)"] if count > 2 else [output] * count
    return shown(", ".join(parts))


def attack_blocks(answer: Attacked, remarks: Sequence[str]) -> list[PageBlock]:
    """The pair of inputs behind the lower end, on a page, and remarks about it."""
    attack = answer.attack
    if attack is None:
        return [Text(line) for line in (*attack_lines(answer), *remarks)]
    if isinstance(attack, Policy):
        first, *_, last = attack_lines(answer)
        heading = "question", "input x", "input y", "what follows: a question, or the guess"
        table = PageTable("The first questions", heading, _questions(attack), (0, 1, 2))
        return [Text(first), table, Text(last, "claim"), *map(Text, remarks)]
    inputs = list(zip(*_inputs(attack), strict=True))
    words = [(word,) for word in _words(attack)]
    first, *_, last = attack_lines(answer)
    return [
        Text(first),
        PageTable("The two inputs, in the order in which they are read", _HEADING, inputs, (0, 1)),
        PageTable("Outputs on which the guess is x", ("the output begins with",), words),
        Text(last, "claim"),
        *map(Text, remarks),
    ]
