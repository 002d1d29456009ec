"""The ε of an attack: a rational number, or, with discrete noise, the one at which weights are powers of q.

With e^(−ε·unit) = q rational every probability of a run with discrete noise is a rational number
(docs/attacks.md, *Rational probabilities*). Then ε is irrational, and what is computed with it is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import BadOptions, BadValue, Fault
from prover.exact.exponential import enclosed_logarithm
from prover.exact.given import Given, given_rational
from prover.exact.piecewise import TooManyTerms
from prover.exact.rational import format_rational
from prover.program.attack.errors import NotMeasured, impossible_run
from prover.program.attack.probability import Loss, Windows, loss_between, program_unit, rational_probability
from prover.program.model import Edge, Program

MOST_BITS = 1 << 20
"""The most bits of a power of q, and of each probability, that a measurement may have."""

_DIGITS = 60


@dataclass(frozen=True, slots=True)
class AtEpsilon:
    """Where losses are measured: at ``epsilon``, or where e^(−ε·``unit``) = ``q``.

    Then ``epsilon`` is that number rounded up, so that bounds from above that are multiples of it hold.
    """

    epsilon: Fraction
    q: Fraction | None = None
    unit: Fraction | None = None

    def measured(
        self,
        program: Program,
        path: Sequence[Edge],
        inputs: Sequence[Fraction],
        others: Sequence[Fraction],
        windows: Windows,
        *,
        most: Fraction,
        digits: int,
        bits: int,
    ) -> Loss:
        """What ``loss_between`` says; with q, probabilities are exact, and ``bits`` do not count.

        ``most`` is the multiple of ε that the run loses at most. Raises what ``loss_between`` does, and Fault
        if exact probabilities have a larger ratio.
        """
        if self.q is None or self.unit is None:
            return loss_between(
                program, path, inputs, others, self.epsilon, windows, digits=digits, bits=bits
            )
        self._demand_short(program, path, (*inputs, *others))
        one, other = (rational_probability(program, path, read, self.q, windows) for read in (inputs, others))
        if not one:
            raise impossible_run()
        if not other:
            return Loss((one, one), (other, other), None, bits)
        exponent = most / self.unit
        if exponent.denominator > 1 or one * self.q ** int(exponent) > other:
            raise Fault("a run loses more, by exact sums, than its shifts cost")
        return Loss((one, one), (other, other), enclosed_logarithm(one / other, digits), bits)

    def _demand_short(self, program: Program, path: Sequence[Edge], inputs: Sequence[Fraction]) -> None:
        """Raises TooManyTerms where powers of q have too many bits to be written out."""
        if self.q is None or self.unit is None:
            return
        far = max(map(abs, inputs), default=Fraction(0)) + 1
        means = [program.states[edge.source].mean for edge in path]
        far += max(map(abs, means), default=Fraction(0))
        rates = [rate for edge in path for rate in (edge.left, edge.right) if isinstance(rate, Fraction)]
        size = max(self.q.numerator.bit_length(), self.q.denominator.bit_length())
        if 2 * far * sum(rates, Fraction(0)) / self.unit * size > MOST_BITS:
            raise TooManyTerms(f"probabilities of more than {MOST_BITS:,} bits")


def measured_place(program: Program, epsilon: Given | None, q: Given | None) -> AtEpsilon:
    """The ε at which losses are measured. Raises NotMeasured where inputs are used more than once."""
    if program.has_registers:
        raise NotMeasured("the program uses an input more than once")
    if program.hides_steps:
        raise NotMeasured("observers of the program do not see all outputs as they are")
    return given_place(program, epsilon, q)


def only_at(program: Program, epsilon: Given | None, q: Given | None) -> Given | None:
    """The ε that is given, or the only one of the program. Raises BadOptions if these differ."""
    only = program.at_epsilon
    if only is None:
        return epsilon
    if q is not None or (epsilon is not None and given_rational(epsilon, "epsilon", "bad-number") != only):
        raise BadOptions(
            f"the program is a mechanism at epsilon = {format_rational(only)}; the question names another",
            code="another-epsilon",
        )
    return only


def given_place(program: Program, epsilon: Given | None, q: Given | None) -> AtEpsilon:
    """Where an attack is to be measured; at ε = 1 if nothing is said. Raises BadValue and BadOptions."""
    epsilon = only_at(program, epsilon, q)
    if q is None:
        at = 1 if epsilon is None else epsilon
        return AtEpsilon(given_rational(at, "epsilon", "bad-number", more_than=0))
    if epsilon is not None:
        raise BadValue("give epsilon or q, not both", code="bad-number")
    number = given_rational(q, "q", "bad-number", more_than=0)
    if number >= 1:
        raise BadValue(f"q = e^(-epsilon*unit) must be between 0 and 1, not {q}", code="bad-number")
    if not program.noise.is_discrete:
        raise BadOptions(
            "q = e^(-epsilon*unit) is for discrete noise only, which then has rational probabilities; give "
            "epsilon for Laplace noise",
            code="q-without-grid",
        )
    unit = program_unit(program)
    return AtEpsilon(_rounded_up(number, unit), number, unit)


def _rounded_up(q: Fraction, unit: Fraction) -> Fraction:
    """−ln q / unit, rounded up after some 60 significant digits."""
    small = q.denominator.bit_length() - (q.denominator - q.numerator).bit_length()
    return -enclosed_logarithm(q, _DIGITS + small // 3)[0] / unit
