"""What a benchmark keeps of an answer of the prover: texts and counts, nothing that needs the prover."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from prover.exact.rational import format_rational, texts_or_null

if TYPE_CHECKING:
    from prover.certificate.schema import Certificate
    from prover.chain.answer import Distance, DistanceTable
    from prover.chain.epsilon import Epsilon
    from prover.chain.privacy_profile import Curve
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.program.answer import Privacy
    from prover.program.attack.attack import InputAttack
    from prover.program.decision.boundedness import Boundedness
    from prover.program.model import Program
    from prover.program.profiles.delta import ProgramDelta

INFINITE = "inf"

_AT_ONCE = 64  # rows of a table that become text together


def _no_certificate() -> None:
    """What makes the certificate of an answer that has none."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """An answer: ``lower`` and ``upper`` as texts ("inf" for infinity), None for a table.

    ``width`` is that of the interval, of a table the largest; ``digest`` is the SHA-256 of an exact table.
    ``bits`` is the length of the longest numerator or denominator. ``reason`` says why a program is not
    private. The certificate is still to be made; None if there is none.
    """

    exact: bool
    lower: str | None
    upper: str | None
    width: str | None
    bits: int
    reason: str | None = None
    digest: str | None = None
    effort: Mapping[str, int] = field(default_factory=dict)
    make_certificate: Callable[[], Certificate | None] = field(default=_no_certificate, repr=False)

    def fields(self) -> dict[str, Any]:
        """What a row says of it."""
        kept = [one.name for one in fields(self) if one.name != "make_certificate"]
        return {name: getattr(self, name) for name in kept} | {"effort": dict(self.effort)}


def interval(
    lower: Fraction | None,
    upper: Fraction | None,
    *,
    reason: str | None = None,
    effort: Mapping[str, int] = MappingProxyType({}),
    make_certificate: Callable[[], Certificate | None] = _no_certificate,
) -> JobResult:
    """The result of bounds; None is infinity."""
    width = INFINITE if lower is None or upper is None else format_rational(upper - lower)
    if lower is None and upper is None:
        width = "0"
    numbers = [bound for bound in (lower, upper) if bound is not None]
    return JobResult(
        exact=lower == upper,
        lower=_text(lower),
        upper=_text(upper),
        width=width,
        bits=bits_of(numbers),
        reason=reason,
        effort=effort,
        make_certificate=make_certificate,
    )


def of_distance(answer: Distance) -> JobResult:
    """The result of a distance."""
    return interval(
        answer.lower, answer.upper, effort=answer.effort, make_certificate=answer.make_certificate
    )


def of_delta(answer: Delta | InteractiveDelta) -> JobResult:
    """The result of a δ."""
    from prover.chain.unrolling.answer import InteractiveDelta

    unrolled = answer if isinstance(answer, InteractiveDelta) else answer.origin
    effort = {"depth": unrolled.depth, "nodes": unrolled.nodes}
    return interval(answer.lower, answer.upper, effort=effort, make_certificate=answer.make_certificate)


def of_program_delta(answer: ProgramDelta) -> JobResult:
    """The result of a δ over all neighbouring inputs; the certificate is that of the upper end."""
    return interval(answer.lower, answer.upper, make_certificate=lambda: answer.certificate)


def of_epsilon(answer: Epsilon) -> JobResult:
    """The result of a least ε, in terms of α = e^ε; infinite if there is none."""
    lower = None if answer.impossible else answer.alpha_lower
    return interval(lower, answer.alpha_upper, make_certificate=lambda: answer.certificate)


def of_curve(answer: Curve) -> JobResult:
    """The result of a curve: how wide its widest interval is."""
    points = [(point.alpha, point.lower, point.upper) for point in answer]
    exact = all(lower == upper for _, lower, upper in points)
    return JobResult(
        exact,
        None,
        None,
        format_rational(max(upper - lower for _, lower, upper in points)),
        bits_of(number for _, *bounds in points for number in bounds),
        digest=digest_of([*map(format_rational, point)] for point in points) if exact else None,
    )


def of_attack(answer: InputAttack | None) -> JobResult:
    """The result of an attack: bounds of the loss of its run; there is no loss if there is no attack."""
    if answer is None:
        return interval(Fraction(0), Fraction(0), effort={})
    lower, upper = (None, None) if answer.is_infinite else answer.loss
    return interval(lower, upper, effort={"steps": answer.run.length})


def of_table(answer: DistanceTable) -> JobResult:
    """The result of a table of distances."""
    if answer.exact:
        width, numbers = "0", list(answer.lower.values())
        digest = digest_of(
            [s, t, text] for (s, t), text in zip(answer.lower, texts_or_null(numbers), strict=True)
        )
    else:
        digest = None
        width = format_rational(max(upper - answer.lower[pair] for pair, upper in answer.upper.items()))
        numbers = [*answer.lower.values(), *answer.upper.values()]
    return JobResult(
        answer.exact,
        None,
        None,
        width,
        bits_of(numbers),
        digest=digest,
        effort=answer.effort,
        make_certificate=answer.make_certificate,
    )


def of_privacy(answer: Privacy, quantity: str) -> JobResult:
    """The result of a program: its ε, or one of the papers' bounds; infinite if it is not private."""
    lower, upper = (None if answer.private is False else answer.lower), answer.upper
    if quantity != "epsilon" and answer.private is not False:
        bound = answer.approx if quantity == "approx" else answer.relaxed
        lower, upper = (Fraction(0), None) if bound is None else (bound, bound)
    return interval(
        lower,
        upper,
        reason=answer.reason,
        effort=answer.effort,
        make_certificate=answer.make_certificate,
    )


def of_truth(
    holds: bool,
    reason: str | None = None,
    make_certificate: Callable[[], Certificate | None] = _no_certificate,
) -> JobResult:
    """The result of a question for yes or no: 0 for yes, 1 for no, as for relations of chains."""
    value = Fraction(not holds)
    return interval(value, value, reason=reason, make_certificate=make_certificate)


def of_boundedness(program: Program, found: Boundedness) -> JobResult:
    """The result of a decision whether a program is private, which is known."""
    from prover.program.decision.certificates import boundedness_certificate

    return of_truth(
        found.bounded,
        reason=found.reason,
        make_certificate=lambda: boundedness_certificate(program, found),
    )


def digest_of(table: Iterable[list[Any]]) -> str:
    """The SHA-256 of a table of texts as JSON, of which it takes a few rows at once: texts may be long."""
    found, rows, before = hashlib.sha256(b"["), iter(table), ""
    while some := [*islice(rows, _AT_ONCE)]:
        found.update((before + json.dumps(some)[1:-1]).encode())
        before = ", "
    found.update(b"]")
    return found.hexdigest()


def bits_of(numbers: Iterable[Fraction]) -> int:
    """The length of the longest numerator or denominator, in bits; 0 if there is no number."""
    return max((max(q.numerator.bit_length(), q.denominator.bit_length()) for q in numbers), default=0)


def _text(bound: Fraction | None) -> str:
    return INFINITE if bound is None else format_rational(bound)
