"""The chain of a certificate, as a Coq term that people can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")


@dataclass(frozen=True, slots=True)
class CoqRows:
    """A chain by numbers: state s has labels[s] and goes to t with next[s][t], where that is not 0."""

    labels: Sequence[int]
    next: Sequence[Mapping[int, Fraction]]

    def denominator(self, s: int) -> int:
        """That of a row, as `proofs/Rows.v` finds it: the least common multiple of those of its numbers."""
        return lcm(*(p.denominator for p in self.next[s].values()))

    def denominators(self) -> list[int]:
        """Those of all rows."""
        return [self.denominator(s) for s in range(len(self.next))]


@dataclass(frozen=True, slots=True)
class Named:
    """The chain of a certificate, its states numbered by name as in its evidence, and the names."""

    rows: CoqRows
    states: Sequence[str]
    labels: Sequence[str]


def read(model: Mapping[str, Any]) -> Named:
    states = sorted(model["states"])
    labels = sorted({state["label"] for state in model["states"].values()})
    place, number = ({name: i for i, name in enumerate(names)} for names in (states, labels))
    own = [model["states"][name] for name in states]
    successors = [{place[t]: Fraction(p) for t, p in sorted(state["next"].items())} for state in own]
    return Named(CoqRows([number[state["label"]] for state in own], successors), states, labels)


def plain(name: str) -> str:
    """A name as it may stand in a comment of Coq, where quotes and asterisks have a meaning: every character
    except letters, digits and _.- is written %XX, by its bytes in UTF-8."""
    data = name.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if chr(byte) in SAFE else f"%{byte:02X}" for byte in data) or "%"


def rational(p: Fraction) -> str:
    return f"({p.numerator}#{p.denominator})"


def text(chain: Named) -> Iterator[str]:
    """`Model.v` of a chain, line by line."""
    yield from about_chain("The chain.", chain)
    yield from defined("Chain", "chain", chain.states, chain.rows.labels, map(row, chain.rows.next))


def about_chain(title: str, chain: Named) -> Iterator[str]:
    """A comment with a table of the labels."""
    yield f"(** {title} States and labels are numbered in the order of their names; in names, what is not a"
    yield "    letter, a digit or one of _.- is written %XX, by its bytes in UTF-8."
    yield ""
    yield "    label  name"
    yield from (f"    {i}  {plain(name)}" for i, name in enumerate(chain.labels))
    yield "*)"


def row(successors: Mapping[int, Fraction]) -> str:
    return "[" + "; ".join(f"({t}%N, {p.numerator}#{p.denominator})" for t, p in successors.items()) + "]"


def defined(
    library: str, kind: str, states: Sequence[str], labels: Sequence[int], rows: Iterable[str]
) -> Iterator[str]:
    """The definition of the model, a line for each state."""
    yield "From Coq Require Import List NArith QArith."
    yield f"From Prover Require Import {library}."
    yield "Import ListNotations."
    yield "Open Scope Q_scope."
    yield ""
    yield f"Definition model : {kind} := ["
    yield from listing(states, labels, rows)


def listing(states: Sequence[str], labels: Sequence[int], rows: Iterable[str]) -> Iterator[str]:
    """A line for each state, and the end of the list."""
    last = len(states) - 1
    for s, (name, label, own) in enumerate(zip(states, labels, rows, strict=True)):
        yield f"  (* {s}  {plain(name)} *) ({label}%N, {own}){'' if s == last else ';'}"
    yield "]."
