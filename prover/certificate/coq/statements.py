"""Claims as theorems of Coq, with the evidence that proves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.coq.distances import EMPTY, lower_table, upper_table
from prover.certificate.coq.errors import NotInCoq
from prover.certificate.coq.model import Named, rational
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.unrollings import unrolled
from prover.certificate.expansion import written_out

Json = Any
Pair = tuple[int, int]
Texts = tuple[list[str], list[str]]
"""Definitions of `Evidence.v`, and theorems of `Answer.v`."""


def theorems(chain: Named, whole: Mapping[str, Json]) -> Texts:
    """What the certificate of a chain claims. Raises NotInCoq for what the proofs do not cover."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["kind"] not in _KINDS:
        raise NotInCoq(f"claims of kind {claim['kind']} are not among what is proved in Coq")
    if "quotient" in claim:
        raise NotInCoq("claims about quotients are not among what is proved in Coq")
    if "collapsing" in evidence:
        raise NotInCoq("claims about time that nobody sees are not among what is proved in Coq")
    return _KINDS[claim["kind"]](chain, {**whole, "evidence": written_out(evidence)})


def _distance(chain: Named, whole: Mapping[str, Json]) -> Texts:
    """ld, which is lgd."""
    claim, evidence = whole["claim"], whole["evidence"]
    alpha = Fraction(claim["alpha"])
    above, below = (evidence.get(side, evidence.get("exact", EMPTY)) for side in ("upper", "lower"))
    couplings = _defined("couplings", literal(upper_table(chain.rows, above)))
    a, all_pairs = rational(alpha), claim["scope"] == "all-pairs"
    if not all_pairs and Fraction(claim["lower"]) == 0:
        return [couplings], [_ld_at_most(chain, whole)]
    potentials = _defined("potentials", literal(lower_table(chain.rows, alpha, below)))
    if all_pairs:
        w = rational(Fraction(claim["width"]))
        everywhere = _theorem(
            "everywhere",
            "ld is known for all pairs, up to this width; delta is at most the number above.",
            "markov model /\\ forall s t, In s (states model) -> In t (states model) -> exists v,\n"
            f"  ld_at_least model {a} v s t /\\ ld_at_most model {a} (v + {w}) s t"
            f" /\\ close model {a} (v + {w}) s t",
            f"ld_everywhere model {a} {w} couplings potentials",
        )
        return [couplings, potentials], [everywhere]
    (s, t), v = _pair(chain, claim), rational(Fraction(claim["lower"]))
    at_least = _theorem(
        "at_least",
        "ld is at least this for one of the pairs.",
        f"ld_at_least model {a} {v} {s} {t}",
        f"ld_lower model {a} {v} {s} {t} potentials",
    )
    return [couplings, potentials], [_ld_at_most(chain, whole), at_least]


def _ld_at_most(chain: Named, whole: Mapping[str, Json]) -> str:
    a, v = _alpha_and_upper(whole["claim"])
    pairs = _listed(_pairs(chain, whole))
    return _theorem(
        "at_most",
        "ld is at most this for every pair of the list, and so is delta.",
        f"markov model /\\ forall s t, In (s, t) {pairs} ->\n"
        f"  ld_at_most model {a} {v} s t /\\ close model {a} {v} s t",
        f"ld_upper model {a} {v} {pairs} couplings",
    )


