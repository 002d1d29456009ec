"""Attacks: two adjacent inputs whose measured loss on one run comes as close to the worst as one likes.

The run and the differences Δ of a privacy answer lose V in the limit: between the inputs tΔ and (t+1)Δ the
loss, at a concrete ε, increases with t towards ε·V (docs/theory_programs.md, Theorem C; docs/attacks.md). So
t is increased until that is close enough. Losses are measured rigorously, and never exceed ε·V. That of a run
which is too long to be measured is bounded from below. Where noise is not on both sides, inputs are b + tΔ
with a b on which the run is possible, and a loss may be infinite (docs/theory_noise.md, Theorem 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.errors import Fault, must_be
from prover.exact.ball import FIRST_BITS, PrecisionExhausted
from prover.exact.given import Given, given_rational
from prover.exact.piecewise import TooManyTerms
from prover.exact.rational import decimal_text, format_rational, round_outward
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.attack.at_epsilon import AtEpsilon, measured_place
from prover.program.attack.errors import NotMeasured, infinite_loss
from prover.program.attack.integration import OutputWindow
from prover.program.attack.probability import Interval, Loss, can_be
from prover.program.attack.repetition import repeated_run
from prover.program.attack.scaling import at_sensitivity_one
from prover.program.attack.start import Inputs, levels_of_outputs, starts
from prover.program.attack.tail_bound import far_loss
from prover.program.decision.blocks import RunStep
from prover.program.model import Edge, Program, variables
from prover.program.optimum.weighed import stores_in_several
from prover.program.optimum.witness import Witness, shortened, written_out
from prover.program.outputs import numbers_of
from prover.program.privacy import privacy
from prover.program.scope import TiesOfSeveral, demand_no_ties
from prover.program.shifts import is_one_sided
from prover.progress import Progress, silent
from prover.views import Printed, Viewed

MOST_MEASURED = 1_000
"""The most steps of a run whose probabilities are computed."""

MOST_STEPS = 100_000
"""The most steps of any run; of a run that should be longer, cycles are repeated less often."""

WINDOW: OutputWindow = (Fraction(-1), Fraction(1))
"""Where every number that the run outputs has to lie, unless the points of a grid there are too few."""

DEEPEST = 4_000_000
"""The most that the logarithms of probabilities that are computed may be below 0; deeper ones are bounded."""

CLOSE = Fraction(99, 100)
"""The part of the bound that is close to it."""

EXCEEDED = Fraction(10)
"""The loss to be exceeded where it has no bound, unless told otherwise."""

TOO_LONG = "the probabilities of the run take too long to compute"

SEVERAL_OUTPUTS = "the run outputs a gap, or several things at once, and noise is discrete or on one side"

_FARTHEST = 1 << 12  # a run that becomes impossible does so after a few steps from inputs that are near 0
_DIGITS = 12
_FEW = 50


@dataclass(frozen=True, slots=True, repr=False)
class InputAttack(Printed, Viewed):
    """A run and two neighbouring inputs, b + t·Δ and b + (t+1)·Δ: the run is more likely on the first one.

    ``run`` has the steps with Δ and shifts; there are no shifts if none are valid. Every number that the run
    outputs lies in ``window``. ``enclosure`` has the bounds of its loss at this ε, None if the loss is
    infinite. ``measured`` has the probabilities on both inputs, unless they take too many steps or terms.
    ``goal`` is the loss to exceed, if one was given. ``base`` is b, in units of the sensitivity.
    """

    run: Witness
    at: AtEpsilon
    t: int
    enclosure: Interval | None
    measured: Loss | None
    goal: Fraction | None
    base: Inputs
    reach: Fraction = Fraction(1)
    """The largest distance of an output number from 0, in units of the sensitivity."""
    unit: Fraction = Fraction(1)
    """The sensitivity: inputs are multiples of it."""

    @property
    def epsilon(self) -> Fraction:
        """The ε at which the loss is measured, rounded up if it is not rational."""
        return self.at.epsilon

    @property
    def probabilities(self) -> Interval | None:
        """Both probabilities exactly, where e^(−ε·unit) is a rational number q; else None."""
        if self.at.q is None or self.measured is None:
            return None
        return self.measured.probability[0], self.measured.other_probability[0]

    @property
    def bound(self) -> Fraction:
        """The largest loss of the run at this ε, over all neighbouring inputs: ε·V. Raises NotSupported."""
        if self.is_infinite:
            raise infinite_loss()
        return self.epsilon * self.run.loss

    @property
    def is_infinite(self) -> bool:
        """Whether the run is impossible on the neighbouring input."""
        return self.enclosure is None

    @property
    def loss(self) -> Interval:
        """Bounds of ln(P[run | inputs] / P[run | neighbour]), which are short decimals or ``bound``.

        Raises NotSupported.
        """
        if self.enclosure is None:
            raise infinite_loss()
        lower, upper = round_outward(*self.enclosure, _digits(self.bound))
        return lower, min(upper, self.bound)

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        """The input of each step of the run; the steps of a repeated cycle are listed once."""
        return self._at(self.t)

    @property
    def neighbour(self) -> tuple[Fraction, ...]:
        """The neighbouring input of each step."""
        return self._at(self.t + 1)

    @property
    def sides(self) -> tuple[list[Fraction], list[Fraction]]:
        """Both inputs, with the steps of repeated cycles in every turn."""
        return over_turns(self.run, self.inputs), over_turns(self.run, self.neighbour)

    @property
    def has_base(self) -> bool:
        """Whether b is not 0."""
        return any(self.base)

    def _at(self, t: int) -> Inputs:
        return tuple(
            (b + t * step.delta * step.edge.sensitivity) * self.unit
            for b, step in zip(self.base, self.run.steps, strict=True)
        )

    @property
    def window(self) -> OutputWindow:
        """The interval in which all output numbers lie."""
        return -self.reach * self.unit, self.reach * self.unit

    @property
    def outputs_numbers(self) -> bool:
        """Whether the run outputs any numbers."""
        return any(numbers_of(step.edge.outputs) for step in self.run.steps)

    @property
    def is_close(self) -> bool:
        """Whether the loss is at least ``CLOSE`` of the bound."""
        return self.is_infinite or self.loss[0] >= CLOSE * self.bound

    @property
    def succeeds(self) -> bool:
        """Whether the loss exceeds the goal, or is close to the bound if there is no goal."""
        return self.is_close if self.goal is None or self.is_infinite else self.loss[0] > self.goal

    @property
    def headline(self) -> str:
        """The loss of the attack in a line."""
        if self.is_infinite:
            return "an infinite loss: the run is impossible on the neighbouring input"
        at = format_rational(self.epsilon)
        return f"a loss of {percentage(self)} of the bound {format_rational(self.bound)} at ε = {at}"


def attack(
    program: Program,
    answer: Privacy | None = None,
    *,
    epsilon: Given | None = None,
    exceed: Given | None = None,
    q: Given | None = None,
    adjacency: str = Adjacency.ALL_DIFFER,
    progress: Progress = silent,
    on_found: Callable[[InputAttack], None] | None = None,
) -> InputAttack | None:
    """Two neighbouring inputs and a run whose loss is close to the bound; None if no run loses anything.

    The search ends when the loss of the run is at least 99 % of ε·lower, the proved loss of runs, or exceeds
    ``exceed``. If the program is not private, the loss exceeds ``exceed``, by default ``EXCEEDED``, unless
    this takes a run of more than ``MOST_STEPS`` steps; it may be infinite. Reference: docs/attacks.md.

    ε is 1 unless it is given. For discrete noise, ``q`` = e^(−ε·unit) may be given instead; then the
    probabilities are exact rational numbers. ``answer`` is the answer of ``privacy``, if it is known; its
    adjacency is used. ``on_found`` is called with every attack that is better than all before. Raises
    BadValue, BadOptions, NotMeasured if a run loses something but no attack is measured, and the errors of
    ``privacy``.

        >>> from prover.zoo import svt
        >>> attack(svt(), epsilon="1/10")
        <InputAttack: a loss of 99.6 % of the bound 1/8 at ε = 1/10>
    """
    must_be(Program, program=program)
    place = measured_place(program, epsilon, q)
    goal = None if exceed is None else given_rational(exceed, "the loss to exceed", "bad-number", at_least=0)
    known = privacy(program, adjacency, progress=progress) if answer is None else answer
    if known.family:
        goal = EXCEEDED if goal is None else goal
    run = _run(known, goal, place.epsilon)
    if run is None:
        return None
    if program.noise.is_discrete and len(variables(program)) > 1:
        try:
            demand_no_ties(program)
        except TiesOfSeveral:
            raise NotMeasured("probabilities of ties of several variables are not computed") from None
    best: InputAttack | None = None
    for at_unit in _attacks(at_sensitivity_one(program), run, place, goal, progress):
        found = replace(at_unit, unit=program.noise.sensitivity)
        if best is None or found.is_infinite or found.loss[0] > best.loss[0]:
            best = found
            if on_found is not None:
                on_found(found)
    return best


def _run(answer: Privacy, goal: Fraction | None, epsilon: Fraction) -> Witness | None:
    """A run that loses enough in the limit; None if there is none that loses anything."""
    if goal is not None and answer.family:
        return repeated_run(answer.family, goal / epsilon, answer.adjacency, MOST_STEPS)
    if answer.witness is None or not answer.witness.loss:
        return None
    if stores_in_several(step.edge for step in answer.witness.steps):
        return answer.witness if answer.witness.length <= MOST_STEPS else None
    return shortened(answer.witness, answer.adjacency, MOST_STEPS)


def _attacks(
    program: Program, run: Witness, at: AtEpsilon, goal: Fraction | None, progress: Progress
) -> Iterator[InputAttack]:
    """Attacks with larger and larger t, until one succeeds or is close to the bound. Raises NotMeasured."""
    one_sided = any(is_one_sided(step.edge) for step in run.steps)
    if one_sided:
        ray = _Ray.of(program, run)
        if run.vanishes:
            yield _vanishing(ray, run, at, goal, progress)
            return
    else:
        ray = _Ray(program, run, (Fraction(0),) * len(run.steps))
    bound = at.epsilon * run.loss
    wanted = min(CLOSE * bound, bound if goal is None else goal)
    t, bits = 1, FIRST_BITS
    if run.length > _FEW:  # terms of size 2^steps and more cancel
        bits += 4 * run.length
    measurable = ray.is_measurable
    sloping = not program.noise.is_discrete and not one_sided
    nothing = True
    while True:
        measurable = measurable and bound * (t + 1) <= DEEPEST
        progress(f"measuring the loss at t = {t}", 0, None)
        measured = ray.measured(at, t, bits, _digits(bound)) if measurable else None
        if measured is None and not sloping:
            if nothing:
                raise NotMeasured(ray.unmeasured)
            return
        if measured is None:
            measurable, enclosure = False, (far_loss(program, ray.steps, at.epsilon, t), bound)
        else:
            enclosure, bits = measured.loss, measured.bits
        if enclosure[0] > bound:
            raise Fault(f"a run loses more than {format_rational(bound)}, what its shifts cost")
        found = InputAttack(run, at, t, enclosure, measured, goal, ray.base, ray.reach)
        if found.loss[0] > 0:
            nothing = False
            yield found
        if found.succeeds or found.is_close:
            return
        # What is missing falls like 1/t, or faster.
        farther = int((bound - enclosure[0]) / (bound - wanted))
        t <<= max(1, farther.bit_length() - 1)


def _vanishing(
    ray: _Ray, run: Witness, at: AtEpsilon, goal: Fraction | None, progress: Progress
) -> InputAttack:
    """The attack where the run becomes impossible, as it does from some t on. Raises NotMeasured."""
    progress("searching for inputs on which the run is impossible", 0, None)
    low, high = 0, 1
    while ray.can_be(high):
        low, high = high, 2 * high
        if high > _FARTHEST:
            raise NotMeasured("inputs on which the run is impossible are too far from 0")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ray.can_be(middle) else (low, middle)
    measured = ray.measured(at, low, FIRST_BITS, _DIGITS)
    if measured is None:
        raise NotMeasured(TOO_LONG)
    return InputAttack(run, at, low, measured.bounds, measured, goal, ray.base, ray.reach)


@dataclass(frozen=True, slots=True)
class _Ray:
    """The inputs b + tΔ of a run, for b = ``base``."""

    program: Program
    run: Witness
    base: Inputs

    @classmethod
    def of(cls, program: Program, run: Witness) -> _Ray:
        """A ray of which the first inputs make the run possible. Raises NotMeasured."""
        for base in starts(program, run.steps):
            ray = cls(program, run, base)
            if not ray.is_measurable:
                raise NotMeasured(ray.unmeasured)
            if ray.can_be(0):
                return ray
        raise NotMeasured("no inputs were found on which the run is possible")

    @property
    def steps(self) -> tuple[RunStep, ...]:
        """All steps, with those of repeated cycles in every turn."""
        return tuple(written_out(self.run))

    @property
    def is_plain(self) -> bool:
        """Whether the run has a single output everywhere, and none of them a gap."""
        return all(len(step.edge.outputs) == 1 and not step.edge.gaps for step in self.run.steps)

    @property
    def is_measurable(self) -> bool:
        """Whether the run is plain, and short enough."""
        return self.is_plain and self.run.length <= MOST_MEASURED

    @property
    def unmeasured(self) -> str:
        """Why probabilities of the run are not computed."""
        return TOO_LONG if self.is_plain else SEVERAL_OUTPUTS

    def can_be(self, t: int) -> bool:
        """Whether the run is possible on the inputs b + tΔ. Raises NotMeasured."""
        try:
            return can_be(self.program, self._path, self._inputs(t), self._windows)
        except TooManyTerms:
            raise NotMeasured(TOO_LONG) from None

    def measured(self, at: AtEpsilon, t: int, bits: int, digits: int) -> Loss | None:
        """The loss between b + tΔ and b + (t+1)Δ; None if it takes too much."""
        inputs = self._inputs(t), self._inputs(t + 1)
        try:
            return at.measured(
                self.program, self._path, *inputs, self._windows, most=self.run.loss, digits=digits, bits=bits
            )
        except (PrecisionExhausted, TooManyTerms):
            return None

    @property
    def _path(self) -> list[Edge]:
        return [step.edge for step in self.steps]

    @property
    def reach(self) -> Fraction:
        """How far from 0 numbers that are output may be: on a grid there has to be room for their order."""
        grid = self.program.noise.grid
        if grid is None:
            return WINDOW[1]
        return max(WINDOW[1], (levels_of_outputs(self.run.steps) + 1) // 2 * grid)

    @property
    def _windows(self) -> dict[int, OutputWindow]:
        window = -self.reach, self.reach
        return {place: window for place, edge in enumerate(self._path) if edge.discloses}

    def _inputs(self, t: int) -> list[Fraction]:
        steps = zip(self.base, self.run.steps, strict=True)
        return over_turns(self.run, [b + t * step.delta * step.edge.sensitivity for b, step in steps])


def over_turns(run: Witness, numbers: Sequence[Fraction]) -> list[Fraction]:
    """One item for each step of a run, for the steps of repeated cycles in every turn."""
    listed = iter(numbers)
    return [number for length, count in run.turns for number in list(islice(listed, length)) * count]


def percentage(attack: InputAttack) -> str:
    """For people: how much of the bound the loss is, rounded down."""
    return f"{decimal_text(100 * attack.loss[0] / attack.bound, 1).rstrip('…')} %"


def _digits(bound: Fraction) -> int:
    """How many decimals a loss has that is at most this."""
    return _DIGITS + max(0, bound.denominator.bit_length() - bound.numerator.bit_length()) // 3
