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
from prover.exact.readable import between, brief, lower_text, upper_text
from prover.report.certificate import Proof, proof_section
from prover.report.chains import (
    assumptions_section,
    both_notations,
    lost_lines,
    model_section,
    pair_text,
    system_of,
)
from prover.report.distance import bounds_json, slope_json
from prover.report.document import LOOKS, Document, Facts, Figure, PageBlock, Section, Text
from prover.report.event import attack_blocks, attack_json, attack_lines, excess_figure
from prover.report.names import with_letters
from prover.report.promise import NOT_PROVED, listed_and, promise, trivial, typeset
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

_WHY = "Why δ cannot be larger"

_LIMITS = "the unrolling has reached its limits, and the interval is wider than was asked"
_HIDDEN = (
    "the next label does not show a choice of nature, and there nature may hide more by tossing coins; "
    "a label that names nature's last action makes the interval narrow"
)
_STEPS = "the attack depends on how long labels last; if the observer cannot count steps, ask with --untimed"


def reply_of(answer: AnyDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta``, with its certificates if they are wanted."""
    lower = answer.lower_certificate.data if certified and answer.alpha is None else None
    reply = Reply(
        document(answer).text,
        delta_json(answer),
        answer.certificate.data if certified else None,
        answer.met,
        obstacle=_HIDDEN if isinstance(answer, InteractiveDelta) and answer.hidden else _LIMITS,
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
    """Whether the attack on a chain is found to be none if the observer cannot count steps."""
    return isinstance(answer, Delta) and answer.only_counts_steps


def nothing_proved(
    slope: Slope, source: str | None, target: str | None, at_most: Fraction | None = None
) -> Reply:
    """The reply of a command that was ended before it proved anything: δ is in [0, 1]."""
    head = {"kind": "delta", **slope_json(slope, both=True), "from": source, "to": target}
    bounds: dict[str, Any] = {"lower": "0", "upper": "1", "value": None, "directions": {}, "attack": None}
    origin: dict[str, Any] = {"upper_from": "labels", "depth": 0, "nodes": 0, "engine": "unrolling"}
    reply = Reply(f"0 <= delta <= 1\n{NOT_PROVED}", head | bounds | origin, None, exact=False)
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
        lost = {"lost": format_rational(answer.lost)} if answer.lost else {}
        return json | size | lost | {"engine": "unrolling"}
    json |= {
        "attack": None,
        "attackers": "all",
        "strategy": None if answer.strategy is None else strategy_json(answer.strategy),
        "upper_from": "unrolling" if answer.value is None else "exact",
        "depth": answer.depth,
        "nodes": answer.nodes,
        "engine": "unrolling",
    }
    if answer.nature:
        json["nature"] = list(answer.nature)
    return json | ({} if answer.open_loop is None else {"open_loop": open_loop_json(answer.open_loop)})


def _ways(answer: AnyDelta) -> list[tuple[str, Bounds]]:
    """The directions for people, with the bounds of each."""
    s, t = short_name(answer.source), short_name(answer.target)
    names = {"forward": f"δ from {s} to {t}", "backward": f"δ from {t} to {s}"}
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
    most = upper_text(answer.at_most)
    return [f"The question was only whether delta is at most {most}: the interval may be wide."]


def promise_of(answer: AnyDelta, *, typeset: bool = False) -> str:
    """What an upper bound d on δ says."""
    chosen = isinstance(answer, InteractiveDelta)
    if answer.upper >= 1:
        if answer.lower < 1:
            return NOT_PROVED
        return trivial((answer.source, answer.target), attackers=chosen)
    pair = None if answer.over_relation else (answer.source, answer.target)
    rest, both_ways = upper_text(answer.upper), answer.kind == "tv"
    return promise(
        pair,
        answer.factor,
        rest,
        both_ways=both_ways,
        attackers=chosen,
        nature=_has_nature(answer),
        typeset=typeset,
    )


def _has_nature(answer: AnyDelta) -> bool:
    """Whether nature chooses against the attacker."""
    return isinstance(answer, InteractiveDelta) and bool(answer.nature)


def _nature_lines(answer: AnyDelta) -> list[str]:
    """What nature's choices mean for the tree of the attack, and for the lower bound."""
    if not isinstance(answer, InteractiveDelta) or not answer.nature:
        return []
    replies = "The tree shows nature's best replies; the attack gains at least as much after all others."
    hidden = "A label does not show a choice of nature: the lower bound counts only what is gained before it."
    shown = answer.strategy is not None and answer.strategy.begin is not None
    return [replies] * shown + [hidden] * (answer.hidden and answer.value is None)


def _no_attack_text(answer: AnyDelta) -> str:
    """What is known where no attack was found."""
    chosen = isinstance(answer, InteractiveDelta)
    if answer.upper == 0:
        attackers = "for every attacker, " * chosen
        if _has_nature(answer):
            attackers = f"nature can choose so that, {attackers}"
        which = "one secret" if answer.kind == "tv" else _first(answer)
        return f"No attack exists: {attackers}no event is more likely under {which} by more than the factor."
    if isinstance(answer, InteractiveDelta):
        looked = _nodes(answer.nodes)
    else:
        looked = f"{_nodes(answer.looked.nodes)}, outputs of up to {answer.looked.depth + 1} labels"
    return f"No attack was found ({looked}); this does not prove that none exists."


def _nodes(count: int) -> str:
    return f"{count} node{'s' * (count != 1)}"


def origin_text(answer: AnyDelta) -> str:
    """Why δ is not larger, or how far outputs were explored if it is 1 at most in any case."""
    origin = _origin(answer)
    return f"{_WHY}: {origin}." if answer.upper < 1 else f"{origin[0].upper()}{origin[1:]}."


def _origin(answer: AnyDelta) -> str:
    if isinstance(answer, InteractiveDelta):
        if answer.finite:
            return f"every possible sequence of actions and labels was explored ({_nodes(answer.nodes)})"
        tree = f"the tree of actions and labels was explored to depth {answer.depth} ({_nodes(answer.nodes)})"
        if answer.value is not None:
            return f"{tree}, and the rest cannot increase δ"
        return f"{tree}, and the rest is bounded from above"
    kind, depth, nodes = answer.origin.kind, answer.origin.depth, _nodes(answer.origin.nodes)
    of_runs = " of runs that are not lost" if answer.lost else ""
    states = "all related states" if answer.over_relation else "the two states"
    return {
        "labels": f"{states} are bisimilar" if answer.upper == 0 else "the two states have different labels",
        "exact": f"every possible output{of_runs} was explored ({nodes}, depth {depth})",
        "ld": "ld bounds it",
        "unrolling": f"the output tree was explored to depth {depth} ({nodes}), and ld bounds the rest",
    }[kind]


def _lost_lines(answer: AnyDelta) -> list[str]:
    """What is cut off the model, if anything is."""
    if isinstance(answer, InteractiveDelta):
        return []
    of_runs = "the probabilities of outputs are those of runs that are not lost."
    return [f"{line.removesuffix('.')}; {of_runs}" for line in lost_lines(answer.chain, answer.lost)]


def document(answer: AnyDelta, *, at_most: Fraction | None = None) -> Document:
    """The answer, what it means, both directions, an attack, and why δ is not larger.

    ``at_most`` is what was asked to hold.
    """
    holds = is_at_most(answer.lower, answer.upper, at_most)
    named, about = with_letters(answer)
    bounds = answer.lower, answer.upper
    is_ = "=" if answer.lower == answer.upper else "is"
    system = system_of(answer)
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
            *_nature_lines(named),
            origin_text(answer),
            *_lost_lines(answer),
            *_only_asked(answer),
        ],
        title="How private is this system?",
        question=_question(named),
        answer=f"{asked_text(at_most, holds)}δ {is_} {between(bounds)}",
        meaning=[*about, promise_of(named, typeset=True), *map(typeset, _only_asked(answer))],
        opening=lambda: [model_section(system, (answer.source, answer.target))],
        before=lambda: [Section("The claim", [Facts(_facts(named))])],
        after=after,
        verdict=LOOKS[holds],
        systems=[system],
    )


