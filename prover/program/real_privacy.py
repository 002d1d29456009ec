"""Is a program with real rates private, and at which ε? The answer, with its proof (docs/real_rates.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate, encode
from prover.errors import NotSupported, must_be
from prover.exact.rational import decimal_above, decimal_below
from prover.exact.real_rate import RealRate, rational_number
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.optimum.budget import DEFAULT_EFFORT, Budget
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

    All rates are rational multiples of ``unit``. ``of_unit`` is the answer about the program in which these
    multiples are the rates: the loss is ``unit`` times as large. ``epsilon`` is the loss as a multiple of ε
    where it is known exactly, and ``lower`` and ``upper`` are decimals around it; without a bound they are
    None.

        >>> import prover
        >>> answer = prover.real_privacy(prover.load_real("examples/real/svt.dipa"))
        >>> answer
        <RealPrivacy: private: exactly 5·ln 3·ε (no smaller multiple holds)>
        >>> str(answer.epsilon), float(answer.lower)
        ('5*ln(3)', 5.49306144334)

    Reference: docs/real_rates.md.
    """

    program: RealProgram
    unit: RealRate
    of_unit: Privacy
    make_certificate: Callable[[], Certificate | None] = field(repr=False, compare=False)

    @property
    def adjacency(self) -> Adjacency:
        """Which inputs are neighbours."""
        return self.of_unit.adjacency

    @property
    def private(self) -> bool | None:
        """Whether the loss is bounded; None while this is not known."""
        return self.of_unit.private

    @property
    def epsilon(self) -> RealRate | None:
        """The least c for which the program is c·ε-differentially private, if it is known; else None."""
        found = self.of_unit.epsilon
        return None if found is None else self.unit * rational_number(found)

    @property
    def lower(self) -> Fraction | None:
        """A lower bound on the loss, as a multiple of ε; None if the loss is infinite."""
        found = self.of_unit.lower
        return None if found is None else decimal_below(found * self.unit.enclosed(_BITS)[0], DIGITS)

    @property
    def upper(self) -> Fraction | None:
        """An upper bound on the loss, as a multiple of ε; None if none was found."""
        found = self.of_unit.upper
        return None if found is None else decimal_above(found * self.unit.enclosed(_BITS)[1], DIGITS)

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    @property
    def headline(self) -> str:
        """The answer in a line."""
        return headline(self)


def headline(answer: RealPrivacy) -> str:
    """The answer in a line: the loss where it is exact and about one observer, else that of the multiples."""
    own, epsilon = answer.of_unit, answer.epsilon
    plain = own.adjacency.is_symmetric and not own.conditions.stopping_tells
    if epsilon is None or not epsilon.terms or not plain:
        return f"with rates divided by {answer.unit.shown}: {own.headline}"
    return f"private: exactly {epsilon.times}ε (no smaller multiple holds)"


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

    ``adjacency``, ``effort`` and ``on_better`` are those of ``prover.privacy``. All rates have to be rational
    multiples of one number. Raises NotSupported, and what ``prover.privacy`` raises.

        >>> import prover
        >>> prover.real_privacy(prover.load_real("examples/real/svt.dipa"), "one-differ")
        <RealPrivacy: private: exactly 2·ln 3·ε (no smaller multiple holds)>

    Reference: docs/theory_programs.md, *Real rates*.
    """
    must_be(RealProgram, program=program)
    unit = program.unit
    if unit is None:
        raise NotSupported(
            "the rates are not all rational multiples of one number, and only such real rates are answered",
            code="several-real-rates",
        )

    def answer(found: Privacy) -> RealPrivacy:
        def proof() -> Certificate | None:
            return in_units(found.certificate, program, unit)

        return RealPrivacy(program, unit, replace(found, make_certificate=cache(proof)), cache(proof))

    found = privacy(
        program.multiples,
        adjacency,
        effort=effort,
        budget=budget,
        progress=progress,
        on_better=lambda better: on_better(answer(better)),
    )
    return answer(found)


def in_units(certificate: Certificate | None, program: RealProgram, unit: RealRate) -> Certificate | None:
    """A certificate of the program of multiples as one of the program itself, numbers counted in units."""
    if certificate is None:
        return None
    document = json.loads(certificate.data)
    return encode({**document["claim"], "unit": unit.written}, program.model, document["evidence"])
