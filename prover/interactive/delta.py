"""δ of a system that an attacker interacts with: of the best of all attackers, exactly or enclosed.

For two secrets it is sup P_s^σ(E) − α P_t^σ(E) over what the attacker σ does, who sees labels and remembers
what he saw and did, and over all events E about that. Tossing coins does not help him.
Reference: docs/theory_interactive.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope, alpha_or_epsilon, given_slope
from prover.chain.delta import DEFAULT_GAP, Bounds, DeltaQuestion, EnclosedDelta, delta_question, maximiser
from prover.chain.secrets import Secrets
from prover.errors import must_be
from prover.exact.given import Given
from prover.graphs import search
from prover.interactive.certificates import certify_enclosures
from prover.interactive.collapsing.collapse import begun_at
from prover.interactive.merging import MergedProcess
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.interactive.open_loop import OpenLoop
from prover.interactive.open_loop import open_loop as best_fixed_sequence
from prover.interactive.refinement import Course, Enclosures, Goal, Limits, enclose
from prover.interactive.strategy import Strategy, strategy
from prover.progress import Progress, silent

_GLANCE = 200  # nodes that a cheap look for an attacker at the other end of alpha adds


@dataclass(frozen=True, slots=True, repr=False)
class InteractiveDelta(EnclosedDelta):
    """lower ≤ δ ≤ upper against every attacker, for two secrets or for the largest δ of a relation.

    ``kind``, the slopes, ``directions``, ``met`` and ``at_most`` are as in ``prover.Delta``. ``strategy`` is
    the attacker behind the lower end, None where it is 0. ``nodes`` is how large the unrolling is, ``depth``
    how many steps it goes, and ``finite`` says whether it has everything that can happen. ``open_loop``
    compares with the best fixed sequence of actions, at ``alpha_lower``, where that was asked for.

        >>> from prover.zoo.interactive import doors
        >>> answer = delta(doors(), "s", "t", "6/5")
        >>> str(answer.value), answer.strategy.begin.answers[0].then.action
        ('9/20', 'look')
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
    strategy: Strategy | None
    nodes: int
    depth: int
    finite: bool
    over_relation: bool
    met: bool
    at_most: Fraction | None
    open_loop: OpenLoop | None
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    make_lower_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    process: LabelledMarkovDecisionProcess | None = field(default=None, repr=False, compare=False)

    @property
    def event(self) -> Strategy | None:
        """What is likelier from one secret: that the strategy says so."""
        return self.strategy


def delta(
    process: LabelledMarkovDecisionProcess,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    limits: Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[InteractiveDelta], None] | None = None,
) -> InteractiveDelta:
    """The least δ such that no attacker tells the two states apart better than α and δ allow.

    The arguments are those of ``prover.delta``. With ``open_loop`` the answer also says what the best
    attacker gains who fixes his actions in advance.

        >>> from prover.zoo.interactive import wait
        >>> delta(wait(), "s", "t", 2).value
        Fraction(1, 2)
        >>> delta(wait(), "t", "s", "6/5", kind="lv").value
        Fraction(2, 5)

    Raises BadOptions, BadValue, UnknownName.
    """
    must_be(LabelledMarkovDecisionProcess, process=process)
    process = begun_at(process, source, target)
    question = delta_question(Secrets.of(process.outline, source, target, kind), gap, at_most)
    if alpha is None and epsilon is None:
        raise alpha_or_epsilon()
    slope = given_slope(kind, alpha, epsilon, question.bits)
    asked = ProcessAsked.of(process, question, open_loop=open_loop)
    return asked.at(slope, limits or Limits(), progress, on_interval)


