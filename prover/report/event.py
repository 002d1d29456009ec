"""The attack on two secrets of a chain: an event, as text, as JSON, and on pages as a tree with bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Protocol

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.event import Event, Word
from prover.chain.unrolling.words import Seen, words_tree
from prover.errors import short_name
from prover.exact.rational import format_rational, scientific_text
from prover.exact.readable import brief, lower_text, upper_text
from prover.report.document import Figure, PageBlock, PageBranch, PageTable, PageTree, Text
from prover.report.picture.bars import Bar, Compared, drawn_bars
from prover.report.tables import aligned

_LONGEST_WORD = 12
"""Labels that a word for people has; of longer ones the middle is left out."""

MOST_LABELS = 60
"""Of a word that becomes a way in a tree."""

MOST_NODES = 24
MOST_DEPTH = 7
"""Of a tree: nodes, and nodes below each other, if it has a word already."""

MOST_STEPS = 200
"""Of a rule that is part of the page."""

_SHORT, _DIGITS = 11, 5
_ELSEWHERE = "The whole rule, which decides about every word, is the `event` of `prover delta --json`."


def attack_json(attack: Attack) -> dict[str, Any]:
    return {
        "from": attack.source,
        "to": attack.target,
        "words": _words_json(attack.words),
        "complete": attack.complete,
        **_probabilities(attack),
        "event": {
            **rule_json(attack.event),
            "words": _words_json(attack.event.words() if attack.event.is_listed else attack.words),
            "complete": attack.event.is_listed,
        },
    }


def rule_json(event: Event) -> dict[str, Any]:
    """The automaton that decides about every word, and how many words the event has."""
    arrows = [[node, step.label, step.target] for node, steps in enumerate(event.steps) for step in steps]
    return {
        **({"actions": list(event.actions)} if event.actions else {}),
        "nodes": len(event.steps),
        "labels": sorted({label for _, label, _ in arrows}),
        "transitions": arrows,
        "first": 0,
        "accepting": len(event.steps) - 1,
        "count": event.count,
    }


def _words_json(words: Iterable[Word]) -> list[dict[str, Any]]:
    return [{"labels": list(word.labels), **_probabilities(word)} for word in words]


def _probabilities(event: Attack | Word) -> dict[str, str]:
    return {
        "from_probability": format_rational(event.from_probability),
        "to_probability": format_rational(event.to_probability),
    }


def attack_lines(attack: Attack) -> list[str]:
    """The words of an event for people, with their probabilities."""
    s, t = short_name(attack.source), short_name(attack.target)
    rows = [(_word_text(word.labels), word) for word in attack.words]
    together: list[tuple[str, Attack | Word]] = []
    if not attack.complete:
        together.append(("those shown", sum_of(attack.words)))
    if _has_several_words(attack):
        together.append(("all of them", attack))
    table = []
    for text, event in [*rows, *together]:
        more, less = lower_text(event.from_probability), upper_text(event.to_probability)
        table.append((f"  {text}", f" P = {more} from {s}, {less} from {t}"))
    several = f" one of {attack.event.extent}" * _has_several_words(attack)
    some = "" if attack.complete else f" ({shown_text(len(attack.words), attack.event)})"
    return [f"{_event_text(s, t)}{several}{some}:", *aligned(table)]


def _has_several_words(attack: Attack) -> bool:
    """Whether the event has more than one word."""
    return attack.event.count != 1


def _event_text(s: str, t: str) -> str:
    """That s is told from t by which event; what its words are comes behind."""
    return f"An attack tells {s} from {t}. The event: the labels seen begin with"


def shown_text(count: int, event: Event) -> str:
    """That so many words of the event are shown, and of how many, where that is known."""
    return f"{count:,} shown" if event.count is None else f"{count:,} of {event.count:,} shown"


class Likely(Protocol):
    """What is seen with one probability from either secret."""

    @property
    def from_probability(self) -> Fraction: ...
    @property
    def to_probability(self) -> Fraction: ...


def sum_of(words: Iterable[Likely]) -> Word:
    """What words have together, of which none is the beginning of another one."""
    there, here = Fraction(0), Fraction(0)
    for word in words:
        there, here = there + word.from_probability, here + word.to_probability
    return Word((), there, here)


def _word_text(seen: Sequence[str]) -> str:
    """Labels one after the other, of many the first and the last ones."""
    labels = [short_name(label) for label in seen]
    if len(labels) > _LONGEST_WORD:
        kept = _LONGEST_WORD // 2
        labels = [*labels[:kept], f"({len(labels) - 2 * kept} more)", *labels[-kept:]]
    return ", ".join(labels)


def attack_blocks(
    chain: LabelledMarkovChain, attack: Attack, secrets: tuple[str, str], factor: str, gain: str
) -> list[PageBlock]:
    """What to look for, the tree of what may be seen, and what the event is worth: ``gain``.

    ``secrets`` is how the attack's two states are called.
    """
    s, t = secrets
    several = _has_several_words(attack)
    only = f"one of {attack.event.extent}" if several else _word_text(attack.words[0].labels)
    tree, others = _tree(chain, attack)
    blocks: list[PageBlock] = [Text(f"{_event_text(s, t)} {only}.")]
    marked: list[Word | Seen] = [*others]
    if tree is not None:
        marked += tree.words()
        blocks += [Text(_how_to_read(tree, s, t)), PageTree(_branch(tree, (s, t)))]
    if others:
        which = "To be marked as well" if tree is not None else f"Who sees one of these says {s}"
        blocks.append(Text(f"{which}: {'; '.join(_word_text(word.labels) for word in others)}."))
    more, less = lower_text(attack.from_probability), upper_text(attack.to_probability)
    whole = "All together, what is marked" if several else "What is marked"
    count = sum(len(one.others) if isinstance(one, Seen) and one.others else 1 for one in marked)
    if count != attack.event.count:
        whole, some = "The whole event", sum_of(marked)
        first, second = lower_text(some.from_probability), upper_text(some.to_probability)
        said = shown_text(count, attack.event)
        have = f"What is marked has P = {first} from {s}, and P = {second} from {t}"
        blocks.append(Text(f"The words of the event: {said}. {have}."))
    if count != attack.event.count or any(isinstance(one, Seen) and one.others for one in marked):
        blocks.append(_rule(attack.event, s))
    blocks.append(Text(f"{whole} has P = {more} from {s}, and P = {less} from {t}.", "claim"))
    blocks.append(Text(f"{more} − {factor} · {less} is {gain}.", "claim"))
    return blocks


def _how_to_read(tree: Seen, s: str, t: str) -> str:
    """How the tree tells what to say."""
    cut = " Where it is cut, what is seen later decides." * _is_cut(tree)
    return (
        f"Follow the tree from its top. Bars say how likely it is to come so far, from {s} and from {t}. "
        f"Who sees what is marked says {s}; who sees anything else says {t}.{cut}"
    )


def _is_cut(seen: Seen) -> bool:
    return seen.cut or any(map(_is_cut, seen.following))


def _rule(event: Event, says: str) -> PageBlock:
    """The automaton, where it is not too large."""
    rows = [
        (str(node), short_name(step.label), f"say {says}" if event.has_happened(to) else str(to))
        for node, steps in enumerate(event.steps)
        for step in steps
        for to in (step.target,)
    ]
    if len(rows) > MOST_STEPS:
        return Text(_ELSEWHERE)
    caption = "The whole rule: begin at 0; where a label is not listed, the event does not happen"
    return PageTable(caption, ("at", "who sees", "goes to"), rows, hidden=True)


def excess_figure(attack: Attack, alpha: Fraction, delta: Fraction) -> Figure:
    """δ as what sticks out of the probability of the event, at a rational α."""
    s, t = short_name(attack.source), short_name(attack.target)
    more, less = attack.from_probability, attack.to_probability

    def row(what: str, p: Fraction, q: Fraction) -> Compared:
        times = f"from {t}, times α: {brief(alpha)} · {_chance_text(q)} = {_chance_text(alpha * q)}"
        return Compared(what, Bar(f"from {s}: {_chance_text(p)}", p), Bar(times, alpha * q))

    compared = [row("The event is seen", more, less), row("Something else", 1 - more, 1 - less)]
    drawn = drawn_bars(compared, f"what sticks out is δ = {brief(delta)}", "What δ is")
    words = [f"{one.what}: {one.first.words}; {one.second.words}." for one in compared]
    return Figure(drawn, "δ is what sticks out.", words)


def _tree(chain: LabelledMarkovChain, attack: Attack) -> tuple[Seen | None, Sequence[Word]]:
    """The tree of as many words as it has room for, and the shown words that are no part of it."""
    words = [word for word in islice(attack.event.words(), MOST_NODES) if len(word.labels) <= MOST_LABELS]
    best: Seen | None = None
    drawn = 0
    for count in range(1, len(words) + 1):
        tree = words_tree(chain, attack, words[:count])
        if best is not None and (_size(tree) > MOST_NODES or _depth(tree) > MOST_DEPTH):
            break
        best, drawn = tree, count
    while best is not None and not best.labels and len(best.following) == 1:
        (best,) = best.following
    return best, [word for word in attack.words if word not in words[:drawn]]


def _size(seen: Seen) -> int:
    return 1 + sum(map(_size, seen.following))


def _depth(seen: Seen) -> int:
    return 1 + max(map(_depth, seen.following), default=0)


def _branch(seen: Seen, secrets: tuple[str, str]) -> PageBranch:
    heading = _word_text(seen.labels) if seen.labels else "Nothing is seen yet"
    if seen.others:
        heading = f"one of {len(seen.others):,} others: {_word_text(seen.others)}"
    return PageBranch(
        heading,
        ("Cut here",) if seen.cut else (),
        bars=probability_bars(seen, secrets) if seen.labels or seen.others else (),
        marked=f"Say {secrets[0]}" if seen.event else None,
        branches=[_branch(after, secrets) for after in sorted(seen.following, key=_goes_on)],
    )


def _goes_on(seen: Seen) -> bool:
    """What is decided is drawn before what is not."""
    return seen.cut or bool(seen.following)


def probability_bars(seen: Likely, secrets: tuple[str, str]) -> list[tuple[str, str, float]]:
    """A bar for either secret: how likely it is to see so much."""
    chances = seen.from_probability, seen.to_probability
    return [(name, _chance_text(p), float(p)) for name, p in zip(secrets, chances, strict=True)]


def _chance_text(chance: Fraction) -> str:
    """A probability beside a bar."""
    text = format_rational(chance)
    return text if len(text) <= _SHORT else scientific_text(chance, _DIGITS)
