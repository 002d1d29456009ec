"""Questions about systems of either kind: Markov chains, and processes in which an attacker chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard, overload

from prover.chain.answer import Distance, DistanceTable
from prover.chain.delta import BadThreshold, Delta
from prover.chain.delta import delta as delta_of_chain
from prover.chain.distance import distance as distance_of_chain
from prover.chain.distance import distances as distances_of_chain
from prover.chain.epsilon import Epsilon
from prover.chain.epsilon import epsilon_for as epsilon_of_chain
from prover.chain.kinds import AUTO, BOUNDS
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.chain.privacy_profile import curve as curve_of_chain
from prover.exact.given import Given
from prover.interactive.curve import curve as curve_of_process
from prover.interactive.delta import InteractiveDelta
from prover.interactive.delta import delta as delta_of_process
from prover.interactive.distance import distance as distance_of_process
from prover.interactive.distance import distances as distances_of_process
from prover.interactive.epsilon import epsilon_for as epsilon_of_process
from prover.interactive.errors import NotInteractive
from prover.interactive.model import LabelledMarkovDecisionProcess

System = LabelledMarkovChain | LabelledMarkovDecisionProcess


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
    on_interval: Callable[[Distance], None] | None = None,
    **options: Any,
) -> Distance:
    """The distance from state ``source`` to state ``target``; without them, the largest over the relation.

    ``chain`` is a Markov chain (prover.chain.distance), or a decision process, whose distance bounds δ
    against every attacker (prover.interactive.distance). ``options`` are, for both, ``epsilon`` in place of
    ``alpha``, ``kind``, ``merge`` and ``progress``; for chains also ``engine``, ``bounds``, ``max_bits`` and
    ``jobs``.

        >>> from prover.zoo import pin_checker
        >>> distance(pin_checker(), "0", "1", "11/10").value
        Fraction(412, 7791)
        >>> from prover.zoo.interactive import wait
        >>> distance(wait(), "t", "s", "6/5").value
        Fraction(2, 5)

    Raises what the functions of the two kinds raise, and NotInteractive.

    Reference: docs/theory.md, *Theorem A*; docs/theory_interactive.md, *Distances*.
    """
    if leaves_a_choice(chain):
        wanted = _of_process(options)
        return distance_of_process(chain, source, target, alpha, on_interval=on_interval, **wanted)
    return distance_of_chain(_as_chain(chain), source, target, alpha, on_interval=on_interval, **options)


def distances(
    chain: System,
    alpha: Given | None = None,
    *,
    on_interval: Callable[[DistanceTable], None] | None = None,
    **options: Any,
) -> DistanceTable:
    """The distances of all ordered pairs of states; arguments and errors as for ``distance``.

    >>> from prover.zoo import randomised_response
    >>> table = distances(randomised_response(), "6/5")
    >>> table.exact, table.lower["a", "b"], table.lower["b", "a"]
    (True, Fraction(4, 15), Fraction(4, 15))
    """
    if leaves_a_choice(chain):
        return distances_of_process(chain, alpha, on_interval=on_interval, **_of_process(options))
    return distances_of_chain(_as_chain(chain), alpha, on_interval=on_interval, **options)


def _of_process(options: dict[str, Any]) -> dict[str, Any]:
    """The options without those that say what holds anyway, as there is only one way for processes."""
    for name, only in _ONLY.items():
        if options.pop(name, only) != only:
            raise NotInteractive(
                f"{name} is for distances of chains; where an attacker chooses there is one way to find them"
            )
    return options


_ONLY: Mapping[str, object] = {"engine": AUTO, "bounds": BOUNDS[0], "max_bits": None, "jobs": 1}


@overload
def delta(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    on_interval: Callable[[Delta], None] | None = None,
    **options: Any,
) -> Delta: ...


@overload
def delta(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    on_interval: Callable[..., None] | None = None,
    **options: Any,
) -> Delta | InteractiveDelta: ...


def delta(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    on_interval: Callable[..., None] | None = None,
    **options: Any,
) -> Delta | InteractiveDelta:
    """The least δ with P[E | source] ≤ α P[E | target] + δ for every event E, and with the two swapped.

    ``chain`` is a Markov chain (prover.chain.delta), or a decision process: then δ is that of the best of
    all attackers, who choose what to do by what they have seen (prover.interactive.delta). A process that
    leaves no choice is a chain. ``options`` are, for both, ``epsilon`` in place of ``alpha``, ``gap``,
    ``kind``, ``at_most``, ``limits`` and ``progress``; for processes also ``open_loop``.

        >>> from prover.zoo import pin_checker
        >>> delta(pin_checker(), "0", "1", "11/10").value
        Fraction(3791, 75090)
        >>> from prover.zoo.interactive import doors
        >>> delta(doors(), "s", "t", "6/5").value
        Fraction(9, 20)

    Raises what the functions of the two kinds raise, and NotInteractive.

    Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md.
    """
    if leaves_a_choice(chain):
        return delta_of_process(chain, source, target, alpha, on_interval=on_interval, **options)
    if options.pop("open_loop", False):
        raise NotInteractive("fixed sequences of actions are for systems that leave a choice")
    return delta_of_chain(_as_chain(chain), source, target, alpha, on_interval=on_interval, **options)


def epsilon_for(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    delta: Given | None = None,
    **options: Any,
) -> Epsilon:
    """The least ε at which δ between two states is at most ``delta``; without states: over the relation.

    ``chain`` is a Markov chain (prover.chain.epsilon) or a decision process (prover.interactive.epsilon).
    ``options`` are, for both, ``kind``, ``gap``, ``at_most``, ``limit``, ``limits``, ``progress`` and
    ``on_interval``.

        >>> from prover.zoo import pin_checker
        >>> str(epsilon_for(pin_checker(), "0", "1", delta="1/100").alpha)
        '273391/220900'

    Raises BadThreshold, and what the functions of the two kinds raise.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    if delta is None:
        raise BadThreshold("a delta is needed: the least epsilon for which bound on delta?")
    if leaves_a_choice(chain):
        return epsilon_of_process(chain, source, target, delta, **options)
    return epsilon_of_chain(_as_chain(chain), source, target, delta, **options)


def curve(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    **options: Any,
) -> Curve:
    """δ between two states at the given values of α; without states, its maximum over the relation.

    ``chain`` is a Markov chain (prover.chain.privacy_profile) or a decision process
    (prover.interactive.curve). ``options`` are, for both, ``epsilons`` in place of ``alphas``, ``kind``,
    ``bounds``, ``gap``, ``limits``, ``jobs``, ``progress`` and ``on_curve``; for chains also ``provable``.

        >>> from prover.zoo.interactive import wait
        >>> [str(point.upper) for point in curve(wait(), "t", "s", ["1", "6/5", "2"], kind="lv")]
        ['1/2', '2/5', '0']

    Raises what the functions of the two kinds raise.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    if leaves_a_choice(chain):
        return curve_of_process(chain, source, target, alphas, **options)
    return curve_of_chain(_as_chain(chain), source, target, alphas, **options)