def _question(answer: AnyDelta) -> str:
    pair = pair_text(answer.source, answer.target)
    pair = "two related secrets" if answer.over_relation else pair
    who = "attacker who chooses actions" if isinstance(answer, InteractiveDelta) else "observer"
    way = "" if answer.kind == "tv" else f" by events that are likelier under {_first(answer)}"
    return f"How well can an {who} distinguish {pair}{way}, if a factor of α = {answer.factor} is allowed?"


def _first(answer: AnyDelta) -> str:
    return "the first secret" if answer.over_relation else short_name(answer.source)


def _facts(answer: AnyDelta) -> list[tuple[str, str]]:
    """What δ is, where it was asked for, for which pair it is largest, both directions, and why."""
    s, t = ("s", "t") if answer.over_relation else (short_name(answer.source), short_name(answer.target))
    over = ["all attackers"] * isinstance(answer, InteractiveDelta) + ["all events E"]
    over += ["all related secrets s, t"] * answer.over_relation
    swapped = ", in both directions" * (len(answer.directions) > 1)
    definition = f"the largest P[E | {s}] − α·P[E | {t}] over {listed_and(over)}{swapped}"
    if isinstance(answer, InteractiveDelta) and answer.nature:
        acts = listed_and([short_name(action) for action in answer.nature])
        definition += f", where nature chooses against the attacker: {acts}"
    facts = [("δ", definition), ("At", both_notations(answer.slope))]
    if answer.over_relation:
        pair = pair_text(answer.source, answer.target)
        largest = "Largest for" if answer.lower == answer.upper else "Largest lower end for"
        facts.append((largest, f"{pair}, among all related pairs"))
    facts += [(way, between(bounds)) for way, bounds in _ways(answer)]
    facts += [("Lost runs", line) for line in _lost_lines(answer)]
    why = origin_text(answer)
    return [*facts, (_WHY if why.startswith(_WHY) else "Explored", why.removeprefix(f"{_WHY}: "))]


