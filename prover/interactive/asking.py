"""Questions about systems of either kind: Markov chains, and processes in which an attacker chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeGuard, TypeVar, overload

from prover.chain.answer import Distance, DistanceTable
from prover.chain.delta import DEFAULT_GAP, Delta
from prover.chain.delta import delta as delta_of_chain
from prover.chain.distance import distance as distance_of_chain
from prover.chain.distance import distances as distances_of_chain
from prover.chain.epsilon import DEFAULT_LIMIT, DEFAULT_WIDTH, Epsilon
from prover.chain.epsilon import epsilon_for as epsilon_of_chain
from prover.chain.kinds import AUTO, BOUNDS
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.chain.privacy_profile import curve as curve_of_chain
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.errors import NotSupported, WrongArgument
from prover.exact.given import Given
from prover.interactive.collapsing.collapse import begun_anywhere, begun_at
from prover.interactive.curve import curve as curve_of_process
from prover.interactive.delta import InteractiveDelta
from prover.interactive.delta import delta as delta_of_process
from prover.interactive.distance import distance as distance_of_process
from prover.interactive.distance import distances as distances_of_process
from prover.interactive.epsilon import epsilon_for as epsilon_of_process
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.interactive.refinement import Limits
from prover.progress import Progress, silent

System = LabelledMarkovChain | LabelledMarkovDecisionProcess
Bounded = TypeVar("Bounded", UnrollingLimits, Limits)


def leaves_a_choice(system: object) -> TypeGuard[LabelledMarkovDecisionProcess]:
    """Whether it is a decision process in which an attacker has something to choose."""
    return isinstance(system, LabelledMarkovDecisionProcess) and system.leaves_a_choice


def _as_chain(system: System) -> LabelledMarkovChain:
    """A process without choices as the chain that it is."""
    return system.as_chain() if isinstance(system, LabelledMarkovDecisionProcess) else system


def distance(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    engine: str = AUTO,
    bounds: str = BOUNDS[0],
    max_bits: int | None = None,
    merge: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
    on_interval: Callable[[Distance], None] | None = None,
) -> Distance:
    """The distance from state ``source`` to state ``target``; without them, the largest over the relation.

    ``chain`` is a Markov chain (prover.chain.distance), or a decision process, whose distance bounds δ
    against every attacker (prover.interactive.distance). ``epsilon`` is given in place of ``alpha``. There
    is one way to find the distances of processes: ``engine``, ``bounds``, ``max_bits`` and ``jobs`` are for
    chains.

        >>> from prover.zoo import pin_checker
        >>> distance(pin_checker(), "0", "1", "11/10").value
        Fraction(412, 7791)
        >>> from prover.zoo.interactive import wait
        >>> distance(wait(), "t", "s", "6/5").value
        Fraction(2, 5)

    Raises what the functions of the two kinds raise, and NotSupported.

    Reference: docs/theory.md, *Theorem A*; docs/theory_interactive.md, *Distances*.
    """
    chain = begun_at(chain, source, target)
    if leaves_a_choice(chain):
        _only_of_chains(engine=engine != AUTO, bounds=bounds != BOUNDS[0], max_bits=max_bits, jobs=jobs != 1)
        return distance_of_process(
            chain,
            source,
            target,
            alpha,
            epsilon=epsilon,
            kind=kind,
            merge=merge,
            progress=progress,
            on_interval=on_interval,
        )
    return distance_of_chain(
        _as_chain(chain),
        source,
        target,
        alpha,
        epsilon=epsilon,
        kind=kind,
        engine=engine,
        bounds=bounds,
        max_bits=max_bits,
        merge=merge,
        jobs=jobs,
        progress=progress,
        on_interval=on_interval,
    )


def distances(
    chain: System,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    engine: str = AUTO,
    bounds: str = BOUNDS[0],
    max_bits: int | None = None,
    merge: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
    on_interval: Callable[[DistanceTable], None] | None = None,
) -> DistanceTable:
    """The distances of all ordered pairs of states; arguments and errors as for ``distance``.

    >>> from prover.zoo import randomised_response
    >>> table = distances(randomised_response(), "6/5")
    >>> table.exact, table.lower["a", "b"], table.lower["b", "a"]
    (True, Fraction(4, 15), Fraction(4, 15))
    """
    chain = begun_anywhere(chain)
    if leaves_a_choice(chain):
        _only_of_chains(engine=engine != AUTO, bounds=bounds != BOUNDS[0], max_bits=max_bits, jobs=jobs != 1)
        return distances_of_process(
            chain, alpha, epsilon=epsilon, kind=kind, merge=merge, progress=progress, on_interval=on_interval
        )
    return distances_of_chain(
        _as_chain(chain),
        alpha,
        epsilon=epsilon,
        kind=kind,
        engine=engine,
        bounds=bounds,
        max_bits=max_bits,
        merge=merge,
        jobs=jobs,
        progress=progress,
        on_interval=on_interval,
    )


def _only_of_chains(**asked: object) -> None:
    """Raises NotSupported where an option is asked for, by its name, that processes have no use for."""
    for name, wanted in asked.items():
        if wanted:
            raise NotSupported(
                f"{name} is for distances of chains; where an attacker chooses there is one way to find them",
                code="not-interactive",
            )


@overload
def delta(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Delta], None] | None = None,
) -> Delta: ...


@overload
def delta(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta: ...


def delta(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta:
    """The least δ with P[E | source] ≤ α P[E | target] + δ for every event E, and with the two swapped.

    ``chain`` is a Markov chain (prover.chain.delta), or a decision process: then δ is that of the best of
    all attackers, who choose what to do by what they have seen (prover.interactive.delta). A process that
    leaves no choice is a chain. ``epsilon`` is given in place of ``alpha``. ``limits`` are UnrollingLimits
    for chains, and Limits for processes; ``open_loop`` is for processes.

        >>> from prover.zoo import pin_checker
        >>> delta(pin_checker(), "0", "1", "11/10").value
        Fraction(3791, 75090)
        >>> from prover.zoo.interactive import doors
        >>> delta(doors(), "s", "t", "6/5").value
        Fraction(9, 20)

    Raises what the functions of the two kinds raise, and NotSupported.

    Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md.
    """
    chain = begun_at(chain, source, target)
    if leaves_a_choice(chain):
        return delta_of_process(
            chain,
            source,
            target,
            alpha,
            epsilon=epsilon,
            gap=gap,
            kind=kind,
            at_most=at_most,
            open_loop=open_loop,
            limits=_limits(Limits, limits),
            progress=progress,
            on_interval=on_interval,
        )
    if open_loop:
        raise NotSupported(
            "fixed sequences of actions are for systems that leave a choice", code="not-interactive"
        )
    return delta_of_chain(
        _as_chain(chain),
        source,
        target,
        alpha,
        epsilon=epsilon,
        gap=gap,
        kind=kind,
        at_most=at_most,
        limits=_limits(UnrollingLimits, limits),
        progress=progress,
        on_interval=on_interval,
    )


def _limits(kind: type[Bounded], given: UnrollingLimits | Limits | None) -> Bounded | None:
    """The limits that were given, if any; raises WrongArgument where they are those of the other engine."""
    if given is None or isinstance(given, kind):
        return given
    raise WrongArgument("limits", kind.__name__, given)


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
) -> Epsilon:
    """The least ε at which δ between two states is at most ``delta``; without states: over the relation.

    ``chain`` is a Markov chain (prover.chain.epsilon) or a decision process (prover.interactive.epsilon).
    ``limits`` are UnrollingLimits for chains, and Limits for processes.

        >>> from prover.zoo import pin_checker
        >>> str(epsilon_for(pin_checker(), "0", "1", delta="1/100").alpha)
        '273391/220900'

    Raises BadValue, also without ``delta``, and what the functions of the two kinds raise.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    chain = begun_at(chain, source, target)
    if leaves_a_choice(chain):
        return epsilon_of_process(
            chain,
            source,
            target,
            delta,
            kind=kind,
            gap=gap,
            at_most=at_most,
            limit=limit,
            limits=_limits(Limits, limits),
            progress=progress,
            on_interval=on_interval,
        )
    return epsilon_of_chain(
        _as_chain(chain),
        source,
        target,
        delta,
        kind=kind,
        gap=gap,
        at_most=at_most,
        limit=limit,
        limits=_limits(UnrollingLimits, limits),
        progress=progress,
        on_interval=on_interval,
    )


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
) -> Curve:
    """δ between two states at the given values of α; without states, its maximum over the relation.

    ``chain`` is a Markov chain (prover.chain.privacy_profile) or a decision process
    (prover.interactive.curve). ``epsilons`` are given in place of ``alphas``. ``limits`` are UnrollingLimits
    for chains, and Limits for processes; ``provable`` is for chains.

        >>> from prover.zoo.interactive import wait
        >>> [str(point.upper) for point in curve(wait(), "t", "s", ["1", "6/5", "2"], kind="lv")]
        ['1/2', '2/5', '0']

    Raises what the functions of the two kinds raise.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    chain = begun_at(chain, source, target)
    if leaves_a_choice(chain):
        if provable:
            raise NotSupported("provable is for curves of chains", code="not-interactive")
        return curve_of_process(
            chain,
            source,
            target,
            alphas,
            epsilons=epsilons,
            kind=kind,
            bounds=bounds,
            gap=gap,
            limits=_limits(Limits, limits),
            jobs=jobs,
            progress=progress,
            on_curve=on_curve,
        )
    return curve_of_chain(
        _as_chain(chain),
        source,
        target,
        alphas,
        epsilons=epsilons,
        kind=kind,
        bounds=bounds,
        provable=provable,
        gap=gap,
        limits=_limits(UnrollingLimits, limits),
        jobs=jobs,
        progress=progress,
        on_curve=on_curve,
    )
