"""What an observer learns who does not see the run, as text and as JSON."""

from __future__ import annotations

from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.answer import Privacy
from prover.program.observer.growth import WordFamily
from prover.program.observer.observed import Observed
from prover.program.observer.words import Word, symbol

MERGED = "where transitions that nobody can tell apart are one"
EXTREME = "where nobody sees when a larger value, or a smaller one, was stored"
MOST_SYMBOLS = 12
"""How many steps of a word are written for people."""


def what_that_means(answer: Privacy) -> str:
    """What is known of the observer's loss, and why, where outputs do not tell transitions apart."""
    observed = answer.observer
    if observed is not None and observed.words is not None:
        return _of_words(observed.words)
    if answer.private is None and answer.runs.bounded is False:
        more = "An observer may learn less than what a run loses: whether the program is private is open."
        if observed is not None and observed.below is not None:
            more += f" From below the bound is the word {_word(observed.below.costs.word)}."
        return more
    if observed is None:
        return "An observer may learn less than what a run loses; this is a bound from above only."
    if answer.runs.bounded is False:
        of_runs = "Single runs lose more than any bound"
    else:
        of_runs = f"Single runs lose at most ε·{rational_or_inf(answer.runs.upper)}"
    if answer.epsilon is None:
        if observed.above is not None:
            more = f"{of_runs}. "
        elif observed.extremes is not None:
            more = f"From above the bound is what is lost {EXTREME}; {of_runs[0].lower()}{of_runs[1:]}. "
        elif observed.merged is not None:
            more = f"From above the bound is what runs lose {MERGED}; {of_runs[0].lower()}{of_runs[1:]}. "
        else:
            more = "From above the bound is what runs lose. "
        if observed.below is not None:
            more += f"From below it is the word {_word(observed.below.costs.word)}. "
        return more + "An observer may learn something between."
    if observed.above is not None:
        return (
            "All runs with the same output are seen as one, and what that loses is known, as their union is "
            f"convex. {of_runs}."
        )
    if observed.below is None and observed.extremes is not None:
        return f"Nothing is lost {EXTREME}. {of_runs}."
    if observed.below is None and observed.merged is not None:
        return f"No run loses anything {MERGED}. {of_runs}."
    if observed.below is None:
        return "That makes no difference here: no run loses anything."
    word = _word(observed.below.costs.word)
    if observed.extremes is not None:
        return f"All runs with the output {word} lose so much, and no more is lost {EXTREME}. {of_runs}."
    if observed.merged is not None:
        return f"All runs with the output {word} lose as much, and none loses more {MERGED}. {of_runs}."
    return f"That makes no difference here: all runs with the output {word} lose as much."


def observed_json(observed: Observed) -> dict[str, Any]:
    """Which bounds hold for an observer by what: from above runs, unions of runs, or those of a merged
    program, from below a word.
    """
    below = observed.below
    above = "runs" if observed.merged is None else "merged"
    if observed.above is not None:
        above = "unions"
    elif observed.extremes is not None:
        above = "extremes"
    criterion = None
    if observed.words is not None:
        criterion = "words"
    elif observed.lower == observed.upper:
        criterion = "all-runs" if observed.above is None else "convex"
    return {
        "lower": rational_or_inf(observed.lower),
        "upper": rational_or_inf(observed.upper),
        "criterion": criterion,
        "above": None if observed.upper is None else above,
        "unions": None if observed.above is None else len(observed.above.groups),
        "word": None if below is None else [list(symbol) for symbol in below.costs.word],
        "inputs": None if below is None else list(below.rise.inputs),
        "delta": None if below is None else list(below.rise.delta),
        "words": None if observed.words is None else _words_json(observed.words),
        "box": observed.search.box,
        "longest": observed.search.longest,
    }


def _of_words(family: WordFamily) -> str:
    """Which words lose without bound."""
    parts = []
    for block in family.blocks:
        part = _word(tuple(symbol(step.edge) for step in block.steps))
        parts.append(f"({part}) again and again" if block.repeat else part)
    how = "are impossible on neighbours of some inputs"
    if family.growth is not None:
        how = f"lose at least ε·{format_rational(family.growth)} more with every turn"
    return f"But all runs with the outputs {', '.join(parts)} {how}."


def _words_json(family: WordFamily) -> dict[str, Any]:
    """What is seen once and what is seen in every turn, with the differences, and by how much that grows."""
    return {
        "growth": rational_or_inf(family.growth),
        "blocks": [
            {
                "repeat": block.repeat,
                "word": [list(symbol(step.edge)) for step in block.steps],
                "delta": [step.delta for step in block.steps],
            }
            for block in family.blocks
        ],
    }


def _word(word: Word) -> str:
    """A word for people, the first symbols of it."""
    listed = [_symbol(letter, numbers) for letter, numbers in word]
    more = "" if len(listed) <= MOST_SYMBOLS else f" and {len(listed) - MOST_SYMBOLS} more"
    return " ".join(listed[:MOST_SYMBOLS]) + more


def _symbol(letter: str | None, numbers: int) -> str:
    """A letter, and how many numbers."""
    parts = [] if letter is None else [shown(letter)]
    parts += ["number"] * numbers
    return "+".join(parts)
