"""Answers about δ of threshold programs: as text for people, as JSON objects for machines, and as pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from prover.chain.arguments import Slope
from prover.errors import quoted, shown
from prover.exact.rational import (
    format_rational,
    rational_or_null,
)
from prover.exact.readable import between, brief, factor_text
from prover.program.adjacency import Adjacency
from prover.program.conditions import conditions
from prover.program.model import Program
from prover.program.profiles.below import Below
from prover.program.profiles.bounds import Above
from prover.program.profiles.delta import ProgramDelta
from prover.program.profiles.epsilon import ProgramEpsilon
from prover.program.profiles.over_inputs import NoiseLevel, OverInputs
from prover.program.profiles.policy import Policy
from prover.program.profiles.streams import Losing
from prover.program.scope import depends_on_epsilon
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.chains import both_notations
from prover.report.distance import slope_json
from prover.report.document import LOOKS, Document, Facts, Listing, Section
from prover.report.privacy import MOVES
from prover.report.program_attack import (
    attack_blocks,
    attack_json,
    attack_lines,
    decimals_above,
    decimals_below,
)
from prover.report.promise import NOT_PROVED, promise
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.verdict import asked_text, is_at_most, with_verdict

_ADAPTIVE = "This holds for inputs of {}, also if each input is chosen after the outputs before it."
_NOT_FOUND = "No bound below 1 was found."
_LOSING = "No bound below 1 holds for inputs of every length."
_ONE = "none proves that delta is 1 for inputs of every length"
_PUBLIC = (
    "All that is stored is a constant, so the inputs are read off from the table; a smaller --gap, in Python "
    "gap, may bring the two ends nearer."
)


def reply_of(answer: ProgramDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta`` about a program, with its certificates if they are wanted."""
    upper = answer.certificate if certified else None
    lower = answer.lower_certificate if certified else None
    unproved = "no bound below 1 was found" if answer.losing is None else _ONE
    least = Fraction(0) if answer.attack is None else answer.attack.lower
    enough = least == 1 or is_at_most(least, Fraction(1), at_most) is False
    whole = upper is not None or (lower is not None and (answer.losing is None or enough))
    reply = Reply(
        document(answer).text,
        delta_json(answer),
        None if upper is None else upper.data,
        exact=upper is not None or lower is None or answer.losing is not None,
        obstacle=unproved,
        lower_certificate=None if lower is None else lower.data,
        so_far=so_far("delta", answer.lower, answer.upper),
        unproved=unproved if certified and not whole else None,
        complete=answer.losing is not None and not certified,
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def nothing_proved(
    slope: Slope,
    adjacency: str,
    at_epsilon: Fraction | None,
    steps: int | None = None,
    at_most: Fraction | None = None,
    q: Fraction | None = None,
) -> Reply:
    """The reply of a command that was ended before it proved anything: δ is in [0, 1]."""
    json = _json(slope, question_json(adjacency, (at_epsilon, q), steps), (Fraction(0), Fraction(1)))
    reply = Reply(f"0 <= delta <= 1\n{NOT_PROVED}", json, None, exact=False)
    return with_verdict(reply, at_most, is_at_most(Fraction(0), Fraction(1), at_most))


def delta_json(answer: ProgramDelta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    question = question_json(str(answer.adjacency), answer.noise, answer.steps)
    engine = "losing-loop" if answer.losing is not None else engine_of(answer.table)
    bounds = answer.lower, answer.upper
    found = _json(_slope(answer), question, bounds, answer.attack, answer.losing, engine)
    return found if answer.pure is None else found | {"pure": format_rational(answer.pure)}


def _json(
    slope: Slope,
    question: dict[str, Any],
    bounds: tuple[Fraction, Fraction],
    attack: Below | Policy | None = None,
    losing: Losing | None = None,
    engine: str = "profile-table",
) -> dict[str, Any]:
    lower, upper = bounds
    return {
        "kind": "delta",
        **slope_json(slope, both=True),
        **question,
        "lower": format_rational(lower),
        "upper": format_rational(upper),
        "value": rational_or_null(lower if lower == upper else None),
        "attack": None if attack is None else attack_json(attack),
        "engine": engine,
        **({} if losing is None else {"losing": losing.state}),
    }


def engine_of(above: Above | None) -> str:
    """What proves a bound from above, if there is one."""
    return "profile-table" if above is None or above.bounds.pure is None else "privacy"


def question_json(adjacency: str, noise: NoiseLevel, steps: int | None) -> dict[str, Any]:
    """Which inputs and which noise an answer is about, in JSON."""
    at_epsilon, q = noise
    return {
        "adjacency": adjacency,
        "at_epsilon": rational_or_null(at_epsilon),
        **({} if q is None else {"q": format_rational(q)}),
        **({} if steps is None else {"steps": steps}),
    }


def _slope(answer: ProgramDelta) -> Slope:
    return Slope(answer.epsilon, answer.alpha_upper, answer.alpha_lower)


def promise_of(answer: ProgramDelta, *, typeset: bool = False) -> str:
    """What the upper bound says."""
    if answer.losing is not None:
        return _LOSING
    if answer.upper >= 1:
        return _NOT_FOUND if answer.searched else NOT_PROVED
    return promise_over(answer, answer.factor, decimals_above(answer.upper), typeset=typeset)


def promise_over(answer: OverInputs, factor: str, rest: str, *, typeset: bool) -> str:
    """A bound for all neighbouring inputs."""
    length = answer.length
    return promise(None, factor, rest, both_ways=False, inputs=True, length=length, typeset=typeset)


def adaptive_text(answer: OverInputs) -> str:
    """For which inputs a bound holds."""
    return _ADAPTIVE.format(answer.length or "any length")


def neighbours_text(answer: OverInputs) -> str:
    """What inputs and neighbours are, and which noise there is."""
    one_way = {
        Adjacency.INCREASING: " y is the input with the larger numbers, in this direction only.",
        Adjacency.DECREASING: " y is the input with the smaller numbers, in this direction only.",
    }
    noise = noise_clause(answer.program, noise_text(answer, "epsilon"))
    assumed = f"Assumption: {answer.assumption}; adjacency {answer.adjacency}; {noise}."
    return assumed + one_way.get(answer.adjacency, "")


def noise_clause(program: Program, epsilon: str) -> str:
    """Which ε the noise is that of, if it depends on ε."""
    return f"noise is that of {epsilon}" if depends_on_epsilon(program) else "no noise depends on epsilon"


def noise_text(answer: OverInputs, epsilon: str) -> str:
    """Which ε the noise is that of."""
    if answer.q is None:
        return f"{epsilon} = {brief(answer.at_epsilon)}"
    return f"e^(-({brief(answer.unit)})*{epsilon}) = {brief(answer.q)}"


def why(answer: ProgramDelta) -> list[str]:
    """Why δ is not larger, and why the ends may differ."""
    lines = []
    if answer.losing is not None:
        lines += [
            f"Why δ is 1: state {quoted(answer.losing.state)} {answer.losing.does}. On long inputs this "
            "distinguishes x from y with a probability near 1.",
            "For inputs of at most N numbers --steps N, in Python steps=N, bounds δ.",
        ]
        if answer.attack is not None:
            least = decimals_below(answer.attack.lower)
            lines.append(f"The inputs above alone prove that δ is at least {least}.")
    if answer.table is not None and answer.table.bounds.pure is not None:
        lines.append(f"Why δ cannot be larger: {ratios_text(answer.table.bounds.pure)}")
    elif answer.upper < 1:
        lines.append(
            "Why δ cannot be larger: a closed table bounds the loss from each state, for each shift of the "
            "stored value."
        )
    lines += no_table(answer.obstacle)
    if answer.pure is not None:
        proof = "privacy --stuck" if conditions(answer.program).stopping_tells else "privacy"
        lines.append(f"By what prover {proof} proves alone, δ is at most {decimals_above(answer.pure)}.")
    if answer.public and 0 < answer.lower < answer.upper < 1:
        lines.append(_PUBLIC)
    elif answer.value is None and answer.searched and answer.upper < 1:
        lines.append("The two ends come from different proofs; more time does not bring them together.")
    return lines


def no_table(obstacle: str | None) -> list[str]:
    """Why there is no table, if that is so."""
    return [] if obstacle is None else [f"There is no table: {obstacle}."]


def ratios_text(pure: Fraction) -> str:
    """What bounds δ by an ε at which it is 0."""
    factor = factor_text(None, pure)
    most = f"no event is more than {factor} times as likely on x as on y, or on y as on x"
    return f"prover privacy proves that {most}."


def document(answer: ProgramDelta, *, at_most: Fraction | None = None) -> Document:
    """The bounds, what they mean, the pair of inputs, and what is assumed; ``at_most`` is what was asked."""
    holds = is_at_most(answer.lower, answer.upper, at_most)
    return bounds_document(
        answer,
        promise_of,
        why(answer),
        adaptive=answer.upper < 1,
        holds=holds,
        title="How private is this mechanism?",
        question=(
            "How well can neighbouring inputs be distinguished, if "
            f"{MOVES[answer.adjacency]} between them and a factor of α = {answer.factor} is allowed?"
        ),
        answer=f"{asked_text(at_most, holds)}δ is {between((answer.lower, answer.upper))}",
        attack="The attack",
        facts=[
            ("At", both_notations(_slope(answer))),
            noise_fact(answer),
            ("δ is at most", decimals_above(answer.upper)),
            ("δ is at least", decimals_below(answer.lower)),
        ],
    )


def bounds_document(
    found: ProgramDelta | ProgramEpsilon,
    promised: Callable[..., str],
    remarks: Sequence[str],
    *,
    adaptive: bool,
    holds: bool | None,
    title: str,
    question: str,
    answer: str,
    attack: str,
    facts: Sequence[tuple[str, str]],
) -> Document:
    """Bounds from a table and from a pair of inputs: what is ``promised``, with or without the line on inputs
    that are chosen adaptively, the pair, and remarks. The texts are those of the page.
    """
    inputs = [adaptive_text(found)] if adaptive else []
    program, assumed = found.program, neighbours_text(found)
    proofs = [
        ("of the upper end", lambda: found.certificate),
        ("of the lower end", lambda: found.lower_certificate),
    ]
    return Document(
        lines=lambda: [
            shown(found.headline),
            promised(found),
            *inputs,
            *attack_lines(found),
            *remarks,
            assumed,
        ],
        title=title,
        question=question,
        answer=answer,
        meaning=[promised(found, typeset=True), *inputs],
        opening=lambda: [Section("The mechanism", program_picture(program, "The program.", (), ()))],
        before=lambda: [Section("The claim", [Facts(facts)])],
        after=lambda: [
            Section(attack, attack_blocks(found, remarks)),
            Section("What is assumed", [Listing([assumed])]),
            proof_section(proofs),
        ],
        verdict=LOOKS[holds],
        systems=[program],
    )


def noise_fact(answer: OverInputs) -> tuple[str, str]:
    """The noise, on a page."""
    if not depends_on_epsilon(answer.program):
        return "Noise", "does not depend on ε"
    return "Noise", f"that of {noise_text(answer, 'ε')}"
