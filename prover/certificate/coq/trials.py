"""Claims about compositions in which an observer sees runs of chains: the evidence of `proofs/Replaced.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import Any

from prover.certificate.check.accounts.products import exponents
from prover.certificate.check.accounts.tally import Tally
from prover.certificate.check.budget import UNITS, Budget
from prover.certificate.coq import compositions
from prover.certificate.coq.compositions import CoqLaws, in_words, mechanism
from prover.certificate.coq.model import CoqRows, Named, about_chain, listing, plain, rational, row
from prover.certificate.coq.model import read as read_chain
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    PairOfStates,
    TheoremTexts,
    alpha_and_upper,
    defined,
    not_covered,
    pair_list,
    pair_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import CoqNode, chain_of_classes, expanded, quotient

ALIKE = ({"visits": "1"},)
"""The nodes of a graph of equal states, or of states of one class: runs never tell them apart."""

TOLD_APART = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
"""The law of states of different labels."""


@dataclass(frozen=True, slots=True)
class CoqGraph:
    """The nodes, of which the first is the pair; how often runs come to each inner node, divided by what its
    probabilities are multiples of, and to the ends of each ratio: in multiples of 1 / `runs`."""

    nodes: Sequence[CoqNode]
    runs: int
    walks: Sequence[tuple[int, int]]
    arrivals: Sequence[Sequence[tuple[int, int]]]

    def outcomes(self) -> list[tuple[Fraction, Fraction]]:
        """The law: the probability of the ends of each ratio, under either secret."""
        return [
            (
                Fraction(sum(u * sum(self.nodes[q].x.values()) for q, u in ends), self.runs),
                Fraction(sum(u * sum(self.nodes[q].y.values()) for q, u in ends), self.runs),
            )
            for ends in self.arrivals
        ]

    def numbers(self, base: CoqRows) -> Iterator[int]:
        yield from listed(node.numbers(base, q) for q, node in enumerate(self.nodes))
        yield from (0, self.runs, *listed(self.walks), *listed(listed(ends) for ends in self.arrivals))


@dataclass(frozen=True, slots=True)
class CoqTrial:
    """A part: the laws that its pairs have, each once. Of a chain also the pairs, the law of each, and the
    quotient, with the graphs of pairs of its states."""

    laws: Sequence[CoqLaws]
    chain: Named | None = None
    pairs: Sequence[PairOfStates] = ()
    law_of: Sequence[int] = ()
    base: CoqRows | None = None
    place: Sequence[int] | None = None
    graphs: Mapping[PairOfStates, CoqGraph] | None = None

    def only(self, law: int) -> CoqTrial:
        """The evidence about one pair that has this law, whose statement is still about all of them."""
        if self.graphs is None:
            return self
        pair = self.rooted(self.pairs[self.law_of.index(law)])
        return CoqTrial(
            [self.laws[law]],
            self.chain,
            self.pairs,
            base=self.base,
            place=self.place,
            graphs={own: graph for own, graph in self.graphs.items() if own == pair},
        )

    def rooted(self, pair: PairOfStates) -> PairOfStates:
        s, t = pair
        return pair if self.place is None else (self.place[s], self.place[t])

    def numbers(self) -> Iterator[int]:
        """As `proofs/Replaced.v` reads them."""
        if self.place is None or self.base is None:
            yield 0
        else:
            yield from (1, *chain_of_classes(self.base, self.place))
        graphs = self.graphs or {}
        yield from listed([*pair, *graph.numbers(self.base)] for pair, graph in graphs.items() if self.base)
        yield from listed(law.numbers() for law in self.laws)


def read(whole: Mapping[str, Any]) -> Sequence[CoqTrial]:
    """The parts. Raises NotSupported where they are no chains and no laws that are multiplied exactly."""
    basis = compositions.basis_of(whole["evidence"])
    proofs = whole["evidence"]["parts"]
    return [
        _run(part, proof, basis) if "chain" in part else CoqTrial([mechanism(part, basis)])
        for part, proof in zip(whole["model"]["parts"], proofs, strict=True)
    ]


def _run(part: Mapping[str, Any], proof: Mapping[str, Any], basis: Sequence[int]) -> CoqTrial:
    if "sampling" in part:
        raise not_covered("samples of chains")
    if "observer" in part:
        raise not_covered("compositions of chains in which steps are unseen")
    chain = read_chain(part["chain"])
    pairs = [pair_of(chain.states, {"from": s, "to": t}) for s, t in _pairs(part)]
    base, place = chain.rows, None
    if "classes" in proof:
        base, place = quotient(chain.rows, proof["classes"])
    given = {tuple(graph["pair"]): graph["nodes"] for graph in proof["graphs"]}
    graphs: dict[PairOfStates, CoqGraph] = {}
    laws: list[CoqLaws] = []
    law_of = []
    for s, t in pairs:
        pair = (s, t) if place is None else (place[s], place[t])
        if base.labels[pair[0]] != base.labels[pair[1]]:
            law = CoqLaws("chain", TOLD_APART, [()] * 2, part["times"])
        else:
            if pair not in graphs:
                nodes = ALIKE if pair[0] == pair[1] else given[pair]
                graphs[pair] = _graph(base, chain.labels, pair, nodes)
            law = _law(graphs[pair], basis, part["times"])
        if law not in laws:
            laws.append(law)
        law_of.append(laws.index(law))
    return CoqTrial(laws, chain, pairs, law_of, base, place, graphs)


def _pairs(part: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    return [(part["from"], part["to"])] if "from" in part else part["chain"]["relation"]


def _graph(
    base: CoqRows, labels: Sequence[str], pair: PairOfStates, given: Sequence[Mapping[str, Any]]
) -> CoqGraph:
    """Of a graph of the certificate, with a node for each vector that only the second secret leads to."""
    no_bounds = {"lower": "0", "upper": "0"}
    shapes = [
        {**node, **no_bounds} if "next" in node else node if "balanced" in node else {"coupling": []}
        for node in given
    ]
    nodes, _ = expanded(base, labels, Fraction(1), {"unrolling": {"nodes": shapes, "roots": [list(pair)]}})
    visits = [Fraction(shape["visits"]) * node.scale for shape, node in zip(given, nodes, strict=False)]
    visits += [Fraction(0)] * (len(nodes) - len(given))
    inner = [q for q, shape in enumerate(given) if "next" in shape]
    for q in inner:
        for p, c in nodes[q].entries:
            if p >= len(given):
                visits[p] += c * visits[q]
    steps = {q: visits[q] / nodes[q].whole(base, nodes[q].entries) for q in inner}
    ends = {q: n for q, n in enumerate(visits) if n and q not in steps}
    runs = lcm(*(n.denominator for n in (*steps.values(), *ends.values())))
    arrivals: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for q, n in ends.items():
        x, y = (sum(z.values()) for z in (nodes[q].x, nodes[q].y))
        ratio = x // gcd(x, y), y // gcd(x, y)
        arrivals.setdefault(ratio, []).append((q, int(n * runs)))
    walks = [(q, int(n * runs)) for q, n in steps.items()]
    by_ratio = sorted(arrivals, key=lambda xy: Fraction(xy[0], sum(xy)))
    return CoqGraph(nodes, runs, walks, [arrivals[ratio] for ratio in by_ratio])


def _law(graph: CoqGraph, basis: Sequence[int], times: int) -> CoqLaws:
    tally = Tally(Budget(0), UNITS)
    outcomes = graph.outcomes()
    keys = [exponents(p / q, basis, tally) if p and q else () for p, q in outcomes]
    return CoqLaws("chain", outcomes, keys, times)


def text(trials: Sequence[CoqTrial]) -> Iterator[str]:
    """`Model.v` of a composition with chains, line by line."""
    yield "(** The composition. A trial is a mechanism, which lists the probabilities of its outcomes, under"
    yield "    the first secret and under the second, where outcomes with the same ratio of these are one;"
    yield "    or a run of a chain from one of two states. Then come its independent runs. *)"
    yield "From Coq Require Import List NArith QArith."
    yield "From Prover Require Import Chain Laws Trials."
    yield "Import ListNotations."
    yield "Open Scope Q_scope."
    lines = []
    for number, own in enumerate(trials):
        law = own.laws[0]
        if own.chain is None:
            what = f"Draw {in_words(law)}"
        else:
            what = f"Run chain_{number} {pair_list(own.pairs)}"
            yield ""
            yield from about_chain(f"Chain {number}.", own.chain)
            yield f"Definition chain_{number} : chain := ["
            yield from listing(own.chain.states, own.chain.rows.labels, map(row, own.chain.rows.next))
        end = ";" if number + 1 < len(trials) else ""
        lines.append(f"  (* {number}  {plain(law.name)} *) ({what}, {law.times}%N){end}")
    yield ""
    yield "Definition model : trials := ["
    yield from lines
    yield "]."


def theorems(trials: Sequence[CoqTrial], whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim, from both sides. Raises NotSupported where Coq would compute for too long."""
    claim, basis = whole["claim"], whole["evidence"]["basis"]
    a, v = alpha_and_upper(claim)
    alpha, low = Fraction(claim["alpha"]), Fraction(claim["lower"])
    seconds(trials)
    texts = [defined("products", literal(_numbers(trials, basis)))]
    answers = [
        theorem(
            "at_most",
            "No event gains more than this, whatever pairs are meant, in either direction.",
            f"proper_trials {MODEL} /\\ trials_gain_at_most {MODEL} {a} {v}",
            f"trials_upper {MODEL} {a} {v} {EVIDENCE}.products",
        )
    ]
    if low > 0:
        chosen, side = max(
            ((row, side) for row in _choices(trials) for side in (0, 1)),
            key=lambda found: compositions.gain(
                [own.laws[law] for own, law in zip(trials, found[0], strict=True)], basis, alpha, found[1]
            ),
        )
        name = "products"
        if any(len(own.laws) > 1 for own in trials):
            name = "some_products"
            some = [own.only(law) for own, law in zip(trials, chosen, strict=True)]
            texts.append(defined(name, literal(_numbers(some, basis))))
        secret = ("First", "Second")[side]
        answers.append(
            theorem(
                "at_least",
                "For some pairs, some events gain this, or come as close to it as required.",
                f"proper_trials {MODEL} /\\ trials_gain_at_least {MODEL} {a} {rational(low)} {secret}",
                f"trials_lower {MODEL} {a} {rational(low)} {secret} {EVIDENCE}.{name}",
            )
        )
    return texts, answers


def _choices(trials: Sequence[CoqTrial]) -> Iterator[tuple[int, ...]]:
    """A law for each part, in every way."""
    return product(*(range(len(own.laws)) for own in trials))


def _numbers(trials: Sequence[CoqTrial], basis: Sequence[str]) -> Iterator[int]:
    yield from listed([int(b), 1] for b in basis)
    yield from listed(own.numbers() for own in trials)


def seconds(trials: Sequence[CoqTrial]) -> int:
    """That Coq needs to multiply the laws, roughly. Raises NotSupported where that would take too long."""
    rows = ([own.laws[law] for own, law in zip(trials, row, strict=True)] for row in _choices(trials))
    return compositions.seconds(rows)
