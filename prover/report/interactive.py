"""Answers about δ where an attacker chooses: the strategy as a tree, for people and for machines."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.errors import short_name, shown
from prover.exact.rational import format_rational
from prover.exact.readable import lower_text, readable, upper_text
from prover.interactive.delta import InteractiveDelta
from prover.interactive.model import ANONYMOUS
from prover.interactive.open_loop import OpenLoop
from prover.interactive.strategy import Answer, Ask, Strategy
from prover.report.delta import between, rule_json, shown_text, sum_of
from prover.report.distance import bounds_json
from prover.report.names import with_letters
from prover.report.promise import against_attackers, promise
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.verdict import is_at_most, with_verdict

_OBSTACLE = "the unrolling has reached its limits, and the interval is still too wide"


def reply_of(answer: InteractiveDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta``, with its certificates if they are wanted."""
    both_ends = certified and answer.alpha is None
    reply = Reply(
        interactive_text(answer),
        interactive_json(answer),
        answer.certificate.data if certified else None,
        answer.met,
        obstacle=_OBSTACLE,
        so_far=so_far("delta", answer.lower, answer.upper),
        lower_certificate=answer.lower_certificate.data if both_ends else None,
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def distance_reply(answer: InteractiveDelta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover distance``, which says less."""
    reply = reply_of(answer, certified=certified)
    shorter = {"kind": answer.kind, **bounds_json(answer), "engine": "unrolling", "attackers": "all"}
    named, about = with_letters(answer)
    said = replace(reply, text="\n".join([shown(str(named)), *about, promise_of(named)]), json=shorter)
    return with_verdict(said, at_most, is_at_most(answer.lower, answer.upper, at_most))


def interactive_json(answer: InteractiveDelta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    found: dict[str, Any] = {
        "kind": "delta" if answer.kind == "tv" else answer.kind,
        **bounds_json(answer),
        "directions": {
            name: [format_rational(bound) for bound in bounds] for name, bounds in answer.directions.items()
        },
        "attack": None,
        "attackers": "all",
        "strategy": None if answer.strategy is None else _strategy_json(answer.strategy),
        "upper_from": "unrolling" if answer.value is None else "exact",
        "depth": answer.depth,
        "nodes": answer.nodes,
        "engine": "unrolling",
    }
    return found | ({} if answer.open_loop is None else {"open_loop": _open_loop_json(answer.open_loop)})


def _strategy_json(strategy: Strategy) -> dict[str, Any]:
    return {
        "from": strategy.source,
        "to": strategy.target,
        "label": strategy.label,
        "begin": _ask_json(strategy.begin),
        "complete": strategy.complete,
        "from_probability": format_rational(strategy.from_probability),
        "to_probability": format_rational(strategy.to_probability),
        "event": rule_json(strategy.event),
    }


def _ask_json(ask: Ask | None) -> dict[str, Any] | None:
    if ask is None:
        return None
    answers = [
        {
            "label": answer.label,
            "from_probability": format_rational(answer.from_probability),
            "to_probability": format_rational(answer.to_probability),
            "says_from": answer.says,
            "then": _ask_json(answer.then),
        }
        for answer in ask.answers
    ]
    return {"action": None if ask.action == ANONYMOUS else ask.action, "answers": answers}


def _open_loop_json(found: OpenLoop) -> dict[str, Any]:
    return {
        "from": found.source,
        "to": found.target,
        "value": format_rational(found.value),
        "actions": [None if action == ANONYMOUS else action for action in found.actions],
        "complete": found.complete,
    }


def interactive_text(answer: InteractiveDelta) -> str:
    """The answer, what it means, both directions, the strategy, and why δ is not larger."""
    answer, about = with_letters(answer)
    lines = [shown(str(answer)), *about, promise_of(answer)]
    s, t = short_name(answer.source), short_name(answer.target)
    if len(answer.directions) > 1:
        lines.append(f"From {s} to {t}: {between(answer.directions['forward'])}")
        lines.append(f"From {t} to {s}: {between(answer.directions['backward'])}")
    if answer.strategy is not None:
        lines += _strategy_text(answer.strategy)
    else:
        lines.append(no_attack_text(answer))
    if answer.open_loop is not None:
        lines.append(open_loop_text(answer, answer.open_loop))
    lines.append(origin_text(answer))
    if answer.at_most is not None and answer.met and answer.value is None:
        lines.append(f"It was only asked whether delta is at most {upper_text(answer.at_most)}.")
    return "\n".join(lines)


def no_attack_text(answer: InteractiveDelta) -> str:
    """What is known where no attack was found."""
    if answer.upper == 0:
        return "There is no attack: whatever is done, no event is likelier by more than the factor."
    return "No attack was found so far: this does not say that there is none."


def promise_of(answer: InteractiveDelta, *, typeset: bool = False) -> str:
    """What an upper bound on δ says."""
    if answer.upper >= 1:
        if answer.lower < 1:
            return "So far this promises nothing."
        return "This promises nothing: some attacker tells the two apart for certain."
    pair = None if answer.over_relation else (answer.source, answer.target)
    bound = promise(
        pair, answer.factor, upper_text(answer.upper), both_ways=answer.kind == "tv", typeset=typeset
    )
    return against_attackers(bound)


def chances_text(strategy: Strategy, *, exactly: str = "", at_least: str, at_most: str) -> tuple[str, str]:
    """How likely the attacker says the first secret, from either, after how that is known."""
    chances = strategy.from_probability, strategy.to_probability
    texts = lower_text(chances[0]), upper_text(chances[1])
    known = (strategy.close and Fraction(text) == chance for text, chance in zip(texts, chances, strict=True))
    words = zip(known, (at_least, at_most), texts, strict=True)
    more, less = ((exactly if plain else bound) + text for plain, bound, text in words)
    return more, less


def _strategy_text(strategy: Strategy) -> list[str]:
    s, t = short_name(strategy.source), short_name(strategy.target)
    more, less = chances_text(strategy, at_least="at least ", at_most="at most ")
    if strategy.begin is None:
        return [f"An attack tells {s} from {t}: their labels differ, nothing has to be done."]
    table: list[tuple[str, ...]] = []
    _branch(strategy.begin, 1, s, table)
    known = "" if strategy.complete else f" The tree is cut where it says so{_shown(strategy)}."
    return [
        f"An attack: who does this, and says {s} where the tree says so, says so of {s} with probability "
        f"{more}, and of {t} with probability {less}.{known}",
        *aligned([("  do and see", f" P from {s}", f" from {t}", ""), *table]),
    ]


def _shown(strategy: Strategy) -> str:
    """What the ends have that are shown."""
    if strategy.begin is None:
        return ""
    ends = marked_ends(strategy.begin)
    some, s, t = sum_of(ends), short_name(strategy.source), short_name(strategy.target)
    more, less = lower_text(some.from_probability), upper_text(some.to_probability)
    count = shown_text(len(ends), strategy.event)
    return f"; ends where {s} is said: {count}, with P = {more} from {s}, {less} from {t}"


def marked_ends(ask: Ask) -> list[Answer]:
    """The ends of a tree at which the first secret is said."""
    deeper = (end for answer in ask.answers if answer.then is not None for end in marked_ends(answer.then))
    return [*(answer for answer in ask.answers if answer.says), *deeper]


def _branch(ask: Ask, depth: int, says: str, table: list[tuple[str, ...]]) -> None:
    """What is done, and below it a line for each answer."""
    indent = "  " * depth
    ask, times = folded(ask)
    headed = ask.action != ANONYMOUS or times > 1
    if headed:
        table.append((f"{indent}{doing(ask, times)}", "", "", ""))
    for answer in ask.answers:
        line = f"{indent}{'  ' if headed else ''}see {short_name(answer.label)}"
        numbers = readable(answer.from_probability), readable(answer.to_probability)
        table.append((line, f" {numbers[0]}", f" {numbers[1]}", _verdict(answer, says)))
        if answer.then is not None:
            _branch(answer.then, depth + 1 + headed, says, table)


def folded(ask: Ask) -> tuple[Ask, int]:
    """The last of several times in a row that the same is done and only the same is seen, and how many.

    Fewer than three are left as they are.
    """
    last, times = ask, 1
    while len(last.answers) == 1:
        then = last.answers[0].then
        if then is None or _move(then) != _move(ask):
            break
        last, times = then, times + 1
    return (last, times) if times > 2 else (ask, 1)


def _move(ask: Ask) -> tuple[str, tuple[str, ...]]:
    return ask.action, tuple(answer.label for answer in ask.answers)


def doing(ask: Ask, times: int) -> str:
    """What the attacker does, so many times in a row."""
    action = "let it run" if ask.action == ANONYMOUS else f"do {short_name(ask.action)}"
    return action if times == 1 else f"{action}, {times} times, and each time"


def _verdict(answer: Answer, says: str) -> str:
    if answer.then is not None:
        return ""
    return {True: f" say {says}", False: "", None: " ... (cut)"}[answer.says]


def open_loop_text(answer: InteractiveDelta, found: OpenLoop) -> str:
    """What is gained by deciding step by step."""
    steps = ", ".join("(what comes)" if a == ANONYMOUS else short_name(a) for a in found.actions) or "nothing"
    gain = answer.upper - found.value
    best = "The best fixed sequence" if found.complete else "The best fixed sequence that was found"
    if gain <= 0:
        helps = "adapting gains nothing"
    elif found.complete and answer.value is not None:
        helps = f"adapting gains {readable(gain)} more"
    else:
        helps = f"adapting gains at most {upper_text(gain)} more"
    return f"{best} is {steps}: {readable(found.value)} from {short_name(found.source)}; {helps}."


def origin_text(answer: InteractiveDelta) -> str:
    """Why δ is not larger."""
    nodes = f"{answer.nodes} node{'s' * (answer.nodes != 1)}"
    if answer.finite:
        return f"Why not more: everything that can be done and seen is accounted for ({nodes})."
    if answer.value is not None:
        return f"Why not more: what is not accounted for cannot gain more ({nodes})."
    return f"Why not more: an unrolling of {nodes}, and of the rest what is left at best."
