"""The account of several mechanisms: how private they are together, for the worst secrets that may be meant.

Reference: docs/accounting.md, *What is claimed*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

from prover.accounting.adaptive import AdaptiveComposition, adaptive_composition
from prover.accounting.bounded import Composed, bounded_compositions, delta_of
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import TooManyAtoms
from prover.accounting.grid import Grid
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.mechanism import DEFAULT_GAP, Mechanism
from prover.accounting.pairs import PairLoss, Sides, combinations
from prover.accounting.refining import refined_compositions
from prover.accounting.sums import EnclosedComposition, ExactComposition, has_many_sums, infinite_of
from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope
from prover.errors import BadValue, NotSupported, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import largest_or_none
from prover.progress import Progress, silent
from prover.views import Printed, Viewed

Proofs = tuple[Certificate | None, Certificate | None]


@dataclass(frozen=True, repr=False)
class Account(Printed, Viewed):
    """How private mechanisms are together.

    ``choices`` has, for each combination of secrets that may be the worst, one choice for each mechanism, and
    ``compositions`` what each combination comes to: all exact, or all between two that are, or all with sums
    that are rounded, or all on one grid.
    """

    mechanisms: tuple[Mechanism, ...]
    choices: tuple[tuple[PairLoss, ...], ...]
    compositions: tuple[Composed, ...]

    @property
    def headline(self) -> str:
        """The account in a line."""
        runs, number = sum(part.times for part in self.mechanisms), len(self.mechanisms)
        how = "exact" if self.exact else "between two bounds"
        return f"{runs:,} run{'s' * (runs != 1)} of {number} mechanism{'s' * (number != 1)}, {how}"

    @property
    def exact(self) -> bool:
        """Whether δ is known exactly, as a function of α."""
        return all(isinstance(one, ExactComposition | AdaptiveComposition) for one in self.compositions)

    @property
    def grid(self) -> Grid | None:
        """The finest grid, if ratios are on one."""
        grids = (one.grid for one in self.compositions if isinstance(one, EnclosedLossDistribution))
        return max(grids, key=lambda grid: grid.steps, default=None)

    def delta(self, slope: Slope) -> tuple[Fraction, Fraction]:
        """δ at α = e^ε, the largest over the choices, between two numbers; equal where it is exact."""
        lower = max(delta_of(one, slope.lower)[0] for one in self.compositions)
        upper = max(delta_of(one, slope.upper)[1] for one in self.compositions)
        return lower, upper

    def worst(self, alpha: Fraction) -> int:
        """The number of a choice with the largest lower end of δ at α."""
        return max(range(len(self.choices)), key=lambda k: delta_of(self.compositions[k], alpha)[0])

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε at which δ is at most ``delta`` for all choices. Raises BadValue."""
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        found = [one.epsilon(bound) for one in self.compositions]
        ends = [one.alpha_lower for one in found], [one.alpha_upper for one in found]
        return LeastEpsilon(bound, *map(largest_or_none, ends))

    @cached_property
    def proofs(self) -> dict[Questions, Proofs]:
        """The certificates that were made of answers."""
        return {}

    @cached_property
    def compared(self) -> dict[Fraction, Fraction | None]:
        """What exact ε alone prove, by δ: found once for an account (``theorems.of_exact_epsilons``)."""
        return {}

    @cached_property
    def infinite(self) -> Fraction:
        """An upper bound of δ(∞), which no ε brings δ below: the largest over the choices."""
        times = [part.times for part in self.mechanisms]
        if self.has_programs:  # numbers too long for powers
            rows = (zip(row, times, strict=True) for row in self.choices)
            sums = (sum((n * choice.most.infinite for choice, n in row), Fraction(0)) for row in rows)
            return min(Fraction(1), max(sums))
        return max(
            infinite_of([(choice.most, n) for choice, n in zip(row, times, strict=True)])
            for row in self.choices
        )

    def is_out_of_reach(self, bound: Fraction) -> bool:
        """Whether no ε is proved to have this δ: what dominates one of the mechanisms has more at ∞."""
        return any(choice.most.infinite > bound for row in self.choices for choice in row)

    @property
    def has_programs(self) -> bool:
        """Whether both ends have proofs of their own, which more work brings no nearer to each other."""
        return any(part.losses is not None or part.fixed for part in self.mechanisms)