def _symmetric_distance(chain: Named, whole: Mapping[str, Json]) -> Texts:
    """bd: every row has couplings for both directions, and potentials for one."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["scope"] == "all-pairs":
        raise NotInCoq("claims about bd of all pairs are not among what is proved in Coq")
    above, below = (evidence.get(side, evidence.get("exact", EMPTY)) for side in ("upper", "lower"))
    rows = [
        {"coupling": row[side], "pair": row["pair"][::step], "value": row["value"]}
        for row in above["rows"]
        for side, step in (("forward", 1), ("backward", -1))
    ]
    both_ways = {"denominator": above["denominator"], "rows": rows}
    a, v = _alpha_and_upper(claim)
    pairs = _listed(_pairs(chain, whole, symmetric=True))
    defined = [_defined("couplings", literal(upper_table(chain.rows, both_ways)))]
    answers = [
        _theorem(
            "at_most",
            "bd is at most this for every pair of the list, and so is delta.",
            f"markov model /\\ forall s t, In (s, t) {pairs} ->\n"
            f"  bd_at_most model {a} {v} s t /\\ close model {a} {v} s t",
            f"bd_upper model {a} {v} {pairs} couplings",
        )
    ]
    if Fraction(claim["lower"]) > 0:
        (s, t), v = _pair(chain, claim), rational(Fraction(claim["lower"]))
        defined.append(
            _defined("potentials", literal(lower_table(chain.rows, Fraction(claim["alpha"]), below)))
        )
        answers.append(
            _theorem(
                "at_least",
                "bd is at least this for one of the pairs.",
                f"bd_at_least model {a} {v} {s} {t}",
                f"bd_lower model {a} {v} {s} {t} potentials",
            )
        )
    return defined, answers


def _delta(chain: Named, whole: Mapping[str, Json]) -> Texts:
    """lv, and tv, which is about both directions."""
    claim = whole["claim"]
    symmetric = claim["kind"] == "tv"
    found = unrolled(chain.rows, chain.labels, Fraction(claim["alpha"]), whole["evidence"])
    answers = [_close(chain, whole, symmetric=symmetric)]
    if Fraction(claim["lower"]) > 0:
        (s, t), a, v = (
            _pair(chain, claim),
            rational(Fraction(claim["alpha"])),
            rational(Fraction(claim["lower"])),
        )
        if symmetric and found.lower(s, t) < found.lower(t, s):
            s, t = t, s
        answers.append(
            _theorem(
                "at_least",
                "Some events gain this, or as nearly as one likes, from one secret to the other.",
                f"markov model /\\ needed model {a} {v} {s} {t}",
                f"delta_lower model {a} {v} {s} {t} unrolling",
            )
        )
    return [_defined("unrolling", literal(found.numbers()))], answers


def _close(chain: Named, whole: Mapping[str, Json], *, symmetric: bool) -> str:
    a, v = _alpha_and_upper(whole["claim"])
    pairs = _listed(_pairs(chain, whole, symmetric))
    return _theorem(
        "at_most",
        "No event gains more than this, from s to t, for any pair of the list.",
        f"markov model /\\ forall s t, In (s, t) {pairs} -> close model {a} {v} s t",
        f"delta_upper model {a} {v} {pairs} unrolling",
    )


def _pair(chain: Named, claim: Mapping[str, Json]) -> Pair:
    return chain.states.index(claim["from"]), chain.states.index(claim["to"])


def _pairs(chain: Named, whole: Mapping[str, Json], symmetric: bool = False) -> Sequence[Pair]:
    """The pairs that the bound from above is about; in both orders, if it is symmetric."""
    place = {name: i for i, name in enumerate(chain.states)}
    pairs = [_pair(chain, whole["claim"])]
    if whole["claim"]["scope"] == "relation":
        pairs = [(place[s], place[t]) for s, t in whole["model"]["relation"]]
    return sorted({*pairs, *((t, s) for s, t in pairs)}) if symmetric else pairs


def _alpha_and_upper(claim: Mapping[str, Json]) -> tuple[str, str]:
    return rational(Fraction(claim["alpha"])), rational(Fraction(claim["upper"]))


def _listed(pairs: Sequence[Pair]) -> str:
    return "[" + "; ".join(f"({s}%N, {t}%N)" for s, t in pairs) + "]"


def _defined(name: str, text: str) -> str:
    return f"Definition {name} : list text :=\n {text}.\n"


def _theorem(name: str, about: str, statement: str, proof: str) -> str:
    """A theorem whose proof is one computation."""
    return (
        f"(** {about} *)\nTheorem {name} : {statement}.\n"
        f"Proof. apply ({proof}). vm_cast_no_check (eq_refl true). Qed.\n"
        f"Print Assumptions {name}.\n"
    )


_KINDS: Mapping[str, Callable[[Named, Mapping[str, Json]], Texts]] = {
    "ld": _distance,
    "lgd": _distance,
    "bd": _symmetric_distance,
    "lv": _delta,
    "tv": _delta,
}
