"""The trade-off function between secrets of a chain, with its certificate.

Reference: docs/theory_divergences.md, *Trade-off functions*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.accounting.attackers import AttackersTradeOff, attackers_tradeoff
from prover.accounting.distribution import LossDistribution
from prover.accounting.evidence.laws import laws_evidence
from prover.accounting.tradeoff import TradeOff, least
from prover.certificate.schema import Certificate, Json
from prover.chain.breakpoints import endings
from prover.chain.collapsing.collapse import queried_system
from prover.chain.ld.certificates import certify
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import System
from prover.chain.secrets import Secrets
from prover.errors import NotSupported
from prover.exact.rational import format_rational
from prover.progress import Progress, silent
from prover.views import Paged, drawing_of

BOTH_WAYS = "where an attacker chooses, trade-off functions are about both directions: kind is tv"


@dataclass(frozen=True, slots=True, repr=False)
class SecretTradeOff(Paged):
    """The trade-off function of two secrets, or the largest convex one below those of all related secrets.

    ``kind`` is "tv" (whichever secret is tested against the other) or "lv" (from source to target: the type I
    error is to guess the target under the source). Without a pair, ``source`` and ``target`` are None.
    ``gaussian`` are decimals around the least μ with f ≥ G_μ; None if there is none.

        >>> import prover
        >>> from prover.zoo import randomised_response
        >>> answer = prover.tradeoff(randomised_response(), "a", "b")
        >>> answer.function
        <TradeOff: linear between (0, 1), (1/3, 1/3), (1, 0)>
    """

    kind: str
    source: str | None
    target: str | None
    function: TradeOff
    gaussian: tuple[Fraction, Fraction] | None
    gaussian_proof: Json | None = field(repr=False, compare=False)
    """The evidence for these decimals; None if the certificate is about the function only."""
    system: System = field(repr=False, compare=False)
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    most: TradeOff | None = None
    """Where an attacker chooses and the function is not found exactly: one that it is not above. Then
    ``function`` is one that it is not below, and there is no ``gaussian``."""

    @property
    def headline(self) -> str:
        """The answer in a line."""
        if self.most is not None:
            return f"the trade-off function is at least {self.function.headline}"
        return f"the trade-off function is {self.function.headline}"

    @property
    def open_area(self) -> Fraction:
        """The area between both functions; 0 where the function is known."""
        most = self.most or self.function
        places = sorted({x for one in (self.function, most) for x, _ in one.vertices})
        gaps = [most.value(x) - self.function.value(x) for x in places]
        steps = zip(pairwise(places), pairwise(gaps), strict=True)
        return sum(((b - a) * (one + other) / 2 for (a, b), (one, other) in steps), Fraction(0))

    @property
    def certificate(self) -> Certificate:
        """The evidence for the function and, where checkers can see it, for μ. Raises TooMuchWork."""
        return self.make_certificate()

    def plot(self) -> Any:
        """The function as a picture, as on its page; ``str`` of it is SVG."""
        return drawing_of(self)


def tradeoff(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    *,
    kind: str = "tv",
    progress: Progress = silent,
    on_interval: Callable[[SecretTradeOff], None] | None = None,
) -> SecretTradeOff:
    """The least type II error of tests of one secret against another, for every type I error.

    ``chain`` is a Markov chain, or a decision process: then of all attackers, in both directions. Without
    states it is about all pairs of the relation: the largest convex function that is not above any of
    theirs. ``kind`` "tv" is about both directions, "lv" about ``source`` against ``target`` only. It is exact
    where words lead to finitely many belief pairs, as where runs have a bounded length. Where an attacker
    chooses it may be two functions between which it is, and ``on_interval`` is called with such answers on
    the way.

        >>> from prover.zoo import pin_checker
        >>> str(tradeoff(pin_checker(), "0", "1").function.value("1/2"))
        '2103/5006'

    Raises BadOptions, NotSupported, TooManyWords, UnknownName.
    """
    system = queried_system(chain, source, target)
    if isinstance(system, LabelledMarkovChain) and system.lost is not None:
        raise NotSupported("the errors of tests on a chain that is cut are not bounded", code="lost-runs")
    secrets = Secrets.of(system, source, target, kind)
    if isinstance(secrets.system, LabelledMarkovChain):
        merged = secrets.merged
        images = sorted({merged.pair(pair) for pair in secrets.directions})
        functions = [
            LossDistribution.of_endings(endings(merged, pair, progress)).tradeoff() for pair in images
        ]
        function = least(functions)
    elif kind != "tv":
        raise NotSupported(BOTH_WAYS)
    else:
        on_bounds = None if on_interval is None else lambda found: on_interval(_of_attackers(secrets, found))
        return _of_attackers(secrets, attackers_tradeoff(secrets, progress, on_bounds))

    def evidence() -> Json:
        return {"laws": laws_evidence(secrets, secrets.directions, Fraction(0), progress)}

    return _answer(secrets, function, evidence)


def _of_attackers(secrets: Secrets, found: AttackersTradeOff) -> SecretTradeOff:
    return _answer(secrets, found.function, lambda: found.evidence, found.most)


def _answer(
    secrets: Secrets, function: TradeOff, evidence: Callable[[], Json], most: TradeOff | None = None
) -> SecretTradeOff:
    """The answer with this function, or two of them, and the evidence for it; with μ, if it is one."""
    ends = function.gaussian() if most is None else None
    proof = None if ends is None else function.gaussian_proof(ends)

    def certificate() -> Certificate:
        claim: Json = {
            "kind": "tradeoff",
            "of": secrets.kind,
            "scope": "pair" if secrets.named else "relation",
        }
        claim |= {"from": secrets.source, "to": secrets.target} if secrets.named else {}
        proved = evidence()
        if ends is not None and proof is not None:
            claim["gaussian"] = dict(zip(("lower", "upper"), map(format_rational, ends), strict=True))
            proved["gaussian"] = proof
        if most is not None:
            claim["above"] = _listed(most)
        return certify(secrets.system, {**claim, "vertices": _listed(function)}, proved)

    named = secrets.source, secrets.target
    return SecretTradeOff(secrets.kind, *named, function, ends, proof, secrets.system, certificate, most)


def _listed(function: TradeOff) -> list[list[str]]:
    return [[format_rational(x) for x in vertex] for vertex in function.vertices]
