"""Exact probabilities of runs, and what two inputs make a run lose.

With u = ε·sample, the densities of Laplace noise are rate/2 · e^(−rate·|u − ε·center|): exponential
polynomials on either side of ε·center. So the probability of a run, integrated backwards along it over what
is stored, is a sum of rational · ε^k · e^(rational·ε), for all ε at once; powers of ε come from samples with
equal rates. At a concrete ε the same integrals are done with balls, fast enough for hundreds of steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flint import arb

from prover.errors import BadValue, must_be, quoted
from prover.exact.ball import FIRST_BITS, ball_of, bounds, refined
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.given import given_rational
from prover.exact.piecewise import Calculus, Concrete, Formal, TermScale
from prover.exact.rational import format_rational
from prover.program.attack.errors import impossible_run, infinite_loss
from prover.program.attack.integration import (
    OutputWindow,
    RunSample,
    SampleNoise,
    integrated,
    is_possible,
    settled,
)
from prover.program.attack.sums import GridSample, chance_at, is_ordered, rational_chance, unit_of
from prover.program.conditions import require_one_output
from prover.program.model import Edge, Program, variables
from prover.program.outputs import REAL_OUTPUTS
from prover.program.scope import demand_no_ties, discrete_noise, has_two_rates

Windows = Mapping[int, OutputWindow]
"""The windows of some steps that output numbers; what the others output may be any number."""
HALF = Fraction(1, 2)
Interval = tuple[Fraction, Fraction]
"""Lower and upper bounds of a number."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Enclosures of a run's probabilities on two inputs, and of the logarithm of their ratio.

    ``bounds`` is None where the second probability is 0, and the loss infinite. ``bits`` is the precision
    that they took.
    """

    probability: Interval
    other_probability: Interval
    bounds: Interval | None
    bits: int

    @property
    def is_infinite(self) -> bool:
        """Whether the run is impossible on the second input."""
        return self.bounds is None

    @property
    def loss(self) -> Interval:
        """The enclosure of the loss. Raises NotSupported."""
        if self.bounds is None:
            raise infinite_loss()
        return self.bounds


def path_probability(
    program: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    windows: Windows | None = None,
) -> ExponentialSum:
    """The probability, as a function of ε, that the run of these inputs takes the edges of ``path``.

    And that the numbers which it outputs lie in their windows. There is an input for each step, 0 at states
    that take none. Raises what ``samples_of`` does, and TooManyTerms.

        >>> from prover.zoo import svt
        >>> program = svt()
        >>> path_probability(program, program.edges[:2], [Fraction(0), Fraction(0)])
        <ExponentialSum: 1/2>
    """
    samples = settled(tuple(samples_of(program, path, inputs, windows or {})))
    if samples is None:
        return ExponentialSum.rational(0)
    scale = _scale(samples)
    return integrated(samples, Calculus(scale, Formal(scale.denominator)))


def loss_between(
    program: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    others: Sequence[Fraction],
    epsilon: Fraction,
    windows: Windows | None = None,
    *,
    digits: int = 12,
    bits: int = FIRST_BITS,
) -> Loss:
    """ln(P[path | inputs] / P[path | others]) at ε > 0, in an interval of length below 10^−digits.

    Probabilities are enclosed with as many significant digits. ``bits`` is the precision that is tried first.
    The loss may be infinite. Raises BadValue where there is none because the first probability is 0, what
    ``path_probability`` does, and PrecisionExhausted.
    """
    at = given_rational(epsilon, "epsilon", "bad-measurement", more_than=0)
    chance = partial(_chance_at, program, path, windows or {}, at)
    if not can_be(program, path, inputs, windows or {}):
        raise impossible_run()
    infinite = not can_be(program, path, others, windows or {})

    def attempt() -> Loss | None:
        chances = [chance(given) for given in ((inputs,) if infinite else (inputs, others))]
        if not all(chance > 0 for chance in chances):  # not proved at this precision
            return None
        unit = ball_of(Fraction(1, 10 ** (digits + 1)))
        if not all(chance.rad() < chance.abs_lower() * unit for chance in chances):
            return None
        if infinite:
            return Loss(bounds(chances[0]), (Fraction(0), Fraction(0)), None, 0)
        loss = (chances[0] / chances[1]).log()
        if not loss.rad() < unit:
            return None
        one, other = map(bounds, chances)
        return Loss(one, other, bounds(loss), 0)

    found, used = refined(attempt, bits)
    return replace(found, bits=used)


def can_be(program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], windows: Windows) -> bool:
    """Whether the run of these inputs has a positive probability. Raises what ``path_probability`` does."""
    if program.noise.is_discrete:
        samples, grid, _ = _on_grid(program, path, inputs, windows)  # any rates will do
        if not windows and not has_two_rates(program):
            return is_ordered(samples)  # samples can be anywhere
        return rational_chance([sample.of_rate_one for sample in samples], grid, grid, HALF) > 0
    drawn = settled(tuple(samples_of(program, path, inputs, windows)))
    return drawn is not None and is_possible(drawn)


def rational_probability(
    program: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    q: Fraction,
    windows: Windows | None = None,
) -> Fraction:
    """The probability of a run with discrete noise, exactly, where e^(−ε·unit) = q is rational, 0 < q < 1.

    All rates times the grid are multiples of the unit, the largest number of which they are. Raises
    TiesOfSeveral, what ``samples_of`` raises, and TooManyTerms.

        >>> from dataclasses import replace
        >>> from prover.program.noise import Noise
        >>> from prover.zoo import svt
        >>> program = replace(svt(), noise=Noise("discrete-laplace"))
        >>> str(rational_probability(program, program.edges[:2], [Fraction(0)] * 2, Fraction(1, 2)))
        '13/35'
    """
    samples, grid, unit = _on_grid(program, path, inputs, windows or {})
    return rational_chance(samples, grid, unit, given_rational(q, "q", "bad-measurement", more_than=0))


def enclosed_probability(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], epsilon: Fraction, digits: int = 30
) -> Interval:
    """The probability of a run at ε > 0, in an interval of length below 10^−digits, and at least 0.

    Raises what ``path_probability`` does, and PrecisionExhausted.
    """

    def attempt() -> Interval | None:
        low, high = bounds(_chance_at(program, path, {}, epsilon, inputs))
        return (max(low, Fraction(0)), high) if high - low < Fraction(1, 10**digits) else None

    return refined(attempt, 2 * FIRST_BITS)[0]


def _chance_at(
    program: Program,
    path: Sequence[Edge],
    windows: Windows,
    epsilon: Fraction,
    inputs: Sequence[Fraction],
) -> arb:
    """A ball around the probability of a run."""
    if program.noise.is_discrete:
        return chance_at(*_on_grid(program, path, inputs, windows), epsilon)
    return _at(settled(tuple(samples_of(program, path, inputs, windows))), epsilon)


def _on_grid(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], windows: Windows
) -> tuple[tuple[GridSample, ...], Fraction, Fraction]:
    """The samples of a run with discrete noise, the grid, and the unit of its exponents."""
    if len(variables(program)) > 1:
        demand_no_ties(program)
    grid = program.noise.grid or Fraction(1)
    samples: list[GridSample] = []
    stored: dict[str, int] = {}
    for edge, read, window in _steps_of(program, path, inputs, windows):
        state = program.states[edge.source]
        tests = tuple((relation, stored[name]) for relation, name in edge.written)
        own = window if edge.pinned else None
        stored.update(dict.fromkeys(edge.assign, len(samples)))
        samples.append(GridSample(read + state.mean, *state.rates, tests, own))
        if edge.primed and state.second is not None:
            prime, mean = state.second
            samples.append(GridSample(read + mean, prime, prime, window=window))
    return tuple(samples), grid, program_unit(program)


def program_unit(program: Program) -> Fraction:
    """The largest number of which all finite rates of a program with discrete noise are multiples, times its
    grid.
    """
    states = program.states.values()
    rates = [rate for state in states for rate in (*state.rates, *(state.second or ())[:1])]
    return unit_of(rates, program.noise.grid or Fraction(1))


def samples_of(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], windows: Windows
) -> Iterator[RunSample]:
    """The samples of a run, in order.

    Raises WrongArgument, NotSupported, BadValue.
    """
    must_be(Program, program=program)
    if program.noise.is_discrete:
        raise discrete_noise()
    stored: dict[str, int] = {}
    number = 0
    for edge, read, seen in _steps_of(program, path, inputs, windows):
        state = program.states[edge.source]
        own = seen if edge.pinned and seen is not None else (None, None)
        left, right = (rate if isinstance(rate, Fraction) else None for rate in state.rates)
        least = tuple(stored[name] for relation, name in edge.guard if relation == ">=")
        most = tuple(stored[name] for relation, name in edge.guard if relation == "<")
        yield RunSample(SampleNoise(read + state.mean, left, right, *own), least, most)
        stored.update(dict.fromkeys(edge.assign, number))
        number += 1
        if edge.primed and state.second is not None:
            prime, mean = state.second
            yield RunSample(SampleNoise(read + mean, prime, prime, *(seen or (None, None))))
            number += 1


def _steps_of(
    program: Program, path: Sequence[Edge], inputs: Sequence[Fraction], windows: Windows
) -> Iterator[tuple[Edge, Fraction, OutputWindow | None]]:
    """The steps of a run, each with what it reads, and with its window if there is one."""
    must_be(Program, program=program)
    must_be(Sequence, path=path, inputs=inputs)
    must_be(Mapping, windows=windows)
    require_one_output(path, "probabilities are")
    if len(inputs) != len(path):
        raise BadValue(
            f"{len(inputs)} inputs for {len(path)} steps; each step has one, 0 where none is taken",
            code="wrong-number-of-inputs",
        )
    numbers = [given_rational(number, "an input", "bad-measurement") for number in inputs]
    for place, window in windows.items():
        low, high = (given_rational(end, "the end of a window", "bad-measurement") for end in window)
        output = path[place].output if 0 <= place < len(path) else None
        if output not in REAL_OUTPUTS:
            what = "there is no such step" if output is None else f"it outputs {quoted(output)}"
            raise BadValue(
                f"window at step {place}: {what}; windows are for steps that output numbers",
                code="window-without-number",
            )
        if low >= high:
            ends = f"from {quoted(format_rational(low))} to {quoted(format_rational(high))}"
            raise BadValue(
                f"window at step {place} {ends}; the second number is the larger one", code="empty-window"
            )
    here = program.initial
    for place, (edge, read) in enumerate(zip(path, numbers, strict=True)):
        if edge.source != here or edge not in program.edges[edge.number : edge.number + 1]:
            raise BadValue(
                f"step {place} of the path does not leave state {quoted(here)}, where it is", code="not-a-run"
            )
        here = edge.target
        state = program.states[edge.source]
        if read and not state.input:
            raise BadValue(
                f"input {quoted(format_rational(read))} at step {place}: state {quoted(edge.source)} reads "
                "no input, so write 0",
                code="input-not-taken",
            )
        yield edge, read, windows.get(place)


def _scale(samples: Sequence[RunSample]) -> TermScale:
    noises = [sample.noise for sample in samples]
    positions = {end for noise in noises for end in (noise.center, noise.low, noise.high) if end is not None}
    rates = [rate for noise in noises for rate in (noise.left, noise.right) if rate is not None]
    return TermScale.of(tuple(positions), rates)


def _at(samples: Sequence[RunSample] | None, epsilon: Fraction) -> arb:
    if samples is None:
        return arb(0)
    scale = _scale(samples)
    return integrated(samples, Calculus(scale, Concrete(scale.denominator, epsilon)))
