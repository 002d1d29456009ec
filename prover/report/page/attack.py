"""The attack on two secrets as a story: what is seen, step by step, with the probabilities of both."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.event import Event, Word
from prover.chain.unrolling.words import Seen, words_tree
from prover.errors import short_name
from prover.exact.rational import format_rational, scientific_text
from prover.exact.readable import brief, lower_text, upper_text
from prover.report.delta import event_text, has_several_words, shown_text, sum_of, word_text
from prover.report.page.document import Block, Branch, Figure, Table, Text, Tree
from prover.report.picture.bars import Bar, Compared, drawn_bars

MOST_LABELS = 60
"""Of a word that becomes a way in a tree."""

MOST_NODES = 24
MOST_DEPTH = 7
"""Of a tree: nodes, and nodes below each other, if it has a word already."""

MOST_STEPS = 200
"""Of a rule that is part of the page."""

_SHORT, _DIGITS = 11, 5
_ELSEWHERE = "The whole rule, which decides about every word, is the `event` of `prover delta --json`."


def attack_blocks(
    chain: LabelledMarkovChain, attack: Attack, secrets: tuple[str, str], factor: str, gain: str
) -> list[Block]:
    """What to look for, the tree of what may be seen, and what the event is worth: ``gain``.

    ``secrets`` is how the attack's two states are called.
    """
    s, t = secrets
    several = has_several_words(attack)
    only = f"one of {attack.event.extent}" if several else word_text(attack.words[0].labels)
    tree, others = _tree(chain, attack)
    blocks: list[Block] = [Text(f"{event_text(s, t)} {only}.")]
    marked: list[Word | Seen] = [*others]
    if tree is not None:
        marked += tree.words()
        blocks += [Text(_how_to_read(tree, s, t)), Tree(_branch(tree, (s, t)))]
    if others:
        which = "To be marked as well" if tree is not None else f"Who sees one of these says {s}"
        blocks.append(Text(f"{which}: {'; '.join(word_text(word.labels) for word in others)}."))
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


def _rule(event: Event, says: str) -> Block:
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
    return Table(caption, ("at", "who sees", "goes to"), rows, hidden=True)


def excess_figure(attack: Attack, alpha: Fraction, delta: Fraction) -> Figure:
    """δ as what sticks out of the probability of the event, at a rational α."""
    s, t = short_name(attack.source), short_name(attack.target)
    more, less = attack.from_probability, attack.to_probability

    def row(what: str, p: Fraction, q: Fraction) -> Compared:
        times = f"from {t}, times α: {brief(alpha)} · {chance_text(q)} = {chance_text(alpha * q)}"
        return Compared(what, Bar(f"from {s}: {chance_text(p)}", p), Bar(times, alpha * q))

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
        found = words_tree(chain, attack, words[:count])
        if best is not None and (_size(found) > MOST_NODES or _depth(found) > MOST_DEPTH):
            break
        best, drawn = found, count
    while best is not None and not best.labels and len(best.following) == 1:
        (best,) = best.following
    return best, [word for word in attack.words if word not in words[:drawn]]


def _size(seen: Seen) -> int:
    return 1 + sum(map(_size, seen.following))


def _depth(seen: Seen) -> int:
    return 1 + max(map(_depth, seen.following), default=0)


def _branch(seen: Seen, secrets: tuple[str, str]) -> Branch:
    heading = word_text(seen.labels) if seen.labels else "Nothing is seen yet"
    if seen.others:
        heading = f"one of {len(seen.others):,} others: {word_text(seen.others)}"
    bars = [
        (secret, chance_text(chance), float(chance))
        for secret, chance in zip(secrets, (seen.from_probability, seen.to_probability), strict=True)
    ]
    return Branch(
        heading,
        ("Cut here",) if seen.cut else (),
        bars=bars if seen.labels or seen.others else (),
        marked=f"Say {secrets[0]}" if seen.event else None,
        branches=[_branch(after, secrets) for after in sorted(seen.following, key=_goes_on)],
    )


def _goes_on(seen: Seen) -> bool:
    """What is decided is drawn before what is not."""
    return seen.cut or bool(seen.following)


def chance_text(chance: Fraction) -> str:
    """A probability beside a bar."""
    text = format_rational(chance)
    return text if len(text) <= _SHORT else scientific_text(chance, _DIGITS)
