"""Answers about programs with real rates: as text, as JSON objects and as pages."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.errors import shown
from prover.exact.rational import decimal_text, rational_or_inf
from prover.exact.readable import multiple
from prover.exact.real_rate import RealRate
from prover.program.optimum.budget import DEFAULT_EFFORT
from prover.program.real_privacy import DIGITS, RealPrivacy
from prover.report import privacy_page
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.document import LOOKS, Document, Section
from prover.report.privacy import MOVES, ONE_DIRECTION, is_at_most, loss_so_far, privacy_json, privacy_text
from prover.report.reply import Reply
from prover.report.verdict import asked_text, with_verdict

_NOT_MEASURED = privacy_page.MeasuredAttacks(why="Attacks on inputs are measured for rational rates only.")


_ROUNDED = "The program, its real rates rounded down."


def reply_of(
    answer: RealPrivacy,
    *,
    certified: bool,
    verbose: bool = False,
    at_most: Fraction | None = None,
    effort: int = DEFAULT_EFFORT,
) -> Reply:
    """The reply of ``prover privacy`` about real rates, with its certificate if that is wanted.

    With ``at_most`` it is decided by whether the loss is at most that multiple of ε.
    """
    proof = answer.certificate if certified else None
    refuted = answer.private is False
    decided = refuted or (answer.private is not None and answer.epsilon is not None)
    reply = Reply(
        real_text(answer, verbose=verbose),
        real_json(answer),
        None if proof is None else proof.data,
        decided,
        refuted,
        f"the search used up its budget; --effort {2 * effort} allows twice the work"
        if answer.of_unit is not None and answer.of_unit.spent
        else "the loss is enclosed only",
        so_far=loss_so_far(answer),
    )
    return with_verdict(reply, at_most, is_at_most(answer, at_most), multiple)


def real_json(answer: RealPrivacy) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    epsilon = answer.epsilon
    return {
        "private": answer.private,
        "epsilon": None,
        "symbolic": None if epsilon is None else str(epsilon),
        "lower": rational_or_inf(answer.lower),
        "upper": rational_or_inf(answer.upper),
        "unit": None if answer.unit is None else str(answer.unit),
        "of_unit": None if answer.of_unit is None else privacy_json(answer.of_unit),
        "adjacency": str(answer.adjacency),
        "symmetric": answer.adjacency.is_symmetric,
    }


def between(answer: RealPrivacy) -> list[str]:
    """The bounds as decimals."""
    if answer.lower is None or answer.upper is None or answer.lower == answer.upper:
        return []
    ends = (decimal_text(end, DIGITS) for end in (answer.lower, answer.upper))
    return ["The loss lies between {}·ε and {}·ε.".format(*ends)]


def real_text(answer: RealPrivacy, *, verbose: bool = False) -> str:
    """The answer in a line, decimals around it, and what else is known of it."""
    own, unit = answer.of_unit, answer.unit
    if own is None or unit is None:
        lines = [answer.headline, *(between(answer) if answer.epsilon is not None else [])]
        return "\n".join([*map(shown, lines), *_of_rational(answer)])
    lines = [] if answer.headline.startswith("with") else [shown(answer.headline)]
    lines += between(answer)
    return "\n".join([*lines, _divided(unit), privacy_text(own, verbose=verbose, offered=False)])


def _divided(unit: RealRate) -> str:
    """What the lines that follow are about, which is not the program itself."""
    start = f"All rates are multiples of {unit.shown}."
    return f"{start} The lines below are about the program with rates divided by it:"


def _of_rational(answer: RealPrivacy) -> list[str]:
    """What is known by rational rates around the real ones."""
    around, lines = answer.around, list[str]()
    if around is None:
        return []
    if answer.upper is not None:
        bound = "this multiple of ε" if answer.epsilon is not None else "the upper bound"
        who = " for an observer who does not see that a run stops or ends" * around.conditions.stopping_tells
        lines = (
            [f"For every ε > 0, the program is differentially private with {bound}{who}."]
            if answer.adjacency.is_symmetric
            else [ONE_DIRECTION]
        )
    if answer.private is False and around.states:
        lines = [
            "The loss grows without bound. States of the "
            f"{around.reason or 'cycle'}: {', '.join(map(shown, around.states))}."
        ]
    if answer.epsilon is None and answer.upper is not None:
        lines.append(
            "The bounds are those of two programs with rational rates, all below or all above the real ones."
        )
    moves = MOVES[answer.adjacency]
    return [*lines, f"Assumption: {around.assumption}. Adjacency {answer.adjacency}: {moves}."]


def document(answer: RealPrivacy, *, at_most: Fraction | None = None) -> Document:
    """The page of the program of multiples, and what that says of the program itself; or the answer alone."""
    holds = is_at_most(answer, at_most)
    own = answer.of_unit
    verdict = LOOKS[answer.private if at_most is None else holds]
    said = asked_text(at_most, holds, multiple) + shown(answer.headline)
    if own is None or answer.unit is None:
        return Document(
            lines=lambda: [real_text(answer)],
            title="Is this mechanism private?",
            question="Is this mechanism private, and for which multiple of ε, if "
            f"{MOVES[answer.adjacency]} between neighbouring inputs?",
            answer=said,
            meaning=[*between(answer), *_of_rational(answer)],
            opening=lambda: [
                Section("The program", program_picture(answer.program.program, _ROUNDED, (), ()))
            ],
            after=lambda: [proof_section([("proves this answer", lambda: answer.certificate)])],
            verdict=verdict,
            systems=[answer.program.program],
        )
    of_unit = privacy_page.document(own, attacks=_NOT_MEASURED)
    return replace(
        of_unit,
        lines=lambda: [real_text(answer)],
        answer=said,
        meaning=[*between(answer), _divided(answer.unit), *of_unit.meaning],
        verdict=verdict,
    )