@dataclass(frozen=True, slots=True)
class ProcessAsked:
    """A question about a process, at any α: what is found out about situations is kept."""

    process: LabelledMarkovDecisionProcess
    question: DeltaQuestion
    merged: MergedProcess
    open_loop: bool

    @staticmethod
    def of(
        process: LabelledMarkovDecisionProcess, question: DeltaQuestion, *, open_loop: bool = False
    ) -> ProcessAsked:
        """The question about the process, in which bisimilar states are merged."""
        return ProcessAsked(process, question, MergedProcess.of(process), open_loop)

    def at(
        self,
        slope: Slope,
        limits: Limits,
        progress: Progress = silent,
        leave: Callable[[InteractiveDelta], None] | None = None,
    ) -> InteractiveDelta:
        """δ at one α, or between two that enclose e^ε: then one unrolling proves the upper end, and another
        one the lower end. Wider answers on the way are left to ``leave``.
        """

        def course(ends: Callable[[Enclosures], tuple[Enclosures, Enclosures]]) -> Course:
            if leave is None:
                return Course(limits, progress)
            return Course(limits, progress, lambda found: leave(self._answer(slope, *ends(found))))

        threshold = self.question.threshold
        if slope.epsilon is None:
            found = self._enclosed(slope.upper, course(lambda found: (found, found)), threshold)
            return self._answer(slope, found, found, last=True)
        little = Course(replace(limits, nodes=min(limits.nodes, _GLANCE)), progress)
        below = self._enclosed(slope.lower, little, None)
        above = self._enclosed(slope.upper, course(lambda found: (found, below)), threshold)
        if threshold is None or max(above.upper.values()) > threshold:
            below = self._enclosed(slope.lower, course(lambda found: (above, found)), threshold)
        return self._answer(slope, above, below, last=True)

    def _enclosed(self, alpha: Fraction, course: Course, threshold: Fraction | None) -> Enclosures:
        """Narrower than asked for, as α may be rounded."""
        secrets = self.question.secrets
        goal = Goal(self.question.width * Fraction(63, 64), secrets.named, threshold)
        return enclose(self.merged, secrets.directions, alpha, goal, course)

    def _answer(
        self, slope: Slope, above: Enclosures, below: Enclosures, *, last: bool = False
    ) -> InteractiveDelta:
        question = self.question
        secrets, names = question.secrets, self.process.states
        lower, upper = max(below.lower.values()), max(above.upper.values())
        best = maximiser(below.lower)
        asked = secrets.pairs[0] if secrets.named else best
        directions = {
            name: (below.lower[pair], above.upper[pair])
            for name, pair in (("forward", asked), ("backward", asked[::-1]))
            if pair in below.lower
        }
        proofs = [
            cache(lambda found=found, claim=claim: certify_enclosures(self.process, secrets, found, claim))
            for found, claim in ((above, slope.claim(upper=True)), (below, slope.claim(upper=False)))
        ]
        fixed = None
        if self.open_loop and last:
            fixed = best_fixed_sequence(self.merged, secrets.directions, names, slope.lower)
            # With ε another sequence may be the best one at e^ε than at the α beside it.
            fixed = replace(
                fixed, complete=(fixed.complete and slope.epsilon is None) or fixed.value >= upper
            )
        return InteractiveDelta(
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
            strategy=strategy(below, best, names),
            nodes=len(above.nodes),
            depth=_depth(above),
            finite=not any(node.is_open or node.stuck for node in above.nodes),
            over_relation=not secrets.named,
            met=question.is_answered(lower, upper),
            at_most=question.threshold,
            open_loop=fixed,
            make_certificate=proofs[0],
            make_lower_certificate=proofs[0] if above is below else proofs[1],
            process=self.process,
        )


def _depth(found: Enclosures) -> int:
    """How many steps the farthest node is from the roots."""

    def following(number: int) -> list[int]:
        choices = found.nodes[number].choices or {}
        return [entry.target for entries in choices.values() for entry in entries]

    depth: dict[int, int] = {}
    for number, before in search(range(len(found.roots)), following).items():
        depth[number] = 0 if before is None else depth[before] + 1
    return max(depth.values(), default=0)
