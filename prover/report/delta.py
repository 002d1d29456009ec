"""Answers about δ: as text for people, as JSON objects for machines, and as pages.

They are about a chain, or about a process in which an attacker chooses.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.chain.arguments import Slope
from prover.chain.unrolling.answer import Bounds, Delta, InteractiveDelta
from prover.errors import short_name, shown
from prover.exact.convex import Piecewise
from prover.exact.rational import format_rational
from prover.exact.readable import brief, lower_text, readable, readable_interval, upper_text
from prover.report.certificate import Proof, proof_section
from prover.report.chains import assumptions_section, both_notations, model_section, pair_text, system_of
from prover.report.distance import bounds_json, slope_json
from prover.report.document import LOOKS, Document, Facts, Figure, PageBlock, Section, Text
from prover.report.event import attack_blocks, attack_json, attack_lines, excess_figure
from prover.report.names import with_letters
from prover.report.picture.chart import ChartSeries, drawn_chart
from prover.report.profiles import delta_chart, end_of, known_series, profile_of
from prover.report.promise import against_attackers, promise, typeset
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.strategy import (
    open_loop_json,
    open_loop_text,
    strategy_blocks,
    strategy_json,
    strategy_lines,
)
from prover.report.verdict import asked_text, is_at_most, with_verdict

AnyDelta = Delta | InteractiveDelta

MOST_NODES = 2_000
"""Of the unrolling of an exact answer, so that δ is also found as a function of ε, for the curve."""

LEAST_DRAWN = Fraction(1, 100)
"""Of δ, so that one sees it."""

_STEPS = "seen without repetitions these words are no attack; if nobody counts steps, ask with --untimed"
_STEPS_HERE = (
    "Seen without repetitions these words are no attack. If nobody counts steps, ask with --untimed."
)


def reply_of(answer: AnyDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta``, with its certificates if they are wanted."""
    lower = answer.lower_certificate.data if certified and answer.alpha is None else None
    reply = Reply(
        document(answer).text,
        delta_json(answer),
        answer.certificate.data if certified else None,
        answer.met,
        obstacle="the unrolling has reached its limits, and the interval is still too wide",
        lower_certificate=lower,
        notes=(_STEPS,) if answer.met and only_counts_steps(answer) else (),
        so_far=so_far("delta", answer.lower, answer.upper),
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def distance_reply(answer: AnyDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover distance``, which says less."""
    named, about = with_letters(answer)
    json = {"kind": answer.kind, **bounds_json(answer), "engine": "unrolling"}
    reply = replace(
        reply_of(answer, certified=certified),
        text="\n".join([shown(named.headline), *about, promise_of(named)]),
        json=json | ({"attackers": "all"} if isinstance(answer, InteractiveDelta) else {}),
        so_far=so_far(answer.kind, answer.lower, answer.upper),
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def only_counts_steps(answer: AnyDelta) -> bool:
    """Whether the attack on a chain is found to be none for who counts no steps."""
    return isinstance(answer, Delta) and answer.only_counts_steps


def nothing_proved(
    slope: Slope, source: str | None, target: str | None, at_most: Fraction | None = None
) -> Reply:
    """The reply of a command that was ended before it proved anything: δ is in [0, 1]."""
    head = {"kind": "delta", **slope_json(slope, both=True), "from": source, "to": target}
    bounds: dict[str, Any] = {"lower": "0", "upper": "1", "value": None, "directions": {}, "attack": None}
    origin: dict[str, Any] = {"upper_from": "labels", "depth": 0, "nodes": 0, "engine": "unrolling"}
    reply = Reply("Nothing is proved yet: 0 <= delta <= 1", head | bounds | origin, None, exact=False)
    return with_verdict(reply, at_most, is_at_most(Fraction(0), Fraction(1), at_most))


def delta_json(answer: AnyDelta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    json: dict[str, Any] = {
        "kind": "delta" if answer.kind == "tv" else answer.kind,
        **bounds_json(answer),
        "directions": {
            name: [format_rational(bound) for bound in bounds] for name, bounds in answer.directions.items()
        },
    }
    if isinstance(answer, Delta):
        json["attack"] = None if answer.attack is None else attack_json(answer.attack)
        size = {"upper_from": answer.origin.kind, "depth": answer.origin.depth, "nodes": answer.origin.nodes}
        return json | size | {"engine": "unrolling"}
    json |= {
        "attack": None,
        "attackers": "all",
        "strategy": None if answer.strategy is None else strategy_json(answer.strategy),
        "upper_from": "unrolling" if answer.value is None else "exact",
        "depth": answer.depth,
        "nodes": answer.nodes,
        "engine": "unrolling",
    }
    return json | ({} if answer.open_loop is None else {"open_loop": open_loop_json(answer.open_loop)})


def _ways(answer: AnyDelta) -> list[tuple[str, Bounds]]:
    """The directions for people, with the bounds of each."""
    s, t = short_name(answer.source), short_name(answer.target)
    names = {"forward": f"From {s} to {t}", "backward": f"From {t} to {s}"}
    return [(names[way], bounds) for way, bounds in answer.directions.items()]


def _attack_lines(answer: AnyDelta) -> list[str]:
    if isinstance(answer, Delta):
        return [_no_attack_text(answer)] if answer.attack is None else attack_lines(answer.attack)
    lines = [_no_attack_text(answer)] if answer.strategy is None else strategy_lines(answer.strategy)
    return [*lines, *([] if answer.open_loop is None else [open_loop_text(answer, answer.open_loop)])]


def _only_asked(answer: AnyDelta) -> list[str]:
    """Why an interval is left as it is, where it was to be compared with a number only."""
    if answer.at_most is None or not answer.met or answer.value is not None:
        return []
    return [f"It was only asked whether delta is at most {upper_text(answer.at_most)}."]


def promise_of(answer: AnyDelta, *, typeset: bool = False) -> str:
    """What an upper bound d on δ says."""
    chosen = isinstance(answer, InteractiveDelta)
    if answer.upper >= 1:
        if answer.lower < 1:
            return "So far this promises nothing."
        who = "some attacker" if chosen else "something that is observed"
        return f"This promises nothing: {who} tells the two apart for certain."
    pair = None if answer.over_relation else (answer.source, answer.target)
    rest = upper_text(answer.upper)
    bound = promise(pair, answer.factor, rest, both_ways=answer.kind == "tv", typeset=typeset)
    return against_attackers(bound) if chosen else bound


def between(bounds: Bounds) -> str:
    """A number, or the ends of an interval."""
    if bounds[0] == bounds[1]:
        return readable(bounds[0])
    lower, upper = readable_interval(*bounds)
    return f"between {lower} and {upper}"


def _no_attack_text(answer: AnyDelta) -> str:
    """What is known where no attack was found."""
    if isinstance(answer, InteractiveDelta):
        if answer.upper == 0:
            return "There is no attack: whatever is done, no event is likelier by more than the factor."
        return "No attack was found so far: this does not say that there is none."
    if answer.upper == 0:
        return "There is no attack: no event is more likely from one secret by more than the factor."
    words = f"{_nodes(answer.looked.nodes)}, words of up to {answer.looked.depth + 1} labels"
    return f"No attack was found so far ({words}): this does not say that there is none."


def _nodes(count: int) -> str:
    return f"{count} node{'s' * (count != 1)}"


def origin_text(answer: AnyDelta) -> str:
    """Why δ is not larger."""
    if isinstance(answer, InteractiveDelta):
        nodes = _nodes(answer.nodes)
        if answer.finite:
            return f"Why not more: everything that can be done and seen is accounted for ({nodes})."
        if answer.value is not None:
            return f"Why not more: what is not accounted for cannot gain more ({nodes})."
        return f"Why not more: an unrolling of {nodes}, and of the rest what is left at best."
    origin = answer.origin
    graph = f"{_nodes(origin.nodes)}, to depth {origin.depth}"
    return {
        "labels": "Why not more: the two states are bisimilar."
        if answer.upper == 0
        else "Their first labels differ.",
        "exact": f"Why not more: all words are accounted for ({graph}).",
        "ld": "Why not more: ld says so.",
        "unrolling": f"Why not more: unrolling ({graph}), and what ld says of the rest.",
    }[origin.kind]


def document(answer: AnyDelta, *, at_most: Fraction | None = None) -> Document:
    """The answer, what it means, both directions, an attack, and why δ is not larger.

    ``at_most`` is what was asked to hold.
    """
    holds = is_at_most(answer.lower, answer.upper, at_most)
    is_ = "is" if answer.value is None else "="
    named, about = with_letters(answer)
    system = system_of(answer)
    against = " against an attacker" if isinstance(answer, InteractiveDelta) else ""
    ways = [f"{way}: {between(bounds)}" for way, bounds in _ways(named)] if len(answer.directions) > 1 else []

    def after() -> list[Section]:
        return [
            Section("The attack", _attack(answer)),
            *([Section("Other values of ε", _curve(answer))] if isinstance(answer, Delta) else []),
            assumptions_section(system),
            proof_section(_proofs(answer)),
        ]

    return Document(
        lines=lambda: [
            shown(named.headline),
            *about,
            promise_of(named),
            *ways,
            *_attack_lines(named),
            origin_text(answer),
            *_only_asked(answer),
        ],
        title=f"How private is this system{against}?",
        question=_question(named),
        answer=f"{asked_text(at_most, holds)}δ {is_} {between((answer.lower, answer.upper))}",
        meaning=[*about, promise_of(named, typeset=True), *map(typeset, _only_asked(answer))],
        opening=lambda: [model_section(system, (answer.source, answer.target))],
        before=lambda: [Section("The claim", [Facts(_facts(named))])],
        after=after,
        verdict=LOOKS[holds],
        systems=[system],
    )


def _question(answer: AnyDelta) -> str:
    pair = pair_text(answer.source, answer.target)
    pair = "two secrets that are related" if answer.over_relation else pair
    factor = f"if a factor of α = {answer.factor} is allowed"
    if isinstance(answer, InteractiveDelta):
        return f"How well can an attacker who chooses what to do tell {pair} apart, {factor}?"
    way = "" if answer.kind == "tv" else f", by what {short_name(answer.source)} shows more often"
    return f"How well can {pair} be told apart by what is seen{way}, {factor}?"


def _facts(answer: AnyDelta) -> list[tuple[str, str]]:
    """Where it was asked, for whom it is largest, both directions, and why it is not more."""
    facts = [("At", both_notations(answer.slope))]
    if answer.over_relation:
        pair = pair_text(answer.source, answer.target)
        facts.append(("Largest for", f"{pair}, of all pairs that are related"))
    facts += [(way, f"δ: {between(bounds)}") for way, bounds in _ways(answer)]
    return [*facts, ("Why not more", origin_text(answer).removeprefix("Why not more: "))]


def _proofs(answer: AnyDelta) -> list[Proof]:
    """The certificate, or with ε one of each end."""
    if answer.alpha is not None:
        return [("of the answer", lambda: answer.certificate)]
    return [
        ("of the upper end", lambda: answer.certificate),
        ("of the lower end", lambda: answer.lower_certificate),
    ]


def _attack(answer: AnyDelta) -> list[PageBlock]:
    if isinstance(answer, InteractiveDelta):
        lettered = with_letters(answer)[0]
        if lettered.strategy is None:
            return [Text(_no_attack_text(answer))]
        loop = [] if lettered.open_loop is None else [Text(open_loop_text(lettered, lettered.open_loop))]
        return [*strategy_blocks(lettered.strategy, answer.factor), *loop]
    named = with_letters(answer)[0]
    if answer.attack is None or named.attack is None:
        return [Text(_no_attack_text(answer))]
    gain = f"at least {lower_text(answer.lower)}" if answer.value is None else f"δ = {brief(answer.value)}"
    secrets = short_name(named.attack.source), short_name(named.attack.target)
    blocks = attack_blocks(answer.chain, answer.attack, secrets, answer.factor, gain)
    if answer.alpha is not None and answer.value is not None and answer.value >= LEAST_DRAWN:
        blocks.append(excess_figure(named.attack, answer.alpha, answer.value))
    return [*blocks, Text(_STEPS_HERE)] if answer.only_counts_steps else blocks


def _curve(answer: Delta) -> list[PageBlock]:
    profile = _profile(answer)
    position = math.log(answer.alpha_upper) if answer.epsilon is None else float(answer.epsilon)
    last = end_of(profile, [position])
    series, words = known_series(profile, answer.attack, last)
    if answer.attack is not None:
        more, less = brief(answer.attack.from_probability), brief(answer.attack.to_probability)
        words.append(f"The attack above proves δ ≥ {more} − α · {less}, for every α.")
    ends = sorted({float(answer.lower), float(answer.upper)})
    series.append(ChartSeries("asked here", [(position, end) for end in ends], "asked", dots=True))
    caption = "How δ falls as ε grows."
    if profile is None:
        caption += " Known is the answer here; the curve itself is another question: prover curve."
    return [Figure(drawn_chart(delta_chart(series, "δ as ε grows")), caption, words)]


def _profile(answer: Delta) -> Piecewise | None:
    """δ as a function of α, where that takes little, as the answer is exact and its unrolling small."""
    if answer.origin.kind not in ("exact", "labels") or answer.origin.nodes > MOST_NODES:
        return None
    source, target = (None, None) if answer.over_relation else (answer.source, answer.target)
    return profile_of(answer.chain, source, target, answer.kind)
