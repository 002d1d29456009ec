"""What an observer learns who does not see the run, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_inf
from prover.exact.readable import multiple
from prover.program.answer import Privacy
from prover.program.observer.growth import WordFamily
from prover.program.observer.hidden_block import HiddenBlock
from prover.program.observer.observed import Observed
from prover.program.observer.words import Word, symbol
from prover.program.scope import is_scaled_by_epsilon

SINGLE_RUNS = "the loss of single runs is only an upper bound for what an observer learns"
"""Why an answer is not decided, where outputs do not show the run."""
OTHER_RUNS = "Other runs may have the same output, so an observer may learn less."
MERGED = "an observer who sees the run, except which of several merged transitions it takes,"
BLOCK = "an observer who sees which of the hidden values are the least and the largest"
LARGEST = "an observer who sees which of the hidden values is the {}"
EXTREME = "an observer who sees the run, except when it stores a larger (or smaller) value,"
LAST = "an observer who sees the run, except which of several transitions is its last one,"
TOLD = "outputs numbers near which no other run has the same output"
MOST_SYMBOLS = 12
"""How many steps of an output are written for people."""


def observer_text(answer: Privacy) -> str:
    """What is known of the observer's loss, and why, where different transitions have the same output."""
    observed, single = answer.observer, _of_single_runs(answer)
    if observed is not None and observed.words is not None:
        return _of_words(observed.words)
    if observed is not None and observed.told is not None and answer.private is False:
        return (
            "But near some numbers only these runs have such outputs, so an observer of them knows the run."
        )
    below = "" if observed is None else _below(observed)
    if answer.private is None and answer.runs.bounded is False:
        return f"An observer may learn less than single runs lose, so privacy is not decided.{below}"
    if observed is None:
        return f"{SINGLE_RUNS[:1].upper()}{SINGLE_RUNS[1:]}."
    if answer.epsilon is None:
        return f"{_above(observed, single)}{below}{_ends(answer)}"
    if observed.above is not None:
        where = "" if observed.above.has_ladders else " where their samples form a convex set"
        return f"The loss is exact: runs with the same output count as one event{where}. {single}"
    if observed.told is not None:
        return f"This does not matter here: the worst run {TOLD}."
    simpler = _simpler(observed)
    if observed.below is None:
        if simpler is None:
            return "This does not matter here: no run loses anything."
        return f"The loss is 0: {simpler} learns nothing. {single}"
    which = "the runs" if any(observed.below.rise.inputs) else "all runs"
    together = " together" if any(observed.below.rise.inputs) else ""
    output = f"{which} with the output {_word(observed.below.costs.word)}{together} lose"
    if simpler is None:
        return f"This does not matter here: {output} as much."
    return f"The loss is exact: {output} as much, and {simpler} learns no more. {single}"


def _simpler(observed: Observed) -> str | None:
    """Whose loss is the upper bound, where that is not the loss of single runs."""
    if observed.extremes is not None:
        return EXTREME
    if observed.last is not None:
        return LAST
    if isinstance(observed.merged, HiddenBlock):
        block = observed.merged
        return (
            BLOCK if block.least and block.largest else LARGEST.format("least" if block.least else "largest")
        )
    return None if observed.merged is None else MERGED


def _of_single_runs(answer: Privacy) -> str:
    if answer.runs.bounded is False:
        return "The loss of single runs has no bound."
    return f"Single runs lose at most {multiple(answer.runs.upper)}."


def _above(observed: Observed, single: str) -> str:
    """What proves the upper bound."""
    if observed.above is not None:
        return single
    simpler = _simpler(observed)
    if simpler is None:
        return "The upper bound is the loss of single runs."
    return f"The upper bound is the loss to {simpler.rstrip(',')}. {single}"


def _below(observed: Observed) -> str:
    if observed.told is not None:
        return f" A run that {TOLD} proves the lower bound."
    if observed.below is None:
        return ""
    how = _SEARCHES[observed.below.search]
    return f" The output {_word(observed.below.costs.word)} proves the lower bound, found {how}."


_SEARCHES: Mapping[str, str] = MappingProxyType(
    {
        "run": "with the differences of a costly run",
        "far": "with far inputs of a costly run",
        "box": "by trying many inputs (--box)",
    }
)
"""Which search has found a lower bound."""


def _ends(answer: Privacy) -> str:
    """What is known of the loss between its bounds (docs/theory_observer.md, theorem on both ends)."""
    program = answer.program
    if answer.upper is None or program is None or program.hides_steps or not is_scaled_by_epsilon(program):
        return " The observer's loss lies between the bounds."
    return (
        " For every ε, loss/ε lies between the steepest rise of an output's least cost, which is at least "
        "the lower bound, and the steepest slope of ln P[output] at ε = 1, which is at most the upper bound. "
        "As ε falls to 0, loss/ε tends to this slope. Where rise and slope differ, the loss may be no "
        "multiple of ε."
    )


def observed_json(observed: Observed) -> dict[str, Any]:
    """Which bounds hold for an observer by what: from above runs, unions of runs, or those of a merged
    program, from below a word.
    """
    below = observed.below
    above = "runs" if observed.merged is None else "merged"
    if isinstance(observed.merged, HiddenBlock):
        above = "block"
    if observed.above is not None:
        above = "unions"
    elif observed.extremes is not None:
        above = "extremes"
    elif observed.last is not None:
        above = "last"
    criterion = None
    if observed.words is not None:
        criterion = "words"
    elif observed.told is not None:
        criterion = "numbers"
    elif observed.lower == observed.upper:
        convex = "ladders" if observed.above is not None and observed.above.has_ladders else "convex"
        criterion = "all-runs" if observed.above is None else convex
    return {
        "lower": rational_or_inf(observed.lower),
        "upper": rational_or_inf(observed.upper),
        "criterion": criterion,
        "above": None if observed.upper is None else above,
        "unions": None if observed.above is None else len(observed.above.groups),
        "search": None if below is None else below.search,
        "word": None if below is None else [list(symbol) for symbol in below.costs.word],
        "inputs": None if below is None else list(below.rise.inputs),
        "delta": None if below is None else list(below.rise.delta),
        "words": None if observed.words is None else _words_json(observed.words),
        "samples": None if observed.told is None else [format_rational(x) for x in observed.told.samples],
        "box": observed.search.box,
        "longest": observed.search.longest,
    }


def _of_words(family: WordFamily) -> str:
    """Which words lose without bound."""
    parts = []
    for block in family.blocks:
        part = _word(tuple(symbol(step.edge) for step in block.steps))
        parts.append(f"{part} repeated" if block.repeat else part)
    output = ", then ".join(parts)
    if family.growth is None:
        return f"But this output is possible on some input and impossible on a neighbouring input: {output}."
    growth = multiple(family.growth)
    return f"But the loss of this output grows by at least {growth} with every repetition: {output}."


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
    more = "" if len(listed) <= MOST_SYMBOLS else f", and {len(listed) - MOST_SYMBOLS} more"
    return f"({', '.join(listed[:MOST_SYMBOLS])}{more})"


def _symbol(letter: str | None, numbers: int) -> str:
    """A letter, and how many numbers."""
    parts = [] if letter is None else [shown(letter)]
    parts += ["number"] * numbers
    return "+".join(parts)
