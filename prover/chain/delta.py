"""δ itself, exactly or between two certified numbers: for two secrets, or the largest of a relation.

Without choices, for a fixed α, sup_E ν_s(E) − α ν_t(E) is the *hockey-stick divergence* of the outputs under
two secrets: the least δ for which they are (ln α, δ)-indistinguishable in this direction. For labelled Markov
chains it is called lv_α, and tv_α is the larger of both directions. lv is undecidable in
general ("Asymmetric Distances for Approximate Differential Privacy", CONCUR 2019, Section 4), so the answer
may be an interval; on chains whose behaviour ends it can be as narrow as one likes.

With choices, it is sup P_s^σ(E) − α P_t^σ(E) over all attackers σ, who choose actions by the labels and
actions so far, and over all events E. Tossing coins does not help an attacker.

Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope, alpha_or_epsilon, given_slope
from prover.chain.collapsing.collapse import queried_system
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System, nature_of
from prover.chain.secrets import Secrets
from prover.chain.unrolling.answer import Delta, InteractiveDelta, SearchSize, UpperOrigin
from prover.chain.unrolling.attack import attack, only_counts_steps
from prover.chain.unrolling.intervals import Goal, Intervals, with_bounds, with_clusters
from prover.chain.unrolling.open_loop import OpenLoop
from prover.chain.unrolling.open_loop import open_loop as best_fixed_sequence
from prover.chain.unrolling.refinement import (
    FEW_NODES,
    Limits,
    Refinement,
    UnrollingLimits,
    enclose,
    fitting_limits,
)
from prover.chain.unrolling.strategy import strategy
from prover.errors import BadOptions, NotSupported
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

DEFAULT_GAP = Fraction(1, 10**6)
_FOR_EVENT = 200  # nodes that a cheap search for events adds
_ZERO, _ONE = Fraction(0), Fraction(1)


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
    against: Iterable[str] | None = None,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta:
    """The least δ with P[E | source] ≤ α P[E | target] + δ for every event E, and with the states swapped.

    ``chain`` is a Markov chain or a decision process. For a process, δ is the largest over all attackers, who
    choose each action by the outputs so far. A process without a choice counts as a chain.

    Without states, δ is the largest over the chain's relation. ``kind`` "lv" asks for the direction from
    ``source`` to ``target`` only. α ≥ 1 is rational; in its place you can give ε, a rational or the logarithm
    of one ("ln 2").

    The answer is exact where that is possible, and otherwise an interval of width at most ``gap``, unless it
    reaches the ``limits`` first: UnrollingLimits for chains, Limits for processes. With ``at_most`` the
    search ends when it is decided whether δ is at most that. ``on_interval`` is called with wider answers on
    the way. ``open_loop``, for processes, adds the best fixed sequence of actions for comparison.

    ``against``, for processes, are the names of actions that nature chooses, not the attacker, so that δ is
    least (a name that ends in * stands for all that begin so). Nature sees what the attacker sees, knows
    which two secrets are compared and in which direction, and does the same under both. The attacker sees
    nature's action as far as the next label shows it. Where it does not, the answer may stay an interval.

        >>> from prover.zoo import pin_checker
        >>> delta(pin_checker(), "0", "1", "11/10").value
        Fraction(3791, 75090)
        >>> delta(pin_checker(), "0", "1", "11/10", kind="lv").value
        Fraction(130, 7509)
        >>> delta(pin_checker(), "0", "1", epsilon="0.1", at_most="1/20").is_at_most(Fraction(1, 20))
        True
        >>> from prover.zoo.interactive import doors
        >>> delta(doors(), "s", "t", "6/5").value
        Fraction(9, 20)

    Raises BadOptions, BadValue, UnknownName, NotSupported, WrongArgument.

    Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md.
    """
    system = queried_system(chain, source, target, cut=True)
    if open_loop and isinstance(system, LabelledMarkovChain):
        raise NotSupported(
            "fixed sequences of actions are for systems that leave a choice", code="not-interactive"
        )
    within = fitting_limits(system, limits)
    secrets = Secrets.of(system, source, target, kind)
    if against is not None:
        if open_loop:
            raise BadOptions("fixed sequences of actions are not compared where nature chooses, too")
        secrets = replace(secrets, nature=nature_of(secrets.system, against))
    question = delta_question(secrets, gap, at_most)
    if alpha is None and epsilon is None:
        raise alpha_or_epsilon()
    slope = given_slope(kind, alpha, epsilon, question.bits)
    question = replace(question, wants_event=True, open_loop=open_loop)
    return delta_at(question, slope, within, progress, on_interval)


@dataclass(frozen=True, slots=True, repr=False)
class DeltaQuestion:
    """A question about secrets, at any α: an interval of this ``width``, or whether δ is at most the
    ``threshold``.
    """

    secrets: Secrets
    width: Fraction
    threshold: Fraction | None = None
    wants_event: bool = False
    """Whether a lower end is wanted, by a cheap search, also where δ is at most the threshold."""
    open_loop: bool = False
    """Whether the best fixed sequence of actions is wanted, too."""

    @property
    def bits(self) -> int:
        """To which e^ε has to be known, so that the interval is not much wider for it."""
        return 0 if self.width == 0 else 8 + (self.width.denominator // self.width.numerator).bit_length()

    def width_at(self, alpha: Fraction) -> Fraction:
        """How wide an interval at α may be, so that lost runs widen it to less than is asked for."""
        return max(Fraction(0), self.width - (2 + alpha) * self.secrets.lost)

    def is_answered(self, lower: Fraction, upper: Fraction) -> bool:
        """Whether these bounds of δ are enough."""
        if self.threshold is not None:
            return upper <= self.threshold or lower > self.threshold
        return upper - lower <= self.width


def delta_question(secrets: Secrets, gap: Given, at_most: Given | None = None) -> DeltaQuestion:
    """The question with the numbers that were given. Raises BadValue."""
    width = min(given_rational(gap, "the gap", "bad-gap", at_least=0), Fraction(1))
    if at_most is None:
        return DeltaQuestion(secrets, width)
    threshold = given_rational(at_most, "the bound on delta", "bad-threshold", at_least=0)
    return DeltaQuestion(secrets, width, min(threshold, Fraction(1)))


def delta_at(
    question: DeltaQuestion,
    slope: Slope,
    limits: UnrollingLimits | Limits,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta:
    """δ at one α, or between two that enclose e^ε: then one unrolling proves the upper end, and another one
    the lower end. Questions about the same secrets share what they find.
    """

    def conditions(ends: Callable[[Intervals], tuple[Intervals, Intervals]]) -> Refinement:
        if on_interval is None:
            return Refinement(limits, progress)
        return Refinement(limits, progress, lambda found: on_interval(_answer(question, slope, *ends(found))))

    if on_interval is not None:
        progress = _looking_first(question, slope, progress, on_interval)
    if slope.epsilon is None:
        found = _enclosed(question, slope.upper, conditions(lambda found: (found, found)))
        return _answer(question, slope, found, found, last=True)
    few = len(question.secrets.directions) + _FOR_EVENT * question.wants_event
    little = Refinement(UnrollingLimits(nodes=few, distances=False), progress)
    below = _enclosed(replace(question, threshold=None), slope.lower, little)
    above = _enclosed(question, slope.upper, conditions(lambda found: (found, below)))
    if question.threshold is None or max(above.upper.values()) > question.threshold:
        below = _enclosed(question, slope.lower, conditions(lambda found: (above, found)))
    return _answer(question, slope, above, below, last=True)


def _looking_first(
    question: DeltaQuestion,
    slope: Slope,
    progress: Progress,
    on_interval: Callable[..., None],
) -> Progress:
    """The progress, by which ``on_interval`` hears of what takes little of the work for a relation of many
    pairs: what one of them proves, and what couplings, or clusters of nearly bisimilar states, prove of all.
    """

    def report(one: Secrets, *, coupled: bool = False) -> None:
        part = replace(question, secrets=one)

        few = Refinement(UnrollingLimits(nodes=one.few(FEW_NODES), distances=False))
        below = above = _enclosed(part, slope.lower, few)
        if slope.lower != slope.upper:
            above = _enclosed(part, slope.upper, few)
        if coupled:
            from prover.chain.unrolling.leaf_bounds import table_of_one_pass

            above = with_bounds(above, table_of_one_pass(above, slope.upper))
            below = above if slope.lower == slope.upper else below
        elif one.merged.system is question.secrets.system and question.secrets.clusters is not None:
            above = with_clusters(above, question.secrets.clusters)
            below = above if slope.lower == slope.upper else below
        on_interval(_answer(part, slope, above, below))

    coupling = question.secrets.look_first(progress, partial(report, coupled=True), later=True)
    return (
        question.secrets.look_first(coupling, report, coarsely=True)
        if question.secrets.is_large
        else coupling
    )


def _enclosed(question: DeltaQuestion, alpha: Fraction, conditions: Refinement) -> Intervals:
    """Intervals of all directions that count; narrower than asked for, as α may be rounded."""
    secrets = question.secrets
    width = question.width_at(alpha) * Fraction(63, 64)
    goal = Goal(width, secrets.named, None if secrets.lost else question.threshold, question.wants_event)
    return enclose(secrets.merged, secrets.directions, alpha, goal, conditions, secrets.nature)


def _answer(
    question: DeltaQuestion, slope: Slope, above: Intervals, below: Intervals, *, last: bool = False
) -> Delta | InteractiveDelta:
    """The answer of which one unrolling proves the upper end and one, maybe the same, the lower end."""
    secrets = question.secrets
    system, names = secrets.system, secrets.system.states
    least, most = below.lower, above.upper
    if secrets.lost:
        least = {pair: secrets.uncut(one, _ONE, slope.lower)[0] for pair, one in least.items()}
        most = {pair: secrets.uncut(_ZERO, one, slope.upper)[1] for pair, one in most.items()}
    lower, upper = max(least.values()), max(most.values())
    best = maximiser(below.lower)
    shown = secrets.pairs[0] if secrets.named else best
    proofs = [
        cache(lambda ends=ends: _certificate(secrets, *ends))
        for ends in (
            (above, slope.claim(upper=True), slope.upper),
            (below, slope.claim(upper=False), slope.lower),
        )
    ]
    common: dict[str, Any] = {
        "kind": secrets.kind,
        "alpha": slope.alpha,
        "epsilon": slope.epsilon,
        "alpha_upper": slope.upper,
        "alpha_lower": slope.lower,
        "source": names[shown[0]],
        "target": names[shown[1]],
        "lower": lower,
        "upper": upper,
        "directions": {
            name: (least[pair], most[pair])
            for name, pair in (("forward", shown), ("backward", shown[::-1]))
            if pair in least
        },
        "over_relation": not secrets.named,
        "met": question.is_answered(lower, upper),
        "at_most": question.threshold,
        "make_certificate": proofs[0],
        "make_lower_certificate": proofs[0] if above is below else proofs[1],
    }
    if isinstance(system, LabelledMarkovDecisionProcess):
        fixed = _fixed_sequence(question, slope, upper) if question.open_loop and last else None
        return InteractiveDelta(
            **common,
            strategy=strategy(below, best, names),
            nodes=len(above.nodes),
            depth=above.depth,
            finite=above.is_whole,
            open_loop=fixed,
            process=system,
            nature=tuple(sorted(secrets.nature)),
            hidden=any(node.hidden for node in above.nodes),
        )
    event = attack(below, best, names)
    if event is not None and secrets.lost:
        event = event.uncut(system.lost, secrets.lost) if lower else None
    return Delta(
        **common,
        attack=event,
        origin=_origin(above),
        looked=SearchSize(below.depth, len(below.nodes)),
        lost=secrets.lost,
        look_at_time=cache(lambda: event is not None and only_counts_steps(system, event, slope.lower)),
        chain=system,
    )


def _fixed_sequence(question: DeltaQuestion, slope: Slope, upper: Fraction) -> OpenLoop:
    """The best sequence of actions that is fixed in advance, with its gain."""
    secrets = question.secrets
    fixed = best_fixed_sequence(secrets.merged, secrets.directions, secrets.system.states, slope.lower)
    # With ε another sequence may be the best one at e^ε than at the α beside it.
    return replace(fixed, complete=(fixed.complete and slope.epsilon is None) or fixed.value >= upper)


def _certificate(secrets: Secrets, found: Intervals, claim: dict[str, Any], alpha: Fraction) -> Certificate:
    from prover.chain.ld.certificates import certify
    from prover.chain.unrolling.certificates import unrolling_evidence

    best = secrets.pairs[0] if secrets.named else maximiser(found.lower)
    lower, upper = secrets.uncut(max(found.lower.values()), max(found.upper.values()), alpha)
    claim = {
        **claim,
        "kind": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
        "from": secrets.system.states[best[0]],
        "to": secrets.system.states[best[1]],
        "lower": format_rational(lower),
        "upper": format_rational(upper),
        **secrets.lost_claim(),
    }
    if secrets.nature:
        claim["nature"] = sorted(secrets.nature)
    return certify(secrets.system, claim, {**unrolling_evidence(found), **secrets.lost_evidence()})


def maximiser(bounds: Mapping[Pair, Fraction]) -> Pair:
    """The first of the pairs with the largest bound."""
    return max(bounds, key=lambda pair: (bounds[pair], -pair[0], -pair[1]))


def _origin(found: Intervals) -> UpperOrigin:
    pair = maximiser(found.upper)
    root, (s, t) = found.root(pair), found.merged.pair(pair)
    if not found.merged.is_looked_into((s, t)) and s != t and found.label(pair) == found.label(pair[::-1]):
        kind = "ld" if found.upper[pair] < 1 else "unrolling"
    elif root is None:
        kind = "labels"
    elif found.lower[pair] == found.upper[pair]:
        kind = "exact"
    else:
        merged = found.roots[root]
        known = found.bounds is not None and merged in found.bounds.couplings
        by_ld = known and found.bounds is not None and found.bounds.table.value(merged) == found.upper[pair]
        kind = "ld" if by_ld else "unrolling"
    return UpperOrigin(kind, found.depth, len(found.nodes))
