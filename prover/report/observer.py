"""What an observer learns who does not see the run, as text and as JSON."""

from __future__ import annotations

from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.answer import Privacy
from prover.program.observer.observed import Observed
from prover.program.observer.words import Word

MERGED = "where transitions that nobody can tell apart are one"
MOST_SYMBOLS = 12
"""How many steps of a word are written for people."""


def what_that_means(answer: Privacy) -> str:
    """What is known of the observer's loss, and why, where outputs do not tell transitions apart."""
    found = answer.observer
    if answer.runs.bounded is False:
        return "An observer may learn less than what a run loses: whether the program is private is open."
    if found is None:
        return "An observer may learn less than what a run loses; this is a bound from above only."
    of_runs = rational_or_inf(answer.runs.upper)
    if answer.epsilon is None:
        if found.above is not None:
            more = f"Single runs lose at most ε·{of_runs}. "
        elif found.merged is not None:
            more = f"From above the bound is what runs lose {MERGED}; single runs lose at most ε·{of_runs}. "
        else:
            more = "From above the bound is what runs lose. "
        if found.below is not None:
            more += f"From below it is the word {_word(found.below.costs.word)}. "
        return more + "An observer may learn something between."
    if found.above is not None:
        return (
            "All runs with the same output are seen as one, and what that loses is known, as their union is "
            f"convex. Single runs lose at most ε·{of_runs}."
        )
    if found.below is None and found.merged is not None:
        return f"No run loses anything {MERGED}. Single runs lose at most ε·{of_runs}."
    if found.below is None:
        return "That makes no difference here: no run loses anything."
    word = _word(found.below.costs.word)
    if found.merged is not None:
        return (
            f"All runs with the output {word} lose as much, and none loses more {MERGED}. "
            f"Single runs lose at most ε·{of_runs}."
        )
    return f"That makes no difference here: all runs with the output {word} lose as much."


def observed_json(found: Observed) -> dict[str, Any]:
    """Which bounds hold for an observer by what: from above runs, unions of runs, or those of a merged
    program, from below a word.
    """
    exact = found.lower == found.upper
    below = found.below
    above = "unions" if found.above is not None else "runs" if found.merged is None else "merged"
    return {
        "lower": format_rational(found.lower),
        "upper": format_rational(found.upper),
        "criterion": None if not exact else "all-runs" if found.above is None else "convex",
        "above": above,
        "unions": None if found.above is None else len(found.above.groups),
        "word": None if below is None else [list(symbol) for symbol in below.costs.word],
        "inputs": None if below is None else list(below.rise.inputs),
        "delta": None if below is None else list(below.rise.delta),
        "box": found.search.box,
        "longest": found.search.longest,
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
