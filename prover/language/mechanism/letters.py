"""What a step puts out of which nothing is seen, so that observers learn what they learn from the code.

Every transition of a program has an output. Most draws are followed by nothing that is seen, and whether that
is all the same is to be decided: if what is seen later tells which way a run went, the run is known anyway
and its unseen steps may have outputs of their own; and otherwise they must not tell more than is seen.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

UNSEEN = "unseen"
"""The output of a step of which nothing is seen."""

_NUMBERED = re.compile(rf"{UNSEEN}\d*")

Emitted = tuple[str | None, Hashable]
"""What is seen of a transition, None for nothing, and its target."""
Ways = Mapping[Hashable, Sequence[Emitted]]
"""The transitions of all states; final ones have none."""

MOST_PAIRS = 20_000
"""The most pairs of runs that are followed for one question."""

Follow = tuple[Hashable, Hashable, str | None]
"""Two runs that looked the same so far; the second is ahead by something seen, unless that is None."""


def is_unseen(output: str) -> bool:
    """Whether this is an output of a step of which nothing is seen."""
    return _NUMBERED.fullmatch(output) is not None


def unseen_outputs(
    ways: Sequence[Emitted], tokens: Sequence[Hashable], every: Ways
) -> list[str | None] | None:
    """Outputs for the transitions of a state of which nothing is seen, in order; None for the others.

    ``tokens`` are what tells the outputs of the others apart in a program, None for nothing. Where all that
    programs tell apart is told by what is seen sooner or later, each unseen transition has its own. None in
    all if there are no outputs that tell no more than is seen.
    """
    unseen = [place for place, token in enumerate(tokens) if token is None]
    pairs = [
        (first, second)
        for first, second in combinations(range(len(ways)), 2)
        if tokens[first] is None or tokens[first] != tokens[second]
    ]
    if all(is_told(ways[first], ways[second], every) for first, second in pairs):
        names = iter([f"{UNSEEN}{number or ''}" for number in range(len(unseen))])
        return [next(names) if token is None else None for token in tokens]
    return [UNSEEN] * len(ways) if len(unseen) == len(ways) else None


def is_told(first: Emitted, second: Emitted, every: Ways) -> bool:
    """Whether what is seen tells sooner or later which of two transitions was taken, whatever comes next."""
    start = _after(first, second)
    if start is None:
        return True
    done: set[Follow] = set()
    open_ones: set[Follow] = set()
    waiting: list[tuple[Follow, bool]] = [(start, False)]
    while waiting:
        follow, finished = waiting.pop()
        if finished:
            open_ones.remove(follow)
            done.add(follow)
            continue
        if follow in done:
            continue
        if follow in open_ones or len(done) > MOST_PAIRS:
            return False  # for ever the same
        following = _next(follow, every)
        if following is None:
            return False
        open_ones.add(follow)
        waiting.append((follow, True))
        waiting += [(one, False) for one in following]
    return True


def _next(follow: Follow, every: Ways) -> list[Follow] | None:
    """How two runs go on that look the same; None where they may do so for ever, or one ends."""
    behind, ahead, seen = follow
    if seen is None and behind == ahead:
        return None
    if not every.get(behind) or (seen is None and not every.get(ahead)):
        return None
    found = []
    for way in every[behind]:
        others: Sequence[Emitted] = every[ahead] if seen is None else [(seen, ahead)]
        for other in others:
            after = _after(way, other)
            if after is not None:
                found.append(after)
    return found


def _after(first: Emitted, second: Emitted) -> Follow | None:
    """Two runs after a transition each; None where they are told apart."""
    if first[0] is None and second[0] is not None:
        return first[1], second[1], second[0]
    if second[0] is None and first[0] is not None:
        return second[1], first[1], first[0]
    return None if first[0] != second[0] else (first[1], second[1], None)
