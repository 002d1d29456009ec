"""Answers about programs that were written as code, in terms of its lines."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.strategy import Strategy
from prover.errors import short_name
from prover.exact.rational import decimal_text, format_rational
from prover.language.files import constants_of
from prover.language.frequencies import Frequencies, of_strategy, of_words
from prover.language.written import Protocol
from prover.program.answer import Privacy
from prover.program.model import Program
from prover.program.origin import WrittenProgram
from prover.report.event import sum_of
from prover.report.lines import code_lines
from prover.report.reply import Reply
from prover.report.tables import aligned


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
    rows: list[tuple[str, ...]] = [("simulated", "runs", "hits", "frequency", "probability")]
    for side, count, chance in zip(sides, counts, exact, strict=True):
        frequency = decimal_text(Fraction(count, frequencies.runs), 6)
        rows.append((short_name(side), str(frequencies.runs), str(count), frequency, decimal_text(chance, 6)))
    probabilities = [format_rational(chance) for chance in exact]
    simulation = {"runs": frequencies.runs, "counts": list(counts), "probabilities": probabilities}
    text = "\n".join([reply.text, *aligned(rows)])
    return replace(reply, text=text, json={**reply.json, "simulation": simulation})


def with_guesses(
    reply: Reply, function: Protocol, const: str, attack: Attack | Strategy, runs: int, seed: int
) -> Reply:
    """The reply, with how often runs of a protocol begin with the words of an attack, or, where an attacker
    chooses, how often the attack guesses its first secret.
    """
    if isinstance(attack, Strategy):
        counted = of_strategy(function, constants_of(const), attack, runs, seed)
        exact = attack.from_probability, attack.to_probability
        return with_frequencies(reply, counted, exact, (attack.source, attack.target))
    pair, words = (attack.source, attack.target), [word.labels for word in attack.words]
    counted = of_words(function, constants_of(const), pair, words, runs, seed)
    shown_ones = sum_of(attack.words)
    exact = shown_ones.from_probability, shown_ones.to_probability
    return with_frequencies(reply, counted, exact, pair)
