"""Answers about δ: exact rationals or intervals, with the attack behind the lower end, and proofs of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from prover.certificate.schema import Certificate
from prover.chain.answer import Enclosed, statement
from prover.chain.arguments import Slope
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.open_loop import OpenLoop
from prover.chain.unrolling.strategy import Strategy
from prover.exact.readable import factor_text

Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class UpperOrigin:
    """How an upper end is proved: ``kind`` is "labels", "exact", "ld" or "unrolling"; and how large the
    unrolling is.
    """

    kind: str
    depth: int
    nodes: int


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How far events were searched for: ``nodes`` of an unrolling, words of up to ``depth`` + 1 labels."""

    depth: int
    nodes: int


@dataclass(frozen=True, slots=True, repr=False)
class EnclosedDelta(Enclosed):
    """Answers about δ: at which α or ε, for which states, with bounds and both proofs."""

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
    over_relation: bool
    met: bool
    at_most: Fraction | None
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    make_lower_certificate: Callable[[], Certificate] = field(repr=False, compare=False)

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

    @property
    def headline(self) -> str:
        """The answer in a line."""
        name = f"{'delta' if self.kind == 'tv' else 'lv'}_{self.factor}"
        bounds = self.lower, self.upper
        return statement(name, (self.source, self.target), bounds, over_relation=self.over_relation)


@dataclass(frozen=True, slots=True, repr=False)
class Delta(EnclosedDelta):
    """δ of a chain: lower ≤ δ ≤ upper for two secrets, or for the largest δ of a relation.

    ``kind`` is "tv" (the larger of both directions) or "lv" (from source to target). With ε the upper end
    holds at ``alpha_upper`` ≤ e^ε and the lower end at ``alpha_lower`` ≥ e^ε, and ``alpha`` is None; without,
    all three are equal. Over a relation (source, target) is a pair that attains ``lower``. ``directions`` are
    the bounds of lv from source to target ("forward") and back ("backward"). ``met``: the interval is no
    wider than ``gap``, or the question ``at_most`` is decided. With ε, ``certificate`` is the evidence for
    the upper end only. ``at_most`` is the number that δ was compared with, if any.

    ``attack`` is the event that proves the lower end, None if that is 0. ``origin`` says how the upper end is
    proved, and ``looked`` how far events were searched. ``lost``: the chain is cut from a larger one, of
    which a run is lost with at most this probability; δ is that of the larger one.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> answer = prover.delta(pin_checker(), "0", "1", "11/10")
        >>> answer.value, answer.lower == answer.upper
        (Fraction(3791, 75090), True)
        >>> answer.attack.words[0].labels
        ('a', 'b', 'end')
    """

    attack: Attack | None
    origin: UpperOrigin
    looked: SearchSize
    look_at_time: Callable[[], bool] = field(repr=False, compare=False)
    chain: LabelledMarkovChain = field(repr=False, compare=False)
    lost: Fraction = Fraction(0)

    @property
    def only_counts_steps(self) -> bool:
        """Whether the attack is found to be none once equal labels in a row count as one."""
        return self.look_at_time()

    @property
    def event(self) -> Attack | None:
        """The event of the attack, if there is one."""
        return self.attack


@dataclass(frozen=True, slots=True, repr=False)
class InteractiveDelta(EnclosedDelta):
    """lower ≤ δ ≤ upper against every attacker, for two secrets or for the largest δ of a relation.

    ``kind``, the slopes, ``directions``, ``met`` and ``at_most`` are as in ``prover.Delta``. ``strategy`` is
    the attack that proves the lower end, None if that is 0. The unrolling has ``nodes`` nodes and the depth
    ``depth``; ``finite`` says whether it holds every sequence of actions and labels. ``open_loop`` is the
    best fixed sequence of actions at ``alpha_lower``, if it was asked for.

    ``nature`` are the actions that nature chooses against the attacker; then δ is the value of this game,
    and the tree of the strategy has nature's best replies. ``hidden``: somewhere the next label does not show
    nature's choice, so that tossing coins may help nature and the lower end does not go beyond this place.

        >>> import prover
        >>> from prover.zoo.interactive import doors
        >>> answer = prover.delta(doors(), "s", "t", "6/5")
        >>> str(answer.value), answer.strategy.begin.answers[0].then.action
        ('9/20', 'look')
    """

    strategy: Strategy | None
    nodes: int
    depth: int
    finite: bool
    open_loop: OpenLoop | None
    process: LabelledMarkovDecisionProcess | None = field(default=None, repr=False, compare=False)
    nature: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def event(self) -> Strategy | None:
        """The event that the strategy guesses the first secret, if there is a strategy."""
        return self.strategy
