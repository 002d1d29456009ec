"""Answers about δ of one pair of inputs, or of all lists of some values: as text for people, as JSON objects
for machines, and as pages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from prover.chain.arguments import Slope
from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_null
from prover.exact.readable import between, brief
from prover.program.answer import assumption
from prover.program.profiles.pair_answer import PairAttack, PairDelta
from prover.program.profiles.runs import Ended
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.distance import slope_json
from prover.report.document import LOOKS, Document, Listing, Section, Text
from prover.report.program_attack import SHOWN, decimals_above, decimals_below, outputs_text
from prover.report.program_delta import noise_clause, noise_text, question_json
from prover.report.promise import promise
from prover.report.reply import Reply
from prover.report.tables import aligned
from prover.report.verdict import asked_text, is_at_most, with_verdict

_ONLY = "This is about these two inputs only: other neighbouring inputs may be easier to distinguish."
_VALUES = "This is about inputs of these values and of this length only: others may be easier to distinguish."
_ALL = "Why δ cannot be larger: all pairs of neighbouring inputs of these values were compared."
_NO_GAIN = "No event gains more than 10^-12."
_NONE = "No attack exists: no event is more likely under one of the inputs by more than the factor."
_NONE_ONE_WAY = "No attack exists: no event is more likely under x by more than the factor."


def reply_of(answer: PairDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta`` with --inputs or --values, with its certificates if they are wanted."""
    lower = answer.lower_certificate if certified else None
    reply = Reply(
        document(answer).text,
        pair_json(answer),
        answer.certificate.data if certified else None,
        exact=True,
        lower_certificate=None if lower is None else lower.data,
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def pair_json(answer: PairDelta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    first = answer.first
    return {
        "kind": "delta",
        **slope_json(Slope(answer.epsilon, first.alpha, answer.last.alpha), both=True),
        **question_json(str(first.adjacency), first.noise, None),
        "inputs": [[format_rational(x) for x in read] for read in (answer.inputs, answer.neighbour)],
        "lower": format_rational(answer.lower),
        "upper": format_rational(answer.upper),
        "value": rational_or_null(answer.value),
        "attack": None if answer.attack is None else _attack_json(answer.attack),
        "engine": "pair",
        **({} if answer.values is None else _lists_json(answer.values, answer.steps)),
    }


def _lists_json(values: Sequence[Fraction], steps: int) -> dict[str, Any]:
    return {"engine": "lists", "steps": steps, "values": [format_rational(x) for x in values]}


def _attack_json(attack: PairAttack) -> dict[str, Any]:
    return {
        "swapped": attack.swapped,
        "runs": [
            {"count": format_rational(Fraction(run.count)), "stops": run.stops, "transitions": list(run.path)}
            for run in attack.runs
        ],
        "from_probability": format_rational(attack.probabilities[0]),
        "to_probability": format_rational(attack.probabilities[1]),
    }


def promise_of(answer: PairDelta, *, typeset: bool = False) -> str:
    """What the upper bound says."""
    rest = decimals_above(answer.upper)
    if answer.values is not None:
        length = answer.lists_text
        return promise(
            None, answer.factor, rest, both_ways=False, inputs=True, length=length, typeset=typeset
        )
    both_ways = answer.first.adjacency.is_symmetric
    return promise(("x", "y"), answer.factor, rest, both_ways=both_ways, typeset=typeset)


def attack_lines(answer: PairDelta) -> list[str]:
    """The inputs, and the event that tells them apart best."""
    inputs = [[brief(x) for x in read] for read in (answer.inputs, answer.neighbour)]
    table = aligned([(f"  inputs {name}", *numbers) for name, numbers in zip("xy", inputs, strict=True)])
    attack = answer.attack
    if answer.values is not None:
        table = ["These two inputs prove the lower end:", *table] if attack is not None else []
    if attack is None and answer.values is not None:
        return [_ALL, _NO_GAIN]
    if attack is None and answer.upper > 0:
        return [*table, _NO_GAIN]
    if attack is None:
        return [*table, _NONE if answer.first.adjacency.is_symmetric else _NONE_ONE_WAY]
    guess, other = "yx" if attack.swapped else "xy"
    which = f"one of {attack.count:,} sequences" if attack.count > 1 else "this sequence"
    words = [_word(answer, run) for run in attack.runs[:SHOWN]]
    listed = f" ({len(words)} shown)" if attack.count > len(words) else ""
    more, less = decimals_below(attack.probabilities[0]), decimals_above(attack.probabilities[1])
    return [
        *table,
        f"Attack: the attacker guesses {guess} if the output is {which}{listed}:",
        *(f"  {word}" for word in words),
        f"The guess is {guess} with probability {more} under {guess} and {less} under {other}.",
        "No event gains more: all runs on these inputs were followed." if answer.values is None else _ALL,
    ]


def _word(answer: PairDelta, run: Ended) -> str:
    outputs = [answer.program.edges[number].output for number in run.path]
    return outputs_text(outputs) + ", and no more" * run.stops


def about_text(answer: PairDelta) -> str:
    """What inputs are, and which noise there is."""
    assumed, noise = (
        assumption(answer.program),
        noise_clause(answer.program, noise_text(answer.first, "epsilon")),
    )
    if answer.values is not None:
        _, _, near = assumed.partition("; ")
        assumed = f"inputs are {answer.lists_text}; {near}; adjacency {answer.first.adjacency}"
    return f"Assumption: {assumed}; {noise}."


def document(answer: PairDelta, *, at_most: Fraction | None = None) -> Document:
    """The bounds, the event, and what is assumed; ``at_most`` is what was asked."""
    holds = is_at_most(answer.lower, answer.upper, at_most)
    program, only = answer.program, _ONLY if answer.values is None else _VALUES
    which = "these two inputs" if answer.values is None else f"two neighbouring inputs of {answer.lists_text}"
    return Document(
        lines=lambda: [
            shown(answer.headline),
            promise_of(answer),
            *attack_lines(answer),
            only,
            about_text(answer),
        ],
        title="How well can these inputs be distinguished?",
        question=f"What distinguishes {which} best, if a factor of α = {answer.factor} is allowed?",
        answer=f"{asked_text(at_most, holds)}δ is {between((answer.lower, answer.upper))}",
        meaning=[promise_of(answer, typeset=True), only],
        opening=lambda: [Section("The mechanism", program_picture(program, "The program.", (), ()))],
        before=list,
        after=lambda: [
            Section("The attack", [Text(line) for line in attack_lines(answer)]),
            Section("What is assumed", [Listing([about_text(answer)])]),
            proof_section(_proofs(answer)),
        ],
        verdict=LOOKS[holds],
        systems=[program],
    )


def _proofs(answer: PairDelta) -> Sequence[Any]:
    if answer.epsilon is None:
        return [("of both ends", lambda: answer.certificate)]
    return [
        ("of the upper end", lambda: answer.certificate),
        ("of the lower end", lambda: answer.lower_certificate),
    ]
