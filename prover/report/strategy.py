"""The attack of who chooses what to do: a strategy, as text, as JSON, and on pages as a tree with bars."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.chain.model import ANONYMOUS
from prover.chain.unrolling.answer import InteractiveDelta
from prover.chain.unrolling.open_loop import OpenLoop
from prover.chain.unrolling.strategy import Answer, Ask, Strategy
from prover.errors import short_name
from prover.exact.rational import format_rational
from prover.exact.readable import lower_text, readable, upper_text
from prover.report.document import PageBlock, PageBranch, PageTree, Text
from prover.report.event import probability_bars, rule_json, shown_text, sum_of
from prover.report.tables import aligned


def strategy_json(strategy: Strategy) -> dict[str, Any]:
    """The JSON object of a strategy: a tree, and the rule that it follows."""
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


def open_loop_json(sequence: OpenLoop) -> dict[str, Any]:
    """The JSON object of a sequence of actions that is fixed in advance."""
    return {
        "from": sequence.source,
        "to": sequence.target,
        "value": format_rational(sequence.value),
        "actions": [None if action == ANONYMOUS else action for action in sequence.actions],
        "complete": sequence.complete,
    }


def _chances_text(strategy: Strategy, *, exactly: str = "", at_least: str, at_most: str) -> tuple[str, str]:
    """How likely the attacker says the first secret, from either, after how that is known."""
    chances = strategy.from_probability, strategy.to_probability
    texts = lower_text(chances[0]), upper_text(chances[1])
    exact = (strategy.close and Fraction(text) == chance for text, chance in zip(texts, chances, strict=True))
    words = zip(exact, (at_least, at_most), texts, strict=True)
    more, less = ((exactly if plain else bound) + text for plain, bound, text in words)
    return more, less


def strategy_lines(strategy: Strategy) -> list[str]:
    """What the attacker does and sees, as a tree for people."""
    s, t = short_name(strategy.source), short_name(strategy.target)
    more, less = _chances_text(strategy, at_least="at least ", at_most="at most ")
    if strategy.begin is None:
        return [f"An attack tells {s} from {t}: their labels differ, nothing has to be done."]
    table: list[tuple[str, ...]] = []
    _branch(strategy.begin, 1, s, table)
    cut = ""
    if not strategy.complete:
        count, some, other = _ends_shown(strategy)
        ends = f"ends where {s} is said: {count}, with P = {some} from {s}, {other} from {t}"
        cut = f" The tree is cut where it says so; {ends}."
    return [
        f"An attack: who does this, and says {s} where the tree says so, says so of {s} with probability "
        f"{more}, and of {t} with probability {less}.{cut}",
        *aligned([("  do and see", f" P from {s}", f" from {t}", ""), *table]),
    ]


def _ends_shown(strategy: Strategy) -> tuple[str, str, str]:
    """How many ends are shown at which the first secret is said, and how likely they are from either."""
    ends = [] if strategy.begin is None else marked_ends(strategy.begin)
    some = sum_of(ends)
    chances = lower_text(some.from_probability), upper_text(some.to_probability)
    return shown_text(len(ends), strategy.event), *chances


def marked_ends(ask: Ask) -> list[Answer]:
    """The ends of a tree at which the first secret is said."""
    deeper = (end for answer in ask.answers if answer.then is not None for end in marked_ends(answer.then))
    return [*(answer for answer in ask.answers if answer.says), *deeper]


def _branch(ask: Ask, depth: int, says: str, table: list[tuple[str, ...]]) -> None:
    """What is done, and below it a line for each answer."""
    indent = "  " * depth
    ask, times = _folded(ask)
    headed = ask.action != ANONYMOUS or times > 1
    if headed:
        table.append((f"{indent}{_doing(ask, times)}", "", "", ""))
    for answer in ask.answers:
        line = f"{indent}{'  ' if headed else ''}see {short_name(answer.label)}"
        numbers = readable(answer.from_probability), readable(answer.to_probability)
        table.append((line, f" {numbers[0]}", f" {numbers[1]}", _verdict(answer, says)))
        if answer.then is not None:
            _branch(answer.then, depth + 1 + headed, says, table)


def _folded(ask: Ask) -> tuple[Ask, int]:
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


def _doing(ask: Ask, times: int) -> str:
    """What the attacker does, so many times in a row."""
    action = "let it run" if ask.action == ANONYMOUS else f"do {short_name(ask.action)}"
    return action if times == 1 else f"{action}, {times} times, and each time"


def _verdict(answer: Answer, says: str) -> str:
    if answer.then is not None:
        return ""
    return {True: f" say {says}", False: "", None: " ... (cut)"}[answer.says]


def open_loop_text(answer: InteractiveDelta, sequence: OpenLoop) -> str:
    """What is gained by deciding step by step."""
    named = ("(what comes)" if action == ANONYMOUS else short_name(action) for action in sequence.actions)
    actions = ", ".join(named) or "nothing"
    gain = answer.upper - sequence.value
    best = "The best fixed sequence" if sequence.complete else "The best fixed sequence that was found"
    if gain <= 0:
        helps = "adapting gains nothing"
    elif sequence.complete and answer.value is not None:
        helps = f"adapting gains {readable(gain)} more"
    else:
        helps = f"adapting gains at most {upper_text(gain)} more"
    return f"{best} is {actions}: {readable(sequence.value)} from {short_name(sequence.source)}; {helps}."


def strategy_blocks(strategy: Strategy, factor: str) -> list[PageBlock]:
    """What the attacker does, as a tree, and what it is worth."""
    s, t = short_name(strategy.source), short_name(strategy.target)
    more, less = lower_text(strategy.from_probability), upper_text(strategy.to_probability)
    first, second = _chances_text(strategy, exactly="= ", at_least="≥ ", at_most="≤ ")
    worth = Text(
        f"So the attacker says {s} with P {first} if it is {s}, and P {second} if it is {t}.", "claim"
    )
    gain = Text(f"What {more} − {factor} · {less} comes to is the lower bound of δ.", "claim")
    unless = "" if strategy.complete else ", unless it is cut there"
    if strategy.begin is None:
        return [Text(f"The labels of {s} and {t} differ; nothing has to be done."), worth, gain]
    root = PageBranch(f"See {short_name(strategy.label)}", branches=_done(strategy.begin, (s, t)))
    cut = []
    if not strategy.complete:
        count, some, other = _ends_shown(strategy)
        where = (
            "The tree is cut where it says so; what comes there is in the `event` of `prover delta --json`."
        )
        ends = f"Marked ends: {count}, with P = {some} from {s}, and P = {other} from {t}."
        cut.append(Text(f"{where} {ends}"))
    return [
        Text(
            f"Follow the tree from its top: do what it says, and see what comes. Bars say how likely it is "
            f"to come so far, from {s} and from {t}. At marked ends say {s}, at all others {t}{unless}."
        ),
        PageTree(root),
        *cut,
        worth,
        gain,
    ]


def _done(ask: Ask, secrets: tuple[str, str]) -> list[PageBranch]:
    """What is done, with a branch for each answer."""
    ask, times = _folded(ask)
    seen = [_seen(answer, secrets) for answer in ask.answers]
    if ask.action == ANONYMOUS and times == 1:
        return seen
    heading = _doing(ask, times)
    return [PageBranch(f"{heading[0].upper()}{heading[1:]}", branches=seen)]


def _seen(answer: Answer, secrets: tuple[str, str]) -> PageBranch:
    ends = answer.then is None
    return PageBranch(
        f"See {short_name(answer.label)}",
        ("Cut here",) if ends and answer.says is None else (),
        bars=probability_bars(answer, secrets),
        marked=f"Say {secrets[0]}" if ends and answer.says else None,
        branches=[] if answer.then is None else _done(answer.then, secrets),
    )
