"""The attack on two secrets of a chain: an event, as text, as JSON, and on pages as a tree with bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.event import Event, EventWord
from prover.chain.unrolling.words import Seen, words_tree
from prover.errors import short_name
from prover.exact.rational import format_rational, scientific_text
from prover.exact.readable import brief, lower_text, upper_text
from prover.report.document import Figure, PageBlock, PageBranch, PageTable, PageTree, Text
from prover.report.promise import scaled
from prover.report.tables import aligned

if TYPE_CHECKING:
    from prover.chain.unrolling.attack import Attack

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
_ELSEWHERE = "The whole rule, which decides about every output, is the `event` of `prover delta --json`."


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


def _words_json(words: Iterable[EventWord]) -> list[dict[str, Any]]:
    return [{"labels": list(word.labels), **_probabilities(word)} for word in words]


def _probabilities(event: Attack | EventWord) -> dict[str, str]:
    return {
        "from_probability": format_rational(event.from_probability),
        "to_probability": format_rational(event.to_probability),
    }


def attack_lines(attack: Attack) -> list[str]:
    """The attack on a chain: what to guess after which labels, with the probabilities."""
    s, t = short_name(attack.source), short_name(attack.target)
    rows = [(_word_text(word.labels), word) for word in attack.words]
    together: list[tuple[str, Attack | EventWord]] = []
    if not attack.complete:
        together.append(("these together", sum_of(attack.words)))
    if _has_several_words(attack):
        together.append(("all together", attack))
    table = []
    for text, event in [*rows, *together]:
        more, less = lower_text(event.from_probability), upper_text(event.to_probability)
        table.append((f"  {text}", f" P = {more} under {s}, {less} under {t}"))
    several = f" one of {attack.event.extent}" * _has_several_words(attack)
    some = "" if attack.complete else f" ({len(attack.words)} shown)"
    return [f"{_guess_text(s)}{several}{some}:", *aligned(table)]


def _has_several_words(attack: Attack) -> bool:
    """Whether the event has more than one word."""
    return attack.event.count != 1


def _guess_text(s: str) -> str:
    """What to guess and when; the words of the event come behind."""
    return f"Attack: guess {s} if the output begins with"


def shown_text(count: int, event: Event) -> str:
    """That so many words of the event are shown, and of how many, where that is known."""
    return f"{count:,} shown" if event.count is None else f"{count:,} of {event.count:,} shown"


class Likely(Protocol):
    """What is seen with one probability from either secret."""

    @property
    def from_probability(self) -> Fraction: ...
    @property
    def to_probability(self) -> Fraction: ...


IN_WORDS, IN_SIGNS = ("", "at least ", "at most "), ("= ", "≥ ", "≤ ")


def chance_texts(event: Likely, ways: tuple[str, str, str], *, close: bool = True) -> tuple[str, str]:
    """How likely an event is under either secret, in full where that is short, else as bounds.

    ``ways`` stand before an exact number, a lower bound, an upper bound; without ``close`` none is exact.
    """
    exactly, at_least, at_most = ways
    more, less = lower_text(event.from_probability), upper_text(event.to_probability)
    first = exactly if close and Fraction(more) == event.from_probability else at_least
    second = exactly if close and Fraction(less) == event.to_probability else at_most
    return f"{first}{more}", f"{second}{less}"


def sum_of(words: Iterable[Likely]) -> EventWord:
    """What words have together, of which none is the beginning of another one."""
    there, here = Fraction(0), Fraction(0)
    for word in words:
        there, here = there + word.from_probability, here + word.to_probability
    return EventWord((), there, here)


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

    ``secrets`` is how the attack's two states are called, and ``gain`` goes on after P[E | s] − α·P[E | t].
    """
    s, t = secrets
    several = _has_several_words(attack)
    only = f"one of {attack.event.extent}" if several else _word_text(attack.words[0].labels)
    tree, others = _tree(chain, attack)
    blocks: list[PageBlock] = [Text(f"{_guess_text(s)} {only}.")]
    marked: list[EventWord | Seen] = [*others]
    if tree is not None:
        marked += tree.words()
        blocks += [Text(_how_to_read(tree, s, t)), PageTree(_branch(tree, (s, t)))]
    if others:
        also = "Also guess" if tree is not None else "Guess"
        blocks.append(Text(f"{also} {s} after: {'; '.join(_word_text(word.labels) for word in others)}."))
    count = sum(len(one.others) if isinstance(one, Seen) and one.others else 1 for one in marked)
    if count != attack.event.count:
        some = sum_of(marked)
        first, second = lower_text(some.from_probability), upper_text(some.to_probability)
        chances = f"P = {first} under {s} and P = {second} under {t}"
        blocks.append(
            Text(f"Sequences of labels: {shown_text(count, attack.event)}, together with {chances}.")
        )
    if count != attack.event.count or any(isinstance(one, Seen) and one.others for one in marked):
        blocks.append(_rule(attack.event, s))
    more, less = chance_texts(attack, IN_SIGNS)
    event = f"For the whole event E, P[E | {s}] {more} and P[E | {t}] {less}."
    return [*blocks, *worth_blocks(event, secrets, factor, gain)]


