"""δ of a threshold program at many α, for all neighbouring inputs: one closed table, and pairs of inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.profiles.above import LARGEST, closed_tables, found_or_not
from prover.program.profiles.below import (
    Below,
    enclosed,
    few_inputs,
    pattern_for,
    proved,
    search_for,
    short_steps,
)
from prover.program.profiles.bounds import Above, UpperBounds, alpha_of, question_of
from prover.program.profiles.epsilon import from_pure, pure_epsilon, refuse_losing
from prover.program.profiles.objectives import gain_at
from prover.program.profiles.over_inputs import OverInputs
from prover.program.profiles.pure import PureBounds, pure_bounds, says_little
from prover.program.profiles.scope import is_searched, obstacle_of
from prover.program.profiles.search import InputSearch
from prover.progress import Progress, silent
from prover.views import Paged


@dataclass(frozen=True, slots=True)
class ProgramCurvePoint:
    """lower ≤ δ ≤ upper at one α.

    The upper end holds at ``alpha_upper`` ≤ α, the lower one at ``alpha_lower`` ≥ α, by the inputs of
    ``attack``. ``epsilon`` is ln α if α is irrational, else None. ``pure`` is what the exact ε of the program
    alone bounds δ by, None where it has none.
    """

    epsilon: Fraction | None
    alpha_upper: Fraction
    alpha_lower: Fraction
    lower: Fraction
    upper: Fraction
    pure: Fraction | None
    attack: Below | None
    above: Above | None = field(repr=False, compare=False)  # the upper end, with its proof


@dataclass(frozen=True, slots=True, repr=False)
class ProgramCurve(OverInputs, Paged):
    """δ of a threshold program at many α, over all neighbouring inputs, with the noise of ``at_epsilon``; if
    ``steps`` is not None, over inputs of at most so many numbers. ``pure`` is an ε from which on δ is 0.
    ``certificate`` is the evidence for the upper ends below 1, and ``lower_certificate`` that for the lower
    ends above 0; None where there are none.

        >>> import prover
        >>> from prover.zoo import svt
        >>> answer = prover.curve(svt(), at_epsilon=1, epsilons=[0, "1/2", 1], adjacency="one-differ")
        >>> [point.lower <= point.upper < Fraction(1, 3) for point in answer]
        [True, True, True]
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    q: Fraction | None
    points: tuple[ProgramCurvePoint, ...]
    pure: Fraction | None
    obstacle: str | None = None
    """Why no table can be made, if that is so."""

    def __iter__(self) -> Iterator[ProgramCurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for the upper ends below 1."""
        points = [
            alpha_of(point.alpha_upper, point.epsilon, "at-most") | {"upper": format_rational(point.upper)}
            for point in self
            if point.upper < 1
        ]
        bounds_of = [point.above.bounds for point in self if point.above is not None and point.upper < 1]
        proofs = {id(bounds): bounds for bounds in bounds_of}
        evidence = {key: own for bounds in proofs.values() for key, own in bounds.evidence.items()}
        return self._certificate("profile-table", points, evidence)

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for the lower ends above 0."""
        attacks = [point.attack for point in self if point.attack is not None]
        points = [
            alpha_of(attack.alpha, attack.epsilon, "at-least") | {"lower": format_rational(attack.lower)}
            for attack in attacks
        ]
        return self._certificate("inputs", points, {"pairs": [attack.evidence for attack in attacks]})

    def _certificate(
        self, kind: str, points: list[dict[str, Any]], evidence: dict[str, Any]
    ) -> Certificate | None:
        claim = question_of(self) | {"kind": kind, "points": points}
        return encode(claim, program_model(self.program), evidence) if points else None

    @property
    def headline(self) -> str:
        """The answer in a line."""
        values = f"{len(self)} value{'s' * (len(self) != 1)} of alpha"
        return f"delta over {self.inputs_text} at {values}, each between two bounds"


Alpha = tuple[Fraction | None, Fraction, Fraction]
"""Its ε if it is irrational; and rationals that are not above it, and not below."""


def curve_of_program(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: Sequence[Alpha],
    *,
    steps: int | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
    on_curve: Callable[[ProgramCurve], None] = lambda _: None,
) -> ProgramCurve:
    """δ at the α for all neighbouring inputs: from above by the exact ε and by one table, from
    below by pairs of inputs.

    The inputs for one α are where the search for the next larger one begins. ``on_curve`` is called with
    upper ends alone, and with what few inputs prove of large programs and of those without a table. Raises
    NotSupported where nothing is proved at all.

    Reference: docs/theory_profiles.md, Theorems 1 and 7.
    """
    about = program, adjacency, at_epsilon
    obstacle = obstacle_of(program)
    if obstacle is None:
        refuse_losing(program, adjacency, steps)
    ordered, pure = sorted(alphas, key=lambda alpha: alpha[1]), None

    def answer(points: Sequence[ProgramCurvePoint]) -> ProgramCurve:
        why = None if obstacle is None else str(obstacle)
        return ProgramCurve(*about, steps, q, tuple(points), pure, why)

    def bounded(bounds: UpperBounds | None) -> list[ProgramCurvePoint]:
        found = []
        for epsilon, high, low in ordered:
            above = None if bounds is None else bounds.at(high)
            upper = Fraction(1) if above is None else above.upper
            alone = from_pure(pure, high, adjacency)
            found.append(ProgramCurvePoint(epsilon, high, low, Fraction(0), upper, alone, None, above))
        return found

    @cache
    def few_found() -> Sequence[Below | None]:
        return few_inputs(*about, [low for _, _, low in ordered], steps, progress, q)

    def by_ratios(bounds: PureBounds | None) -> list[ProgramCurvePoint]:
        found = bounded(bounds)
        if says_little(program, bounds):
            found = [_attacked(*both) for both in zip(found, few_found(), strict=True)]
        if any(point.lower or point.upper < 1 for point in found):
            on_curve(answer(found))
        return found

    known, ratios = pure_bounds(*about, steps, q, progress, by_ratios)
    if ratios is None:
        by_ratios(None)
    pure = pure_epsilon(*about, progress, known)[1]
    points = by_ratios(ratios)
    searched = is_searched(program, at_epsilon)
    if obstacle is None:
        progress("closing a profile table", 0, None)
        highest = [high for _, high, _ in ordered]
        tables, obstacle = found_or_not(lambda: closed_tables(*about, highest, steps, q))
        searched = tables is not None
        if tables is not None:
            points = [_better(*both) for both in zip(points, bounded(tables), strict=True)]
    else:
        points = [_attacked(*both) for both in zip(points, few_found(), strict=True)]
    if any(point.lower or point.upper < 1 for point in points):
        on_curve(answer(points))
    if searched:
        most = steps if obstacle is None else short_steps(steps)
        search = search_for(program, adjacency, at_epsilon, most, progress)
        points = list(_with_inputs(points, search, at_epsilon, steps, q))
    if obstacle is not None and ratios is None and not any(point.lower for point in points):
        raise obstacle
    return answer(points)


def _with_inputs(
    points: Sequence[ProgramCurvePoint],
    search: InputSearch,
    at_epsilon: Fraction,
    steps: int | None,
    q: Fraction | None,
) -> Iterator[ProgramCurvePoint]:
    """The points with what inputs prove, which are found for one after the other from those before."""
    found, pattern = search.fresh(gain_at(1.0)), None
    if not any(one.value > 0 for one in found):
        pattern = pattern_for(search, at_epsilon, Fraction(1), steps, q)
    for number, point in enumerate(points):
        search.progress("inputs for values of alpha", number, len(points))
        alpha = float(point.alpha_lower)
        if alpha > LARGEST:
            yield point
            continue
        found = search.improved(found, gain_at(alpha))
        found += [] if search.is_coarse else search.fresh(gain_at(alpha))
        attack = proved(search, found, at_epsilon, point.alpha_lower, steps, q)
        if attack is None and pattern is not None:
            pattern = pattern_for(search, at_epsilon, point.alpha_lower, steps, q)
        if attack is None and pattern is not None:
            attack = enclosed(search.simulation, search.adjacency, at_epsilon, point.alpha_lower, pattern, q)
            attack = None if attack is None else replace(attack, steps=steps)
        if found and not search.is_coarse:
            found = [max(found, key=lambda one: one.value)]
        yield _attacked(point, attack)


def _attacked(point: ProgramCurvePoint, attack: Below | None) -> ProgramCurvePoint:
    """The point with the lower end of inputs, if these gain more than any before."""
    if attack is None or attack.lower <= point.lower:
        return point
    return replace(point, lower=attack.lower, attack=replace(attack, epsilon=point.epsilon))


def _better(one: ProgramCurvePoint, other: ProgramCurvePoint) -> ProgramCurvePoint:
    """The first point with the lower one of both upper ends; that of the other one if they are equal."""
    return one if one.upper < other.upper else replace(one, upper=other.upper, above=other.above)
