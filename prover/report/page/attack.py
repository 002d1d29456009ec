"""The attack on two secrets as a story: what is seen, step by step, with the probabilities of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack, Word
from prover.chain.unrolling.words import Seen, words_tree
from prover.errors import short_name
from prover.exact.rational import format_rational, scientific_text
from prover.exact.readable import brief, lower_text, upper_text
from prover.report.delta import event_text, has_several_words, word_text
from prover.report.page.document import Block, Branch, Figure, Text, Tree
from prover.report.picture.bars import Bar, Compared, drawn_bars

MOST_LABELS = 60
"""Of a word that becomes a way in a tree."""

MOST_NODES = 10
"""Of a tree; words that would make it larger are listed below it, if it has a word already."""

_SHORT, _DIGITS = 11, 5


def attack_blocks(chain: LabelledMarkovChain, attack: Attack, factor: str, gain: str) -> list[Block]:
    """What to look for, the tree of what may be seen, and what the event is worth: ``gain``."""
    s, t = short_name(attack.source), short_name(attack.target)
    blocks: list[Block] = [
        Text(event_text(attack)[:-1] + "."),
        Text(
            f"Follow the tree from its top. Bars say how likely it is to come so far, from {s} and from {t}. "
            f"Who sees what is marked says {s}; who sees anything else says {t}."
        ),
    ]
    tree, rest = _tree(chain, attack)
    if tree is not None:
        blocks.append(Tree(_branch(tree, (s, t))))
    if rest:
        blocks.append(Text(f"To be marked as well: {'; '.join(word_text(word.labels) for word in rest)}."))
    more, less = lower_text(attack.from_probability), upper_text(attack.to_probability)
    whole = "All together, what is marked" if has_several_words(attack) else "What is marked"
    if not attack.complete:
        whole = "All together, what is marked and certain longer words that are not listed"
    blocks.append(Text(f"{whole} has P = {more} from {s}, and P = {less} from {t}.", "claim"))
    blocks.append(Text(f"{more} − {factor} · {less} is {gain}.", "claim"))
    return blocks


def excess_figure(attack: Attack, alpha: Fraction, delta: Fraction) -> Figure:
    """δ as what sticks out of the probability of the event, at a rational α."""
    s, t = short_name(attack.source), short_name(attack.target)
    more, less = attack.from_probability, attack.to_probability

    def row(what: str, p: Fraction, q: Fraction) -> Compared:
        times = f"from {t}, times α: {brief(alpha)} · {chance_text(q)} = {chance_text(alpha * q)}"
        return Compared(what, Bar(f"from {s}: {chance_text(p)}", p), Bar(times, alpha * q))

    compared = [row("What is marked is seen", more, less), row("Something else", 1 - more, 1 - less)]
    drawn = drawn_bars(compared, f"what sticks out is δ = {brief(delta)}", "What δ is")
    words = [f"{one.what}: {one.first.words}; {one.second.words}." for one in compared]
    return Figure(drawn, "δ is what sticks out.", words)


def _tree(chain: LabelledMarkovChain, attack: Attack) -> tuple[Seen | None, Sequence[Word]]:
    """The tree of as many words as it has room for, and the other words."""
    words = [word for word in attack.words if len(word.labels) <= MOST_LABELS]
    best: Seen | None = None
    drawn = 0
    for count in range(1, len(words) + 1):
        found = words_tree(chain, replace(attack, words=tuple(words[:count])))
        if best is not None and _size(found) > MOST_NODES:
            break
        best, drawn = found, count
    while best is not None and not best.labels and len(best.following) == 1:
        (best,) = best.following
    return best, [word for word in attack.words if word not in words[:drawn]]


def _size(seen: Seen) -> int:
    return 1 + sum(map(_size, seen.following))


def _branch(seen: Seen, secrets: tuple[str, str]) -> Branch:
    heading = word_text(seen.labels) if seen.labels else "Nothing is seen yet"
    bars = [
        (secret, chance_text(chance), float(chance))
        for secret, chance in zip(secrets, (seen.from_probability, seen.to_probability), strict=True)
    ]
    marked = f"Say {secrets[0]}" if seen.event else None
    branches = [_branch(after, secrets) for after in seen.following]
    return Branch(heading, bars=bars if seen.labels else (), marked=marked, branches=branches)


def chance_text(chance: Fraction) -> str:
    """A probability beside a bar."""
    text = format_rational(chance)
    return text if len(text) <= _SHORT else scientific_text(chance, _DIGITS)
