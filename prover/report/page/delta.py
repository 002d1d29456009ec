"""The page of an answer about δ."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from prover.chain.breakpoints import breakpoints_of
from prover.chain.delta import Delta
from prover.chain.secrets import Secrets
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import short_name
from prover.exact.convex import Piecewise
from prover.exact.readable import brief, lower_text
from prover.report.code import with_code
from prover.report.delta import no_attack_text, only_asked, origin_text, promise_of
from prover.report.names import with_letters
from prover.report.page.attack import attack_blocks, excess_figure
from prover.report.page.bounds import facts, number, pair_of, proofs
from prover.report.page.certificate import proof_section
from prover.report.page.chains import assumptions_section, model_section
from prover.report.page.curves import delta_chart, end_of, line_series, profile_series
from prover.report.page.document import Block, Facts, Figure, Page, Section, Text
from prover.report.picture.chart import Series, drawn_chart
from prover.report.promise import typeset

MOST_NODES = 2_000
"""Of the unrolling of an exact answer, so that δ is also found as a function of ε, for the curve."""

LEAST_DRAWN = Fraction(1, 100)
"""Of δ, so that one sees it."""

STEPS = "Seen without repetitions these words are no attack. If nobody counts steps, ask with --untimed."


def summary(answer: Delta, *, at_most: Fraction | None = None) -> Page:
    """The beginning of the page, with the model alone; ``at_most`` is what was asked to hold."""
    found, verdict = number(answer, at_most)
    named, about = with_letters(answer)
    return Page(
        title="How private is this system?",
        question=_question(named),
        answer=found,
        meaning=[*about, promise_of(named, typeset=True), *map(typeset, only_asked(answer))],
        sections=[model_section(answer.chain, (answer.source, answer.target))],
        verdict=verdict,
    )


def delta_page(answer: Delta, *, at_most: Fraction | None = None) -> Page:
    """The page; ``at_most`` is what was asked to hold."""
    begun = summary(answer, at_most=at_most)
    sections = [
        Section("The claim", [Facts(facts(with_letters(answer)[0], origin_text(answer)))]),
        *begun.sections,
        Section("The attack", _attack(answer)),
        Section("Other values of ε", _curve(answer)),
        assumptions_section(answer.chain),
        proof_section(proofs(answer)),
    ]
    return with_code(replace(begun, sections=sections), answer.chain)


def _question(answer: Delta) -> str:
    way = "" if answer.kind == "tv" else f", by what {short_name(answer.source)} shows more often"
    factor = f"if a factor of α = {answer.factor} is allowed"
    return f"How well can {pair_of(answer)} be told apart by what is seen{way}, {factor}?"


def _attack(answer: Delta) -> list[Block]:
    if answer.attack is None:
        return [Text(no_attack_text(answer))]
    gain = f"at least {lower_text(answer.lower)}" if answer.value is None else f"δ = {brief(answer.value)}"
    named = with_letters(answer)[0].attack or answer.attack
    secrets = short_name(named.source), short_name(named.target)
    blocks = attack_blocks(answer.chain, answer.attack, secrets, answer.factor, gain)
    if answer.alpha is not None and answer.value is not None and answer.value >= LEAST_DRAWN:
        blocks.append(excess_figure(named, answer.alpha, answer.value))
    return [*blocks, Text(STEPS)] if answer.only_counts_steps else blocks


def _curve(answer: Delta) -> list[Block]:
    profile = _profile(answer)
    asked = math.log(answer.alpha_upper) if answer.epsilon is None else float(answer.epsilon)
    last = end_of(profile, [asked])
    series: list[Series] = []
    words = []
    if profile is not None:
        series.append(profile_series(profile, last, "δ, exactly"))
        words += [f"δ = {brief(value)} at α = {brief(alpha)}." for alpha, value in profile.corners]
    if answer.attack is not None:
        one = (answer.attack.from_probability, answer.attack.to_probability)
        series.append(line_series(*one, last, "what the attack above proves, from below"))
        words.append(f"The attack above proves δ ≥ {brief(one[0])} − α · {brief(one[1])}, for every α.")
    ends = sorted({float(answer.lower), float(answer.upper)})
    series.append(Series("asked here", [(asked, end) for end in ends], "asked", dots=True))
    caption = "How δ falls as ε grows."
    if profile is None:
        caption += " Known is the answer here; the curve itself is another question: prover curve."
    return [Figure(drawn_chart(delta_chart(series, "δ as ε grows")), caption, words)]


def _profile(answer: Delta) -> Piecewise | None:
    """δ as a function of α, where that takes little, as the answer is exact and its unrolling small."""
    if answer.origin.kind not in ("exact", "labels") or answer.origin.nodes > MOST_NODES:
        return None
    source, target = (None, None) if answer.over_relation else (answer.source, answer.target)
    try:
        return breakpoints_of(Secrets.of(answer.chain, source, target, answer.kind)).delta
    except TooManyWords:
        return None