def worth_blocks(event: str, secrets: tuple[str, str], factor: str, gain: str) -> list[PageBlock]:
    """What an event is worth: the sentence with its probabilities, and their difference."""
    s, t = secrets
    return [Text(event, "claim"), Text(f"So P[E | {s}] − {scaled(factor, t)}{gain}.", "claim")]


def _how_to_read(tree: Seen, s: str, t: str) -> str:
    """How the tree decides what to guess."""
    cut = " Where the tree is cut, later labels decide." * _is_cut(tree)
    return f"{FOLLOW_TREE.format(s=s, t=t)} Guess {s} at a marked node, and {t} everywhere else.{cut}"


FOLLOW_TREE = (
    "Follow the tree from its top. The bars show how likely it is to reach a node, under {s} and under {t}."
)
"""How to read trees of attacks; names may hold braces, so they are filled in once."""


def _is_cut(seen: Seen) -> bool:
    return seen.cut or any(map(_is_cut, seen.following))


def _rule(event: Event, says: str) -> PageBlock:
    """The automaton, where it is not too large."""
    rows = [
        (str(node), short_name(step.label), f"guess {says}" if event.has_happened(to) else str(to))
        for node, steps in enumerate(event.steps)
        for step in steps
        for to in (step.target,)
    ]
    if len(rows) > MOST_STEPS:
        return Text(_ELSEWHERE)
    caption = "The whole rule: begin at node 0; after a label that is not listed, the event cannot happen"
    return PageTable(caption, ("node", "label", "next"), rows, hidden=True)


def excess_figure(attack: Attack, alpha: Fraction, delta: Fraction) -> Figure:
    """δ as a part of the probability of the event, at a rational α."""
    from prover.report.picture.bars import Bar, Compared, drawn_bars

    s, t = short_name(attack.source), short_name(attack.target)
    more, less = attack.from_probability, attack.to_probability

    def row(what: str, p: Fraction, q: Fraction) -> Compared:
        times = f"α·P under {t}: {brief(alpha)} · {_chance_text(q)} = {_chance_text(alpha * q)}"
        return Compared(what, Bar(f"P under {s}: {_chance_text(p)}", p), Bar(times, alpha * q))

    compared = [row("The event E", more, less), row("All other outputs", 1 - more, 1 - less)]
    drawn = drawn_bars(compared, f"the part above α·P[E | {t}] is δ = {brief(delta)}", "What δ is")
    words = [f"{one.what}: {one.first.words}; {one.second.words}." for one in compared]
    return Figure(drawn, f"δ is the largest P[E | {s}] − α·P[E | {t}] over all events E.", words)


def _tree(chain: LabelledMarkovChain, attack: Attack) -> tuple[Seen | None, Sequence[EventWord]]:
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
    heading = _word_text(seen.labels) if seen.labels else "No label yet"
    if seen.others:
        heading = f"one of {len(seen.others):,} other labels: {_word_text(seen.others)}"
    return PageBranch(
        heading,
        ("Cut here",) if seen.cut else (),
        bars=probability_bars(seen, secrets) if seen.labels or seen.others else (),
        marked=f"Guess {secrets[0]}" if seen.event else None,
        branches=[_branch(after, secrets) for after in sorted(seen.following, key=_goes_on)],
    )


def _goes_on(seen: Seen) -> bool:
    """Decided nodes are drawn before open ones."""
    return seen.cut or bool(seen.following)


def probability_bars(seen: Likely, secrets: tuple[str, str]) -> list[tuple[str, str, float]]:
    """A bar for either secret: how likely it is to see so much."""
    chances = seen.from_probability, seen.to_probability
    return [(name, _chance_text(p), float(p)) for name, p in zip(secrets, chances, strict=True)]


def _chance_text(chance: Fraction) -> str:
    """A probability beside a bar."""
    text = format_rational(chance)
    return text if len(text) <= _SHORT else scientific_text(chance, _DIGITS)
