"""What an observer of changes, or of visible labels, sees: by enumerating runs, and by one linear system.

Neither shares a line with the prover's elimination, which erases and merges in two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from prover.chain.model import LabelledMarkovChain
from tests.oracle_linear import solve_linear

Word = tuple[str, ...]
ZERO, ONE = Fraction(0), Fraction(1)
GRAIN = 2**80


@dataclass(frozen=True)
class Observer:
    """Labels that are not seen, and whether of equal labels in a row only the first is."""

    silent: frozenset[str]
    untimed: bool

    def after(self, word: Word, label: str) -> Word:
        """What is seen once a state of the label is entered."""
        nothing = label in self.silent or (self.untimed and word[-1:] == (label,))
        return word if nothing else (*word, label)


@st.composite
def observers(draw: DrawFn, labels: str = "ab") -> Observer:
    """An observer who does not see everything."""
    silent = frozenset(draw(st.sets(st.sampled_from(labels))))
    return Observer(silent, draw(st.booleans()) or not silent)


def enumerated(
    chain: LabelledMarkovChain, state: int, observer: Observer, length: int, steps: int
) -> dict[Word, Fraction]:
    """How much of the runs has shown which word after so many steps, cut off after ``length`` labels.

    The numbers are rounded down, by 2⁻⁸⁰ a step at most.
    """
    runs = {(observer.after((), chain.labels[state]), state): ONE}
    for _ in range(steps):
        longer: dict[tuple[Word, int], Fraction] = {}
        for (word, s), mass in runs.items():
            for t, p in chain.rows[s].items() if len(word) < length else [(s, ONE)]:
                key = observer.after(word, chain.labels[t])[:length], t
                longer[key] = longer.get(key, ZERO) + mass * p
        runs = {key: Fraction(int(mass * GRAIN), GRAIN) for key, mass in longer.items()}
    seen: dict[Word, Fraction] = {}
    for (word, _), mass in runs.items():
        seen[word] = seen.get(word, ZERO) + mass
    return seen


def beginnings(
    chain: LabelledMarkovChain, state: int, observer: Observer, length: int
) -> dict[Word, Fraction]:
    """The probability that what is seen begins with a word, for words of up to ``length`` labels, exactly.

    A word with an empty text at its end: what is seen is the word without it, and nothing more.
    """
    first = observer.after((), chain.labels[state])
    level = {(first, state): ONE}
    found = {first: ONE} if first else {}
    for _ in range(length):
        following: dict[tuple[Word, int], Fraction] = {}
        for (word, s), mass in level.items():
            for t, p in next_seen(chain, s, word[-1:], observer).items():
                key = (*word, chain.labels[t] if t >= 0 else ""), t
                following[key] = following.get(key, ZERO) + mass * p
        for (word, _), mass in following.items():
            found[word] = found.get(word, ZERO) + mass
        level = {key: mass for key, mass in following.items() if key[1] >= 0}
    return {word: mass for word, mass in found.items() if mass}


def next_seen(chain: LabelledMarkovChain, state: int, last: Word, observer: Observer) -> dict[int, Fraction]:
    """Where something is seen next, from a state in which ``last`` was; −1: nowhere.

    One system over all states, whose unseen transitions do not depend on where they start.
    """

    def hidden(t: int) -> bool:
        return observer.after(last, chain.labels[t]) == last

    leaving = {s for s, row in enumerate(chain.rows) if any(not hidden(t) for t in row)}
    while (
        more := {s for s, row in enumerate(chain.rows) if any(hidden(t) and t in leaving for t in row)}
        - leaving
    ):
        leaving |= more
    if state not in leaving:
        return {-1: ONE}
    states = sorted(leaving)
    matrix = [
        [(ONE if s == t else ZERO) - (chain.rows[s].get(t, ZERO) if hidden(t) else ZERO) for t in states]
        for s in states
    ]
    found = {}
    for v in range(len(chain)):
        if not hidden(v):
            right = [chain.rows[s].get(v, ZERO) for s in states]
            found[v] = solve_linear(matrix, right)[states.index(state)]
    found[-1] = ONE - sum(found.values(), ZERO)
    return found


def shown(
    chain: LabelledMarkovChain, state: int, length: int, ended: Callable[[Word, int], bool]
) -> dict[Word, Fraction]:
    """The same for a collapsed chain: ``ended`` says where a word has been continued for ever."""
    level: dict[tuple[Word, int], Fraction] = {((chain.labels[state],), state): ONE}
    found: dict[Word, Fraction] = {(chain.labels[state],): ONE}
    for _ in range(length):
        following: dict[tuple[Word, int], Fraction] = {}
        for (word, s), mass in level.items():
            for t, p in chain.rows[s].items():
                over = ended((*word, chain.labels[t]), t)
                key = (*word, "" if over else chain.labels[t]), -1 if over else t
                following[key] = following.get(key, ZERO) + mass * p
        for (word, _), mass in following.items():
            found[word] = found.get(word, ZERO) + mass
        level = {key: mass for key, mass in following.items() if key[1] >= 0}
    return found


def slowed(chain: LabelledMarkovChain, random: Random, label: Callable[[int], str]) -> LabelledMarkovChain:
    """The chain with some states on the way from one state to the next, some of them in circles.

    They have the label that ``label`` gives for the state where they begin, and lead on almost surely.
    """
    states: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for s, row in enumerate(chain.rows):
        following: dict[str, Fraction] = {}
        for t, p in row.items():
            names = [f"{chain.states[s]}>{chain.states[t]}#{k}" for k in range(random.choice([0, 1, 2, 3]))]
            following[names[0] if names else chain.states[t]] = p
            for name, ways in zip(names, _ways(names, chain.states[t], random), strict=True):
                states[name] = label(s), ways
        states[chain.states[s]] = chain.labels[s], following
    relation = [(chain.states[s], chain.states[t]) for s, t in chain.relation]
    return LabelledMarkovChain.of(states, relation)


def _ways(names: list[str], goal: str, random: Random) -> Iterator[dict[str, Fraction]]:
    for k in range(len(names)):
        onward = names[k + 1] if k + 1 < len(names) else goal
        weights = {onward: random.randint(1, 3)}
        for other in random.sample(names, random.randint(0, len(names))):
            weights[other] = random.randint(1, 3)
        yield {name: Fraction(weight, sum(weights.values())) for name, weight in weights.items()}
