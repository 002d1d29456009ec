"""What an observer sees who does not see every step: the evidence of `proofs/Collapsed.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from prover.certificate.coq.heights import heights
from prover.certificate.coq.model import CoqRows, Named, read
from prover.certificate.coq.sentences import PairOfStates
from prover.certificate.coq.tokens import listed
from prover.certificate.coq.unrollings import rows_of

CoqPlace = tuple[int | None, int]
"""The label that was seen last, if one was, and a state."""


@dataclass(frozen=True, slots=True)
class CoqSeen:
    """The chain that evidence is about: that of the claim, or the chain of what an observer sees of it. Then
    statements name the `observer`, secrets stand for other states, and Coq reads some `numbers` first."""

    rows: CoqRows
    labels: Sequence[str]
    observer: str = ""
    begins: Mapping[int, int] = field(default_factory=dict)
    numbers: Sequence[int] = ()

    def pair(self, s: int, t: int) -> PairOfStates:
        return self.begins.get(s, s), self.begins.get(t, t)


def seen(chain: Named, whole: Mapping[str, Any]) -> CoqSeen:
    if "observer" not in whole["claim"]:
        return CoqSeen(chain.rows, chain.labels)
    found = _Collapsed(chain, whole["claim"]["observer"], whole["evidence"]["collapsing"])
    silent = "; ".join(f"{a}%N" for a in sorted(found.silent))
    observer = f"({'Changes' if found.changes else 'Labels'} [{silent}])"
    return CoqSeen(found.small, [*chain.labels, *found.more], observer, found.begins, list(found.numbers()))


class _Collapsed:
    """The collapsed chain, whose labels have the numbers of those of the chain, and two more; and where the
    next step that is seen leads, from each state and each label that was seen last."""

    def __init__(self, chain: Named, observer: Mapping[str, Any], evidence: Mapping[str, Any]) -> None:
        self.rows, self.changes = chain.rows, observer["sees"] == "changes"
        self.silent = {i for i, name in enumerate(chain.labels) if name in observer["silent"]}
        self.before, self.silence = len(chain.labels), len(chain.labels) + 1
        self.more = [evidence.get("start", ""), evidence.get("silence", "")]
        number = {name: i for i, name in enumerate([*chain.labels, *self.more])}
        named = read(evidence["model"])
        own = [number[named.labels[label]] for label in named.rows.labels]
        self.small = CoqRows(own, named.rows.next)
        self.entered = {s: c for c, s in evidence["entered"]}
        self.erased, self.merged = (
            {row["state"]: {v: Fraction(int(n), int(row["denominator"])) for v, n in row["exits"]}
             for row in evidence[key]}
            for key in ("erased", "merged")
        )  # fmt: skip
        self.begun = "start" in evidence
        place = {name: c for c, name in enumerate(named.states)}
        begins = {s: place[name] for s, name in enumerate(chain.states) if name in place}
        self.begins = {
            s: c
            for s, c in begins.items()
            if (own[c] == self.before if self.begun else self.entered.get(s) == c)
        }

    def unseen(self, place: CoqPlace) -> bool:
        last, s = place
        label = self.rows.labels[s]
        return label in self.silent or (self.changes and label == last)

    def next_places(self, place: CoqPlace) -> Mapping[CoqPlace, Fraction]:
        """Where one step leads."""
        last, s = place
        after = last if self.unseen(place) else self.rows.labels[s]
        return {(after, t): p for t, p in self.rows.next[s].items()}

    def next_seen(self, place: CoqPlace) -> Mapping[int, Fraction]:
        """The states that the next step that is seen enters, from a state that is not seen itself."""
        last, s = place
        if self.rows.labels[s] not in self.silent:
            return self.merged.get(s, {})
        found: dict[int, Fraction] = {}
        for v, p in self.erased.get(s, {}).items():
            for w, x in (self.merged.get(v, {}) if self.unseen((last, v)) else {v: Fraction(1)}).items():
                found[w] = found.get(w, Fraction(0)) + p * x
        return found

    @cached_property
    def lasting(self) -> Mapping[int, int]:
        """The absorbing states by their labels: where there are several, one that stands for no state."""
        states = {*self.entered.values(), *self.begins.values()}
        ends = [c for c, row in enumerate(self.small.next) if row.keys() == {c}]
        return {self.small.labels[c]: c for c in sorted(ends, key=lambda c: c not in states)}

    def ends(self, place: CoqPlace) -> Mapping[int, Fraction]:
        """The states of the collapsed chain in which the next step that is seen ends, or none is seen."""
        found = {self.entered[v]: p for v, p in self.next_seen(place).items()}
        rest = 1 - sum(found.values(), Fraction(0))
        if rest:
            last = self.before if place[0] is None else place[0]
            found[self.lasting[last if self.changes else self.silence]] = rest
        return found

    def unseen_places(self) -> Sequence[CoqPlace]:
        """To which runs from the secrets come."""
        waiting: list[CoqPlace] = [(None, s) for s in self.begins]
        found = {*waiting}
        for place in waiting:
            new = self.next_places(place).keys() - found
            found |= new
            waiting += sorted(new, key=lambda place: place[1])
        return [place for place in waiting if self.unseen(place)]

    def numbers(self) -> Iterator[int]:
        """As `proofs/Decode.v` reads them."""
        places = self.unseen_places()
        ends = {place: self.ends(place) for place in places}
        unit = lcm(*(p.denominator for row in ends.values() for p in row.values()))
        leaving = [place for place in places if self.next_seen(place)]
        number = {place: i for i, place in enumerate(leaving)}
        links = [
            [(number.get(t, len(leaving)), p) for t, p in self.next_places(place).items()]
            for place in leaving
        ]
        fall, found = heights([*links, []], [1] * (len(links) + 1), [Fraction(0)] * (len(links) + 1))
        tall = dict(zip(leaving, found, strict=False))
        yield from rows_of(self.small)
        yield unit
        yield from listed([s, c] for s, c in self.entered.items())
        lasts = sorted({last for last, _ in places}, key=lambda last: -1 if last is None else last)
        yield from listed(
            [
                0 if last is None else last + 1,
                *listed(
                    [s, *listed([c, int(p * unit)] for c, p in ends[key].items()),
                     *tall.get(key, Fraction(0)).as_integer_ratio()]
                    for key in places
                    if key[0] == last
                    for s in key[1:]
                ),
            ]
            for last in lasts
        )  # fmt: skip
        yield from max(found).as_integer_ratio()
        yield from fall.as_integer_ratio()
        yield from (self.before, self.silence, int(self.begun))
        yield from listed([s, c] for s, c in self.begins.items())
