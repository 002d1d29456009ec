"""The trade-off function of mechanisms together, exactly or between two bounds.

Reference: docs/theory_divergences.md, *Threshold programs* and *Accounts*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from prover.accounting.account import Account, Questions, account
from prover.accounting.bounded import BoundedComposition
from prover.accounting.certificates import affordable, part_alone, part_with_proof
from prover.accounting.distribution import LossDistribution, rounded_up, tradeoffs_between
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import BadGrid
from prover.accounting.evidence.products import method_of_errors
from prover.accounting.grid import Lines
from prover.accounting.mechanism import Mechanism
from prover.accounting.sums import ExactComposition
from prover.accounting.tradeoff import TradeOff, least
from prover.certificate.schema import Certificate, Json, encode
from prover.chain.arguments import Slope
from prover.errors import BadValue, NotSupported, must_be
from prover.exact.given import Given
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.progress import Progress, silent
from prover.views import Paged

_BLIND = TradeOff(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))))
_NOTHING = TradeOff(((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))))
GAP = Fraction(1, 10**5)
"""How closely δ is known at α = 1, and e^ε where δ is 1/2, if laws are multiplied on a grid."""

_MOST_BITS = 2**21  # of the vertices of an exact function
_STEPS, _OCTAVES = 1024, 50  # how finely, and how far down, errors are listed
_SHARP = 2**40  # parts of α


@dataclass(frozen=True, slots=True, repr=False)
class EnclosedTradeOff(Paged):
    """Two functions between which the trade-off function of all runs together is; equal where it is known.
    No test of any secrets, or neighbouring inputs, has errors below the first one, ``fewest``; no convex
    function that is above ``most`` somewhere is below all errors. ``account`` has the products of several
    runs; without it, it is about one run of one mechanism.

        >>> from prover.accounting.programs import ProgramLosses
        >>> from prover.zoo import svt
        >>> once = Mechanism.of_program(ProgramLosses.of(svt(), at_epsilon="1/10"))
        >>> EnclosedTradeOff.of(once).fewest.value("1/2") > Fraction(46, 100)
        True
    """

    mechanisms: tuple[Mechanism, ...]
    fewest: TradeOff
    most: TradeOff
    account: Account | None = None

    @staticmethod
    def of(mechanism: Mechanism) -> EnclosedTradeOff:
        """Of one run of a mechanism with noise, or of a chain. Raises BadValue for other mechanisms."""
        must_be(Mechanism, mechanism=mechanism)
        if mechanism.losses is not None:
            return EnclosedTradeOff((mechanism,), *mechanism.losses.tradeoff())
        if mechanism.secrets is None:
            raise BadValue("of known mechanisms and laws there are exact functions", code="bad-mechanism")
        pairs = [*mechanism.forward, *mechanism.backward]
        functions = tradeoffs_between([one.loss for one in pairs], [one.most for one in pairs])
        return EnclosedTradeOff((mechanism,), *functions)

    @staticmethod
    def of_account(
        mechanisms: Sequence[Mechanism],
        *,
        gap: Given = GAP,
        progress: Progress = silent,
        on_function: Callable[[EnclosedTradeOff], None] | None = None,
    ) -> EnclosedTradeOff:
        """Of all runs of mechanisms together: exactly where likelihood ratios are few, and otherwise on a
        grid that is fine enough for this ``gap``. ``on_function`` is called with the two functions on the
        first grid, if it allows any.

            >>> coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=2)
            >>> EnclosedTradeOff.of_account([coin]).fewest.headline
            'linear between (0, 1), (1/9, 5/9), (5/9, 1/9), (1, 0)'

        Raises NotSupported, BadValue, BeyondLimit. Reference: docs/theory_divergences.md, *Accounts*.
        """
        must_be(Sequence, mechanisms=mechanisms)
        must_be(Mechanism, **{f"mechanism_{k}": part for k, part in enumerate(mechanisms)})
        parts = tuple(mechanisms)
        if any(part.options for part in parts):
            message = (
                "the trade-off function of mechanisms that are chosen after what was seen is not answered"
            )
            raise NotSupported(message)
        wanted = Questions((Slope.of_alpha(Fraction(1)),), (Fraction(1, 2),))
        waiting = [] if on_function is None else [on_function]

        def take(found: Account) -> None:
            if waiting:
                with suppress(BadGrid):
                    waiting.pop()(_on_grid(found))

        find = partial(account, parts, wanted, gap=gap, progress=progress, everywhere=True, on_account=take)
        found = find(exact=None, finer_by=affordable(wanted))
        between = [one for one in found.compositions if isinstance(one, BoundedComposition)]
        if between:
            sides = [[_loss(one.side(upper=up)) for one in between] for up in (False, True)]
            return EnclosedTradeOff(parts, *tradeoffs_between(*sides), found)
        exact = [one for one in found.compositions if isinstance(one, ExactComposition)]
        if exact and sum(map(_bits, exact)) <= _MOST_BITS:
            function = least([_exactly(one) for one in exact])
            return EnclosedTradeOff(parts, function, function, found)
        if found.grid is None:
            found = find(exact=False, finer_by=affordable(wanted))
        return _on_grid(found)

    @property
    def mechanism(self) -> Mechanism:
        """The first mechanism, which is the only one if ``account`` is None."""
        return self.mechanisms[0]

    @property
    def exact(self) -> bool:
        """Whether the trade-off function is known."""
        return self.fewest == self.most

    @property
    def has_two_proofs(self) -> bool:
        """Whether each function has a proof of its own: there is noise of which only bounds are known."""
        return any(part.losses is not None for part in self.mechanisms)

    @property
    def certificate(self) -> Certificate:
        """The evidence for ``fewest`` and, where checkers can see it, for the upper end of μ; for both
        functions and ends where they have one proof. Raises TooMuchWork.
        """
        above = _BLIND if self.has_two_proofs else self.most
        return self._certificate((self.fewest, above), upper=True)

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for ``most`` and the lower end of μ, by two inputs; None if it says nothing."""
        alone = not self.has_two_proofs or not self.reveals
        return None if alone else self._certificate((_NOTHING, self.most), upper=False)

    def _certificate(self, functions: tuple[TradeOff, TradeOff], *, upper: bool) -> Certificate:
        ends = [[[format_rational(x) for x in row] for row in one.vertices] for one in functions]
        claim: Json = {
            "errors": dict(zip(("lower", "upper"), ends, strict=True)),
            "kind": "composition",
        }
        proved = part_with_proof if self.account is None else part_alone
        parts, proofs = zip(*(proved(part, upper=upper) for part in self.mechanisms), strict=True)
        evidence: Json = {"parts": list(proofs)}
        if self.account is not None:
            evidence |= method_of_errors(self.account, *functions, above=upper)
        below, above = self.gaussian_proofs
        below, above = below if functions[1] != _BLIND else None, above if functions[0] != _NOTHING else None
        if below or above:
            low, high = self.gaussian
            claim["gaussian"] = {
                "lower": "0" if below is None or low is None else format_rational(low),
                "upper": "inf" if above is None or high is None else format_rational(high),
            }
            bits = max(end["bits"] for end in (below, above) if end)
            evidence["gaussian"] = (below or {}) | (above or {}) | {"bits": bits}
        return encode(claim, {"type": "composition", "version": 1, "parts": list(parts)}, evidence)

    @property
    def width(self) -> Fraction:
        """How far both functions are apart at most."""
        places = [x for one in (self.fewest, self.most) for x, _ in one.vertices]
        return max(self.most.value(x) - self.fewest.value(x) for x in places)

    @property
    def reveals(self) -> bool:
        """Whether some test is known to do better than guessing."""
        return self.most != _BLIND

    @property
    def gaussian_proofs(self) -> tuple[Json | None, Json | None]:
        """The evidence for both ends of μ; None where there is none."""
        below, above = self.gaussian
        first = self.most.gaussian_proof((below, None)) if below else None
        return first, None if above is None else self.fewest.gaussian_proof((None, above))

    @property
    def headline(self) -> str:
        """The answer in a line."""
        half = Fraction(1, 2)
        low, high = decimal_below(self.fewest.value(half), 4), decimal_above(self.most.value(half), 4)
        names = ", ".join(part.name for part in self.mechanisms)
        return f"{names}: at 1/2 from {decimal_text(low, 4)} to {decimal_text(high, 4)}"

    @property
    def gaussian(self) -> tuple[Fraction | None, Fraction | None]:
        """Decimals between which the least μ of Gaussian differential privacy is; None is ∞."""
        below, above = self.most.gaussian(), self.fewest.gaussian()
        return None if below is None else below[0], None if above is None else above[1]