def _proofs(answer: AnyDelta) -> list[Proof]:
    """The certificate, or with ε one of each end."""
    if answer.alpha is not None:
        return [("of the answer", lambda: answer.certificate)]
    return [
        ("of the upper bound", lambda: answer.certificate),
        ("of the lower bound", lambda: answer.lower_certificate),
    ]


def _attack(answer: AnyDelta) -> list[PageBlock]:
    if isinstance(answer, InteractiveDelta):
        lettered = with_letters(answer)[0]
        if lettered.strategy is None:
            return [Text(_no_attack_text(answer))]
        loop = [] if lettered.open_loop is None else [Text(open_loop_text(lettered, lettered.open_loop))]
        nature = [Text(line) for line in _nature_lines(answer)]
        return [*strategy_blocks(lettered.strategy, answer.factor, _gain(answer)), *nature, *loop]
    named = with_letters(answer)[0]
    if answer.attack is None or named.attack is None:
        return [Text(_no_attack_text(answer))]
    secrets = short_name(named.attack.source), short_name(named.attack.target)
    blocks = attack_blocks(answer.chain, answer.attack, secrets, answer.factor, _gain(answer))
    if answer.alpha is not None and answer.value is not None and answer.value >= LEAST_DRAWN:
        blocks.append(excess_figure(named.attack, answer.alpha, answer.value))
    return [*blocks, Text(f"{_STEPS[0].upper()}{_STEPS[1:]}.")] if answer.only_counts_steps else blocks


def _gain(answer: AnyDelta) -> str:
    """What an event gains: δ, or its lower bound."""
    if answer.value is not None:
        return f" = {brief(answer.value)}, which is δ"
    return f" is at least {lower_text(answer.lower)}, and so is δ"


def _curve(answer: Delta) -> list[PageBlock]:
    from prover.report.picture.chart import ChartSeries, drawn_chart
    from prover.report.profiles import delta_chart, end_of, known_series

    profile = _profile(answer)
    position = math.log(answer.alpha_upper) if answer.epsilon is None else float(answer.epsilon)
    last = end_of(profile, [position])
    series, words = known_series(profile, answer.attack, last)
    if answer.attack is not None:
        more, less = brief(answer.attack.from_probability), brief(answer.attack.to_probability)
        words.append(f"The attack above proves δ ≥ {more} − α · {less}, for every α.")
    ends = sorted({float(answer.lower), float(answer.upper)})
    series.append(ChartSeries("asked here", [(position, end) for end in ends], "asked", dots=True))
    caption = "δ as ε grows."
    if profile is None:
        caption += " This page has δ at one ε only; `prover curve` computes it at others."
    return [Figure(drawn_chart(delta_chart(series, "δ as ε grows")), caption, words)]


def _profile(answer: Delta) -> Piecewise | None:
    """δ as a function of α, where that takes little, as the answer is exact and its unrolling small."""
    if answer.origin.kind not in ("exact", "labels") or answer.origin.nodes > MOST_NODES:
        return None
    source, target = (None, None) if answer.over_relation else (answer.source, answer.target)
    from prover.report.profiles import profile_of

    return profile_of(answer.chain, source, target, answer.kind)
