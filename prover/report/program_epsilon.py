"""Answers about the least ε for a δ, of threshold programs: texts, JSON objects and pages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.exact.epsilon_bounds import DIGITS
from prover.exact.rational import decimal_above, decimal_text, format_rational, rational_or_null
from prover.exact.readable import brief, factor_text, readable
from prover.program.conditions import conditions
from prover.program.profiles.epsilon import ProgramEpsilon
from prover.program.profiles.over_inputs import NoiseLevel
from prover.report.document import Document
from prover.report.privacy import MOVES
from prover.report.program_attack import attack_json, decimals_above
from prover.report.program_delta import (
    bounds_document,
    engine_of,
    no_table,
    noise_fact,
    promise_over,
    question_json,
    ratios_text,
)
from prover.report.promise import typeset
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.verdict import asked_text, with_verdict

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
    noise: NoiseLevel,
    steps: int | None = None,
    at_most: Fraction | None = None,
) -> Reply:
    """The reply of a command that was ended before it proved anything."""
    json = _head(delta, question_json(adjacency, noise, steps)) | {
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
    by_table = "trivial" if upper is None else engine_of(answer.table)
    question = question_json(str(answer.adjacency), answer.noise, answer.steps)
    return _head(answer.delta, question) | {
        "alpha_lower": format_rational(answer.alpha_lower),
        "alpha_upper": rational_or_null(answer.alpha_upper),
        "lower": decimal_text(answer.lower, DIGITS),
        "upper": "inf" if upper is None else decimal_text(decimal_above(upper, DIGITS), DIGITS),
        "pure": rational_or_null(answer.pure),
        "attack": None if attack is None else attack_json(attack),
        "engine": "privacy" if answer.pure is not None else by_table,
    }


def _head(delta: Fraction, question: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "epsilon", "delta": format_rational(delta), **question}


def promise_of(answer: ProgramEpsilon, *, typeset: bool = False) -> str:
    """What the upper end says."""
    if answer.alpha_upper is None:
        return _NOT_FOUND
    factor, rest = decimals_above(answer.alpha_upper), brief(answer.delta)
    if answer.pure is not None:
        factor, rest = factor_text(None, answer.pure), "0"
    return promise_over(answer, factor, rest, typeset=typeset)


def why(answer: ProgramEpsilon) -> list[str]:
    """What proves the upper end."""
    if answer.pure is not None:
        program = answer.program
        stuck = not program.is_unfolded_first and conditions(program).stopping_tells
        option = " --stuck" if stuck else ""
        pure = f"Only the pure bound is proved: prover privacy{option} proves this epsilon with delta = 0."
        if stuck:
            pure += " The certificate is about the program that prover convert --stuck writes."
        return [pure, *no_table(answer.obstacle)]
    if answer.alpha_upper is None:
        return no_table(answer.obstacle)
    if answer.table is not None and answer.table.bounds.pure is not None:
        lines = [f"Why ε cannot be larger: {ratios_text(answer.table.bounds.pure)}"]
    else:
        lines = ["Why ε cannot be larger: a closed table bounds δ at this ε."]
    if answer.obstacle is not None:
        return [*lines, *no_table(answer.obstacle)]
    if answer.upper and answer.searched:
        lines.append("The two ends come from different proofs; more time does not bring them together.")
    return lines


def document(answer: ProgramEpsilon, *, at_most: Fraction | None = None) -> Document:
    """The bounds, what they mean, the pair of inputs, and what is assumed; ``at_most`` is what was asked."""
    holds = None if at_most is None else answer.is_at_most(at_most)
    upper = "not known" if answer.upper is None else decimal_text(decimal_above(answer.upper, DIGITS), DIGITS)
    return bounds_document(
        answer,
        promise_of,
        why(answer),
        adaptive=answer.alpha_upper is not None,
        holds=holds,
        title="Which ε does a δ need?",
        question=(
            f"What is the least ε with δ at most {readable(answer.delta)}, "
            f"if {MOVES[answer.adjacency]} between neighbouring inputs?"
        ),
        answer=asked_text(at_most, holds) + typeset(answer.headline),
        attack="The attack at the lower end",
        facts=[
            ("The allowed δ", readable(answer.delta)),
            noise_fact(answer),
            ("The least ε is at most", upper),
            ("The least ε is at least", decimal_text(answer.lower, DIGITS)),
        ],
    )
