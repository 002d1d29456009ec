"""The page of an answer about a threshold program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from prover.errors import Fault, shown
from prover.exact.exponential import exponential
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_text, format_rational
from prover.program.adjacency import Adjacency
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
from prover.program.model import Edge, Program
from prover.progress import Progress, silent
from prover.report.attack import MOST_ROWS, attack_heading, run_blocks
from prover.report.certificate import proof_section
from prover.report.document import LOOKS, Document, Figure, Listing, PageBlock, PageTable, Section, Text
from prover.report.picture.automaton import MOST_STATES, automaton, automaton_words
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.privacy import (
    assumption_text,
    comparisons,
    is_at_most,
    meaning,
    privacy_text,
    remarks,
    run_rows,
)
from prover.report.source import code_lines
from prover.report.verdict import asked_text

NEIGHBOURS: Mapping[Adjacency, str] = {
    Adjacency.ALL_DIFFER: "every number of neighbouring inputs may differ",
    Adjacency.ONE_DIFFER: "one number of neighbouring inputs may differ",
    Adjacency.INCREASING: "neighbouring inputs are larger, in every number or some",
    Adjacency.DECREASING: "neighbouring inputs are smaller, in every number or some",
    Adjacency.MONOTONIC: "neighbouring inputs are larger, in every number or some, or they are smaller",
}

_EXPLAINED: Mapping[str, str] = {
    LEAKING_CYCLE: (
        "The marked cycle stores a noisy number and compares others with it, and it can do both again and "
        "again. The noise of what is stored hides a difference of inputs once; here every turn costs "
        "privacy anew, and there is no limit to the number of turns."
    ),
    LEAKING_PAIR: (
        "A cycle finds again and again that inputs are on one side of what is stored, and later another "
        "one finds that they are on the other side. Noise in what is stored can hide a difference of "
        "inputs in one direction only, so the turns of one of the cycles cost privacy, and there is no "
        "limit to their number."
    ),
    DISCLOSING_CYCLE: (
        "Every turn of the marked cycle reads an input and puts out a number that is this input with "
        "noise. Each turn discloses a little more, and there is no limit to the number of turns."
    ),
    VIOLATING_PATH: (
        "A cycle compares inputs with what is stored, and beside it the marked path puts out that number, "
        "or one that was compared with it, or draws such a number without noise on one side. That number "
        "hides no difference of inputs in the cycle any more, so its turns cost privacy, and there is no "
        "limit to their number."
    ),
    VANISHING_RUN: (
        "On the marked run noise is missing on one side, so it is possible on some input and impossible "
        "on a neighbour of that. Whoever sees its output knows for certain which of the two it was."
    ),
}
"""Why a program is not private, in two sentences for each structure that leaks."""

_NAMELESS = (
    "Every turn of the marked cycle costs privacy, in whatever way noise makes up for the difference "
    "of inputs. There is no limit to the number of turns."
)
"""Of a cycle that has no name."""


@dataclass(frozen=True, slots=True)
class MeasuredAttacks:
    """Attacks, each better than those before; or why there are none."""

    attacks: tuple[InputAttack, ...] = ()
    why: str = ""
    growing: tuple[InputAttack, ...] = ()
    """Where the loss has no bound, attacks on longer and longer runs."""


NOT_MEASURED = MeasuredAttacks(why="No attack was measured in the time that there was.")


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
    program = _program(answer)
    ask = partial(attack, program, answer, epsilon=epsilon, q=q, progress=progress)
    try:
        ask(exceed=exceed, on_found=attacks.append)
        if answer.family and attacks and not attacks[-1].is_infinite:
            longer = (ask(exceed=goal) for goal in _goals(exceed))
            growing = [one for one in longer if one is not None and not one.is_infinite]
    except NotMeasured as why:
        return MeasuredAttacks(tuple(attacks), f"{str(why).capitalize()}.")
    return MeasuredAttacks(
        tuple(attacks), "" if attacks else "There is no attack: no run loses anything.", tuple(growing)
    )


def _goals(last: Given | None) -> Iterator[Fraction]:
    """The losses to be exceeded on the way to the last one."""
    most = EXCEEDED if last is None else given_rational(last, "the loss to exceed")
    yield from (most * part for part in (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)))


def document(
    answer: Privacy, *, attacks: MeasuredAttacks | None = None, at_most: Fraction | None = None
) -> Document:
    """Whether the program is private, or what it leaks by; attacks that are not given are measured.

    ``at_most`` is what was asked to hold: a multiple of ε.
    """
    program = _program(answer)
    holds = None if at_most is None else is_at_most(answer, at_most)

    def after() -> list[Section]:
        shown_attacks = measured(answer) if attacks is None else attacks
        return [
            Section("The attack", _attack(answer, program, shown_attacks)),
            Section("What is assumed", [Listing([assumption_text(answer), *_ALWAYS, *remarks(answer)])]),
            proof_section([("of the answer", lambda: answer.certificate)]),
        ]

    return Document(
        lines=lambda: [privacy_text(answer)],
        title="Is this mechanism private?",
        question=f"Is this mechanism private, and at which ε, if {NEIGHBOURS[answer.adjacency]}?",
        answer=asked_text(at_most, holds, "ε·") + shown(answer.headline),
        meaning=[*meaning(answer), *map(shown, code_lines(answer))],
        opening=lambda: _why_not(answer, program) or [Section("The mechanism", _mechanism(answer, program))],
        before=lambda: _claim(answer),
        after=after,
        verdict=LOOKS[answer.private if at_most is None else holds],
        systems=[program],
    )


_ALWAYS = (
    "Noise is drawn exactly as the program says: from these distributions, independently, in exact "
    "arithmetic. Floating-point noise and time are no part of it.",
)


def _program(answer: Privacy) -> Program:
    if answer.program is None:
        raise Fault("an answer does not say which program it is about")
    return answer.program


def _claim(answer: Privacy) -> list[Section]:
    """The loss as a multiple of ε and as a factor, where it has a bound."""
    if answer.upper is None:
        return []
    rows = []
    for epsilon in map(Fraction, ("1/10", "1", "2")):
        loss = answer.upper * epsilon
        factor = f"e^({format_rational(loss)})" if loss > 100 else _above(exponential(loss, 40)[1])
        rows.append((format_rational(epsilon), format_rational(loss), factor))
    exact = answer.epsilon is not None
    heading = (
        "ε",
        "the loss" if exact else "the loss is at most",
        f"a probability {'changes' if answer.adjacency.is_symmetric else 'is larger'} by a factor of at most",
    )
    caption = "What that is for some ε, rounded up. No smaller number will do." if exact else "Rounded up."
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
    marked = " Marked is a run that loses most." if edges else ""
    blocks = _picture(program, f"The program.{marked}", (), edges)
    if answer.witness is not None:
        heading, *rows = run_rows(answer.witness)
        caption = "The worst run: the costs, each times its turns, add up to what it loses"
        if not answer.worst_run_counts:
            caption += "; who sees the outputs only does not know that it was this one"
        blocks.append(PageTable(caption, heading, rows[:MOST_ROWS], (4, 5, 6, 7), hidden=True))
    return blocks


def _picture(
    program: Program,
    caption: str,
    states: Collection[str],
    edges: Collection[Edge],
    notes: Mapping[int, str] | None = None,
) -> list[PageBlock]:
    """The automaton; states that read an input are round."""
    count = len(program.states)
    if count > MOST_STATES:
        many = f"It has {count:,} states and {len(program.edges):,} transitions"
        return [Text(f"{many}. Programs of up to {MOST_STATES} states are drawn.")]
    read = f"{caption} Round states read an input; boxes read none; runs end at double ones."
    return [Figure(automaton(program, states, edges, notes), read, automaton_words(program, states, edges))]


def _why_not(answer: Privacy, program: Program) -> list[Section]:
    """The structure that leaks, in two sentences and marked in the picture."""
    if answer.runs.bounded is not False:
        return []
    explained = _NAMELESS if answer.reason is None else _EXPLAINED[answer.reason]
    caption = f"Marked is the {answer.reason or 'cycle'}."
    heading = "Why not" if answer.private is False else "What single runs lose"
    return [Section(heading, [Text(explained), *_picture(program, caption, answer.states, answer.edges)])]


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
    blocks += _picture(
        program, "The run of the attack is marked, with how often it takes a transition.", (), edges, notes
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
    return Figure(drawn_chart(chart), "Longer runs lose more, and there is no limit.", words)


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
