"""Claims about compositions of mechanisms with finitely many outcomes: the evidence of
`proofs/Composition.v` (docs/theory.md, *Products of finite laws*)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from operator import add
from typing import Any

from prover.certificate.check.accounts.parts import laws_of
from prover.certificate.check.accounts.products import exponents
from prover.certificate.check.accounts.tally import Tally
from prover.certificate.check.budget import UNITS, Budget
from prover.certificate.coq.model import plain, rational
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    not_covered,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.errors import NotSupported

LARGEST = 500_000_000
"""Bits of all amounts that Coq computes, beyond which it would need more than a few minutes."""

BITS_A_SECOND = 3_000_000
"""That Coq computes with, for a theorem from above and one from below."""


@dataclass(frozen=True, slots=True)
class CoqLaws:
    """The name of a part, the probabilities of its outcomes under both secrets, the exponents of their
    ratios, and the number of its runs. Outcomes of one ratio are one."""

    name: str
    outcomes: Sequence[tuple[Fraction, Fraction]]
    keys: Sequence[tuple[int, ...]]
    times: int

    def unit(self) -> int:
        return lcm(*(x.denominator for pair in self.outcomes for x in pair))

    def numbers(self) -> Iterator[int]:
        """As `proofs/Composition.v` reads them."""
        unit = self.unit()
        yield unit
        yield len(self.outcomes)
        for pair, key in zip(self.outcomes, self.keys, strict=True):
            yield from (int(x * unit) for x in pair)
            yield from listed([e] for e in key)


def read(whole: Mapping[str, Any]) -> Sequence[CoqLaws]:
    """The parts. Raises NotSupported where they are no finite laws that are multiplied exactly."""
    basis = basis_of(whole["evidence"])
    return [mechanism(part, basis) for part in whole["model"]["parts"]]


def basis_of(evidence: Mapping[str, Any]) -> Sequence[int]:
    """Raises NotSupported where laws are not multiplied exactly."""
    if "adaptive" in evidence:
        raise not_covered("mechanisms that are chosen after outputs")
    if "grid" in evidence:
        raise not_covered("compositions that are enclosed on a grid")
    return [int(b) for b in evidence["basis"]]


def mechanism(part: Mapping[str, Any], basis: Sequence[int]) -> CoqLaws:
    """A part that is no chain. Raises NotSupported where it is a program."""
    if "program" in part:
        raise not_covered("compositions of mechanisms with noise")
    (((law, _),), _) = laws_of(part, {}, Budget(0))
    tally = Tally(Budget(0), UNITS)
    outcomes = [(mass, mass / ratio) for ratio, mass in law]
    keys = [exponents(ratio, basis, tally) for ratio, _ in law]
    alone = [1 - sum((pair[side] for pair in outcomes), Fraction(0)) for side in (0, 1)]
    for side, rest in enumerate(alone):
        if rest:
            outcomes.append((rest, Fraction(0)) if side == 0 else (Fraction(0), rest))
            keys.append(())
    name = part.get("known", "laws") + "-on-samples" * ("sampling" in part)
    return CoqLaws(name, outcomes, keys, part["times"])


def text(mechanisms: Sequence[CoqLaws]) -> Iterator[str]:
    """`Model.v` of a composition, line by line."""
    yield "(** The composition. A mechanism lists the probabilities of its outcomes, under the first secret"
    yield "    and under the second; outcomes with the same ratio of these are one. Then come its runs. *)"
    yield "From Coq Require Import List NArith QArith."
    yield "From Prover Require Import Laws."
    yield "Import ListNotations."
    yield "Open Scope Q_scope."
    yield ""
    yield "Definition model : composition := ["
    for number, own in enumerate(mechanisms):
        end = ";" if number + 1 < len(mechanisms) else ""
        yield f"  (* {number}  {plain(own.name)} *) ({in_words(own)}, {own.times}%N){end}"
    yield "]."


def in_words(own: CoqLaws) -> str:
    """The probabilities of the outcomes."""
    pairs = ((*p.as_integer_ratio(), *q.as_integer_ratio()) for p, q in own.outcomes)
    return "[" + "; ".join("({}#{}, {}#{})".format(*pair) for pair in pairs) + "]"


def theorems(mechanisms: Sequence[CoqLaws], whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim, from both sides. Raises NotSupported where Coq would compute for too long."""
    claim, basis = whole["claim"], whole["evidence"]["basis"]
    a, v = alpha_and_upper(claim)
    alpha, low = Fraction(claim["alpha"]), Fraction(claim["lower"])
    seconds([mechanisms])
    best = max((0, 1), key=lambda side: gain(mechanisms, basis, alpha, side))
    answers = [
        theorem(
            "at_most",
            "No event gains more than this, in either direction.",
            f"proper {MODEL} /\\ forall s, gain_at_most {MODEL} {a} {v} s",
            f"composition_upper {MODEL} {a} {v} {EVIDENCE}.products",
        )
    ]
    if low > 0:
        secret = ("First", "Second")[best]
        answers.append(
            theorem(
                "at_least",
                "Some event gains this, from one secret to the other.",
                f"proper {MODEL} /\\ gain_at_least {MODEL} {a} {rational(low)} {secret}",
                f"composition_lower {MODEL} {a} {rational(low)} {secret} {EVIDENCE}.products",
            )
        )
    return [defined("products", literal(_numbers(mechanisms, basis)))], answers