def _on_grid(found: Account) -> EnclosedTradeOff:
    """The functions of an account that is on a grid. Raises BadGrid where the grid has too many cells."""
    sides = [one for one in found.compositions if isinstance(one, EnclosedLossDistribution)]
    return EnclosedTradeOff(found.mechanisms, _below(sides), _above(sides), found)


def _bits(one: ExactComposition) -> int:
    """About the bits of the vertices of its function."""
    return len(one.p) * (one.whole.bit_length() + one.other.bit_length())


def _loss(one: ExactComposition) -> LossDistribution:
    """The ratios of a composition, with their masses."""
    masses = zip(map(int, one.p), map(int, one.q), strict=True)
    return LossDistribution.of_endings((Fraction(p, one.whole), Fraction(q, one.other)) for p, q in masses)


def _exactly(one: ExactComposition) -> TradeOff:
    """The trade-off function of a composition."""
    masses = zip(map(int, one.p), map(int, one.q), strict=True)
    return TradeOff.of_law((Fraction(p, one.whole), Fraction(q, one.other)) for p, q in masses)


def _below(sides: Sequence[EnclosedLossDistribution]) -> TradeOff:
    """A function that δ of all choices, on the grid from above, allows: by lines at some of its ratios."""
    alphas = {Fraction(1)}
    for one in sides:
        lines, unit = one.above.lines, one.above.grid.inverses.one
        a, b = [*lines.a, 0], [*lines.b, 0]
        for k in _spread(lines):
            if b[k] > b[k + 1]:  # the ratio of this cell
                alphas.add(
                    max(Fraction(1), Fraction((a[k] - a[k + 1]) * unit * _SHARP // (b[k] - b[k + 1]), _SHARP))
                )
    deltas = {alpha: max(one.above.lines.value(alpha) for one in sides) for alpha in alphas}
    return TradeOff.above({alpha: rounded_up(delta) for alpha, delta in deltas.items() if delta < 1})


def _above(sides: Sequence[EnclosedLossDistribution]) -> TradeOff:
    """A function that tests of some choice attain, on the grid from below: events from some cells on."""
    points = [*_BLIND.vertices]
    for one in sides:
        lines, unit = one.below.lines, one.below.grid.unit
        tests = [(lines.a[k], lines.b[k]) for k in _spread(lines)]
        for gain, loss in [*tests, (0, 0)]:
            x = rounded_up(Fraction(unit - lines.constant - gain, unit))
            y = min(Fraction(1), rounded_up(Fraction(loss, unit * one.below.grid.inverses.one)))
            points += [(x, y), (y, x)]
    return least([TradeOff(tuple(points))])


def _spread(lines: Lines) -> Iterator[int]:
    """Some of the cells, from the first to the last: between two of them the masses from there on, and the
    first ones up to there, change by little, and by little in proportion."""
    unit, other = lines.grid.unit, lines.grid.unit * lines.grid.inverses.one
    before = None
    for k, (a, b) in enumerate(zip(lines.a, lines.b, strict=True)):
        parts = [(a, unit), (b, other), (unit - a, unit)]
        sums = [(n * _STEPS // of, ((n * 2**_OCTAVES // of) ** 4).bit_length()) for n, of in parts]
        if sums != before:
            yield k
        before = sums
