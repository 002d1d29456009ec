"""Claims about distances where bisimilar states are one: the evidence of `proofs/Merged.v`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from prover.certificate.coq.distances import EMPTY, both_ways, lower_table, upper_table
from prover.certificate.coq.model import Named, rational
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import chain_of_classes, quotient
from prover.errors import NotSupported


def merged_distance(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """ld or bd of the classes of bisimilar states. Raises NotSupported for all pairs, where steps are unseen,
    and for events below."""
    claim, evidence = whole["claim"], whole["evidence"]
    above, below = (evidence.get(side, evidence.get("exact", EMPTY)) for side in ("upper", "lower"))
    if claim["scope"] == "all-pairs" or "collapsing" in evidence or "unrolling" in below:
        raise NotSupported(
            "the proofs in Coq do not cover claims about quotients for all pairs, where steps are unseen, or "
            "with events below distances",
            code="not-in-coq",
        )
    base, place = quotient(chain.rows, evidence["quotient"]["classes"])
    splitters = listed(listed([s] for s in members) for members in evidence["quotient"]["splitters"])
    first = [*chain_of_classes(base, place), *splitters]
    kind, low = "bd" if claim["kind"] == "bd" else "ld", Fraction(claim["lower"])
    (a, v), pairs = alpha_and_upper(claim), pair_list(pairs_of(chain.states, whole, kind == "bd"))
    couplings = [*first, *upper_table(base, both_ways(above) if kind == "bd" else above)]
    texts = [defined("couplings", literal(couplings))]
    answers = [
        theorem(
            "at_most",
            f"Bisimilar states as one, {kind} is at most this for every pair of the list, and so is delta.",
            f"markov {MODEL} /\\ forall s t, In (s, t) {pairs} ->\n"
            f"  merged (fun b => {kind}_at_most b {a} {v}) {MODEL} s t /\\ close {MODEL} {a} {v} s t",
            f"merged_{kind}_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.couplings",
        )
    ]
    if low > 0:
        s, t = pair_of(chain.states, claim)
        potentials = [*first, *lower_table(base, Fraction(claim["alpha"]), below)]
        texts.append(defined("potentials", literal(potentials)))
        answers.append(
            theorem(
                "at_least",
                f"Bisimilar states as one, {kind} is at least this for one of the pairs.",
                f"markov {MODEL} /\\ merged (fun b => {kind}_at_least b {a} {rational(low)}) {MODEL} {s} {t}",
                f"merged_{kind}_lower {MODEL} {a} {rational(low)} {s} {t} {EVIDENCE}.potentials",
            )
        )
    return texts, answers
