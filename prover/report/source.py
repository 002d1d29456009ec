"""Answers about programs that were written as code, in terms of its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from prover.chain.unrolling.attack import Attack
from prover.errors import short_name
from prover.exact.rational import decimal_text, format_rational
from prover.language.files import constants_of
from prover.language.frequencies import Frequencies, of_words
from prover.language.mechanism.origin import LineOrigin, StateLines, WrittenProgram
from prover.language.written import Protocol
from prover.program.answer import Privacy
from prover.program.decision.blocks import Block
from prover.program.model import Edge, Program
from prover.program.optimum.witness import Witness
from prover.program.shifts import price
from prover.report.event import sum_of
from prover.report.reply import Reply
from prover.report.tables import aligned

MOST_LINES = 12
"""How many lines of code are named."""


def with_source(reply: Reply, program: Program, answer: Privacy) -> Reply:
    """The reply; its JSON object names lines of code, where the program was written as code."""
    if not isinstance(program, WrittenProgram):
        return reply
    origin = program.origin
    source = {
        "file": origin.file,
        "function": origin.function,
        "lines": {name: lines.line for name, lines in sorted(origin.states.items())},
        "meaning": code_lines(answer),
    }
    return replace(reply, json={**reply.json, "source": source})


def with_frequencies(
    reply: Reply, frequencies: Frequencies, exact: tuple[Fraction, Fraction], sides: tuple[str, str]
) -> Reply:
    """The reply, with how often runs showed the attack, next to its probabilities, exact or enclosed."""
    counts = (frequencies.first, frequencies.second)
    rows: list[tuple[str, ...]] = [("simulated", "runs", "shown", "frequency", "probability")]
    for side, count, chance in zip(sides, counts, exact, strict=True):
        frequency = decimal_text(Fraction(count, frequencies.runs), 6)
        rows.append((short_name(side), str(frequencies.runs), str(count), frequency, decimal_text(chance, 6)))
    probabilities = [format_rational(chance) for chance in exact]
    simulation = {"runs": frequencies.runs, "counts": list(counts), "probabilities": probabilities}
    text = "\n".join([reply.text, *aligned(rows)])
    return replace(reply, text=text, json={**reply.json, "simulation": simulation})


def with_words(reply: Reply, function: Protocol, const: str, attack: Attack, runs: int, seed: int) -> Reply:
    """The reply, with how often runs of a protocol begin with the words of an attack."""
    pair, words = (attack.source, attack.target), [word.labels for word in attack.words]
    counted = of_words(function, constants_of(const), pair, words, runs, seed)
    shown_ones = sum_of(attack.words)
    exact = shown_ones.from_probability, shown_ones.to_probability
    return with_frequencies(reply, counted, exact, pair)


def code_lines(answer: Privacy) -> list[str]:
    """Sentences about the lines of code that leak, or that cost privacy; none without code."""
    program = answer.program
    if not isinstance(program, WrittenProgram):
        return []
    if answer.family and answer.private is not True:
        return _leaks(program.origin, answer.family)
    if answer.witness is not None and answer.witness.loss:
        return _costs(program.origin, answer, answer.witness)
    return []


def _leaks(origin: LineOrigin, family: Sequence[Block]) -> list[str]:
    """What the blocks of a family of runs do, those that are repeated above all."""
    stored: dict[str, StateLines] = {}
    sentences: list[str] = []
    for block in family:
        edges = [step.edge for step in block.steps]
        if block.repeat:
            before = dict(stored)
            for edge in edges:  # what a turn stores, the next one finds
                before.update(dict.fromkeys(edge.assign, origin.states[edge.source]))
            sentences.append(_repeated(origin, edges, before))
        else:
            sentences += [
                f"Line {origin.edges[edge.number].seen} shows the number that line {line} draws."
                for edge in edges
                if edge.pinned and (line := origin.states[edge.source].line)
            ]
        for edge in edges:
            stored.update(dict.fromkeys(edge.assign, origin.states[edge.source]))
    return list(dict.fromkeys(sentences))


def _repeated(origin: LineOrigin, edges: Sequence[Edge], stored: dict[str, StateLines]) -> str:
    """What a cycle does in every turn."""
    loops = {origin.states[edge.source].loop for edge in edges} - {None}
    where = f"The loop at line {min(line for line in loops if line is not None)}" if loops else "A loop"
    inside = {origin.states[edge.source].line for edge in edges if edge.assign}
    does: list[tuple[int, str]] = []
    for edge in edges:
        at = origin.states[edge.source].line
        lines = origin.edges[edge.number]
        for _, variable in edge.guard:
            source = stored.get(variable)
            if source is None:
                continue
            if source.number is not None:
                again = f"the public number {format_rational(source.number)}"
            elif source.line == at:
                again = "what the same line stored a turn before"
            else:
                again = f"what line {source.line} stored" + " in the same loop" * (source.line in inside)
            tested = lines.tested.get(variable, at)
            does.append((tested, f"compares at line {tested} with {again}"))
        if edge.discloses:
            shows = f"shows at line {lines.seen} a number that depends on the query of the turn"
            does.append((lines.seen or at, shows))
    if not does:
        return f"{where} draws at line {origin.states[edges[0].source].line}."
    return f"{where} again and again {' and '.join(text for _, text in sorted(set(does)))}."


def _costs(origin: LineOrigin, answer: Privacy, witness: Witness) -> list[str]:
    """What each line adds to what the worst run loses; who does not see it may learn less."""
    turns = [count for steps, count in witness.turns for _ in range(steps)]
    costs: dict[int, Fraction] = {}
    for step, shift, count in zip(witness.steps, witness.shifts, turns, strict=True):
        line = origin.states[step.edge.source].line
        costs[line] = costs.get(line, Fraction(0)) + count * price(step.edge, step.delta, shift)
    paid = [(line, cost) for line, cost in sorted(costs.items()) if cost]
    if not paid or len(paid) > MOST_LINES:
        return []
    parts = [f"line {line} costs {format_rational(cost)}" for line, cost in paid]
    if answer.worst_run_counts:
        return [f"On the worst run found, {', '.join(parts)}."]
    return [
        f"On the worst single run found, {', '.join(parts)}: together {format_rational(witness.loss)}. "
        "Who sees the outputs only does not know which run it was, and may learn less."
    ]
