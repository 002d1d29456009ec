"""The page of an answer about a threshold program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from prover.errors import Fault, shown
from prover.exact.exponential import exponential
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_text, format_rational
from prover.exact.readable import multiple
from prover.program.answer import Privacy
from prover.program.attack.attack import EXCEEDED, InputAttack, attack
from prover.program.attack.errors import NotMeasured
from prover.program.decision.boundedness import (
    DISCLOSING_CYCLE,
    LEAKING_CYCLE,
    LEAKING_PAIR,
    VANISHING_RUN,
    VIOLATING_PATH,
)
from prover.program.model import Program
from prover.program.profiles.delta import ProgramDelta
from prover.progress import Progress, silent
from prover.report.advantage import advantages_section
from prover.report.attack import MOST_ROWS, attack_heading, run_blocks
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.document import LOOKS, Document, Figure, Listing, PageBlock, PageTable, Section, Text
from prover.report.lines import code_lines
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.privacy import (
    MOVES,
    assumption_text,
    comparisons,
    is_at_most,
    meaning,
    privacy_text,
    remarks,
    run_rows,
    worst_run_text,
)
from prover.report.verdict import asked_text

_EXPLAINED: Mapping[str, str] = {
    LEAKING_CYCLE: (
        "In every turn, the marked cycle stores a noisy number and compares another noisy number with a "
        "stored one. The noise of a stored number hides a difference of the inputs only once, so every turn "
        "loses privacy anew, and the number of turns is unbounded."
    ),
    LEAKING_PAIR: (
        "One cycle reveals that inputs are on one side of a stored number, and another cycle reveals that "
        "inputs are on the other side of this number or of one beyond it. The noise of stored numbers hides "
        "a difference of the inputs in one direction only, so every turn of one of the cycles loses privacy, "
        "and the number of turns is unbounded."
    ),
    DISCLOSING_CYCLE: (
        "Every turn of the marked cycle reads an input and outputs this input with noise. Each of these "
        "numbers loses privacy, and the number of turns is unbounded."
    ),
    VIOLATING_PATH: (
        "A cycle compares inputs with a stored number. The marked path outputs this number or a number "
        "compared with it, or draws such a number without noise on one side. So the stored number no longer "
        "hides a difference of the inputs in the cycle, every turn of the cycle loses privacy, and the "
        "number of turns is unbounded."
    ),
    VANISHING_RUN: (
        "The marked run draws numbers without noise on one side, so it is possible on one input and "
        "impossible on a neighbouring input. An observer of this run can exclude that neighbour with "
        "certainty."
    ),
}
"""Why a program is not private, in a few sentences for each structure that leaks."""

_NAMELESS = (
    "Every turn of the marked cycle loses privacy, however the noise makes up for the difference of the "
    "inputs. The number of turns is unbounded."
)
"""Of a cycle that has no name."""


@dataclass(frozen=True, slots=True)
class MeasuredAttacks:
    """Attacks, each better than those before; or why there are none."""

    attacks: tuple[InputAttack, ...] = ()
    why: str = ""
    growing: tuple[InputAttack, ...] = ()
    """Where the loss has no bound, attacks on longer and longer runs."""


NOT_MEASURED = MeasuredAttacks(why="No attack was measured within the time limit.")


def measured(
    answer: Privacy,
    exceed: Given | None = None,
    progress: Progress = silent,
    *,
    epsilon: Given | None = None,
    q: Given | None = None,
) -> MeasuredAttacks:
    """Attacks on the program; ``exceed`` is a loss to be exceeded, and the rest as in ``prover.attack``."""
    attacks: list[InputAttack] = []
    growing: list[InputAttack] = []
    ask = partial(attack, _given(answer), answer, epsilon=epsilon, q=q, progress=progress)
    try:
        ask(exceed=exceed, on_found=attacks.append)
        if answer.family and attacks and not attacks[-1].is_infinite:
            longer = (ask(exceed=goal) for goal in _goals(exceed))
            growing = [one for one in longer if one is not None and not one.is_infinite]
    except NotMeasured as why:
        return MeasuredAttacks(tuple(attacks), str(why))
    return MeasuredAttacks(
        tuple(attacks), "" if attacks else "No attack exists: no run loses any privacy.", tuple(growing)
    )


def _goals(last: Given | None) -> Iterator[Fraction]:
    """The losses to be exceeded on the way to the last one."""
    most = EXCEEDED if last is None else given_rational(last, "the loss to exceed")
    yield from (most * part for part in (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)))


def document(
    answer: Privacy,
    *,
    attacks: MeasuredAttacks | None = None,
    advantages: Sequence[ProgramDelta] = (),
    at_most: Fraction | None = None,
) -> Document:
    """Whether the program is private, or what it leaks by; attacks that are not given are measured.

    ``advantages`` are bounds of δ, with the inputs that are distinguished best of those found. ``at_most`` is
    what was asked to hold: a multiple of ε.
    """
    program = _program(answer)
    holds = is_at_most(answer, at_most)

    def after() -> list[Section]:
        shown_attacks = measured(answer) if attacks is None else attacks
        return [
            Section("The attack", _attack(answer, program, shown_attacks)),
            *([advantages_section(advantages)] if advantages else []),
            Section("What is assumed", [Listing([assumption_text(answer), *_ALWAYS, *remarks(answer)])]),
            proof_section([("of the answer", lambda: answer.certificate)]),
        ]

    return Document(
        lines=lambda: [privacy_text(answer)],
        title="Is this mechanism private?",
        question=(
            "Is this mechanism private, and for which multiple of ε, if "
            f"{MOVES[answer.adjacency]} between neighbouring inputs?"
        ),
        answer=asked_text(at_most, holds, multiple) + shown(answer.headline),
        meaning=[*map(shown, code_lines(answer)), *meaning(answer, typeset=True)],
        opening=lambda: _why_not(answer, program) or [Section("The mechanism", _mechanism(answer, program))],
        before=lambda: _claim(answer),
        after=after,
        verdict=LOOKS[answer.private if at_most is None else holds],
        systems=[program],
    )


_ALWAYS = (
    "Noise is drawn exactly as the program states: independently, from these distributions, in exact "
    "arithmetic. The model has no rounding errors of floating-point noise and no running times.",
)


def _program(answer: Privacy) -> Program:
    """The program whose states and transitions the answer names."""
    return answer.unfolded or _given(answer)


def _given(answer: Privacy) -> Program:
    """The program that the answer is about."""
    if answer.program is None:
        raise Fault("an answer does not say which program it is about")
    return answer.program


def _claim(answer: Privacy) -> list[Section]:
    """The loss as a multiple of ε and as a factor, where it has a bound."""
    if answer.upper is None:
        return []
    rows = []
    only = answer.at_epsilon
    for epsilon in map(Fraction, ("1/10", "1", "2")) if only is None else (only,):
        loss = answer.upper * epsilon
        factor = f"e^({format_rational(loss)})" if loss > 100 else _above(exponential(loss, 40)[1])
        rows.append((format_rational(epsilon), format_rational(loss), factor))
    exact = answer.epsilon is not None
    heading = ("ε", "privacy loss" if exact else "privacy loss, at most", "P[E | x] / P[E | x'], at most")
    bound = "exact privacy loss" if exact else "bound on the privacy loss"
    caption = f"The {bound} for some values of ε, and the factor e^loss, rounded up"
    return [
        Section(
            "The claim",
            [PageTable(caption, heading, rows, (0, 1, 2)), *map(Text, comparisons(answer))],
        )
    ]


def _above(number: Fraction) -> str:
    return decimal_text(decimal_above(number, 4), 4)


def _mechanism(answer: Privacy, program: Program) -> list[PageBlock]:
    edges = [] if answer.witness is None else [step.edge for step in answer.witness.steps]
    marked = " The worst run found is marked." if edges else ""
    blocks = program_picture(program, f"The program.{marked}", (), edges)
    if answer.witness is not None:
        heading, *rows = run_rows(answer.witness)
        blocks.append(PageTable(worst_run_text(answer), heading, rows[:MOST_ROWS], (4, 5, 6, 7), hidden=True))
    return blocks


def _why_not(answer: Privacy, program: Program) -> list[Section]:
    """The structure that leaks, in a few sentences and marked in the picture."""
    if answer.runs.bounded is not False:
        return []
    explained = _NAMELESS if answer.reason is None else _EXPLAINED[answer.reason]
    caption = f"The {answer.reason or 'cycle'} is marked."
    heading = "Why it is not private" if answer.private is False else "What single runs lose"
    return [
        Section(heading, [Text(explained), *program_picture(program, caption, answer.states, answer.edges)])
    ]


def _attack(answer: Privacy, program: Program, attacks: MeasuredAttacks) -> list[PageBlock]:
    if not attacks.attacks:
        return [Text(attacks.why)]
    best = attacks.attacks[-1]
    counts = (count for steps, count in best.run.turns for _ in range(steps))
    taken: Counter[int] = Counter()
    for step, count in zip(best.run.steps, counts, strict=True):
        taken[step.edge.number] += count
    blocks = [Text(attack_heading(best)), *run_blocks(best, counts=answer.worst_run_counts)]
    notes = {number: "once" if count == 1 else f"{count:,} times" for number, count in taken.items()}
    edges = [edge for edge in program.edges if edge.number in taken]
    blocks += program_picture(
        program, "The run of the attack is marked, with how often it takes each transition.", (), edges, notes
    )
    if attacks.growing:
        blocks.append(_growth([*attacks.growing, best]))
    elif not best.is_infinite and len(attacks.attacks) > 1:
        blocks.append(_approach(attacks.attacks))
    if attacks.why:
        blocks.append(Text(attacks.why))
    return blocks


def _growth(attacks: Sequence[InputAttack]) -> Figure:
    """How the loss grows with the length of the run."""
    losses = {one.run.length: float(one.loss[0]) for one in attacks}
    points = sorted((float(steps), loss) for steps, loss in losses.items())
    series = [ChartSeries("the loss, measured", points), ChartSeries("", points, "dot", dots=True)]
    chart = Chart("The loss as runs get longer", "steps of the run", "loss", series)
    words = [f"A run of {one.run.length} steps loses {decimal_text(one.loss[0], 6)}." for one in attacks]
    return Figure(drawn_chart(chart), "Longer runs lose more, without bound.", words)


def _approach(attacks: Sequence[InputAttack]) -> Figure:
    """How the loss comes close to its limit as inputs get farther apart from 0."""
    points = [(float(one.t), float(one.loss[0])) for one in attacks]
    bound = attacks[-1].bound
    first, last = points[0][0], max(points[-1][0], 2.0)
    limit = ChartSeries(
        f"{format_rational(bound)}, the limit", [(first, float(bound)), (last, float(bound))], "limit"
    )
    chart = Chart(
        "The loss of the run as t grows",
        "t: the inputs are t times as far from 0",
        "loss",
        [limit, ChartSeries("the loss, measured", points), ChartSeries("", points, "dot", dots=True)],
        logarithmic=True,
    )
    words = [f"At t = {one.t} the loss is {decimal_text(one.loss[0], 6)}." for one in attacks]
    words.append(f"The limit is {format_rational(bound)}.")
    return Figure(drawn_chart(chart), "The loss of this run approaches its limit as t grows.", words)
