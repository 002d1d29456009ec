"""What is known of the privacy of a program with an open parameter, as a function of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate
from prover.errors import BadValue
from prover.exact.expressions import Affine
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.conditions import Conditions
from prover.program.opened import OpenProgram
from prover.program.pieces.search import Piece
from prover.views import Lined, Paged


@dataclass(frozen=True, slots=True, repr=False)
class LossPiece(Lined):
    """The bounds of the loss from ``low`` to ``high``, as multiples of ε: affine functions of the parameter.

    ``upper`` is None where nothing is proved from above. ``proofs`` are what proves them, one after the
    other, each with a run that loses ``lower``.
    """

    parameter: str
    low: Fraction
    high: Fraction
    lower: Affine
    upper: Affine | None
    proofs: tuple[Piece, ...] = field(repr=False, compare=False)

    @property
    def epsilon(self) -> Affine | None:
        """The loss, where it is known exactly."""
        return self.lower if self.lower == self.upper else None

    @property
    def headline(self) -> str:
        """The interval, and the loss there."""
        return f"{self.interval}: {self.loss}"

    @property
    def interval(self) -> str:
        """From where to where."""
        return f"{self.parameter} from {format_rational(self.low)} to {format_rational(self.high)}"

    @property
    def loss(self) -> str:
        """The loss here, in words."""
        lower = _multiple(self.lower, self.parameter)
        if self.epsilon is not None:
            return lower
        if self.upper is None:
            return f"at least {lower}"
        return f"between {lower} and {_multiple(self.upper, self.parameter)}"


def _multiple(factor: Affine, parameter: str) -> str:
    """A multiple of ε that may depend on the parameter."""
    if not factor.slope:
        return multiple(factor.constant)
    text = factor.text(parameter, "·")
    return f"{text}·ε" if " " not in text else f"({text})·ε"


@dataclass(frozen=True, slots=True, repr=False)
class LossFunction(Lined):
    """The loss as a multiple of ε, as a function of the parameter; called with a value, the loss there.

    ``pieces`` follow one another from ``low`` to ``high``. On each the loss is an affine function of the
    parameter, or enclosed by two of them.

        >>> import prover
        >>> opened = prover.load_open("examples/open/segment.dipa", "t=1/10:4")
        >>> loss = prover.open_privacy(opened).epsilon
        >>> loss
        <LossFunction: t from 1/10 to 2: (2 + t)·ε; t from 2 to 4: 4·ε>
        >>> str(loss("1/2")), [str(t) for t in loss.breakpoints]
        ('5/2', ['2'])
    """

    parameter: str
    pieces: tuple[LossPiece, ...]

    def __call__(self, value: Given) -> Fraction | None:
        """The loss at a value of the parameter; None where it is only enclosed. Raises BadValue."""
        lower, upper = self.bounds(value)
        return lower if lower == upper else None

    def bounds(self, value: Given) -> tuple[Fraction, Fraction | None]:
        """Bounds of the loss at a value of the parameter, the upper one None where there is none.

        Raises BadValue.
        """
        at = given_rational(value, self.parameter)
        here = [piece for piece in self.pieces if piece.low <= at <= piece.high]
        if not here:
            raise BadValue(
                f"{self.parameter} is open from {format_rational(self.low)} to {format_rational(self.high)}; "
                f"{format_rational(at)} is outside"
            )
        uppers = [piece.upper.at(at) for piece in here if piece.upper is not None]
        return max(piece.lower.at(at) for piece in here), min(uppers, default=None)

    @property
    def low(self) -> Fraction:
        """Where the interval of the parameter begins."""
        return self.pieces[0].low

    @property
    def high(self) -> Fraction:
        """Where the interval of the parameter ends."""
        return self.pieces[-1].high

    @property
    def is_exact(self) -> bool:
        """Whether the loss is known at every value of the parameter."""
        return all(piece.epsilon is not None for piece in self.pieces)

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """Where one piece ends and the next one begins."""
        return tuple(piece.high for piece in self.pieces[:-1])

    @property
    def least(self) -> tuple[Fraction, Fraction] | None:
        """The first value of the parameter at which the loss is least, and the loss there, a multiple of ε.

        None where the loss is not known everywhere.
        """
        if not self.is_exact:
            return None
        ends = ((piece.lower.at(end), end) for piece in self.pieces for end in (piece.low, piece.high))
        value, at = min(ends)
        return at, value

    @property
    def headline(self) -> str:
        """The pieces in a line."""
        return "; ".join(piece.headline for piece in self.pieces)

    def sympy(self) -> Any:
        """The loss as a ``Piecewise`` of SymPy, which has to be installed.

        Raises BadValue where the loss is not known everywhere.
        """
        import sympy

        if not self.is_exact:
            raise BadValue("the loss is not known everywhere, so it is no function")
        t = sympy.Symbol(self.parameter)

        def number(q: Fraction) -> Any:
            return sympy.Rational(q.numerator, q.denominator)

        return sympy.Piecewise(
            *(
                (
                    number(piece.lower.constant) + number(piece.lower.slope) * t,
                    (t >= number(piece.low)) & (t <= number(piece.high)),
                )
                for piece in self.pieces
            )
        )


def loss_function(parameter: str, pieces: Iterable[Piece]) -> LossFunction:
    """The function that pieces of a proof prove; those with the same bounds are one piece of it."""
    found: list[LossPiece] = []
    for own in _affine(parameter, pieces):
        before = found[-1] if found else None
        if before is not None and (before.lower, before.upper) == (own.lower, own.upper):
            proofs = (*before.proofs, *own.proofs)
            found[-1] = LossPiece(parameter, before.low, own.high, own.lower, own.upper, proofs)
        else:
            found.append(own)
    return LossFunction(parameter, tuple(found))


def _affine(parameter: str, pieces: Iterable[Piece]) -> Iterator[LossPiece]:
    for piece in pieces:
        low, high = piece.low, piece.high
        lower, upper = (
            None if line is None else Affine.through(low, line.first, high, line.last)
            for line in (piece.lower, piece.upper)
        )
        yield LossPiece(parameter, low, high, lower or Affine(Fraction(0)), upper, (piece,))


@dataclass(frozen=True, slots=True, repr=False)
class OpenPrivacy(Paged):
    """The privacy of a program with an open parameter, for every value of that: the loss is a function.

    ``private`` is True or False for all values at once, and None while undecided. ``epsilon`` is the loss as
    a function of the parameter, None if it has no bound; ``reason`` and ``states`` then name the structure
    that leaks. Outputs show which transitions are taken. The observer does not see that a run stops because
    no guard holds, or that it ends where other runs with the same output go on (``conditions``).

        >>> import prover
        >>> opened = prover.load_open("examples/open/segment.dipa", "t=1/10:4")
        >>> prover.open_privacy(opened)
        <OpenPrivacy: private for every t from 1/10 to 4: the loss is known exactly, a function of 2 pieces>

    Reference: docs/open_rates.md.
    """

    program: OpenProgram
    adjacency: Adjacency
    conditions: Conditions
    assumption: str
    private: bool | None
    epsilon: LossFunction | None
    make_certificate: Callable[[], Certificate | None] = field(repr=False, compare=False)
    reason: str | None = None
    states: tuple[str, ...] = ()

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    @property
    def headline(self) -> str:
        """The answer in a line."""
        return headline(self)


def headline(answer: OpenPrivacy) -> str:
    """The answer in a line."""
    opened = answer.program
    where = (
        f"for every {opened.parameter} from {format_rational(opened.low)} to {format_rational(opened.high)}"
    )
    found = answer.epsilon
    if found is None:
        none = "no bound" if answer.adjacency in ONE_WAY else "not private"
        return f"{none} {where}: {answer.reason or 'the loss has no bound'}"
    start = {True: f"private {where}", None: f"undecided {where}"}.get(answer.private, where)
    if answer.adjacency in ONE_WAY:
        larger = "larger" if answer.adjacency == Adjacency.INCREASING else "smaller"
        start = f"one way, towards {larger} inputs, {where}"
    if not found.is_exact:
        open_parts = ", ".join(piece.interval for piece in found.pieces if piece.epsilon is None)
        return f"{start}: the loss is not known exactly for {open_parts}"
    if len(found.pieces) == 1:
        return f"{start}: exactly {found.pieces[0].loss}"
    return f"{start}: the loss is known exactly, a function of {len(found.pieces)} pieces"
