"""Claims as theorems of Coq, with the evidence that proves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.coq.distances import EMPTY, lower_table, upper_table
from prover.certificate.coq.model import Named, rational
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.unrollings import unrolled
from prover.certificate.expansion import written_out
from prover.errors import NotSupported

PairOfStates = tuple[int, int]
TheoremTexts = tuple[list[str], list[str]]
"""Definitions of `Evidence.v`, and theorems of `Answer.v`."""

MODEL, EVIDENCE = "Here.Model.model", "Here.Evidence"
"""By their full names, which no other definition can have."""


def theorems(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim of the certificate of a chain. Raises NotSupported if the proofs do not cover it."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["kind"] not in _KINDS:
        raise NotSupported(
            f"the proofs in Coq do not cover claims of kind {claim['kind']}", code="not-in-coq"
        )
    if "quotient" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about quotients", code="not-in-coq")
    if "lost" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about lost runs", code="not-in-coq")
    if "collapsing" in evidence:
        raise NotSupported("the proofs in Coq do not cover claims about unseen steps", code="not-in-coq")
    return _KINDS[claim["kind"]](chain, {**whole, "evidence": written_out(evidence)})


def _distance(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """ld, which lgd equals, and bd, which has couplings for both directions and is about both."""
    claim, evidence = whole["claim"], whole["evidence"]
    alpha, kind = Fraction(claim["alpha"]), "bd" if claim["kind"] == "bd" else "ld"
    above, below = (evidence.get(side, evidence.get("exact", EMPTY)) for side in ("upper", "lower"))
    about = kind if claim["kind"] == kind else f"{claim['kind']}, which is {kind} by Theorem A on paper,"
    if kind == "bd":
        above = _both_ways(above)
    defined = [_defined("couplings", literal(upper_table(chain.rows, above)))]
    if claim["scope"] == "all-pairs":
        answers = [_everywhere(chain, claim, below, kind, about)]
    else:
        answers = [_distance_at_most(chain, whole, kind, about)]
    if "unrolling" in below:
        unrolling, needed = _needed(chain, claim, below, symmetric=kind == "bd")
        return [*defined, unrolling], [*answers, *needed]
    if claim["scope"] == "all-pairs" or Fraction(claim["lower"]) > 0:
        defined.append(_defined("potentials", literal(lower_table(chain.rows, alpha, below))))
    if claim["scope"] != "all-pairs" and Fraction(claim["lower"]) > 0:
        (s, t), a, v = _pair(chain, claim), rational(alpha), rational(Fraction(claim["lower"]))
        answers.append(
            _theorem(
                "at_least",
                f"{about} is at least this for one of the pairs.",
                f"{kind}_at_least {MODEL} {a} {v} {s} {t}",
                f"{kind}_lower {MODEL} {a} {v} {s} {t} {EVIDENCE}.potentials",
            )
        )
    return defined, answers


def _both_ways(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rows of bd as rows of ld, two for one."""
    rows = [
        {"coupling": row[side], "pair": row["pair"][::step], "value": row["value"]}
        for row in table["rows"]
        for side, step in (("forward", 1), ("backward", -1))
    ]
    return {"denominator": table["denominator"], "rows": rows}


def _distance_at_most(chain: Named, whole: Mapping[str, Any], kind: str, about: str) -> str:
    a, v = _alpha_and_upper(whole["claim"])
    pairs = _listed(_pairs(chain, whole, symmetric=kind == "bd"))
    return _theorem(
        "at_most",
        f"{about} is at most this for every pair of the list, and so is delta.",
        f"markov {MODEL} /\\ forall s t, In (s, t) {pairs} ->\n"
        f"  {kind}_at_most {MODEL} {a} {v} s t /\\ close {MODEL} {a} {v} s t",
        f"{kind}_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.couplings",
    )


def _everywhere(
    chain: Named, claim: Mapping[str, Any], below: Mapping[str, Any], kind: str, about: str
) -> str:
    """The values of all pairs, and the theorem about them."""
    a, w = (rational(Fraction(claim[key])) for key in ("alpha", "width"))
    row, value = f"states {MODEL}", "(in_matrix values s t)"
    most = f"(in_matrix values s t + {w})"
    return _matrix(chain, below) + _theorem(
        "everywhere",
        f"{about} is at least the value in the matrix, and at most that plus a number, for all pairs.",
        f"markov {MODEL} /\\ forall s t, In s ({row}) -> In t ({row}) ->\n"
        f"  {kind}_at_least {MODEL} {a} {value} s t /\\ {kind}_at_most {MODEL} {a} {most} s t /\\\n"
        f"  close {MODEL} {a} {most} s t",
        f"{kind}_everywhere {MODEL} {a} {w} values {EVIDENCE}.couplings {EVIDENCE}.potentials",
    )


