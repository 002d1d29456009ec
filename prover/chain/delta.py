"""δ itself, exactly or between two certified numbers: for two secrets, or the largest of a relation.

For a fixed α, sup_E ν_s(E) − α ν_t(E) is the *hockey-stick divergence* of what is observed from two secrets:
the least δ for which they are (ln α, δ)-indistinguishable in this direction. For labelled Markov chains it is
called lv_α, and tv_α is the larger of both directions. lv is undecidable in general ("Asymmetric Distances
for Approximate Differential Privacy", CONCUR 2019, Section 4), so the answer may be an interval; on chains
whose behaviour ends it can be as narrow as one likes. Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

from prover.certificate.schema import Certificate
from prover.chain.answer import Enclosed, factor_text, statement
from prover.chain.arguments import Slope, alpha_or_epsilon, given_slope
from prover.chain.ld.certificates import certify
from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling.attack import Attack, attack
from prover.chain.unrolling.certificates import unrolling_evidence
from prover.chain.unrolling.intervals import Goal, Intervals
from prover.chain.unrolling.refinement import Course, UnrollingLimits, enclose
from prover.chain.unrolling.timing import only_counts_steps
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.graphs import search
from prover.progress import Progress, silent

DEFAULT_GAP = Fraction(1, 10**6)
_GLANCE = 200  # nodes that a cheap look for events adds

Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class UpperOrigin:
    """Where an upper end comes from: ``kind`` is "labels", "exact", "ld" or "unrolling"; and how large the
    unrolling is.
    """

    kind: str
    depth: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Looked:
    """How far events were looked for: ``nodes`` of an unrolling, words of up to ``depth`` + 1 labels."""

    depth: int
    nodes: int


class EnclosedDelta(Enclosed):
    """What answers about δ have in common: where it was asked for, of which states, and both proofs."""

    __slots__ = ()

    kind: str
    alpha: Fraction | None
    epsilon: Fraction | None
    alpha_upper: Fraction
    alpha_lower: Fraction
    source: str
    target: str
    over_relation: bool
    make_lower_certificate: Callable[[], Certificate]

    @property
    def lower_certificate(self) -> Certificate:
        """The evidence for the lower end: the same certificate, unless ε was given."""
        return self.make_lower_certificate()

    @property
    def slope(self) -> Slope:
        """α or ε, with the α of either end."""
        return Slope(self.epsilon, self.alpha_upper, self.alpha_lower)

    @property
    def factor(self) -> str:
        """α for people: a rational, or e to the power of one."""
        return factor_text(self.alpha, self.epsilon)

    def __str__(self) -> str:
        name = f"{'delta' if self.kind == 'tv' else 'lv'}_{self.factor}"
        bounds = self.lower, self.upper
        return statement(name, (self.source, self.target), bounds, over_relation=self.over_relation)


@dataclass(frozen=True, slots=True, repr=False)
class Delta(EnclosedDelta):
    """lower ≤ δ ≤ upper for two secrets, or for the largest δ of a relation.

    ``kind`` is "tv" (the larger of both directions) or "lv" (from source to target). With ε the upper end
    holds at ``alpha_upper`` ≤ e^ε and the lower end at ``alpha_lower`` ≥ e^ε, and ``alpha`` is None; without,
    all three are equal. Over a relation (source, target) is a pair that attains ``lower``. ``directions`` are
    the bounds of lv from source to target ("forward") and back ("backward"). ``met``: the interval is no
    wider than asked for, or what was asked is decided. With ε, ``certificate`` is the evidence for the upper
    end only. ``looked`` says how far events were looked for. With ``at_most`` it was only asked whether δ is
    at most that.

        >>> from prover.zoo import pin_checker
        >>> answer = delta(pin_checker(), "0", "1", "11/10")
        >>> answer.value, answer.lower == answer.upper
        (Fraction(3791, 75090), True)
        >>> answer.attack.words[0].labels
        ('a', 'b', 'end')
    """

    kind: str
    alpha: Fraction | None
    epsilon: Fraction | None
    alpha_upper: Fraction
    alpha_lower: Fraction
    source: str
    target: str
    lower: Fraction
    upper: Fraction
    directions: Mapping[str, Bounds]
    attack: Attack | None
    origin: UpperOrigin
    looked: Looked
    over_relation: bool
    met: bool
    at_most: Fraction | None
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    make_lower_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    look_at_time: Callable[[], bool] = field(repr=False, compare=False)
    chain: LabelledMarkovChain = field(repr=False, compare=False)

    @property
    def only_counts_steps(self) -> bool:
        """Whether the words of the attack are found to be none, if equal labels in a row are seen as one."""
        return self.look_at_time()

    @property
    def event(self) -> Attack | None:
        """What is likelier from one secret: the attack, if there is one."""
        return self.attack


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
    limits: UnrollingLimits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Delta], None] | None = None,
) -> Delta:
    """The least δ with P[E | source] ≤ α P[E | target] + δ for every event E, and with the two swapped.

    Without states it is the largest δ over the chain's relation; ``kind`` "lv" asks for the one direction
    only. α ≥ 1 is a rational; in its place ε can be given, a rational or the logarithm of one ("ln 2"). The
    answer is an interval of at most the
    width ``gap``, exact where that is possible, unless the ``limits`` are reached before. With ``at_most``
    it is only refined until it is decided whether δ is at most that. ``on_interval`` is called with wider
    answers on the way.

        >>> from prover.zoo import pin_checker
        >>> delta(pin_checker(), "0", "1", "11/10").value
        Fraction(3791, 75090)
        >>> delta(pin_checker(), "0", "1", "11/10", kind="lv").value
        Fraction(130, 7509)
        >>> delta(pin_checker(), "0", "1", epsilon="0.1", at_most="1/20").is_at_most(Fraction(1, 20))
        True

    Raises BadOptions, BadValue, UnknownName.
    """
    question = delta_question(Secrets.of(chain, source, target, kind), gap, at_most)
    if alpha is None and epsilon is None:
        raise alpha_or_epsilon()
    slope = given_slope(kind, alpha, epsilon, question.bits)
    return delta_at(replace(question, glance=True), slope, limits or UnrollingLimits(), progress, on_interval)


@dataclass(frozen=True, slots=True, repr=False)
class DeltaQuestion:
    """What is asked about secrets, at any α: an interval of this ``width``, or whether δ is at most the
    ``threshold``.
    """

    secrets: Secrets
    width: Fraction
    threshold: Fraction | None = None
    glance: bool = False
    """Whether a lower end is wanted, by a cheap look, also where δ is at most the threshold."""

    @property
    def bits(self) -> int:
        """To which e^ε has to be known, so that the interval is not much wider for it."""
        return 0 if self.width == 0 else 8 + (self.width.denominator // self.width.numerator).bit_length()

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
    limits: UnrollingLimits,
    progress: Progress = silent,
    on_interval: Callable[[Delta], None] | None = None,
) -> Delta:
    """δ at one α, or between two that enclose e^ε. Questions about the same secrets share what they find."""

    def course(ends: Callable[[Intervals], tuple[Intervals, Intervals]]) -> Course:
        if on_interval is None:
            return Course(limits, progress)
        return Course(limits, progress, lambda found: on_interval(_answer(question, slope, *ends(found))))

    if slope.epsilon is None:
        found = _enclosed(question, slope.upper, course(lambda found: (found, found)))
        return _answer(question, slope, found, found)
    first = len(question.secrets.directions)
    little = UnrollingLimits(nodes=first + _GLANCE * question.glance, distances=False)
    below = _enclosed(replace(question, threshold=None), slope.lower, Course(little, progress))
    above = _enclosed(question, slope.upper, course(lambda found: (found, below)))
    if question.threshold is None or max(above.upper.values()) > question.threshold:
        below = _enclosed(question, slope.lower, course(lambda found: (above, found)))
    return _answer(question, slope, above, below)


def _enclosed(question: DeltaQuestion, alpha: Fraction, course: Course) -> Intervals:
    """Intervals of lv for all directions that count; narrower than asked for, as α may be rounded."""
    secrets = question.secrets
    goal = Goal(question.width * Fraction(63, 64), secrets.named, question.threshold, question.glance)
    return enclose(secrets.merged, secrets.directions, alpha, goal, course)


def _answer(question: DeltaQuestion, slope: Slope, above: Intervals, below: Intervals) -> Delta:
    """The answer of which one unrolling proves the upper end and one, maybe the same, the lower end."""
    secrets = question.secrets
    lower, upper = max(below.lower.values()), max(above.upper.values())
    best = maximiser(below.lower)
    asked = secrets.pairs[0] if secrets.named else best
    directions = {
        name: (below.lower[pair], above.upper[pair])
        for name, pair in (("forward", asked), ("backward", asked[::-1]))
        if pair in below.lower
    }
    names = secrets.chain.states
    proofs = [
        cache(lambda found=found, claim=claim: _certificate(secrets, found, claim))
        for found, claim in ((above, slope.claim(upper=True)), (below, slope.claim(upper=False)))
    ]
    event = attack(below, best, names)
    return Delta(
        kind=secrets.kind,
        alpha=slope.upper if slope.epsilon is None else None,
        epsilon=slope.epsilon,
        alpha_upper=slope.upper,
        alpha_lower=slope.lower,
        source=names[asked[0]],
        target=names[asked[1]],
        lower=lower,
        upper=upper,
        directions=directions,
        attack=event,
        origin=_origin(above),
        looked=Looked(_depth(below), len(below.nodes)),
        over_relation=not secrets.named,
        met=question.is_answered(lower, upper),
        at_most=question.threshold,
        make_certificate=proofs[0],
        make_lower_certificate=proofs[0] if above is below else proofs[1],
        look_at_time=cache(
            lambda: event is not None and only_counts_steps(secrets.chain, event, slope.lower)
        ),
        chain=secrets.chain,
    )


def _certificate(secrets: Secrets, found: Intervals, claim: dict[str, Any]) -> Certificate:
    best = secrets.pairs[0] if secrets.named else maximiser(found.lower)
    claim = {
        **claim,
        "kind": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
        "from": secrets.chain.states[best[0]],
        "to": secrets.chain.states[best[1]],
        "lower": format_rational(max(found.lower.values())),
        "upper": format_rational(max(found.upper.values())),
    }
    return certify(secrets.chain, claim, unrolling_evidence(found))


def maximiser(bounds: Mapping[Pair, Fraction]) -> Pair:
    """The first of the pairs with the largest bound."""
    return max(bounds, key=lambda pair: (bounds[pair], -pair[0], -pair[1]))


def _origin(found: Intervals) -> UpperOrigin:
    pair = maximiser(found.upper)
    root = found.root(pair)
    if root is None:
        kind = "labels"
    elif found.lower[pair] == found.upper[pair]:
        kind = "exact"
    else:
        twin = found.roots[root]
        known = found.bounds is not None and twin in found.bounds.couplings
        by_ld = known and found.bounds is not None and found.bounds.table.value(twin) == found.upper[pair]
        kind = "ld" if by_ld else "unrolling"
    return UpperOrigin(kind, _depth(found), len(found.nodes))


def _depth(found: Intervals) -> int:
    """How many steps the farthest node is from the roots."""
    nodes = found.nodes

    def following(number: int) -> list[int]:
        return [entry.target for entry in nodes[number].entries or nodes[number].circle]

    depth: dict[int, int] = {}
    for number, before in search(range(len(found.roots)), following).items():
        depth[number] = 0 if before is None else depth[before] + 1
    return max(depth.values(), default=0)
