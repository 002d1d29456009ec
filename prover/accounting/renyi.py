"""Rényi divergences between secrets of a chain, or of a process against every attacker; and their ρ of zCDP.

Reference: docs/theory_divergences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

from prover.accounting.distribution import LossDistribution
from prover.accounting.evidence.laws import laws_evidence
from prover.accounting.zcdp import Concentration, concentration
from prover.certificate.schema import Certificate, Json
from prover.chain.breakpoints import endings
from prover.chain.collapsing.collapse import queried_system
from prover.chain.ld.certificates import certify
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.moments.certificates import moment_evidence
from prover.chain.moments.graph import MomentNode, moment_graph
from prover.chain.moments.values import MomentBounds, Value
from prover.chain.process import System
from prover.chain.secrets import Secrets
from prover.chain.unrolling.beliefs import BeliefPairs
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import BadValue, NotSupported, abbreviated, must_be
from prover.exact.divergence import RenyiDivergence, given_order
from prover.exact.fmpq import fraction_of
from prover.exact.given import Given
from prover.exact.rational import rational_or_inf
from prover.progress import Progress, silent
from prover.views import Paged

MOST_ORDERS = 100

DEFAULT_ORDERS = ("2", "4", "8", "inf")

_FIRST_NODES = (64, 1_024)
"""With so many belief pairs there are intervals on the way: a small part of what limits allow."""


@dataclass(frozen=True, slots=True, repr=False)
class Divergences(Paged):
    """Rényi divergences at some orders, in increasing order: each the largest of the secrets asked about.

    ``kind`` is "tv" (both directions) or "lv" (from source to target). Without a pair, ``source`` and
    ``target`` are None and all numbers are maxima over the relation. ``rho`` is about zCDP, in both
    directions; None where the likelihood ratios are not known exactly, or an attacker chooses.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> answer = prover.renyi(pin_checker(), "0", "1", [2, "inf"])
        >>> [str(divergence.moment) for divergence in answer]
        ['120677/117077', '2809/2209']
    """

    kind: str
    source: str | None
    target: str | None
    orders: tuple[RenyiDivergence, ...]
    rho: Concentration | None
    system: System = field(repr=False, compare=False)
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[RenyiDivergence]:
        return iter(self.orders)

    @property
    def headline(self) -> str:
        """The answer in a line."""
        pair = "the relation" if self.source is None else abbreviated(f"{self.source}, {self.target}")
        return f"Rényi divergence of {pair}: " + "; ".join(one.headline for one in self.orders)

    @property
    def certificate(self) -> Certificate:
        """The evidence for all orders and, where checkers can see it, for ρ. Raises TooMuchWork."""
        return self.make_certificate()


def renyi(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    orders: Iterable[Given] = DEFAULT_ORDERS,
    *,
    kind: str = "tv",
    progress: Progress = silent,
    on_interval: Callable[[Divergences], None] | None = None,
) -> Divergences:
    """The Rényi divergences between two states; without states, the largest over the relation.

    ``chain`` is a Markov chain, or a decision process: then of the best attacker. ``orders`` are rational
    numbers above 1, or "inf". ``kind`` "tv" is the larger of both directions, "lv" from ``source`` to
    ``target`` only. At integer orders the answer is exact where words lead to finitely many belief pairs up
    to a factor for each vector; otherwise it is an interval. ``on_interval`` is called with intervals on the
    way, each within those before; they say nothing of ρ.

        >>> from prover.zoo import randomised_response
        >>> print(renyi(randomised_response(), "a", "b", [2]).orders[0])
        order 2: ln(3/2) ≈ 0.405465108109, rounded up

    Raises BadOptions, BadValue, NotSupported, UnknownName.

    Reference: docs/theory_divergences.md, *Moments of chains*.
    """
    wanted = given_orders(orders)
    secrets = Secrets.of(queried_system(chain, source, target), source, target, kind)
    system = secrets.system
    if isinstance(system, LabelledMarkovChain) and system.lost is not None:
        raise NotSupported("divergences of a chain that is cut are not bounded", code="lost-runs")

    first: list[RenyiDivergence] = []

    def of_part(one: Secrets) -> None:
        """A lower end of the largest divergence, from one pair alone."""
        if on_interval is not None:
            roots, apart = _roots(one)
            nodes = moment_graph(one.merged.beliefs, roots, most=one.few(_FIRST_NODES[-1]))
            bounds = [MomentBounds(nodes, order) for order in wanted]
            ends = [_divergence(own, len(roots), own.order, apart=apart) for own in bounds]
            found = [(own, replace(end, moment_upper=None)) for own, end in zip(bounds, ends, strict=True)]
            on_interval(_answer(one, roots, found, None, progress))
            first.extend(end for _, end in found)

    if on_interval is not None:
        progress = secrets.look_first(progress, of_part, coarsely=True)
    merged = secrets.merged
    images = sorted({merged.pair(pair) for pair in secrets.directions})
    roots, apart = _roots(secrets)
    answer = partial(_answer, secrets, roots, progress=progress)
    best: dict[Fraction | None, _Found] = {}
    few = () if on_interval is None else _FIRST_NODES
    for nodes in _growing_graphs(merged.beliefs, roots, few, progress):
        for done, order in enumerate(wanted):
            progress("orders", done, len(wanted))
            bounds = MomentBounds(nodes, order)
            one = _divergence(bounds, len(roots), order, apart=apart)
            if order not in best or _is_within(one, best[order][1]):
                best[order] = bounds, one
        known = [best[order][1] for order in wanted]
        says_less = bool(first) and all(map(_is_within, first, known))
        if on_interval is not None and len(nodes) > _FIRST_NODES[0] and not says_less:
            on_interval(answer([best[order] for order in wanted], None))
    return answer([best[order] for order in wanted], _concentration(secrets, images, progress, apart=apart))


def _roots(secrets: Secrets) -> tuple[tuple[Pair, ...], bool]:
    """The pairs of the quotient that are looked into, and whether two secrets differ in their labels: then no
    pair has to be.
    """
    merged, labels = secrets.merged, secrets.merged.system.labels
    images = sorted({merged.pair(pair) for pair in secrets.directions})
    if any(labels[s] != labels[t] for s, t in images):
        return (), True
    return tuple((s, t) for s, t in images if s != t and merged.is_looked_into((s, t))), False


def _answer(
    secrets: Secrets,
    roots: Sequence[Pair],
    found: Sequence[_Found],
    rho: Concentration | None,
    progress: Progress,
) -> Divergences:
    ends = tuple(one for _, one in found)
    certificate = partial(_certificate, secrets, roots, found, rho, progress)
    return Divergences(secrets.kind, secrets.source, secrets.target, ends, rho, secrets.system, certificate)


_Found = tuple[MomentBounds, RenyiDivergence]
"""What is known of one order: the bounds of the moments of all nodes of a graph, and those of the answer."""


def _growing_graphs(
    beliefs: BeliefPairs, roots: Sequence[Pair], first: Sequence[int], progress: Progress
) -> Iterator[Sequence[MomentNode]]:
    """Graphs of the same roots, the ``first`` ones with so many nodes looked into, the last one with as many
    as limits allow.
    """
    for most in first:
        nodes = moment_graph(beliefs, roots, progress, most=most)
        if sum(not node.is_leaf for node in nodes) < most:  # that is all, or all that limits allow
            break
        yield nodes
    else:
        nodes = moment_graph(beliefs, roots, progress)
    yield nodes


def _is_within(one: RenyiDivergence, other: RenyiDivergence) -> bool:
    """Whether an interval is within another one."""
    ends = ((other.moment_lower, one.moment_lower), (one.moment_upper, other.moment_upper))
    return all(high is None or (low is not None and low <= high) for low, high in ends)


def _certificate(
    secrets: Secrets,
    roots: Sequence[Pair],
    found: Sequence[_Found],
    rho: Concentration | None,
    progress: Progress,
) -> Certificate:
    divergences = [one for _, one in found]
    claim: Json = {"kind": "renyi", "of": secrets.kind, "scope": "pair" if secrets.named else "relation"}
    claim |= {"from": secrets.source, "to": secrets.target} if secrets.named else {}
    moments = [
        [rational_or_inf(x) for x in (one.order, one.moment_lower, one.moment_upper)] for one in divergences
    ]
    listed = [moment_evidence(bounds, roots, grows=one.moment_lower is None) for bounds, one in found]
    evidence: Json = {"orders": listed, **secrets.merged.classes_evidence()}
    if rho is not None and rho.provable:
        claim["rho"] = rho.claim
        both = [order for s, t in secrets.pairs for order in ((s, t), (t, s))]
        evidence["rho"] = {**rho.evidence, "laws": laws_evidence(secrets, both, Fraction(0), progress)}
    return certify(secrets.system, claim | {"moments": moments}, evidence)


def given_orders(orders: Iterable[Given]) -> list[Fraction | None]:
    """The orders that were given, in increasing order; None is ∞. Raises BadValue, WrongArgument."""
    must_be(Iterable, orders=orders)
    wanted = sorted({given_order(order) for order in orders}, key=lambda a: (a is None, a or 0))
    if not 0 < len(wanted) <= MOST_ORDERS:
        raise BadValue(f"from 1 to {MOST_ORDERS} orders are answered, not {len(wanted):,}", code="bad-order")
    return wanted


def _divergence(bounds: MomentBounds, roots: int, order: Fraction | None, *, apart: bool) -> RenyiDivergence:
    """The largest of the roots, which are the first nodes; 1 where there is none and no labels differ."""
    if apart or any(q in bounds.infinite for q in range(roots)):
        return RenyiDivergence(order, None, None)
    lower = max([Fraction(1), *(_number(bounds.below.values[q]) or Fraction(1) for q in range(roots))])
    uppers = [_number(bounds.upper(q)) for q in range(roots)]
    finite = [upper for upper in uppers if upper is not None]
    upper = max([Fraction(1), *finite]) if len(finite) == len(uppers) else None
    return RenyiDivergence(order, lower, upper)


def _number(value: Value) -> Fraction | None:
    return None if value is None else fraction_of(value)


def _concentration(
    secrets: Secrets, images: Iterable[Pair], progress: Progress, *, apart: bool
) -> Concentration | None:
    """ρ of all the secrets, in both directions, where the laws of their likelihood ratios are known."""
    if not isinstance(secrets.system, LabelledMarkovChain):
        return None
    if apart:
        return Concentration(None, None, Fraction(1))
    laws = []
    with suppress(TooManyWords):
        for s, t in sorted({(min(pair), max(pair)) for pair in images}):
            loss = LossDistribution.of_endings(endings(secrets.merged, (s, t), progress))
            laws += [(one.law, one.infinite) for one in (loss, loss.reverse)]
        return concentration(laws)
    return None
