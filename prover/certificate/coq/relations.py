"""Claims about the kernel of ld and about bisimilarity: the evidence of `proofs/Related.v`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple

from prover.certificate.coq.distances import scaled, upper_table
from prover.certificate.coq.model import CoqRows, Named, rational
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    PairOfStates,
    TheoremTexts,
    defined,
    everywhere,
    matrix,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import chain_of_classes, quotient


def kernel(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """Couplings at no cost between related states, and separators of the others."""
    claim, evidence = whole["claim"], whole["evidence"]
    a = f"{MODEL} {rational(Fraction(claim['alpha']))}"
    rows = [{**row, "value": "0"} for row in evidence["related"]]
    couplings = defined("couplings", literal(upper_table(chain.rows, {"denominator": "1", "rows": rows})))
    separators = defined(
        "separators", literal(listed(_separators(chain.rows, Fraction(claim["alpha"]), evidence)))
    )
    if claim["scope"] == "all-pairs":
        related = {tuple(row["pair"]) for row in rows}
        answer = matrix(len(chain.states), lambda s, t: s != t and (s, t) not in related) + theorem(
            "everywhere",
            "ld is 0 where the matrix has 0, and above 0 elsewhere.",
            everywhere(f"(ld_at_most {a} (0#1) s t <-> in_matrix values s t == 0)"),
            f"kernel_everywhere {a} values {EVIDENCE}.couplings {EVIDENCE}.separators",
        )
        return [couplings, separators], [answer]
    if claim["value"] == "1":
        s, t = pair_of(chain.states, claim)
        answer = theorem(
            "at_least",
            "ld is above 0 for this pair.",
            f"markov {MODEL} /\\ ~ ld_at_most {a} (0#1) {s} {t}",
            f"kernel_lower {a} {s} {t} {EVIDENCE}.separators",
        )
        return [separators], [answer]
    pairs = pair_list(pairs_of(chain.states, whole))
    answer = theorem(
        "at_most",
        "ld is 0 for every pair of the list, and so is delta.",
        f"markov {MODEL} /\\ forall s t, In (s, t) {pairs} ->\n"
        f"  ld_at_most {a} (0#1) s t /\\ close {a} (0#1) s t",
        f"ld_upper {a} (0#1) {pairs} {EVIDENCE}.couplings",
    )
    return [couplings], [answer]


class BisimilarityWords(NamedTuple):
    """The words of the theorems about one kind of model."""

    is_model: str = "markov"
    name: str = "bisimilar"
    chain: str = MODEL
    under: str = ""


def bisimilarity(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """A quotient by classes, and splitters that separate them."""
    base, place = quotient(chain.rows, classes_in(whole, chain.states))
    return bisimilarity_of(chain.states, whole, place, chain_of_classes(base, place), BisimilarityWords())


def classes_in(whole: Mapping[str, Any], states: Sequence[str]) -> Sequence[Sequence[int]]:
    """The classes of the evidence; without them each state is one."""
    classes: Sequence[Sequence[int]] = whole["evidence"].get("classes", [[s] for s in range(len(states))])
    return classes


def bisimilarity_of(
    states: Sequence[str],
    whole: Mapping[str, Any],
    place: Sequence[int],
    by_classes: Iterator[int],
    words: BisimilarityWords,
) -> TheoremTexts:
    """The evidence, and the theorem about all pairs, one pair, or some pairs; place has the class of each
    state."""
    claim, (is_model, name, chain, under) = whole["claim"], words
    classes = defined("classes", literal(by_classes))
    members = whole["evidence"].get("splitters", [])
    splitters = defined("splitters", literal(listed(listed([s] for s in each) for each in members)))
    if claim["scope"] == "all-pairs":
        answer = matrix(len(states), lambda s, t: place[s] != place[t]) + theorem(
            "everywhere",
            f"States are bisimilar{under} where the matrix has 0, and nowhere else.",
            everywhere(f"({name} {MODEL} s t <-> in_matrix values s t == 0)", is_model, chain),
            f"{name}_everywhere {MODEL} values {EVIDENCE}.classes {EVIDENCE}.splitters",
        )
        return [classes, splitters], [answer]
    if claim["value"] == "1":
        s, t = pair_of(states, claim)
        answer = theorem(
            "at_least",
            f"These states are not bisimilar{under}.",
            f"{is_model} {MODEL} /\\ ~ {name} {MODEL} {s} {t}",
            f"{name}_lower {MODEL} {s} {t} {EVIDENCE}.splitters",
        )
        return [splitters], [answer]
    pairs = pair_list(pairs_of(states, whole))
    answer = theorem(
        "at_most",
        f"The states of every pair of the list are bisimilar{under}.",
        f"{is_model} {MODEL} /\\ forall s t, In (s, t) {pairs} -> {name} {MODEL} s t",
        f"{name}_upper {MODEL} {pairs} {EVIDENCE}.classes",
    )
    return [classes], [answer]


def _separators(chain: CoqRows, alpha: Fraction, evidence: Mapping[str, Any]) -> Iterator[Iterator[int]]:
    """Weights, and the pairs that they separate: of one pair each, or of all that they can separate."""
    for row in sorted(evidence.get("unrelated", ()), key=lambda row: row["rank"]):
        yield _separator({k: Fraction(x) for k, x in row["potentials"]}, [row["pair"]])
    apart: set[PairOfStates] = set()
    waiting: list[tuple[int, Sequence[PairOfStates]]] = []
    for row in evidence.get("separators", ()):
        while waiting and waiting[0][0] < row["rank"]:
            apart.update(waiting.pop(0)[1])
        g = _spread(chain, alpha, {k: Fraction(x) for k, x in row["potentials"]}, apart)
        pairs = [pair for pair in _gaining(chain, alpha, g) if pair not in apart]
        waiting.append((row["rank"], pairs))
        yield _separator(g, pairs)


def _separator(g: Mapping[int, Fraction], pairs: Sequence[Sequence[int]]) -> Iterator[int]:
    unit = lcm(*(x.denominator for x in g.values()))
    yield from listed(scaled(g, unit))
    yield from listed(pairs)


def _spread(
    chain: CoqRows, alpha: Fraction, given: Mapping[int, Fraction], apart: set[PairOfStates]
) -> dict[int, Fraction]:
    """The least numbers, at least those given, that fall by a factor of no more than α along every pair of
    equal label that is not apart."""
    g = dict(given)
    waiting = list(g)
    for k in waiting:
        for u, label in enumerate(chain.labels):
            if label == chain.labels[k] and u != k and (k, u) not in apart and g[k] > alpha * g.get(u, 0):
                g[u] = g[k] / alpha
                waiting.append(u)
    return g


def _gaining(chain: CoqRows, alpha: Fraction, g: Mapping[int, Fraction]) -> Iterator[PairOfStates]:
    """The pairs of equal label for which the mean of g at the first state is more than α times that at the
    second."""
    zero = Fraction(0)
    means = [sum((x * g.get(t, zero) for t, x in row.items()), zero) for row in chain.next]
    unit, (p, q) = lcm(*(mean.denominator for mean in means)), alpha.as_integer_ratio()
    numbers = [mean.numerator * (unit // mean.denominator) for mean in means]
    peers: dict[int, list[int]] = {}
    for s, _ in sorted(enumerate(numbers), key=itemgetter(1)):
        peers.setdefault(chain.labels[s], []).append(s)
    for s, m in enumerate(numbers):
        own = peers[chain.labels[s]]
        yield from ((s, t) for t in sorted(own[: bisect_left(own, q * m, key=lambda t: p * numbers[t])]))