def _highest(intervals: Sequence[tuple[Fraction | float, Fraction | float]]) -> set[int]:
    """The numbers of those in which the largest of numbers may be that are in these intervals."""
    most = max(low for low, _ in intervals)
    return {k for k, (low, high) in enumerate(intervals) if high > most or low == most}


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of an account: δ at these α, the least ε for these δ."""

    slopes: tuple[Slope, ...] = ()
    deltas: tuple[Fraction, ...] = ()

    def width(self, account: Account) -> Fraction | None:
        """The widest interval of the answers: of δ, and of e^ε up to a factor; None is as wide as can be."""
        widths = [Fraction(0)]
        for slope in self.slopes:
            lower, upper = account.delta(slope)
            widths.append(upper - lower)
        for bound in self.deltas:
            found = account.epsilon(bound)
            if found.impossible:
                continue
            if found.alpha_upper is None and account.is_out_of_reach(bound):
                widths.append(Fraction(1))  # on every grid
                continue
            if found.alpha_lower is None or found.alpha_upper is None:
                return None
            widths.append(found.alpha_upper / found.alpha_lower - 1)
        return max(widths)

    def may_be_worst(self, compositions: Sequence[Composed]) -> set[int]:
        """The numbers of those that may have the largest of the answers to one of the questions."""
        found: set[int] = set()
        for slope in self.slopes:
            found |= _highest(
                [(delta_of(one, slope.lower)[0], delta_of(one, slope.upper)[1]) for one in compositions]
            )
        for bound in self.deltas:
            least = [one.epsilon(bound) for one in compositions]
            ends = [(one.alpha_lower or inf, one.alpha_upper or inf) for one in least]
            found |= _highest(ends)
        return found

    def largest_alpha(self, account: Account | None) -> Fraction:
        """The largest α that is asked about, or that an answer is known to be above."""
        alphas = [Fraction(1), *(slope.lower for slope in self.slopes)]
        if account is not None:
            alphas += [account.epsilon(bound).alpha_lower or Fraction(1) for bound in self.deltas]
        return max(alphas)


def account(
    mechanisms: Sequence[Mechanism],
    questions: Questions,
    *,
    gap: Given = DEFAULT_GAP,
    exact: bool | None = None,
    progress: Progress = silent,
    on_account: Callable[[Account], None] | None = None,
    finer_by: Callable[[Account], Fraction] | None = None,
    everywhere: bool = False,
) -> Account:
    """How private mechanisms are together: exactly, or so that questions are answered up to ``gap``.

    ``exact`` asks for the one or the other; without it sums are rounded where numbers are too long, and a
    grid is taken where there are too many atoms. ``on_account`` is called with every account that is found
    on the way, the first on a coarse grid where exact sums may be many, and ``finer_by`` says by which factor
    the next grid may be finer. On a grid, secrets that decide none of the questions stay on a coarser one,
    unless answers are wanted ``everywhere``.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=1000)
        >>> print(account([coin], Questions()).epsilon("1e-6").upper)
        65327489275313/200000000000

    Raises BeyondLimit, BadValue; TooManyAtoms and NotSupported where ``exact`` is True.
    """
    must_be(Sequence, mechanisms=mechanisms)
    parts = tuple(mechanisms)
    if not parts:
        raise BadValue("an account needs at least one mechanism", code="bad-mechanism")
    width = given_rational(gap, "the gap", "bad-question", at_least=0)
    rows, times = combinations(*sides_of(parts)), [part.times for part in parts]
    if any(part.options for part in parts):
        return Account(parts, rows, tuple(adaptive_composition(row, times, progress) for row in rows))
    only_enclosed = any(one.upper is not None for row in rows for one in row)
    if exact and only_enclosed:
        raise NotSupported(
            "the composition is not exact: for one of the mechanisms, only bounds of delta are known as a "
            "function of alpha",
            code="only-enclosed",
        )

    def largest(enclosed: Sequence[EnclosedLossDistribution]) -> Fraction:
        return questions.largest_alpha(Account(parts, rows, tuple(enclosed)) if enclosed else None)

    bounds = [[((one.loss, one.most), n) for one, n in zip(row, times, strict=True)] for row in rows]
    if any(part.losses is not None and part.losses.only_pure for part in parts):
        few = bounded_compositions(bounds, progress)
        if few is not None:
            return Account(parts, rows, few)
    grids = refined_compositions(
        bounds,
        lambda some: questions.width(Account(parts, rows, tuple(some))),
        width,
        largest,
        progress,
        lambda some: None if finer_by is None else finer_by(Account(parts, rows, tuple(some))),
        None if everywhere else questions.may_be_worst,
    )
    found: Account | None = None
    if exact is not False and not only_enclosed:
        alone = [[(one.loss, n) for one, n in zip(row, times, strict=True)] for row in rows]
        if on_account is not None and not exact and any(map(has_many_sums, alone)):
            on_account(found := Account(parts, rows, next(grids)))
        for of in (ExactComposition.of,) if exact else (ExactComposition.of, EnclosedComposition.of):
            try:
                return Account(parts, rows, tuple(of(row, progress) for row in alone))
            except TooManyAtoms:
                if exact:
                    raise
    for enclosed in grids:
        found = Account(parts, rows, enclosed)
        if on_account is not None:
            on_account(found)
    if found is None:
        raise BadValue("there is nothing to compose", code="bad-question")
    return found


def sides_of(parts: Sequence[Mechanism]) -> tuple[Sides, Sides]:
    """The pairs of secrets of all mechanisms, one way round and the other."""
    return [part.forward for part in parts], [part.backward for part in parts]
