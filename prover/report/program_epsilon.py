"""Answers about the least ε for a δ, of threshold programs: texts, JSON objects and pages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.errors import shown
from prover.exact.epsilon_bounds import DIGITS
from prover.exact.rational import decimal_above, decimal_text, format_rational, rational_or_null
from prover.exact.readable import brief, factor_text, readable
from prover.program.profiles.delta import length_text
from prover.program.profiles.epsilon import ProgramEpsilon
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.document import LOOKS, Document, Facts, Listing, Section
from prover.report.privacy import MOVES
from prover.report.program_delta import (
    adaptive_lines,
    attack_blocks,
    attack_json,
    attack_lines,
    decimals_above,
    neighbours_text,
    noise_json,
    noise_text,
)
from prover.report.promise import promise, typeset
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.verdict import asked_text, with_verdict

Noise = tuple[Fraction | None, Fraction | None]
"""Its ε, or e^(−ε·unit)."""

_NOT_FOUND = "No table and no exact epsilon proves that delta is so small."


def reply_of(answer: ProgramEpsilon, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover epsilon`` about a program, with its certificates if they are wanted."""
    upper = answer.certificate if certified else None
    lower = answer.lower_certificate if certified else None
    reply = Reply(
        document(answer).text,
        epsilon_json(answer),
        None if upper is None else upper.data,
        exact=answer.alpha_upper is not None,
        obstacle="no bound from above was found",
        lower_certificate=None if lower is None else lower.data,
        so_far=so_far("epsilon", answer.lower, answer.upper, most=None),
    )
    return with_verdict(reply, at_most, None if at_most is None else answer.is_at_most(at_most))


def nothing_proved(
    delta: Fraction,
    adjacency: str,
    noise: Noise,
    steps: int | None = None,
    at_most: Fraction | None = None,
) -> Reply:
    """The reply of a command that was ended before it proved anything."""
    json = _head(delta, adjacency, noise, steps) | {
        "alpha_lower": "1",
        "alpha_upper": None,
        "lower": "0",
        "upper": "inf",
        "pure": None,
        "attack": None,
        "engine": "trivial",
    }
    reply = Reply("epsilon >= 0\nNo other bound is proved yet.", json, None, exact=False)
    return with_verdict(reply, at_most, None)


def epsilon_json(answer: ProgramEpsilon) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    upper, attack = answer.upper, answer.attack
    by_table = "trivial" if upper is None else "profile-table"
    noise = (answer.at_epsilon if answer.q is None else None), answer.q
    return _head(answer.delta, str(answer.adjacency), noise, answer.steps) | {
        "alpha_lower": format_rational(answer.alpha_lower),
        "alpha_upper": rational_or_null(answer.alpha_upper),
        "lower": decimal_text(answer.lower, DIGITS),
        "upper": "inf" if upper is None else decimal_text(decimal_above(upper, DIGITS), DIGITS),
        "pure": rational_or_null(answer.pure),
        "attack": None if attack is None else attack_json(attack),
        "engine": by_table if answer.pure is None else "privacy",
    }


def _head(delta: Fraction, adjacency: str, noise: Noise, steps: int | None) -> dict[str, Any]:
    return {
        "kind": "epsilon",
        "delta": format_rational(delta),
        "adjacency": adjacency,
        **noise_json(*noise),
        **({} if steps is None else {"steps": steps}),
    }


def promise_of(answer: ProgramEpsilon, *, typeset: bool = False) -> str:
    """What the upper end says."""
    if answer.alpha_upper is None:
        return _NOT_FOUND
    factor, rest = decimals_above(answer.alpha_upper), brief(answer.delta)
    if answer.pure is not None:
        factor, rest = factor_text(None, answer.pure), "0"
    length = "" if answer.steps is None else length_text(answer.steps)
    return promise(None, factor, rest, both_ways=False, inputs=True, length=length, typeset=typeset)


def why(answer: ProgramEpsilon) -> list[str]:
    """What proves the upper end."""
    if answer.pure is not None:
        lines = ["Only the pure bound is proved: prover privacy proves this epsilon with delta = 0."]
        return lines + [f"There is no table: {why}." for why in [answer.obstacle] if why]
    if answer.alpha_upper is None:
        return []
    lines = ["Why ε cannot be larger: a closed table bounds δ at this ε."]
    if answer.upper and answer.searched:
        lines.append("The two ends come from different proofs; more time does not bring them together.")
    return lines


def document(answer: ProgramEpsilon, *, at_most: Fraction | None = None) -> Document:
    """The bounds, what they mean, the pair of inputs, and what is assumed; ``at_most`` is what was asked."""
    holds = None if at_most is None else answer.is_at_most(at_most)
    program = answer.program
    adaptive = adaptive_lines(answer.steps) if answer.alpha_upper is not None else []
    return Document(
        lines=lambda: [
            shown(answer.headline),
            promise_of(answer),
            *adaptive,
            *attack_lines(answer),
            *why(answer),
            neighbours_text(answer),
        ],
        title="Which ε does a δ need?",
        question=(
            f"What is the least ε with δ at most {readable(answer.delta)}, "
            f"if {MOVES[answer.adjacency]} between neighbouring inputs?"
        ),
        answer=asked_text(at_most, holds) + typeset(answer.headline),
        meaning=[promise_of(answer, typeset=True), *adaptive],
        opening=lambda: [Section("The mechanism", program_picture(program, "The program.", (), ()))],
        before=lambda: [Section("The claim", [Facts(_facts(answer))])],
        after=lambda: [
            Section("The attack at the lower end", attack_blocks(answer, why(answer))),
            Section("What is assumed", [Listing([neighbours_text(answer)])]),
            proof_section(
                [
                    ("of the upper end", lambda: answer.certificate),
                    ("of the lower end", lambda: answer.lower_certificate),
                ]
            ),
        ],
        verdict=LOOKS[holds],
        systems=[program],
    )


def _facts(answer: ProgramEpsilon) -> list[tuple[str, str]]:
    upper = "not known" if answer.upper is None else decimal_text(decimal_above(answer.upper, DIGITS), DIGITS)
    return [
        ("The allowed δ", readable(answer.delta)),
        ("Noise", f"that of {noise_text(answer, 'ε')}"),
        ("The least ε is at most", upper),
        ("The least ε is at least", decimal_text(answer.lower, DIGITS)),
    ]
