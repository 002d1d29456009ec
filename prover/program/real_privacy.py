"""Is a program with real rates private, and at which ε? The answer, with its proof (docs/real_rates.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.errors import Fault, NotSupported, must_be
from prover.exact.expressions import Affine
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.exact.real_rate import RealRate, rational_number
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.decision.certificates import loss_claimed
from prover.program.opened import OpenProgram
from prover.program.optimum.budget import DEFAULT_EFFORT, Budget
from prover.program.pieces.answer import LossFunction, OpenPrivacy
from prover.program.pieces.certificates import piece_evidence
from prover.program.pieces.privacy import open_answer
from prover.program.pieces.search import MOST_PIECES, Piece
from prover.program.pieces.tables import Line
from prover.program.privacy import privacy
from prover.program.real import RealProgram
from prover.progress import Progress, silent
from prover.views import Paged

DIGITS = 12
"""Decimals of the bounds of an answer."""

_BITS = 256


@dataclass(frozen=True, slots=True, repr=False)
class RealPrivacy(Paged):
    """The privacy of a program with real rates. For every ε > 0 the loss lies between lower·ε and upper·ε.

    ``epsilon`` is the loss as a multiple of ε where it is known exactly. ``lower`` and ``upper`` are decimals
    around it; without a bound both are None, and where none was found from above, ``upper`` is.

    If all rates are rational multiples of ``unit``, ``of_unit`` is the answer about the program in which
    these multiples are the rates: the loss is ``unit`` times as large. Else ``around`` is the answer about
    programs with rational rates around the real ones.

        >>> import prover
        >>> answer = prover.real_privacy(prover.load_real("examples/real/svt.dipa"))
        >>> answer
        <RealPrivacy: private: exactly 5·ln 3·ε (no smaller multiple holds)>
        >>> str(answer.epsilon), float(answer.lower)
        ('5*ln(3)', 5.49306144334)

    Reference: docs/real_rates.md.
    """

    program: RealProgram
    adjacency: Adjacency
    private: bool | None
    epsilon: RealRate | None
    lower: Fraction | None
    upper: Fraction | None
    make_certificate: Callable[[], Certificate | None] = field(repr=False, compare=False)
    unit: RealRate | None = None
    of_unit: Privacy | None = None
    around: OpenPrivacy | None = None

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    @property
    def headline(self) -> str:
        """The answer in a line."""
        return headline(self)


def headline(answer: RealPrivacy) -> str:
    """The answer in a line: the loss where it is about one observer, else that of multiples."""
    own, epsilon = answer.of_unit or answer.around, answer.epsilon
    plain = answer.adjacency.is_symmetric and own is not None and not own.conditions.stopping_tells
    if epsilon is not None and epsilon.terms and plain:
        return f"private: exactly {epsilon.times}ε (no smaller multiple holds)"
    if answer.of_unit is not None and answer.unit is not None:
        return f"with rates divided by {answer.unit.shown}: {answer.of_unit.headline}"
    start = "" if answer.adjacency.is_symmetric else "one way: "
    if answer.private is False:
        return f"{start}no bound" if start else "not private"
    start = start or ("private: " if answer.private else "undecided: ")
    hidden = own is not None and own.conditions.stopping_tells
    who = " if the observer does not see that a run stops or ends" * hidden
    if epsilon is not None:
        return f"{start}exactly {epsilon.times}ε{who}"
    low, high = (None if end is None else decimal_text(end, DIGITS) for end in (answer.lower, answer.upper))
    if high is None:
        return f"{start}at least {low}·ε; no upper bound is proved yet"
    return f"{start}between {low}·ε and {high}·ε{who}"


def real_privacy(
    program: RealProgram,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    effort: int = DEFAULT_EFFORT,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: Callable[[RealPrivacy], None] = lambda _: None,
) -> RealPrivacy:
    """Decide whether a program with real rates is private, and find its loss as a multiple of ε.

    ``adjacency``, ``effort`` and ``on_better`` are those of ``prover.privacy``. Where all rates are rational
    multiples of one number, all programs are answered that ``prover.privacy`` answers; other programs as by
    ``prover.open_privacy``, exactly where rates are affine in one number. Raises what these raise.

        >>> import prover
        >>> prover.real_privacy(prover.load_real("examples/real/svt.dipa"), "one-differ")
        <RealPrivacy: private: exactly 2·ln 3·ε (no smaller multiple holds)>

    Reference: docs/theory_programs.md, *Real rates*.
    """
    must_be(RealProgram, program=program)
    unit = program.unit
    if unit is None:
        return _around(program, adjacency, effort=effort, budget=budget, progress=progress)

    def answer(found: Privacy) -> RealPrivacy:
        def proof() -> Certificate | None:
            return in_units(found.certificate, program, unit)

        low, high = unit.enclosed(_BITS)
        return RealPrivacy(
            program,
            found.adjacency,
            found.private,
            None if found.epsilon is None else unit * rational_number(found.epsilon),
            None if found.lower is None else decimal_below(found.lower * low, DIGITS),
            None if found.upper is None else decimal_above(found.upper * high, DIGITS),
            cache(proof),
            unit,
            replace(found, make_certificate=cache(proof)),
        )

    found = privacy(
        program.multiples,
        adjacency,
        effort=effort,
        budget=budget,
        progress=progress,
        on_better=lambda better: on_better(answer(better)),
    )
    return answer(found)


def _around(
    program: RealProgram, adjacency: str, *, effort: int, budget: Budget | None, progress: Progress
) -> RealPrivacy:
    """Rates that are not multiples of one number: an answer by rational rates around them."""
    bases = program.bases
    around = _rationals(program)
    opened = program.between(around)
    most = MOST_PIECES if len(bases) == 1 else 0
    try:
        found = open_answer(opened, adjacency, most, effort=effort, budget=budget, progress=progress)
    except NotSupported as error:
        raise NotSupported(
            f"rates that are not all rational multiples of one number are answered like rates with an open "
            f"parameter only: {error.message}",
            code=error.code,
        ) from None
    if found.private is False:
        known = privacy(program.at(lambda _: Fraction(1)), adjacency, effort=effort, budget=budget)
        proof = cache(lambda: in_units(known.certificate, program, None))
        return RealPrivacy(program, found.adjacency, False, None, None, None, proof, around=found)
    piece = None if found.epsilon is None else _piece(found.epsilon, bases)
    if piece is None:  # the number may be rational, and where a piece ends
        found = open_answer(opened, adjacency, 0, effort=effort, budget=budget, progress=progress)
        piece = None if found.epsilon is None else found.epsilon.pieces[0].proofs[0]
    if piece is None:
        return RealPrivacy(program, found.adjacency, None, None, None, None, lambda: None, around=found)
    if len(bases) == 1:
        around = {bases[0]: (piece.low, piece.high)}
        opened = opened.between(piece.low, piece.high)
        bounds = [
            None if line is None else _through(line, piece, bases[0]) for line in (piece.lower, piece.upper)
        ]
    else:
        piece = replace(piece, lower=Line(piece.lower.first, piece.lower.first))
        ends = (piece.lower.first, None if piece.upper is None else piece.upper.last)
        bounds = [None if end is None else rational_number(end) for end in ends]
    lower, upper = bounds
    if lower is None:
        raise Fault("a loss has no lower bound")
    proof = cache(lambda: _certificate(program, opened, found.adjacency, piece, around, lower, upper))
    return RealPrivacy(
        program,
        found.adjacency,
        True if upper is not None else found.private,
        lower if lower == upper else None,
        decimal_below(lower.enclosed(_BITS)[0], DIGITS),
        None if upper is None else decimal_above(upper.enclosed(_BITS)[1], DIGITS),
        proof,
        around=found,
    )


def _rationals(program: RealProgram) -> dict[RealRate, tuple[Fraction, Fraction]]:
    """Decimals on both sides of the bases, so close that all rates are positive at both."""
    digits = DIGITS
    while True:
        around = {}
        for base in program.bases:
            low, high = base.enclosed(4 * digits)
            ends = decimal_below(low, digits), decimal_above(high, digits)
            around[base] = ends[0] - Fraction(1, 10**digits) if ends[0] == low else ends[0], ends[1]
        values = (n.constant + n.factor * end for n in program.rates.values() for end in around[n.base])
        if all(value > 0 for value in values):
            return around
        digits *= 2


def _piece(loss: LossFunction, bases: Sequence[RealRate]) -> Piece | None:
    """The part of the proof around the base; with several bases there is one part."""
    proofs = [proof for piece in loss.pieces for proof in piece.proofs]
    if len(bases) > 1:
        return proofs[0] if len(proofs) == 1 else None
    low, high = bases[0].enclosed(_BITS)
    return next((proof for proof in proofs if proof.low < low and high < proof.high), None)


def _through(line: Line, piece: Piece, base: RealRate) -> RealRate:
    """The bound at the base."""
    found = Affine.through(piece.low, line.first, piece.high, line.last)
    return rational_number(found.constant) + base * rational_number(found.slope)


def _certificate(
    program: RealProgram,
    opened: OpenProgram,
    adjacency: Adjacency,
    piece: Piece,
    around: Mapping[RealRate, tuple[Fraction, Fraction]],
    lower: RealRate,
    upper: RealRate | None,
) -> Certificate:
    """The certificate of the bounds."""
    claim = {
        "adjacency": str(adjacency),
        "kind": "real-epsilon",
        "loss": loss_claimed(opened.first),
        "lower": _written(lower),
        "upper": "inf" if upper is None else _written(upper),
    }
    reals = [[base.written, *map(format_rational, ends)] for base, ends in around.items()]
    evidence = {"reals": reals, **piece_evidence(opened, piece, adjacency)}
    return encode(claim, program.model, evidence)


def _written(number: RealRate) -> Any:
    return number.written if number.rational is None else format_rational(number.rational)


def in_units(
    certificate: Certificate | None, program: RealProgram, unit: RealRate | None
) -> Certificate | None:
    """A certificate of a program with other rates as one of the program itself, numbers counted in units."""
    if certificate is None:
        return None
    document = json.loads(certificate.data)
    claim = document["claim"] if unit is None else {**document["claim"], "unit": unit.written}
    return encode(claim, program.model, document["evidence"])
