"""The page of the least ε for a δ."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.chain.breakpoints import breakpoints_of
from prover.chain.delta import Delta
from prover.chain.epsilon import DIGITS, Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import short_name
from prover.exact.convex import Piecewise
from prover.exact.rational import decimal_text
from prover.exact.readable import brief, readable, readable_alpha, upper_text
from prover.interactive.delta import InteractiveDelta
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.report.code import with_code
from prover.report.epsilon import meaning_of
from prover.report.names import with_letters
from prover.report.page.attack import attack_blocks
from prover.report.page.certificate import Proof, proof_section
from prover.report.page.chains import (
    assumptions_section,
    logarithm,
    model_section,
    pair_text,
)
from prover.report.page.curves import delta_chart, end_of, line_series, profile_series
from prover.report.page.document import LOOKS, Block, Facts, Figure, Page, Section, Text
from prover.report.page.interactive import strategy_blocks
from prover.report.picture.chart import Series, drawn_chart
from prover.report.promise import typeset
from prover.report.verdict import asked_text

_RUNS = "Of several runs there is no tree: one run tells little, and what counts is all of them together."
_LESS = " At a smaller one it gains more than is allowed."
_IMPOSSIBLE = "What is seen in one case only is more likely than this δ, and no factor bounds that."


def summary(answer: Epsilon, *, at_most: Fraction | None = None) -> Page:
    """The beginning of the page, with the model alone; ``at_most`` is what was asked to hold."""
    holds = None if at_most is None else answer.is_at_most(at_most)
    asked = asked_text(at_most, holds)
    pair = "any two related secrets"
    named, about = with_letters(answer)
    if named.source is not None and named.target is not None:
        pair = pair_text(named.source, named.target)
    seen = "" if answer.times == 1 else f", {answer.times:,} independent runs being seen"
    chosen = ", whatever an attacker chooses" if _is_interactive(answer) else ""
    return Page(
        title="Which ε does a δ need?",
        question=f"From which ε on is δ at most {readable(answer.delta)}, for {pair}{seen}{chosen}?",
        answer=asked + typeset(str(answer)),
        meaning=[*about, *meaning_of(named, typeset=True)],
        sections=[_model(answer)],
        verdict=LOOKS[False if answer.impossible else holds],
    )


def epsilon_page(answer: Epsilon, *, at_most: Fraction | None = None, proved: bool = True) -> Page:
    """The page; ``at_most`` is what was asked to hold.

    Without ``proved`` the page has no certificate of the lower end, which takes work.
    """
    begun = summary(answer, at_most=at_most)
    sections = [
        Section("The claim", [Facts(_facts(answer))]),
        *begun.sections,
        Section("The attack", _attack(answer)),
        *([Section("Other values of ε", _curve(answer))] if answer.times == 1 else []),
        assumptions_section(answer.system),
        proof_section(_proofs(answer, both_ends=proved)),
    ]
    return with_code(replace(begun, sections=sections), answer.system)


def _is_interactive(answer: Epsilon) -> bool:
    return isinstance(answer.system, LabelledMarkovDecisionProcess)


def _model(answer: Epsilon) -> Section:
    """The chain, or the decision process, with the secrets, or all that are related."""
    return model_section(answer.system, [name for name in (answer.source, answer.target) if name is not None])


def _facts(answer: Epsilon) -> list[tuple[str, str]]:
    facts = [("δ is at most", readable(answer.delta))]
    if answer.alpha is not None:
        return [
            *facts,
            ("From", f"ε = {logarithm(answer.alpha)}, α = e^ε = {readable_alpha(answer.alpha)}, on"),
        ]
    if answer.impossible:
        return [*facts, ("From", "no ε on")]
    if answer.upper is not None:
        upper = (
            f"ε = {decimal_text(answer.upper, DIGITS)}, α = e^ε ≈ {brief(answer.alpha_upper or Fraction(0))}"
        )
        facts.append(("From", f"{upper}, on"))
    lower = f"ε = {decimal_text(answer.lower, DIGITS)}, α = e^ε ≈ {brief(answer.alpha_lower)}"
    return [*facts, ("And not before", lower)]


def _attack(answer: Epsilon) -> list[Block]:
    above = answer.above
    if answer.times > 1:
        return [Text(_RUNS)]
    if answer.impossible:
        return [Text(_IMPOSSIBLE)]
    best = Text("The best attack that is known at this ε." + _LESS * (answer.alpha is not None))
    if isinstance(above, InteractiveDelta) and above.strategy is not None:
        called, about = with_letters(above)
        blocks = strategy_blocks(called.strategy or above.strategy, above.factor)
        return [best, *map(Text, about), *blocks]
    if isinstance(above, Delta) and above.attack is not None:
        gain = f"{upper_text(above.lower)}, and δ is at most {upper_text(answer.delta)}"
        named, about = with_letters(above)
        event = named.attack or above.attack
        secrets = short_name(event.source), short_name(event.target)
        blocks = attack_blocks(above.chain, above.attack, secrets, above.factor, gain)
        return [best, *map(Text, about), *blocks]
    return [Text("From this ε on, no event is known that is more likely by more than the factor.")]


def _curve(answer: Epsilon) -> list[Block]:
    profile = _profile(answer)
    asked = [float(end) for end in (answer.lower, answer.upper) if end is not None and not answer.impossible]
    last = end_of(profile, asked)
    series: list[Series] = []
    words = [f"The bound is δ = {brief(answer.delta)}."]
    if profile is not None:
        series.append(profile_series(profile, last, "δ, exactly"))
        words += [f"δ = {brief(value)} at α = {brief(alpha)}." for alpha, value in profile.corners]
    one = answer.above.event if isinstance(answer.above, Delta | InteractiveDelta) else None
    if one is not None:
        ends = (one.from_probability, one.to_probability)
        series.append(line_series(*ends, last, "what the attack above proves, from below"))
    bound = float(answer.delta)
    series.append(Series("the δ that is allowed", [(0.0, bound), (last, bound)], "limit"))
    if asked:
        series.append(Series("the least ε", [(end, bound) for end in sorted(set(asked))], "asked", dots=True))
    return [
        Figure(drawn_chart(delta_chart(series, "δ as ε grows")), "Where δ comes down to the bound.", words)
    ]


def _profile(answer: Epsilon) -> Piecewise | None:
    """δ as a function of α, where the answer was found by it."""
    if answer.alpha is None or not isinstance(answer.system, LabelledMarkovChain):
        return None
    try:
        return breakpoints_of(Secrets.of(answer.system, answer.source, answer.target, answer.kind)).delta
    except TooManyWords:
        return None


def _proofs(answer: Epsilon, *, both_ends: bool) -> list[Proof]:
    upper: Proof = ("that δ is so small at this ε", lambda: answer.certificate)
    lower: Proof = ("that δ is larger just below", lambda: answer.lower_certificate)
    return [upper, lower] if both_ends else [upper]
