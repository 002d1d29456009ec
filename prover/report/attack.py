"""Attacks on threshold programs: for people two inputs side by side, for machines the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from prover.errors import abbreviated, shown
from prover.exact.rational import decimal_text, format_rational, rational_or_null, scientific_text
from prover.exact.readable import multiple
from prover.program.attack.attack import InputAttack, percentage
from prover.program.model import Edge
from prover.report.document import Document, PageBlock, PageTable, Section, Text
from prover.report.observer import OTHER_RUNS
from prover.report.tables import aligned

MOST_ROWS = 40
"""How many steps of a run people are shown."""

_DIGITS = 7

_LONGEST = 60  # characters of a probability that is shown in full


def attack_json(attack: InputAttack) -> dict[str, Any]:
    """What an attack adds to the witness: the two inputs and rational bounds of the loss at ``epsilon``.

    In place of ε there may be q = e^(−ε·unit), and then both probabilities exactly.
    """
    exact, unit = attack.probabilities, attack.at.unit
    return {
        "inputs": [[format_rational(read) for read in given] for given in (attack.inputs, attack.neighbour)],
        "t": attack.t,
        "loss": ["inf", "inf"] if attack.is_infinite else [format_rational(bound) for bound in attack.loss],
        "epsilon": None if attack.at.q is not None else format_rational(attack.epsilon),
        "q": rational_or_null(attack.at.q),
        "unit": rational_or_null(unit),
        "probabilities": None if exact is None else [format_rational(chance) for chance in exact],
    }


def attack_text(attack: InputAttack, *, counts: bool = True) -> str:
    """The run with both inputs in a table, its probabilities, and what it loses.

    ``counts`` says whether an observer of the output loses as much.
    """
    table = aligned(attack_rows(attack))
    lines = [attack_heading(attack), *table[: MOST_ROWS + 1]]
    if len(table) > MOST_ROWS + 1:
        lines.append(_more_steps(len(table) - 1 - MOST_ROWS))
    return "\n".join([*lines, *attack_findings(attack, counts=counts)])


def attack_heading(attack: InputAttack) -> str:
    """At which ε the attack is, of how many steps, on which inputs."""
    base, fixed = ("b + ", ", b a fixed input") if attack.has_base else ("", "")
    run = f"a run of {attack.run.length} steps on two neighbouring inputs"
    given = f"{base}t·Δ and {base}(t+1)·Δ with t = {attack.t} (Δ is their difference{fixed})"
    return f"Attack at {_epsilon(attack)}: {run}, {given}."


def _more_steps(count: int) -> str:
    return f"… and {count} more step{'s' * (count > 1)}"


def attack_findings(attack: InputAttack, *, counts: bool) -> list[str]:
    """The probabilities of the run, what it loses, and what that means."""
    lines = []
    if attack.outputs_numbers:
        low, high = map(format_rational, attack.window)
        lines.append(f"Every number that the program outputs in this run lies between {low} and {high}.")
    lines += _loss_lines(attack)
    if attack.goal is not None and not attack.is_infinite:
        verb = "exceeds" if attack.succeeds else "does not exceed"
        lines.append(f"This loss {verb} {format_rational(attack.goal)}.")
    if not attack.succeeds and not attack.is_close:
        lines.append("No larger loss was found: longer runs or larger t would take too much computation.")
    if not counts:
        lines.append(OTHER_RUNS)
    return lines


def _epsilon(attack: InputAttack) -> str:
    """The ε of the attack, by q where it is not rational."""
    if attack.at.q is None or attack.at.unit is None:
        return f"ε = {format_rational(attack.epsilon)}"
    q = abbreviated(format_rational(attack.at.q))
    return f"e^(-{multiple(attack.at.unit)}) = {q}, ε = {decimal_text(attack.epsilon, _DIGITS - 1)}"


def _loss_lines(attack: InputAttack) -> list[str]:
    if attack.measured is not None and attack.is_infinite:
        return [
            f"P[this run | input]     = {_chance(attack, attack.measured.probability[0])}",
            "P[this run | neighbour] = 0",
            "The loss, ln of their ratio, is infinite: the run is impossible on the neighbour.",
        ]
    loss = scientific_text(attack.loss[0], _DIGITS)
    most = format_rational(attack.bound)
    if attack.at.q is not None:
        most = multiple(attack.run.loss)
    share = f"{percentage(attack)} of {most}, the most that this run can lose"
    if attack.measured is None:
        how = "ln P[this run | input] - ln P[this run | neighbour]"
        return [f"The loss, {how}, is at least {loss}: {share}."]
    first, second = attack.measured.probability[0], attack.measured.other_probability[0]
    return [
        f"P[this run | input]     = {_chance(attack, first)}",
        f"P[this run | neighbour] = {_chance(attack, second)}",
        f"The loss, ln of their ratio, is {loss}: {share}.",
    ]


def _chance(attack: InputAttack, chance: Fraction) -> str:
    """A probability, in full where it is exact and short."""
    near = scientific_text(chance, _DIGITS)
    if attack.at.q is None:
        return near
    text = format_rational(chance)
    return (
        f"{text} ({near})" if len(text) <= _LONGEST else f"{near} (exact rational of {len(text)} characters)"
    )


def attack_rows(attack: InputAttack) -> list[tuple[str, ...]]:
    """A heading, and a row for each step, those of equal parts of the run only once."""
    named = tests_several(step.edge for step in attack.run.steps)
    cells = iter(
        (
            f"{shown(step.edge.source)} -> {shown(step.edge.target)}",
            guard_text(step.edge, named=named),
            shown(step.edge.output),
            format_rational(read) if step.edge.input else "",
            format_rational(other) if step.edge.input else "",
        )
        for step, read, other in zip(attack.run.steps, attack.inputs, attack.neighbour, strict=True)
    )
    repeated: list[tuple[Sequence[tuple[str, ...]], int]] = []
    for length, count in attack.run.turns:
        steps = list(islice(cells, length))
        if repeated and repeated[-1][0] == steps:
            count += repeated.pop()[1]
        repeated.append((steps, count))
    heading = ("transition", "guard", "output", "input", "neighbour", "turns")
    rows = [
        (*row, str(count) if len(steps) == 1 or count == 1 else f"{count} (step {index} of {len(steps)})")
        for steps, count in repeated
        for index, row in enumerate(steps, start=1)
    ]
    return [heading, *rows]


def run_blocks(attack: InputAttack, *, counts: bool) -> list[PageBlock]:
    """The run with both inputs side by side, and what it loses, on a page."""
    heading, *rows = attack_rows(attack)
    left = len(rows) - MOST_ROWS
    return [
        PageTable("The run, with both inputs side by side", heading, rows[:MOST_ROWS], (3, 4, 5)),
        *([Text(_more_steps(left), "quiet")] if left > 0 else []),
        Text("\n".join(attack_findings(attack, counts=counts)), "code"),
    ]


def document(attack: InputAttack) -> Document:
    """An attack by itself: the run with both inputs, and what it loses."""
    return Document(
        lines=lambda: [attack_text(attack)],
        title="An attack",
        question="How much more likely is a run on one input than on a neighbouring input?",
        answer=attack.headline[:1].upper() + attack.headline[1:],
        meaning=[attack_heading(attack)],
        opening=lambda: [Section("The run", run_blocks(attack, counts=True))],
    )


def tests_several(edges: Iterable[Edge]) -> bool:
    """Whether the edges test more than one variable, so that tests have to name theirs."""
    return len({name for edge in edges for _, name in edge.bounds}) > 1


def guard_text(edge: Edge, *, named: bool) -> str:
    """The tests of an edge, with the names of variables if ``named``; "true" without any."""
    tests = [f"{relation} {shown(name)}" if named else relation for relation, name in edge.written]
    return " && ".join(tests) or "true"
