"""The strategy of an attacker who chooses actions, as text, as JSON, and on pages as a tree with bars."""

from __future__ import annotations

from typing import Any

from prover.chain.model import ANONYMOUS
from prover.chain.unrolling.answer import InteractiveDelta
from prover.chain.unrolling.open_loop import OpenLoop
from prover.chain.unrolling.strategy import Answer, Ask, Strategy
from prover.errors import short_name
from prover.exact.rational import format_rational
from prover.exact.readable import lower_text, readable, upper_text
from prover.report.document import PageBlock, PageBranch, PageTree, Text
from prover.report.event import (
    FOLLOW_TREE,
    IN_SIGNS,
    IN_WORDS,
    chance_texts,
    probability_bars,
    rule_json,
    shown_text,
    sum_of,
    worth_blocks,
)
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
    nature = {"by_nature": True} if ask.by_nature else {}
    return {"action": None if ask.action == ANONYMOUS else ask.action, "answers": answers, **nature}


def open_loop_json(sequence: OpenLoop) -> dict[str, Any]:
    """The JSON object of a sequence of actions that is fixed in advance."""
    return {
        "from": sequence.source,
        "to": sequence.target,
        "value": format_rational(sequence.value),
        "actions": [None if action == ANONYMOUS else action for action in sequence.actions],
        "complete": sequence.complete,
    }


def strategy_lines(strategy: Strategy) -> list[str]:
    """What the attacker does and sees, as a tree for people."""
    s, t = short_name(strategy.source), short_name(strategy.target)
    more, less = chance_texts(strategy, IN_WORDS, close=strategy.close)
    if strategy.begin is None:
        return [f"Attack: {_at_once(strategy)}"]
    table: list[tuple[str, ...]] = []
    _branch(strategy.begin, 1, s, table)
    cut = "" if strategy.complete else f" The tree is cut: {_ends_shown(strategy, s, t)}."
    return [
        f"Attack: follow this tree and guess {s} where marked. "
        f"The guess is {s} with probability {more} under {s} and {less} under {t}.{cut}",
        *aligned([("  do and see", f" P under {s}", f" under {t}", ""), *table]),
    ]


def _at_once(strategy: Strategy) -> str:
    """What to guess where the first labels decide."""
    s, t, label = map(short_name, (strategy.source, strategy.target, strategy.label))
    return f"guess {s} if the first label is {label}. The labels of {s} and {t} differ: no action is needed."


def _ends_shown(strategy: Strategy, s: str, t: str) -> str:
    """How many ends are shown at which s is guessed, and how likely they are under either secret."""
    ends = [] if strategy.begin is None else marked_ends(strategy.begin)
    some = sum_of(ends)
    more, less = lower_text(some.from_probability), upper_text(some.to_probability)
    count = shown_text(len(ends), strategy.event)
    return f"marked ends: {count}, together with P = {more} under {s} and P = {less} under {t}"


def marked_ends(ask: Ask) -> list[Answer]:
    """The ends of a tree at which the first secret is guessed."""
    deeper = (end for answer in ask.answers if answer.then is not None for end in marked_ends(answer.then))
    return [*(answer for answer in ask.answers if answer.says), *deeper]


def _branch(ask: Ask, depth: int, says: str, table: list[tuple[str, ...]]) -> None:
    """An action, and below it a line for each label that may follow."""
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
    """What the attacker or nature does, so many times in a row."""
    does = "nature does" if ask.by_nature else "do"
    action = "let it run" if ask.action == ANONYMOUS else f"{does} {short_name(ask.action)}"
    return action if times == 1 else f"{action}, {times} times; each time"


def _verdict(answer: Answer, says: str) -> str:
    if answer.then is not None:
        return ""
    return {True: f" guess {says}", False: "", None: " ... (cut)"}[answer.says]


def open_loop_text(answer: InteractiveDelta, sequence: OpenLoop) -> str:
    """What the best fixed sequence gains, and how much more the strategy."""
    named = ("(no choice)" if action == ANONYMOUS else short_name(action) for action in sequence.actions)
    actions = ", ".join(named) or "no action"
    gain = answer.upper - sequence.value
    best = f"The best fixed sequence of actions{'' if sequence.complete else ' that was found'}"
    if gain <= 0:
        helps = "adapting gains nothing"
    elif sequence.complete and answer.value is not None:
        helps = f"adapting gains {readable(gain)} more"
    else:
        helps = f"adapting gains at most {upper_text(gain)} more"
    way = f"from {short_name(sequence.source)} to {short_name(sequence.target)}"
    return f"{best} is {actions}: it gains {readable(sequence.value)} {way}; {helps}."


def strategy_blocks(strategy: Strategy, factor: str, gain: str) -> list[PageBlock]:
    """What the attacker does, as a tree, and what it is worth: ``gain``, as for attacks on chains."""
    s, t = short_name(strategy.source), short_name(strategy.target)
    first, second = chance_texts(strategy, IN_SIGNS, close=strategy.close)
    event = f"For the event E that the guess is {s}, P[E | {s}] {first} and P[E | {t}] {second}."
    worth = worth_blocks(event, (s, t), factor, gain)
    if strategy.begin is None:
        return [Text(f"Attack: {_at_once(strategy)}"), *worth]
    root = PageBranch(f"See {short_name(strategy.label)}", branches=_done(strategy.begin, (s, t)))
    cut = []
    if not strategy.complete:
        where = "The tree is cut; the whole strategy is the `event` of `prover delta --json`"
        shown = _ends_shown(strategy, s, t)
        cut.append(Text(f"{where}. {shown[0].upper()}{shown[1:]}."))
    return [
        Text(
            f"{FOLLOW_TREE.format(s=s, t=t)} Do is an action of the attacker, See is the label that follows. "
            f"Guess {s} at a marked end, and {t} at all other ends."
        ),
        PageTree(root),
        *cut,
        *worth,
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
        marked=f"Guess {secrets[0]}" if ends and answer.says else None,
        branches=[] if answer.then is None else _done(answer.then, secrets),
    )
