"""Attacks: two adjacent inputs whose measured loss on one run comes as close to the worst as one likes.

The run and the differences Δ of a privacy answer lose V in the limit: between the inputs tΔ and (t+1)Δ the
loss, at a concrete ε, increases with t towards ε·V (docs/theory_programs.md, Theorem C; docs/attacks.md). So
t is increased until that is close enough. Losses are measured rigorously, and never exceed ε·V. That of a run
which is too long to be measured is bounded from below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import BadInput, Fault, must_be
from prover.exact.ball import FIRST_BITS, PrecisionExhausted
from prover.exact.given import Given, given_rational
from prover.exact.piecewise import TooManyTerms
from prover.exact.rational import decimal_text, format_rational, round_outward
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.attack.integration import Window
from prover.program.attack.probability import Interval, Loss, loss_between
from prover.program.attack.scaling import at_sensitivity_one
from prover.program.attack.tail_bound import far_loss, has_several_variables
from prover.program.decision.pumping import Block, RunStep, total
from prover.program.model import Program
from prover.program.optimum.optimum import Witness, shortened, witness_of, written_out
from prover.program.optimum.transfer import arc_of, scale_of
from prover.program.optimum.witness import Turns
from prover.program.outputs import numbers_of
from prover.program.privacy import privacy
from prover.program.scope import demand_laplace, demand_one_rate
from prover.program.several.witness import repeated
from prover.progress import Progress, silent

MOST_MEASURED = 1_000
"""The most steps of a run whose probabilities are computed."""

MOST_STEPS = 100_000
"""The most steps of any run; of a run that should be longer, cycles are repeated less often."""

WINDOW: Window = (Fraction(-1), Fraction(1))
"""Where every number that the run outputs has to lie."""

DEEPEST = 4_000_000
"""The most that the logarithms of probabilities that are computed may be below 0; deeper ones are bounded."""

CLOSE = Fraction(99, 100)
"""The part of the bound that is close to it."""

EXCEEDED = Fraction(10)
"""The loss to be exceeded where it has no bound, unless told otherwise."""

_MARGIN = Fraction(21, 20)  # a run is to lose so many times more, in the limit, or t would have to be large
_DIGITS = 12
_FEW = 50


class BadNumber(BadInput):
    """The ε of an attack is not a positive rational number, or the loss to exceed is a negative one."""


@dataclass(frozen=True, slots=True)
class InputAttack:
    """Two adjacent inputs, tΔ and (t+1)Δ, and a run that is likelier on the former: a loss at one ε.

    ``run`` is the run with Δ and shifts. Every number that it outputs lies in ``window``. ``enclosure`` are
    bounds of its loss. ``measured`` has its probabilities on both inputs, unless there are too many steps or
    terms for that. ``goal`` is the loss that was to be exceeded, if one was named.
    """

    run: Witness
    epsilon: Fraction
    t: int
    enclosure: Interval
    measured: Loss | None
    goal: Fraction | None
    unit: Fraction = Fraction(1)
    """The sensitivity: inputs are multiples of it."""

    @property
    def bound(self) -> Fraction:
        """What the run can lose at most at this ε, whatever adjacent inputs: ε·V."""
        return self.epsilon * self.run.loss

    @property
    def loss(self) -> Interval:
        """Bounds of ln(P[run | inputs] / P[run | neighbour]), which are short decimals or ``bound``."""
        lower, upper = round_outward(*self.enclosure, _digits(self.bound))
        return lower, min(upper, self.bound)

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        """What the steps of the run read, those of a repeated cycle listed once."""
        return tuple(self.t * step.delta * self.unit for step in self.run.steps)

    @property
    def neighbour(self) -> tuple[Fraction, ...]:
        """What they read on the neighbouring inputs."""
        return tuple((self.t + 1) * step.delta * self.unit for step in self.run.steps)

    @property
    def window(self) -> Window:
        """Where the numbers that are output lie."""
        return WINDOW[0] * self.unit, WINDOW[1] * self.unit

    @property
    def outputs_numbers(self) -> bool:
        """Whether the run outputs any numbers."""
        return any(numbers_of(step.edge.outputs) for step in self.run.steps)

    @property
    def is_close(self) -> bool:
        """Whether the loss is at least ``CLOSE`` of the bound."""
        return self.loss[0] >= CLOSE * self.bound

    @property
    def succeeds(self) -> bool:
        """Whether the loss exceeds the goal, or is close to the bound if there is no goal."""
        return self.is_close if self.goal is None else self.loss[0] > self.goal

    def __str__(self) -> str:
        at = format_rational(self.epsilon)
        return f"a loss of {percentage(self)} of {format_rational(self.bound)} at ε = {at}"


def attack(
    program: Program,
    answer: Privacy | None = None,
    *,
    epsilon: Given = 1,
    exceed: Given | None = None,
    adjacency: str = Adjacency.ALL_DIFFER,
    progress: Progress = silent,
    on_found: Callable[[InputAttack], None] | None = None,
) -> InputAttack | None:
    """Inputs on which a program loses nearly as much as it can at this ε; None if no run loses anything.

    The loss of the run is at least 99 % of ε·lower, what runs are proved to lose, or exceeds ``exceed``
    before that. If the program is not private it exceeds ``exceed``, by default ``EXCEEDED``, unless that
    takes a run of more than ``MOST_STEPS`` steps.

    ``answer`` is what ``privacy`` says, if that is known; then its adjacency counts. ``on_found`` is called
    with one attack after the other, each better than those before. Raises BadNumber, TwoRates, with
    discrete noise SeveralVariables, and what ``privacy`` raises.

        >>> from prover.zoo import svt
        >>> print(attack(svt(), epsilon="1/10"))
        a loss of 99.6 % of 1/8 at ε = 1/10
    """
    must_be(Program, program=program)
    if not program.noise.is_discrete:
        demand_laplace(program)
    number = given_rational(epsilon, "epsilon", BadNumber, more_than=0)
    goal = None if exceed is None else given_rational(exceed, "the loss to exceed", BadNumber, at_least=0)
    known = privacy(program, adjacency, progress=progress) if answer is None else answer
    if known.family:
        demand_one_rate(program)
        goal = EXCEEDED if goal is None else goal
    run = _run(known, goal, number)
    best: InputAttack | None = None
    unit = program.noise.sensitivity
    for at_unit in () if run is None else _attacks(at_sensitivity_one(program), run, number, goal, progress):
        found = replace(at_unit, unit=unit)
        if best is None or found.loss[0] > best.loss[0]:
            best = found
            if on_found is not None:
                on_found(found)
    return best


def _run(answer: Privacy, goal: Fraction | None, epsilon: Fraction) -> Witness | None:
    """A run that loses enough in the limit; None if there is none that loses anything."""
    if goal is not None and answer.family:
        return _repeated(answer.family, goal / epsilon, answer.adjacency)
    if answer.witness is None or not answer.witness.loss:
        return None
    if has_several_variables(answer.witness.steps):
        return answer.witness if answer.witness.length <= MOST_STEPS else None
    return shortened(answer.witness, answer.adjacency, MOST_STEPS)


def _attacks(
    program: Program, run: Witness, epsilon: Fraction, goal: Fraction | None, progress: Progress
) -> Iterator[InputAttack]:
    """Attacks with larger and larger t, until one succeeds or is close to the bound."""
    steps = tuple(written_out(run))
    bound = epsilon * run.loss
    wanted = min(CLOSE * bound, bound if goal is None else goal)
    t, bits = 1, FIRST_BITS
    if len(steps) > _FEW:  # terms of size 2^steps and more cancel
        bits += 4 * len(steps)
    plain = all(len(step.edge.outputs) == 1 and not step.edge.gaps for step in run.steps)
    measurable = plain and len(steps) <= MOST_MEASURED
    while True:
        measurable = measurable and bound * (t + 1) <= DEEPEST
        progress(f"measuring the loss at t = {t}", 0, None)
        measured = _measured(program, steps, epsilon, t, bits, _digits(bound)) if measurable else None
        if measured is None and program.noise.is_discrete:  # there is no bound by the slope
            return
        if measured is None:
            measurable, enclosure = False, (far_loss(program, steps, epsilon, t), bound)
        else:
            enclosure, bits = measured.loss, measured.bits
        if enclosure[0] > bound:
            raise Fault(f"a run loses more than {format_rational(bound)}, what its shifts cost")
        found = InputAttack(run, epsilon, t, enclosure, measured, goal)
        if found.loss[0] > 0:
            yield found
        if found.succeeds or found.is_close:
            return
        # What is missing falls like 1/t, or faster.
        farther = int((bound - enclosure[0]) / (bound - wanted))
        t <<= max(1, farther.bit_length() - 1)


def _measured(
    program: Program, steps: Sequence[RunStep], epsilon: Fraction, t: int, bits: int, digits: int
) -> Loss | None:
    """The loss between tΔ and (t+1)Δ; None if it takes too much."""
    path = [step.edge for step in steps]
    windows = {place: WINDOW for place, edge in enumerate(path) if edge.discloses}
    inputs, others = ([Fraction(s * step.delta) for step in steps] for s in (t, t + 1))
    try:
        return loss_between(program, path, inputs, others, epsilon, windows, digits=digits, bits=bits)
    except (PrecisionExhausted, TooManyTerms):
        return None


def percentage(attack: InputAttack) -> str:
    """For people: how much of the bound the loss is, rounded down."""
    return f"{decimal_text(100 * attack.loss[0] / attack.bound, 1).rstrip('…')} %"


def _digits(bound: Fraction) -> int:
    """How many decimals a loss has that is at most this."""
    return _DIGITS + max(0, bound.denominator.bit_length() - bound.numerator.bit_length()) // 3


def _repeated(blocks: Sequence[Block], loss: Fraction, adjacency: str) -> Witness:
    """A run of a family that loses clearly more than ``loss``, if ``MOST_STEPS`` allow that."""
    growth = total(blocks)
    once = sum(len(block.steps) for block in blocks if not block.repeat)
    cycle = sum(len(block.steps) for block in blocks if block.repeat)
    needed = -((growth.constant - _MARGIN * loss) // growth.slope)
    count = max(1, min(int(needed), (MOST_STEPS - once) // cycle))
    edges = [step.edge for block in blocks for step in block.steps]
    if len({name for edge in edges for name in edge.assign}) > 1:
        return repeated(blocks, count, adjacency)
    scale = scale_of(edges, adjacency)
    run: list[Turns] = []
    for block in blocks:
        arcs = tuple(arc_of(step.edge, step.delta, scale) for step in block.steps)
        if block.repeat and not any(arc.edge.assigns for arc in arcs):  # all turns have the same shifts
            run.append(Turns(arcs, count))
        else:
            run += [Turns(arcs)] * (count if block.repeat else 1)
    return witness_of(run, scale)
