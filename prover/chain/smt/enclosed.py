"""Distances that formulas enclose, with the evidence of linear programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from prover.chain.ld.found import FoundBounds
from prover.chain.model import Pair
from prover.chain.smt.bisection import Asker, bracket_all, engines_disagree
from prover.progress import Progress
from prover.smt.search import Bracket


def find_by_formulas(
    asker: Asker,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
    by_programs: Callable[[bool], FoundBounds],
) -> FoundBounds:
    """What formulas say of the queried pairs, with the evidence of linear programs.

    An interval is as wide as that of an enclosure at least, which is the evidence for it. A value is
    compared with the exact one of the linear programs. Raises Fault.
    """
    enclosure = by_programs(True)

    def widened(brackets: Mapping[Pair, Bracket]) -> FoundBounds:
        def bracket_of(pair: Pair) -> Bracket:
            known = brackets[min(pair), max(pair)] if asker.symmetric else brackets[pair]
            lower, upper = enclosure.lower(pair), enclosure.upper(pair)
            if known.lower > upper or known.upper < lower:
                raise engines_disagree(asker, pair, known, lower, upper)
            return Bracket(min(known.lower, lower), max(known.upper, upper), known.questions)

        return replace(
            enclosure,
            lower=lambda pair: bracket_of(pair).lower,
            upper=lambda pair: bracket_of(pair).upper,
            engine=asker.engine,
            effort={"questions": sum(bracket.questions for bracket in brackets.values())},
        )

    def report(brackets: Mapping[Pair, Bracket]) -> None:
        if on_interval is not None:
            on_interval(widened(brackets))

    found = bracket_all(asker, queries, progress, report)
    largest = max((bracket.upper for bracket in found.values()), default=Fraction(0))
    if all(bracket.lower < largest for bracket in found.values()) and found:
        return widened(found)
    exact = by_programs(False)
    for pair, bracket in found.items():
        lower, upper = exact.lower(pair), exact.upper(pair)
        if not bracket.lower <= upper or not lower <= bracket.upper:
            raise engines_disagree(asker, pair, bracket, lower, upper)
    return replace(exact, engine=asker.engine, effort=widened(found).effort)
