"""δ at many ε, and the least ε for a δ, of chains, decision processes and threshold programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import overload

from prover.chain.delta import DEFAULT_GAP
from prover.chain.epsilon import DEFAULT_LIMIT, DEFAULT_WIDTH, Epsilon, given_delta
from prover.chain.epsilon import epsilon_for as epsilon_of_system
from prover.chain.privacy_profile import Curve, slopes_of
from prover.chain.privacy_profile import curve as curve_of_system
from prover.chain.process import System
from prover.chain.unrolling.refinement import Limits, UnrollingLimits
from prover.errors import BadOptions, must_be
from prover.exact.given import Given
from prover.program.model import Program
from prover.program.profiles.curve import ProgramCurve, curve_of_program
from prover.program.profiles.epsilon import ProgramEpsilon, epsilon_of_program
from prover.program.profiles.over_inputs import program_question
from prover.progress import Progress, silent


@overload
def epsilon_for(
    program: Program,
    /,
    *,
    delta: Given,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    progress: Progress = silent,
    on_interval: Callable[[ProgramEpsilon], None] | None = None,
) -> ProgramEpsilon: ...


@overload
def epsilon_for(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    delta: Given | None = None,
    *,
    kind: str = "tv",
    gap: Given = DEFAULT_WIDTH,
    at_most: Given | None = None,
    limit: Given = DEFAULT_LIMIT,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Epsilon], None] | None = None,
) -> Epsilon: ...


def epsilon_for(
    chain: System | Program,
    source: str | None = None,
    target: str | None = None,
    delta: Given | None = None,
    *,
    kind: str = "tv",
    gap: Given = DEFAULT_WIDTH,
    at_most: Given | None = None,
    limit: Given = DEFAULT_LIMIT,
    limits: UnrollingLimits | Limits | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Epsilon | ProgramEpsilon:
    """The least ε at which δ is at most ``delta``.

    *Of a Markov chain or a decision process* δ is that of two of its states, or of its relation:
    ``prover.chain.epsilon.epsilon_for`` says what the arguments mean.

    *Of a threshold program* δ is that of ``prover.delta`` over all neighbouring inputs, with its arguments
    ``at_epsilon``, ``q``, ``adjacency`` and ``steps``. The upper end is what a closed profile table proves,
    or the ε of ``prover.privacy`` if that is less; the lower end is what pairs of inputs prove that were
    found. ``on_interval`` is called with the upper end before inputs are searched for.

        >>> from fractions import Fraction
        >>> from prover.zoo import pin_checker, svt
        >>> epsilon_for(pin_checker(), "0", "1", "1/100").alpha
        Fraction(273391, 220900)
        >>> answer = epsilon_for(svt(), at_epsilon=1, delta="1/10", steps=3)
        >>> Fraction("0.1") < answer.lower < answer.upper < Fraction("0.7")
        True

    Raises BadValue, also without ``delta``, UnknownName, BadOptions, NotSupported, WrongArgument.

    Reference: docs/theory.md, *δ as a function of α*; docs/theory_profiles.md, Theorem 1.
    """
    if not isinstance(chain, Program):
        if any(given is not None for given in (at_epsilon, q, adjacency, steps)):
            raise BadOptions(
                "at_epsilon, q, adjacency and steps are for threshold programs", code="not-a-program"
            )
        return epsilon_of_system(
            chain,
            source,
            target,
            delta,
            kind=kind,
            gap=gap,
            at_most=at_most,
            limit=limit,
            limits=limits,
            progress=progress,
            on_interval=on_interval,
        )
    if source is not None or target is not None or limits is not None or kind != "tv":
        raise BadOptions(
            "source, target, kind and limits are for Markov chains and decision processes",
            code="not-a-system",
        )
    asked = program_question(chain, at_epsilon, q, adjacency, steps)
    return epsilon_of_program(
        chain,
        asked.adjacency,
        asked.at_epsilon,
        given_delta(delta),
        steps=asked.steps,
        q=asked.q,
        progress=progress,
        on_interval=on_interval or (lambda _: None),
    )


@overload
def curve(
    program: Program,
    /,
    *,
    alphas: Iterable[Given] = (),
    epsilons: Iterable[Given] = (),
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    progress: Progress = silent,
    on_curve: Callable[[ProgramCurve], None] | None = None,
) -> ProgramCurve: ...


@overload
def curve(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    *,
    epsilons: Iterable[Given] = (),
    kind: str = "tv",
    bounds: bool = True,
    provable: bool = False,
    gap: Given = DEFAULT_GAP,
    limits: UnrollingLimits | Limits | None = None,
    jobs: int = 1,
    progress: Progress = silent,
    on_curve: Callable[[Curve], None] | None = None,
) -> Curve: ...


def curve(
    chain: System | Program,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    *,
    epsilons: Iterable[Given] = (),
    kind: str = "tv",
    bounds: bool = True,
    provable: bool = False,
    gap: Given = DEFAULT_GAP,
    limits: UnrollingLimits | Limits | None = None,
    jobs: int = 1,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    progress: Progress = silent,
    on_curve: Callable[..., None] | None = None,
) -> Curve | ProgramCurve:
    """δ at the given values of α, or of ε.

    *Of a Markov chain or a decision process* δ is that of two of its states, or of its relation:
    ``prover.chain.privacy_profile.curve`` says what the arguments mean.

    *Of a threshold program* δ is that of ``prover.delta`` over all neighbouring inputs, with its arguments
    ``at_epsilon``, ``q``, ``adjacency`` and ``steps``. One closed profile table proves all upper ends; the
    lower ends are what pairs of inputs prove that were found. ``on_curve`` is called with the upper ends
    before inputs are searched for.

        >>> from prover.zoo import lyu_1, pin_checker
        >>> found = curve(pin_checker(), "0", "1", ["1", "6/5", "7/5"], bounds=False)
        >>> [str(point.upper) for point in found]
        ['200/2503', '791/37545', '0']
        >>> first, last = curve(lyu_1(), alphas=[1, "5/4"], at_epsilon=1, steps=3)
        >>> 0 < last.lower < last.upper < first.upper < 0.17
        True

    Raises BadOptions, BadValue, UnknownName, NotSupported, WrongArgument.

    Reference: docs/theory.md, *δ as a function of α*; docs/theory_profiles.md, Theorem 1.
    """
    if not isinstance(chain, Program):
        if any(given is not None for given in (at_epsilon, q, adjacency, steps)):
            raise BadOptions(
                "at_epsilon, q, adjacency and steps are for threshold programs", code="not-a-program"
            )
        return curve_of_system(
            chain,
            source,
            target,
            alphas,
            epsilons=epsilons,
            kind=kind,
            bounds=bounds,
            provable=provable,
            gap=gap,
            limits=limits,
            jobs=jobs,
            progress=progress,
            on_curve=on_curve,
        )
    if source is not None or target is not None or limits is not None or kind != "tv" or provable:
        raise BadOptions(
            "source, target, kind, limits and provable are for Markov chains and decision processes",
            code="not-a-system",
        )
    must_be(Iterable, alphas=alphas)
    asked = program_question(chain, at_epsilon, q, adjacency, steps)
    return curve_of_program(
        chain,
        asked.adjacency,
        asked.at_epsilon,
        [(slope.epsilon, slope.upper, slope.lower) for slope in slopes_of(alphas, epsilons, 0)],
        steps=asked.steps,
        q=asked.q,
        progress=progress,
        on_curve=on_curve or (lambda _: None),
    )