def _matrix(chain: Named, below: Mapping[str, Any]) -> str:
    """The bounds from below of all pairs."""
    unit = int(below["denominator"])
    values = {
        pair: Fraction(int(row["value"]), unit)
        for row in below["rows"]
        for pair in {tuple(row["pair"]), tuple(row["pair"][:: -1 if "direction" in row else 1])}
    }
    labels = chain.rows.labels
    rows = (
        "; ".join(
            "{}#{}".format(*values.get((s, t), Fraction(labels[s] != labels[t])).as_integer_ratio())
            for t in range(len(labels))
        )
        for s in range(len(labels))
    )
    return (
        "(** Row s, from state 0 on, has the values of s and 0, of s and 1, and so on. *)\n"
        "Definition values : list (list Q) := [\n  [" + "];\n  [".join(rows) + "]\n].\n\n"
    )


def _delta(chain: Named, whole: Mapping[str, Any]) -> TheoremTexts:
    """lv, and tv, which is about both directions."""
    claim, evidence = whole["claim"], whole["evidence"]
    symmetric = claim["kind"] == "tv"
    unrolling, needed = _needed(chain, claim, evidence, symmetric=symmetric)
    return [unrolling], [_close(chain, whole, symmetric=symmetric), *needed]


def _needed(
    chain: Named, claim: Mapping[str, Any], evidence: Mapping[str, Any], *, symmetric: bool
) -> tuple[str, list[str]]:
    """The nodes of an unrolling, and that delta, and every bound of it, is at least the lower bound."""
    a, v = rational(Fraction(claim["alpha"])), rational(Fraction(claim["lower"]))
    found = unrolled(chain.rows, chain.labels, Fraction(claim["alpha"]), evidence)
    s, t = _pair(chain, claim)
    if symmetric and found.lower(s, t) < found.lower(t, s):
        s, t = t, s
    theorem = _theorem(
        "at_least",
        "Some events gain this, or come as close to it as required, from one secret to the other.",
        f"markov {MODEL} /\\ needed {MODEL} {a} {v} {s} {t}",
        f"delta_lower {MODEL} {a} {v} {s} {t} {EVIDENCE}.unrolling",
    )
    return _defined("unrolling", literal(found.numbers())), [theorem] * (Fraction(claim["lower"]) > 0)


def _close(chain: Named, whole: Mapping[str, Any], *, symmetric: bool) -> str:
    a, v = _alpha_and_upper(whole["claim"])
    pairs = _listed(_pairs(chain, whole, symmetric))
    return _theorem(
        "at_most",
        "No event gains more than this, from s to t, for any pair of the list.",
        f"markov {MODEL} /\\ forall s t, In (s, t) {pairs} -> close {MODEL} {a} {v} s t",
        f"delta_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.unrolling",
    )


def _pair(chain: Named, claim: Mapping[str, Any]) -> PairOfStates:
    return chain.states.index(claim["from"]), chain.states.index(claim["to"])


def _pairs(chain: Named, whole: Mapping[str, Any], symmetric: bool = False) -> Sequence[PairOfStates]:
    """The pairs that the bound from above is about; in both orders, if it is symmetric."""
    place = {name: i for i, name in enumerate(chain.states)}
    pairs = [_pair(chain, whole["claim"])]
    if whole["claim"]["scope"] == "relation":
        pairs = [(place[s], place[t]) for s, t in whole["model"]["relation"]]
    return sorted({*pairs, *((t, s) for s, t in pairs)}) if symmetric else pairs


def _alpha_and_upper(claim: Mapping[str, Any]) -> tuple[str, str]:
    return rational(Fraction(claim["alpha"])), rational(Fraction(claim["upper"]))


def _listed(pairs: Sequence[PairOfStates]) -> str:
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


_KINDS: Mapping[str, Callable[[Named, Mapping[str, Any]], TheoremTexts]] = {
    "ld": _distance,
    "lgd": _distance,
    "bd": _distance,
    "lv": _delta,
    "tv": _delta,
}
