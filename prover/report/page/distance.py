"""The page of a distance that bounds δ, and of all distances of a chain."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.chain.answer import Distance, DistanceTable, factor_text, symbol
from prover.errors import short_name, shown
from prover.exact.readable import readable, readable_interval
from prover.interactive.distance import InteractiveDistance, InteractiveDistanceTable
from prover.report.code import with_code
from prover.report.distance import (
    TABLE_HEADING,
    about_epsilon,
    about_lower,
    meaning_of,
    slope_of,
    table_rows,
)
from prover.report.names import with_letters
from prover.report.page.certificate import proof_section
from prover.report.page.chains import (
    assumptions_section,
    both_notations,
    model_section,
    pair_text,
)
from prover.report.page.document import LOOKS, Block, Facts, Page, Section, Table, Text
from prover.report.verdict import asked_text, is_at_most

_BOUNDS = (
    "ld is computed from the model's transitions alone, by couplings of steps. It bounds δ from above, for "
    "any observer. What somebody who watches can really achieve may be less, and `prover delta` finds it, "
    "with the attack."
)
_EXACTLY = {
    "ld": _BOUNDS,
    "lgd": "lgd is the same number as ld, by another definition. It bounds δ from above, in this direction.",
    "bd": "bd bounds δ from above, in both directions.",
    "kernel": "Of skew bisimilar states ld is 0, and so is δ, from the first to the second.",
    "bisimilarity": "Two states are bisimilar if they show the same label and go to any class of bisimilar "
    "states with the same probability; then nothing that is observed tells them apart.",
}
_AGAINST = {
    "ld": "ld is computed from single steps alone, by couplings of what every action leads to. It bounds δ "
    "from above, for any attacker. What one who chooses cleverly can really achieve may be less, and "
    "`prover delta` finds it, with his strategy.",
    "bd": "bd bounds δ against every attacker from above, in both directions.",
    "bisimilarity": "Two states are bisimilar here if they show the same label and every action leads from "
    "both to any class of bisimilar states with the same probability; then no attacker tells them apart.",
}


def summary(answer: Distance | DistanceTable, *, at_most: Fraction | None = None) -> Page:
    """The beginning of the page, with the model alone, and all distances of a table."""
    return _of_pair(answer, at_most) if isinstance(answer, Distance) else _of_all(answer, at_most)


def distance_page(answer: Distance | DistanceTable, *, at_most: Fraction | None = None) -> Page:
    """The page; ``at_most`` is what was asked to hold."""
    begun = summary(answer, at_most=at_most)
    facts = _place(answer)
    if isinstance(answer, Distance) and answer.over_relation:
        named = with_letters(answer)[0]
        largest = f"{short_name(named.source)} to {short_name(named.target)}, of all pairs that are related"
        facts.append(("Largest from", largest))
    means = _EXACTLY[answer.kind] if answer.chain is not None else _AGAINST[answer.kind]
    claim: list[Block] = [*([Facts(facts)] if facts else []), Text(means)]
    sections = [
        Section("The claim", claim),
        *begun.sections,
        assumptions_section(_system(answer)),
        proof_section([("of the answer", lambda: answer.certificate)]),
    ]
    return with_code(replace(begun, sections=sections), _system(answer))


def _of_pair(answer: Distance, at_most: Fraction | None) -> Page:
    holds = is_at_most(answer.lower, answer.upper, at_most)
    asked = asked_text(at_most, holds)
    named, about = with_letters(answer)
    pair = "two related states" if answer.over_relation else pair_text(named.source, named.target)
    exact = answer.value is not None
    number = readable(answer.upper) if exact else " to ".join(readable_interval(answer.lower, answer.upper))
    return Page(
        title="How far apart are two secrets?",
        question=f"How far apart are {pair}, by {_title(answer)}?",
        answer=f"{asked}{symbol(answer.kind, answer.alpha)} {'=' if exact else 'is from'} {number}",
        meaning=[*about, meaning_of(named, typeset=True), *about_epsilon(answer), *about_lower(answer)],
        sections=[model_section(_system(answer), (answer.source, answer.target))],
        verdict=LOOKS[holds],
    )


def _of_all(answer: DistanceTable, at_most: Fraction | None) -> Page:
    holds = is_at_most(max(answer.lower.values()), max(answer.upper.values()), at_most)
    asked = asked_text(at_most, holds)
    rows, left_out = table_rows(answer)
    table = Table(f"Not listed: {', '.join(left_out)}", TABLE_HEADING, rows, (2,))
    return Page(
        title="How far apart are two secrets?",
        question=f"How far apart are any two states, by {_title(answer)}?",
        answer=asked + shown(str(answer)),
        meaning=about_epsilon(answer),
        sections=[Section("The distances", [table]), model_section(_system(answer))],
        verdict=LOOKS[holds],
    )


def _system(answer: Distance | DistanceTable) -> object:
    """The chain that it is about, or the decision process."""
    if isinstance(answer, InteractiveDistance | InteractiveDistanceTable):
        return answer.process
    return answer.chain


def _title(answer: Distance | DistanceTable) -> str:
    return "bisimilarity" if answer.kind == "bisimilarity" else f"{answer.kind} at α = {_alpha(answer)}"


def _alpha(answer: Distance | DistanceTable) -> str:
    return factor_text(answer.alpha if answer.epsilon is None else None, answer.epsilon)


def _place(answer: Distance | DistanceTable) -> list[tuple[str, str]]:
    slope = slope_of(answer)
    return [] if slope is None else [("At", both_notations(slope))]
