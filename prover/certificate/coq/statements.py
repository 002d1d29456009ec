"""Claims as theorems of Coq, with the evidence that proves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from prover.certificate.coq.curves import curve
from prover.certificate.coq.distances import EMPTY, both_ways, lower_table, upper_table
from prover.certificate.coq.merged import merged_distance
from prover.certificate.coq.model import Named, rational
from prover.certificate.coq.observed import CoqSeen, seen
from prover.certificate.coq.relations import bisimilarity, kernel
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    close,
    defined,
    everywhere,
    matrix,
    needed,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.unrollings import unrolled
from prover.certificate.expansion import written_out
from prover.errors import NotSupported


def theorems(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim of the certificate of a chain. Raises NotSupported if the proofs do not cover it."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["kind"] not in _KINDS:
        raise NotSupported(
            f"the proofs in Coq do not cover claims of kind {claim['kind']}", code="not-in-coq"
        )
    if "lost" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about lost runs", code="not-in-coq")
    whole = {**whole, "evidence": written_out(evidence)}
    if "quotient" in claim:
        return merged_distance(chain, whole)
    if "collapsing" in evidence and claim["kind"] not in ("lv", "tv", "profile"):
        return _distance_seen(chain, whole)
    return _KINDS[claim["kind"]](chain, whole)


def _distance(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """ld, which lgd equals, and bd, which has couplings for both directions and is about both."""
    claim, evidence = whole["claim"], whole["evidence"]
    alpha, kind = Fraction(claim["alpha"]), "bd" if claim["kind"] == "bd" else "ld"
    above, below = (evidence.get(side, evidence.get("exact", EMPTY)) for side in ("upper", "lower"))
    about = kind if claim["kind"] == kind else f"{claim['kind']}, which is {kind} by Theorem A on paper,"
    if kind == "bd":
        above = both_ways(above)
    texts = [defined("couplings", literal(upper_table(chain.rows, above)))]
    if claim["scope"] == "all-pairs":
        answers = [_everywhere(chain, claim, below, kind, about)]
    else:
        answers = [_distance_at_most(chain, whole, kind, about)]
    if "unrolling" in below:
        by = CoqSeen(chain.rows, chain.labels)
        unrolling, least = _needed(chain, claim, below, by, symmetric=kind == "bd")
        return [*texts, unrolling], [*answers, *least]
    if claim["scope"] == "all-pairs" or Fraction(claim["lower"]) > 0:
        texts.append(defined("potentials", literal(lower_table(chain.rows, alpha, below))))
    if claim["scope"] != "all-pairs" and Fraction(claim["lower"]) > 0:
        (s, t), a, v = pair_of(chain.states, claim), rational(alpha), rational(Fraction(claim["lower"]))
        answers.append(
            theorem(
                "at_least",
                f"{about} is at least this for one of the pairs.",
                f"{kind}_at_least {MODEL} {a} {v} {s} {t}",
                f"{kind}_lower {MODEL} {a} {v} {s} {t} {EVIDENCE}.potentials",
            )
        )
    return texts, answers


def _distance_at_most(chain: Named, whole: Mapping[str, Any], kind: str, about: str) -> str:
    a, v = alpha_and_upper(whole["claim"])
    pairs = pair_list(pairs_of(chain.states, whole, symmetric=kind == "bd"))
    return theorem(
        "at_most",
        f"{about} is at most this for every pair of the list, and so is delta.",
        f"markov {MODEL} /\\ forall s t, In (s, t) {pairs} ->\n"
        f"  {kind}_at_most {MODEL} {a} {v} s t /\\ close {MODEL} {a} {v} s t",
        f"{kind}_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.couplings",
    )


def _everywhere(
    chain: Named, claim: Mapping[str, Any], below: Mapping[str, Any], kind: str, about: str
) -> str:
    """The values of all pairs from below, and the theorem about them."""
    a, w = (rational(Fraction(claim[key])) for key in ("alpha", "width"))
    value, most = "(in_matrix values s t)", f"(in_matrix values s t + {w})"
    unit, labels = int(below["denominator"]), chain.rows.labels
    values = {
        pair: Fraction(int(row["value"]), unit)
        for row in below["rows"]
        for pair in {tuple(row["pair"]), tuple(row["pair"][:: -1 if "direction" in row else 1])}
    }
    return matrix(len(labels), lambda s, t: values.get((s, t), Fraction(labels[s] != labels[t]))) + theorem(
        "everywhere",
        f"{about} is at least the value in the matrix, and at most that plus a number, for all pairs.",
        everywhere(
            f"{kind}_at_least {MODEL} {a} {value} s t /\\ {kind}_at_most {MODEL} {a} {most} s t /\\\n"
            f"  close {MODEL} {a} {most} s t"
        ),
        f"{kind}_everywhere {MODEL} {a} {w} values {EVIDENCE}.couplings {EVIDENCE}.potentials",
    )


def _delta(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """lv, and tv, which is about both directions."""
    claim, evidence = whole["claim"], whole["evidence"]
    symmetric, by = claim["kind"] == "tv", seen(chain, whole)
    unrolling, least = _needed(chain, claim, evidence, by, symmetric=symmetric)
    most = close(*alpha_and_upper(claim), pairs_of(chain.states, whole, symmetric), observer=by.observer)
    return [unrolling], [most, *least]


def _needed(
    chain: Named, claim: Mapping[str, Any], evidence: Mapping[str, Any], by: CoqSeen, *, symmetric: bool
) -> tuple[str, list[str]]:
    """The nodes of an unrolling, and that delta, and every bound of it, is at least the lower bound."""
    a, v = rational(Fraction(claim["alpha"])), rational(Fraction(claim["lower"]))
    found = unrolled(by.rows, by.labels, Fraction(claim["alpha"]), evidence)
    s, t = pair_of(chain.states, claim)
    if symmetric and found.lower(*by.pair(s, t)) < found.lower(*by.pair(t, s)):
        s, t = t, s
    least = needed(a, v, (s, t), observer=by.observer)
    numbers = literal([*by.numbers, *found.numbers()])
    return defined("unrolling", numbers), [least] * (Fraction(claim["lower"]) > 0)


def _distance_seen(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """What a distance in the chain of what is seen says about delta: it is no larger, and by events that are
    seen it is no smaller. Raises NotSupported where the claim says nothing about delta."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["kind"] == "bisimilarity" or claim["scope"] == "all-pairs" or claim.get("value") == "1":
        raise NotSupported(
            "the proofs in Coq do not cover which states look alike where steps are unseen, nor distances of "
            "all pairs",
            code="not-in-coq",
        )
    by, both = seen(chain, whole), claim["kind"] == "bd"
    if claim["kind"] == "kernel":
        rows = [{**row, "value": "0"} for row in evidence["related"]]
        above: Mapping[str, Any] = {"denominator": "1", "rows": rows}
    else:
        above = evidence.get("upper", evidence.get("exact", EMPTY))
    couplings = literal([*by.numbers, *upper_table(by.rows, both_ways(above) if both else above)])
    a, v = alpha_and_upper({"upper": "0", **claim})
    pairs = pairs_of(chain.states, whole, symmetric=both)
    answers = [close(a, v, pairs, observer=by.observer, evidence="couplings")]
    if "unrolling" not in evidence.get("lower", {}):
        return [defined("couplings", couplings)], answers
    unrolling, least = _needed(chain, claim, evidence["lower"], by, symmetric=both)
    return [defined("couplings", couplings), unrolling], [*answers, *least]


_KINDS: Mapping[str, Callable[[Named, Mapping[str, Any]], TheoremTexts]] = {
    "ld": _distance,
    "lgd": _distance,
    "bd": _distance,
    "lv": _delta,
    "tv": _delta,
    "kernel": kernel,
    "bisimilarity": bisimilarity,
    "profile": curve,
}
