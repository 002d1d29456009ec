"""How many more runs of a mechanism fit into a budget, beside other mechanisms.

Reference: docs/accounting.md, *How many more runs fit*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from prover.accounting.account import Account, Questions, account
from prover.accounting.distribution import MOST_TIMES
from prover.accounting.mechanism import Mechanism
from prover.chain.arguments import Slope
from prover.errors import BeyondLimit, Fault, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.exact.readable import readable_alpha
from prover.progress import Progress, silent
from prover.views import Lined

_CLOSE = 1_000  # parts of the budget: how closely δ is enclosed where it is not exact


@dataclass(frozen=True, slots=True, repr=False)
class MostRuns(Lined):
    """How many runs of ``mechanisms[place]`` fit, so that δ at α = e^ε is at most ``delta``.

    So many as ``fits`` do, None if the other mechanisms alone do not; so many as ``fails`` do not, None if
    no number up to 1,000,000 is known that does not. ``fitting`` and ``failing`` are the accounts with so
    many.
    """

    mechanisms: tuple[Mechanism, ...]
    place: int
    slope: Slope
    delta: Fraction
    fits: int | None
    fails: int | None
    fitting: Account | None = field(compare=False)
    failing: Account | None = field(compare=False)

    @property
    def account(self) -> Account:
        """The account with so many runs as fit; if there is none, with one run too many."""
        found = self.failing if self.fitting is None else self.fitting
        if found is None:
            raise Fault("no account")
        return found

    @property
    def exact(self) -> bool:
        """Whether one run more than fits is too many."""
        return self.fails == (0 if self.fits is None else self.fits + 1)

    @property
    def headline(self) -> str:
        """The answer in a line."""
        at = f"alpha = {readable_alpha(self.slope.upper)}"
        if self.slope.epsilon is not None:
            at = f"epsilon = {format_rational(self.slope.epsilon)}"
        name, budget = self.mechanisms[self.place].name, f"delta <= {format_rational(self.delta)} at {at}"
        if self.fits is None:
            return f"no run of {name} fits: without it, {budget} does not hold"
        if self.fits == 0 and self.exact:
            return f"no run of {name} fits: with one, {budget} does not hold"
        if self.exact:
            return f"{_runs(self.fits)} of {name} {_fit(self.fits)}, and no more: {budget}"
        least = f"at least {_runs(self.fits)} of {name} {_fit(self.fits)}: {budget}"
        return least if self.fails is None else f"{least}; {_runs(self.fails)} do not"


def _runs(number: int) -> str:
    return f"{number:,} run{'s' * (number != 1)}"


def _fit(number: int) -> str:
    return "fits" if number == 1 else "fit"


def most_runs(
    mechanisms: Sequence[Mechanism], place: int, slope: Slope, delta: Given, *, progress: Progress = silent
) -> MostRuns:
    """The largest number of runs of ``mechanisms[place]`` with which δ at α = e^ε is at most ``delta``, in an
    account with the other mechanisms; how often that one runs in ``mechanisms`` does not count.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "9/10"})
        >>> most_runs([coin], 0, Slope.of_alpha(Fraction(2)), "1/1000")
        <MostRuns: 8 runs of randomised-response fit, and no more: delta <= 1/1000 at alpha = 2>

    Raises BadValue, BeyondLimit, and what ``account`` raises.
    """
    must_be(Sequence, mechanisms=mechanisms)
    must_be(Slope, slope=slope)
    bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
    parts = tuple(mechanisms)
    found: dict[int, Account | None] = {}
    questions, gap = Questions((slope,)), bound / _CLOSE

    def composed(runs: int) -> Account | None:
        if runs not in found:
            more = (replace(parts[place], times=runs),) if runs else ()
            listed = (*parts[:place], *more, *parts[place + 1 :])
            found[runs] = account(listed, questions, gap=gap, progress=progress) if listed else None
        return found[runs]

    def ends(runs: int) -> tuple[Fraction, Fraction]:
        one = composed(runs)
        return (Fraction(0), Fraction(0)) if one is None else one.delta(slope)

    top = 1
    while ends(top)[0] <= bound and top < MOST_TIMES:
        top = min(2 * top, MOST_TIMES)
    fits = _last(lambda runs: ends(runs)[1] <= bound, top)
    fails = _last(lambda runs: ends(runs)[0] <= bound, top)
    first = None if fails == top else 0 if fails is None else fails + 1
    if fits is None and first != 0:
        raise BeyondLimit("delta of the other mechanisms is enclosed too widely to decide whether they fit")
    return MostRuns(
        parts,
        place,
        slope,
        bound,
        fits,
        first,
        None if fits is None else composed(fits),
        None if first is None else composed(first),
    )


def _last(holds: Callable[[int], bool], top: int) -> int | None:
    """The last number up to ``top`` for which it holds, as it does for all before; None if for none."""
    if not holds(0):
        return None
    low, high = 0, top + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
