"""Upper bounds of ε where lost runs would be too many: for δ = 0 above all, with real probabilities.

What is seen in the real chain is at most so many times as likely as in the rational one that is cut from it,
if no state of a cycle loses runs. So one factor, near to 1, takes the place of the lost runs.

Reference: docs/theory.md, *Real probabilities*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.certificate.schema import Certificate
from prover.chain.breakpoints import breakpoints_of
from prover.chain.ld.certificates import certify
from prover.chain.model import LabelledMarkovChain
from prover.chain.real import RoundedChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling.certificates import unrolling_evidence
from prover.chain.unrolling.intervals import Goal
from prover.chain.unrolling.refinement import Limits, Refinement, UnrollingLimits, enclose
from prover.chain.unrolling.word_graph import TooManyWords
from prover.exact.rational import format_rational
from prover.graphs import search, strong_components
from prover.progress import Progress

_UNIT = 10**18
"""Factors, and α, are rounded up to multiples of 1/_UNIT."""


@dataclass(frozen=True, slots=True)
class GrowthBound:
    """δ is at most what is allowed from ``alpha`` on."""

    alpha: Fraction
    make_certificate: Callable[[], Certificate]


def growth_bound(
    secrets: Secrets, bound: Fraction, limits: UnrollingLimits | Limits, progress: Progress
) -> GrowthBound | None:
    """An α with δ ≤ ``bound``; None if there is none, or none is found in this way."""
    chain = secrets.chain
    grown = _grown(chain) if isinstance(chain, RoundedChain) else None
    if grown is None:
        return None
    even, growth = grown
    most = max(growth[s] for pair in secrets.pairs for s in pair)
    apart = Secrets.of(even, secrets.source, secrets.target, secrets.kind)
    try:
        least = breakpoints_of(apart, progress).delta.first_at_most(bound / most)
    except TooManyWords:
        return None
    if least is None:
        return None
    alpha = _up(least * most)
    goal = Goal(Fraction(0), apart.named, bound / most)
    found = enclose(apart.merged, apart.directions, alpha / most, goal, Refinement(limits, progress))
    if max(found.upper.values()) > bound / most:
        return None

    def proof() -> Certificate:
        names = [even.states[s] for s in apart.pairs[0]]
        claim = {
            "alpha": format_rational(alpha),
            "kind": apart.kind,
            "scope": "pair" if apart.named else "relation",
            "from": names[0],
            "to": names[1],
            "lower": "0",
            "upper": format_rational(bound),
            "lost": chain.lost,
        }
        numbers = [[c, format_rational(k)] for c, k in sorted(growth.items())]
        return certify(even, claim, {**unrolling_evidence(found), "growth": numbers})

    return GrowthBound(alpha, proof)


def _grown(chain: RoundedChain) -> tuple[RoundedChain, dict[int, Fraction]] | None:
    """The chain with equally many lost runs in all rows that may lose some, as if they were an outcome like
    others; and by which factors its states are short of the real ones. None if there are none.
    """
    original, entered = chain.rounding.original, chain.rounding.entered
    if original.lost is not None:
        return None
    silent = [label == original.silent for label in original.labels]
    place = {s: c for c, s in entered.items()}

    def kept(c: int) -> Iterator[int]:
        return (d for d in chain.rows[c] if d in entered)

    components = strong_components(entered, kept)
    once = {m[0] for m in components if len(m) == 1 and m[0] not in chain.rows[m[0]]}
    lost = {c: 1 - sum((chain.rows[c][d] for d in kept(c)), Fraction(0)) for c in entered}
    most = max((lost[c] for c in once), default=Fraction(0))
    end = next(s for s, label in enumerate(chain.labels) if label == chain.lost)
    rows = {s: dict(row) for s, row in enumerate(chain.rows)}
    growth: dict[int, Fraction] = {}
    for members in components:
        factor = Fraction(1)
        for c in members:
            wanted = _next_visible(original.rows, entered[c], silent)
            if not wanted <= place.keys() or {place[v] for v in wanted} != {*kept(c)}:
                return None
            if c not in once and lost[c] > 0:
                return None
            if c in once and most > 0:
                row = rows[c]
                largest = max(kept(c), key=row.__getitem__)
                row[largest] -= most - lost[c]
                row[end] = most
                if row[largest] <= 0:
                    return None
            rest = most if c in once else Fraction(0)
            factors = ((1 + rest / rows[c][d]) * growth.get(d, Fraction(1)) for d in kept(c))
            factor = max([factor, *factors])
        growth |= dict.fromkeys(members, _up(factor))
    if any(silent[u] and not _next_visible(original.rows, u, silent) for u in range(len(silent))):
        return None
    named = {
        name: (chain.labels[s], {chain.states[t]: p for t, p in rows[s].items()})
        for s, name in enumerate(chain.states)
    }
    relation = [(chain.states[s], chain.states[t]) for s, t in chain.relation]
    made = LabelledMarkovChain.of(named, relation)
    return replace(chain, rows=made.rows, lost=None), growth


def _next_visible(rows: Sequence[Mapping[int, object]], s: int, silent: Sequence[bool]) -> set[int]:
    """The visible states that may be entered next."""

    def unseen(u: int) -> list[int]:
        return [t for t in rows[u] if silent[t]]

    return {t for u in search([s], unseen) for t in rows[u] if not silent[t]}


def _up(number: Fraction) -> Fraction:
    return Fraction(-(-number * _UNIT // 1), _UNIT)
