"""The answer about one pair of inputs of a threshold program, or about all lists of some values.

Reference: docs/theory_profiles.md, *All events of one pair* and *All lists of some values*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational
from prover.exact.readable import brief, factor_text, readable, readable_interval
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.profiles.bounds import claim_of
from prover.program.profiles.over_inputs import OverInputs
from prover.program.profiles.runs import Ended
from prover.views import Bounded


@dataclass(frozen=True, slots=True)
class PairAttack:
    """The event that proves the lower end: of all words those that are likelier by more than α on one of the
    inputs, those together that are equally likely. ``swapped`` if that is the second of the inputs, the
    neighbour. ``probabilities`` are the event's on this one, rounded down, and on the other, rounded up.
    """

    runs: tuple[Ended, ...]
    swapped: bool
    probabilities: tuple[Fraction, Fraction]

    @property
    def count(self) -> int:
        """How many words there are."""
        return sum(run.count for run in self.runs)


@dataclass(frozen=True, slots=True)
class PairEnds(OverInputs):
    """lower ≤ δ ≤ upper at one α for one pair of inputs, and the evidence."""

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    alpha: Fraction
    inputs: tuple[Fraction, ...]
    neighbour: tuple[Fraction, ...]
    lower: Fraction
    upper: Fraction
    attack: PairAttack | None
    evidence: Mapping[str, Any]
    epsilon: Fraction | None = None
    side: str = "at-most"
    steps: int | None = None
    """How many numbers all inputs have at most, or with ``values`` exactly: a claim about two of them does
    not say."""
    q: Fraction | None = None
    values: tuple[Fraction, ...] | None = None
    """If these are the worst of all neighbouring lists of such numbers, and the evidence is about all."""

    @property
    def certificate(self) -> Certificate:
        """The evidence for both ends."""
        claim = claim_of(self, self.side) | {
            "kind": "pair" if self.values is None else "lists",
            "lower": format_rational(self.lower),
            "upper": format_rational(self.upper),
        }
        pair = {"inputs": self.inputs, "neighbour": self.neighbour}
        lists = pair if self.values is None else {"values": self.values}
        claim |= {key: [format_rational(x) for x in own] for key, own in lists.items()}
        return encode(claim, program_model(self.program), dict(self.evidence))


@dataclass(frozen=True, slots=True, repr=False)
class PairDelta(Bounded):
    """lower ≤ δ ≤ upper for a threshold program whose noise is that of ``at_epsilon``, where δ is the largest
    P[E | x] − α·P[E | y] over all events E, x and y being these two inputs in either order (for increasing
    and decreasing adjacency in this order).

    With ``values`` it is the largest δ of all neighbouring lists of ``steps`` of these values, and these
    inputs are those that prove the lower end.

    With ε, the upper end holds at an α ≤ e^ε and the lower one at an α ≥ e^ε; there are two certificates
    then, and otherwise one, which proves both ends. ``attack`` is the event behind the lower end, None where
    that is 0.

        >>> import prover
        >>> from prover.zoo import svt
        >>> answer = prover.delta(svt(), at_epsilon=1, alpha=1, inputs=["1/2"], neighbour=["-1/2"])
        >>> answer.width < Fraction(1, 10**12), answer.upper < Fraction("0.08294")
        (True, True)
    """

    first: PairEnds
    last: PairEnds

    @property
    def program(self) -> Program:
        """The program that runs on the inputs."""
        return self.first.program

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        """The first of the two inputs."""
        return self.first.inputs

    @property
    def neighbour(self) -> tuple[Fraction, ...]:
        """The second of the two inputs."""
        return self.first.neighbour

    @property
    def values(self) -> tuple[Fraction, ...] | None:
        """The values of which all lists were compared; None for two inputs that were given."""
        return self.first.values

    @property
    def steps(self) -> int:
        """How many numbers each input has."""
        return len(self.inputs)

    @property
    def lists_text(self) -> str:
        """Of which values all lists were compared, and how many an input has."""
        listed = ", ".join(brief(x) for x in self.values or ())
        return f"{self.steps} number{'s' * (self.steps > 1)} from {listed}"

    @property
    def epsilon(self) -> Fraction | None:
        """ε, if it was given."""
        return self.first.epsilon

    @property
    def lower(self) -> Fraction:  # type: ignore[override]
        return self.last.lower

    @property
    def upper(self) -> Fraction:  # type: ignore[override]
        return self.first.upper

    @property
    def attack(self) -> PairAttack | None:
        """The event behind the lower end."""
        return self.last.attack

    @property
    def factor(self) -> str:
        """α for people."""
        return factor_text(self.first.alpha if self.epsilon is None else None, self.epsilon)

    @property
    def certificate(self) -> Certificate:
        """The evidence for the upper end."""
        return self.first.certificate

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for the lower end, if it is another one."""
        return None if self.epsilon is None else self.last.certificate

    @property
    def headline(self) -> str:
        """The bounds in a line."""
        all_of_them = f"over all neighbouring inputs of {self.lists_text}"
        name = f"delta_{self.factor} {'of these two inputs' if self.values is None else all_of_them}"
        if self.value is not None:
            return f"{name} = {readable(self.value)}"
        low, high = readable_interval(self.lower, self.upper)
        return f"{low} <= {name} <= {high}"


Ends = tuple[Fraction, Fraction, PairAttack | None]
"""lower ≤ δ ≤ upper at one α, and the event behind the lower end."""


def both_ends(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: tuple[Fraction, Fraction],
    pair: tuple[Sequence[Fraction], Sequence[Fraction]],
    found: Sequence[Ends],
    evidence: Mapping[str, Any],
    *,
    epsilon: Fraction | None,
    q: Fraction | None,
    steps: int | None = None,
    values: Sequence[Fraction] | None = None,
) -> PairDelta:
    """The answer about a pair of inputs, or about lists with this pair, from what was found at each α."""
    first, last = (
        PairEnds(
            program,
            adjacency,
            at_epsilon,
            alpha,
            tuple(pair[0]),
            tuple(pair[1]),
            lower,
            upper,
            attack,
            evidence,
            epsilon,
            side,
            steps,
            q,
            values=None if values is None else tuple(values),
        )
        for alpha, (lower, upper, attack), side in zip(alphas, found, ("at-most", "at-least"), strict=True)
    )
    return PairDelta(first, last)
