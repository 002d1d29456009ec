"""Answers about the least ε for a δ: as text for people, as JSON objects for machines, and as pages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.chain.epsilon import Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.answer import Delta, InteractiveDelta
from prover.errors import abbreviated, short_name, shown
from prover.exact.convex import Piecewise
from prover.exact.epsilon_bounds import DIGITS
from prover.exact.rational import decimal_above, decimal_text, format_rational, rational_or_null
from prover.exact.readable import brief, lower_text, readable, readable_alpha
from prover.report.certificate import Proof, proof_section
from prover.report.chains import (
    assumptions_section,
    logarithm,
    lost_lines,
    model_section,
    pair_text,
)
from prover.report.document import LOOKS, Document, Facts, Figure, PageBlock, Section, Text
from prover.report.event import attack_blocks
from prover.report.names import with_letters
from prover.report.promise import promise, typeset
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.strategy import strategy_blocks
from prover.report.verdict import asked_text, with_verdict

_LONGEST = 40
"""Characters of a fraction that people are shown."""


def reply_of(
    answer: Epsilon,
    *,
    gap: Fraction,
    certified: bool,
    at_most: Fraction | None = None,
    both_ends: bool = True,
) -> Reply:
    """The reply of ``prover epsilon``, with its certificates, of the upper or of both ends, if wanted.

    Where there is none of the upper end, there is that of the lower one in any case.

    With ``at_most`` it says whether the least ε is at most that.
    """
    upper, high = answer.certificate if certified else None, answer.alpha_upper
    lower = answer.lower_certificate if certified and (both_ends or upper is None) else None
    close = high is not None and high <= answer.alpha_lower * (1 + gap)
    reply = Reply(
        document(answer).text,
        epsilon_json(answer),
        None if upper is None else upper.data,
        close or answer.impossible,
        refuted=answer.impossible,
        obstacle="delta could not be bounded well enough, or only above --limit",
        lower_certificate=None if lower is None else lower.data,
        so_far=so_far("epsilon", answer.lower, answer.upper, most=None),
        complete=answer.impossible,
    )
    return with_verdict(reply, at_most, None if at_most is None else answer.is_at_most(at_most))


def nothing_proved(
    delta: Fraction,
    kind: str,
    source: str | None,
    target: str | None,
    limit: Fraction,
    at_most: Fraction | None = None,
    times: int = 1,
) -> Reply:
    """The reply if the time is up before anything is proved."""
    nothing = Epsilon(kind, delta, source, target, Fraction(1), None, False, limit, None, lambda: None, times)
    reply = Reply("epsilon >= 0\nNo other bound is proved yet.", epsilon_json(nothing), None, exact=False)
    return with_verdict(reply, at_most, None)


def epsilon_json(answer: Epsilon) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    return {
        "kind": "epsilon",
        "of": "delta" if answer.kind == "tv" else answer.kind,
        "delta": format_rational(answer.delta),
        "times": answer.times,
        "from": answer.source,
        "to": answer.target,
        "alpha": rational_or_null(answer.alpha),
        "alpha_lower": format_rational(answer.alpha_lower),
        "alpha_upper": rational_or_null(answer.alpha_upper),
        "lower": decimal_text(answer.lower, DIGITS),
        "upper": "inf" if answer.upper is None else decimal_text(answer.upper, DIGITS),
        "impossible": answer.impossible,
    } | ({"lost": format_rational(answer.lost)} if answer.lost else {})


_IMPOSSIBLE = "Some event is more likely than this under one secret, and has probability 0 under the other."


def meaning_of(answer: Epsilon, *, typeset: bool = False) -> list[str]:
    """What the upper bound means, or why there is none; nothing where none was found."""
    lines = []
    if answer.impossible:
        lines.append(_IMPOSSIBLE)
    elif answer.alpha_upper is not None:
        pair = None if answer.source is None or answer.target is None else (answer.source, answer.target)
        alpha = format_rational(answer.alpha_upper)
        if len(alpha) > _LONGEST:
            alpha = decimal_text(decimal_above(answer.alpha_upper, DIGITS), DIGITS)
        allowed = abbreviated(format_rational(answer.delta))
        chosen = isinstance(answer.system, LabelledMarkovDecisionProcess)
        both_ways = answer.kind == "tv"
        lines.append(promise(pair, alpha, allowed, both_ways=both_ways, attackers=chosen, typeset=typeset))
    return lines


_RUNS = "Attacks are shown for one run only: for several runs, they combine the outputs of all of them."
_LESS = " At every smaller ε, δ is above the allowed value."


def document(answer: Epsilon, *, at_most: Fraction | None = None, proved: bool = True) -> Document:
    """The answer, and what it means; ``at_most`` is what was asked to hold.

    Without ``proved`` the page has no certificate of the lower bound, which takes work.
    """
    holds = None if at_most is None else answer.is_at_most(at_most)
    pair = "all related secrets"
    named, about = with_letters(answer)
    if named.source is not None and named.target is not None:
        pair = pair_text(named.source, named.target)
    runs = "" if answer.times == 1 else f", seen in {answer.times:,} independent runs"
    chosen = isinstance(answer.system, LabelledMarkovDecisionProcess)
    against = ", against every attacker" if chosen else ""
    secrets = [name for name in (answer.source, answer.target) if name is not None]

    def after() -> list[Section]:
        return [
            *([] if answer.impossible else [Section("The attack", _attack(answer))]),
            *([Section("Other values of ε", _curve(answer))] if answer.times == 1 else []),
            assumptions_section(answer.system),
            proof_section(_proofs(answer, both_ends=proved)),
        ]

    return Document(
        lines=lambda: [
            shown(named.headline),
            *about,
            *meaning_of(named),
            *_lost_lines(answer),
        ],
        title="Which ε does a δ need?",
        question=f"What is the least ε with δ at most {readable(answer.delta)}, for {pair}{runs}{against}?",
        answer=asked_text(at_most, holds) + typeset(answer.headline),
        meaning=[*about, *meaning_of(named, typeset=True)],
        opening=lambda: [model_section(answer.system, secrets)],
        before=lambda: [Section("The claim", [Facts(_facts(answer))])],
        after=after,
        verdict=LOOKS[False if answer.impossible else holds],
        systems=[answer.system],
    )


def _lost_lines(answer: Epsilon) -> list[str]:
    """What is lost of the model, and what cannot be proved for it."""
    lines = lost_lines(answer.system, answer.lost)
    if lines and answer.alpha_upper is None and answer.delta < answer.lost:
        lines.append("No upper bound of epsilon is proved for a delta below this probability.")
    elif lines and answer.alpha_upper is None:
        lines.append("Where runs are lost, it is not proved that no epsilon is enough.")
    return lines


def _facts(answer: Epsilon) -> list[tuple[str, str]]:
    facts = [("The allowed δ", readable(answer.delta))]
    facts += [("Lost runs", line) for line in _lost_lines(answer)]
    if answer.alpha is not None:
        least = f"ε = {logarithm(answer.alpha)}, α = e^ε = {readable_alpha(answer.alpha)}"
        return [*facts, ("The least ε", least)]
    if answer.impossible:
        return [*facts, ("The least ε", "none: no ε is large enough")]
    if answer.upper is not None:
        upper = f"{decimal_text(answer.upper, DIGITS)}, α ≈ {brief(answer.alpha_upper or Fraction(0))}"
        facts.append(("The least ε is at most", upper))
    lower = f"{decimal_text(answer.lower, DIGITS)}, α ≈ {brief(answer.alpha_lower)}"
    return [*facts, ("The least ε is at least", lower)]


def _attack(answer: Epsilon) -> list[PageBlock]:
    above = answer.above
    if answer.times > 1:
        return [Text(_RUNS)]
    best = Text("The best attack known at this ε." + _LESS * (answer.alpha is not None and answer.alpha > 1))
    if isinstance(above, InteractiveDelta) and above.strategy is not None:
        called, about = with_letters(above)
        blocks = strategy_blocks(called.strategy or above.strategy, above.factor, _gain(answer, above.lower))
        return [best, *map(Text, about), *blocks]
    if isinstance(above, Delta) and above.attack is not None:
        named, about = with_letters(above)
        event = named.attack or above.attack
        secrets = short_name(event.source), short_name(event.target)
        blocks = attack_blocks(above.chain, above.attack, secrets, above.factor, _gain(answer, above.lower))
        return [best, *map(Text, about), *blocks]
    return [Text("At this ε, no known event is more likely under one secret by more than the factor.")]


def _gain(answer: Epsilon, lower: Fraction) -> str:
    """What the event gains, beside the allowed δ."""
    if lower == answer.delta:
        return f" = {brief(lower)}, the allowed δ"
    return f" is at least {lower_text(lower)}; the allowed δ is {brief(answer.delta)}"


def _curve(answer: Epsilon) -> list[PageBlock]:
    from prover.report.picture.chart import ChartSeries, drawn_chart
    from prover.report.profiles import delta_chart, end_of, known_series

    profile = _profile(answer)
    ends = [float(end) for end in (answer.lower, answer.upper) if end is not None and not answer.impossible]
    last = end_of(profile, ends)
    event = answer.above.event if isinstance(answer.above, Delta | InteractiveDelta) else None
    series, words = known_series(profile, event, last)
    words.insert(0, f"The allowed δ is {brief(answer.delta)}.")
    bound = float(answer.delta)
    series.append(ChartSeries("the allowed δ", [(0.0, bound), (last, bound)], "limit"))
    if ends:
        series.append(
            ChartSeries("the least ε", [(end, bound) for end in sorted(set(ends))], "asked", dots=True)
        )
    caption = "δ as ε grows. The least ε is where δ falls to the allowed value."
    return [Figure(drawn_chart(delta_chart(series, "δ as ε grows")), caption, words)]


def _profile(answer: Epsilon) -> Piecewise | None:
    """δ as a function of α, where the answer was found by it."""
    if answer.alpha is None or not isinstance(answer.system, LabelledMarkovChain):
        return None
    from prover.report.profiles import profile_of

    return profile_of(answer.system, answer.source, answer.target, answer.kind)


def _proofs(answer: Epsilon, *, both_ends: bool) -> list[Proof]:
    upper: Proof = ("that δ is at most the allowed value at this ε", lambda: answer.certificate)
    lower: Proof = ("that δ is larger just below this ε", lambda: answer.lower_certificate)
    return [upper, lower] if both_ends else [upper]
