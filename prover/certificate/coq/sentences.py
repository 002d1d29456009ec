"""Definitions, theorems and lists of pairs in the words of `proofs/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.coq.model import rational
from prover.errors import NotSupported

PairOfStates = tuple[int, int]
TheoremTexts = tuple[list[str], list[str]]
"""Definitions of `Evidence.v`, and theorems of `Answer.v`."""

MODEL, EVIDENCE = "Here.Model.model", "Here.Evidence"
"""By their full names, which no other definition can have."""


def not_covered(what: str) -> NotSupported:
    return NotSupported(f"the proofs in Coq do not cover {what}", code="not-in-coq")


def pair_of(states: Sequence[str], claim: Mapping[str, Any]) -> PairOfStates:
    return states.index(claim["from"]), states.index(claim["to"])


def pairs_of(
    states: Sequence[str], whole: Mapping[str, Any], symmetric: bool = False
) -> Sequence[PairOfStates]:
    """The pairs that the bound from above is about; in both orders, if it is symmetric."""
    if whole["claim"]["scope"] == "relation":
        place = {name: i for i, name in enumerate(states)}
        pairs = [(place[s], place[t]) for s, t in whole["model"]["relation"]]
    else:
        pairs = [pair_of(states, whole["claim"])]
    return sorted({*pairs, *((t, s) for s, t in pairs)}) if symmetric else pairs


def alpha_and_upper(claim: Mapping[str, Any]) -> tuple[str, str]:
    return rational(Fraction(claim["alpha"])), rational(Fraction(claim["upper"]))


def pair_list(pairs: Sequence[PairOfStates]) -> str:
    return "[" + "; ".join(f"({s}%N, {t}%N)" for s, t in pairs) + "]"


def defined(name: str, text: str) -> str:
    return f"Definition {name} : list text :=\n {text}.\n"


def theorem(name: str, about: str, statement: str, proof: str) -> str:
    """A theorem whose proof is one computation."""
    return (
        f"(** {about} *)\nTheorem {name} : {statement}.\n"
        f"Proof. apply ({proof}). vm_cast_no_check (eq_refl true). Qed.\n"
        f"Print Assumptions {name}.\n"
    )


def close(
    alpha: str,
    delta: str,
    pairs: Sequence[PairOfStates],
    number: str = "",
    observer: str = "",
    evidence: str = "unrolling",
) -> str:
    """No event gains more than delta; for an observer no event about what is seen."""
    listed = pair_list(pairs)
    word, about = ("close_seen", f"{MODEL} {observer}") if observer else ("close", MODEL)
    lemma = "delta" if not observer else "seen" if evidence == "unrolling" else "seen_ld"
    event = "No event that is seen" if observer else "No event"
    return theorem(
        f"at_most{number}",
        f"{event} gains more than this, from s to t, for any pair of the list.",
        f"markov {MODEL} /\\ forall s t, In (s, t) {listed} -> {word} {about} {alpha} {delta} s t",
        f"{lemma}_upper {about} {alpha} {delta} {listed} {EVIDENCE}.{evidence}{number}",
    )


def needed(alpha: str, delta: str, pair: PairOfStates, number: str = "", observer: str = "") -> str:
    s, t = pair
    word, about = ("needed_seen", f"{MODEL} {observer}") if observer else ("needed", MODEL)
    lemma = "seen_lower" if observer else "delta_lower"
    return theorem(
        f"at_least{number}",
        "Some events gain this, or come as close to it as required, from one secret to the other.",
        f"markov {MODEL} /\\ {word} {about} {alpha} {delta} {s} {t}",
        f"{lemma} {about} {alpha} {delta} {s} {t} {EVIDENCE}.unrolling{number}",
    )


def matrix(states: int, value: Callable[[int, int], Fraction | int]) -> str:
    """A value for each pair of states."""
    rows = (
        "; ".join("{}#{}".format(*value(s, t).as_integer_ratio()) for t in range(states))
        for s in range(states)
    )
    return (
        "(** Row s, from state 0 on, has the values of s and 0, of s and 1, and so on. *)\n"
        "Definition values : list (list Q) := [\n  [" + "];\n  [".join(rows) + "]\n].\n\n"
    )


def everywhere(fact: str, is_model: str = "markov", chain: str = MODEL) -> str:
    """The statement that a fact about s and t holds for all states s and t of the chain."""
    states = f"(states {chain})"
    return f"{is_model} {MODEL} /\\ forall s t, In s {states} -> In t {states} ->\n  {fact}"
