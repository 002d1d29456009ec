"""Distances by asking formulas: binary search over thresholds, in Z3 (docs/formulas.md, *Chains*).

The engine "nonlinear" asks the papers' formulas, ld-threshold and bd-threshold; "linear" asks ld-linear and
bd-linear. They prove bounds by what Z3 says; the evidence of certificates is found elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from types import MappingProxyType

from prover.chain.canonical import chain_model
from prover.chain.kinds import Engine
from prover.chain.ld.problem import explore
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.smt.formulas import encode
from prover.chain.smt.liftings import lifted
from prover.errors import Fault
from prover.exact.fraction import vertex_denominator
from prover.exact.rational import format_rational
from prover.progress import Progress
from prover.smt.confirm import solved
from prover.smt.search import Bracket, search
from prover.smt.solver import SAT, UNKNOWN

SECONDS = 60.0
"""The most seconds that Z3 gets for one formula."""

_PROBLEMS: Mapping[tuple[Engine, bool], str] = MappingProxyType(
    {
        ("linear", False): "ld-linear",
        ("linear", True): "bd-linear",
        ("nonlinear", False): "ld-threshold",
        ("nonlinear", True): "bd-threshold",
    }
)


def engines_disagree(asker: Asker, pair: Pair, asked: Bracket, lower: Fraction, upper: Fraction) -> Fault:
    """Formulas and linear programs have proved different values of one distance."""
    chain = asker.chain
    model = chain_model(chain)
    return Fault(
        f"engine {asker.engine} has {_interval(asked.lower, asked.upper)} and engine lp has "
        f"{_interval(lower, upper)} for {'bd' if asker.symmetric else 'ld'} at alpha = "
        f"{format_rational(asker.alpha)} from {chain.states[pair[0]]!a} to {chain.states[pair[1]]!a}, "
        f"problem {asker.problem}, of the model\n{json.dumps(model)}"
    )


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks Z3 about ld of pairs of states, or bd where ``symmetric``."""

    chain: LabelledMarkovChain
    alpha: Fraction
    engine: Engine
    symmetric: bool

    @property
    def problem(self) -> str:
        """The formula that is asked."""
        return _PROBLEMS[self.engine, self.symmetric]

    def exceeds(self, pair: Pair, theta: Fraction) -> bool | None:
        """Whether the distance is above θ."""
        holds = self._holds(pair, theta, strict=self.engine == "linear")
        return holds if holds is None or self.engine == "linear" else not holds

    def reaches(self, pair: Pair, theta: Fraction) -> bool | None:
        """Whether the distance is at least θ."""
        holds = self._holds(pair, theta, strict=self.engine == "nonlinear")
        return holds if holds is None or self.engine == "linear" else not holds

    def _holds(self, pair: Pair, theta: Fraction, *, strict: bool) -> bool | None:
        """What the formula says: distance ≥ or > θ if linear, distance ≤ or < θ if not."""
        s, t = (self.chain.states[state] for state in pair)
        script = encode(
            self.chain, self.problem, alpha=self.alpha, source=s, target=t, theta=theta, strict=strict
        )
        status = solved(script, SECONDS).status
        return None if status == UNKNOWN else status == SAT


Brackets = Mapping[Pair, Bracket]


def bracket_all(
    asker: Asker, queries: Iterable[Pair], progress: Progress, report: Callable[[Brackets], None]
) -> Brackets:
    """Bounds of the queried pairs, such that their largest distance is known unless Z3 gives up.

    A pair that is not above the best of those before is left at that: its lower bound stays 0. ``report`` is
    called with every step.
    """
    labels = asker.chain.labels
    pairs = [(s, t) for s, t in queries if s != t and labels[s] == labels[t]]
    alike = sorted({(min(pair), max(pair)) if asker.symmetric else pair for pair in pairs})
    found: dict[Pair, Bracket] = {(s, t): Bracket(Fraction(0), Fraction(1), 0) for s, t in alike}
    best = Fraction(0)
    asked = 0
    for pair in found:

        def narrowed(bracket: Bracket, pair: Pair = pair) -> None:
            nonlocal asked
            asked += 1
            found[pair] = bracket
            progress("formulas", asked, None)
            report(dict(found))

        if best > 0 and asker.exceeds(pair, best) is False:
            narrowed(Bracket(Fraction(0), best, 1))
            continue
        settled = search(
            lambda theta, pair=pair: asker.exceeds(pair, theta),  # type: ignore[misc]
            lambda theta, pair=pair: asker.reaches(pair, theta),  # type: ignore[misc]
            narrowed,
            largest_denominator(asker.chain, asker.alpha, pair, symmetric=asker.symmetric),
        )
        narrowed(settled)
        best = max(best, settled.lower)
    return found


def largest_denominator(
    chain: LabelledMarkovChain, alpha: Fraction, pair: Pair, *, symmetric: bool = False
) -> int:
    """A bound on the denominator of ld of a pair, or of bd where ``symmetric``.

    ld is the greatest solution of the constraints of ld-linear, without an end for d(s,t), and so a vertex of
    them, written with a potential for every state: d(p) ≤ f·b and f_i ≤ d(i,j) + α f_j for every pair p, and
    bounds. bd is the ld of one direction of every pair (Theorem B). With a common denominator the rows are
    integers: ``vertex_denominator`` bounds what they lead to.
    """
    needed = explore(chain, alpha, [pair], both_ways=symmetric).parts
    norms: list[int] = []
    unknowns = 0
    for part in needed:
        found = lifted(chain, alpha, part)
        common = lcm(*(number.denominator for number in (found.lost, *found.gains.values())))
        norms.append(sum((g * common).numerator ** 2 for g in found.gains.values()) + common**2)
        arc = alpha.numerator**2 + 2 * alpha.denominator**2
        norms += [arc] * len(found.arcs) + [1] * (len(found.states) + 1)
        unknowns += len(found.states) + 1
    return vertex_denominator(norms, unknowns)


def _interval(lower: Fraction, upper: Fraction) -> str:
    ends = format_rational(lower), format_rational(upper)
    return ends[0] if lower == upper else f"[{ends[0]}, {ends[1]}]"