def _numbers(mechanisms: Sequence[CoqLaws], basis: Sequence[str]) -> Iterator[int]:
    """As `proofs/Composition.v` reads them."""
    yield from listed([int(b), 1] for b in basis)
    yield len(mechanisms)
    for own in mechanisms:
        yield from own.numbers()
        yield own.times


def seconds(compositions: Iterable[Sequence[CoqLaws]]) -> int:
    """That Coq needs to multiply the laws of each, roughly. Raises NotSupported where that would take too
    long."""
    bits = 0
    for mechanisms in compositions:
        width = max((len(key) for own in mechanisms for key in own.keys), default=0)
        found, scale = {(0,) * width}, 0
        for own in mechanisms:
            keys = {key for key, (p, q) in zip(own.keys, own.outcomes, strict=True) if p and q}
            for _ in range(own.times):
                bits += len(found) * len(own.outcomes) * (scale + 100)
                if bits > LARGEST:
                    raise NotSupported(
                        "the laws have so many products that Coq would need too long", code="not-in-coq"
                    )
                scale += own.unit().bit_length()
                found = {tuple(map(add, key, more)) for key in found for more in keys}
    return bits // BITS_A_SECOND


def gain(mechanisms: Sequence[CoqLaws], basis: Sequence[str], alpha: Fraction, side: int) -> Fraction:
    """What events gain from one secret to the other."""
    table, sure, scale = {(0,) * len(basis): 1}, 0, 1
    for own in mechanisms:
        unit = own.unit()
        rows = [
            (tuple(-e if side else e for e in key), int(pair[side] * unit), pair[1 - side] > 0)
            for key, pair in zip(own.keys, own.outcomes, strict=True)
        ]
        alone = sum(p for _, p, both in rows if not both)
        for _ in range(own.times):
            scale, sure = scale * unit, sure * unit + sum(table.values()) * alone
            after: dict[tuple[int, ...], int] = {}
            for key, amount in table.items():
                for more, p, both in rows:
                    if p and both:
                        at = tuple(map(add, key, more))
                        after[at] = after.get(at, 0) + amount * p
            table = after
    found = Fraction(sure)
    for key, amount in table.items():
        ratio = prod((Fraction(int(b)) ** e for b, e in zip(basis, key, strict=True)), start=Fraction(1))
        found += max(Fraction(0), amount * (1 - alpha / ratio))
    return found / scale
