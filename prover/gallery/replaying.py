"""Libraries run on two inputs: what they declare, and whether they show what the model shows, as often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isfinite

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadValue, NotSupported
from prover.exact.ball import ball_of, refined
from prover.exact.binomial import clopper_pearson
from prover.gallery.library import LibraryScript
from prover.gallery.proving import Proved
from prover.language.protocol import FIRST, LAST
from prover.language.tails import label_in
from prover.progress import Progress, silent

ERROR = Fraction(1, 10**9)
"""The probability that an interval misses, and how far a declared number may be from that of the list."""

_DECIMALS = 6
_MOST_WORDS = 1_000

Word = tuple[str, ...]
Enclosure = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Asked:
    """ε and δ as the installed library declares them, written as it does; whether the list has the same."""

    version: str
    epsilon: str
    delta: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class CountedOutput:
    """How often a library showed ``outputs`` on one side, the exact probability, and a confidence interval.

    The interval misses the library's own probability with probability ERROR at most.
    """

    side: str
    outputs: Word
    exact: Enclosure
    count: int
    interval: Enclosure

    @property
    def agrees(self) -> bool:
        """Whether the library may have this probability: it is in the interval, and not 0 if it was seen."""
        inside = self.interval[0] <= self.exact[1] and self.exact[0] <= self.interval[1]
        return inside and (self.exact[1] > 0 or self.count == 0)


@dataclass(frozen=True, slots=True)
class Replay:
    """The outputs of so many runs on each of two inputs."""

    runs: int
    outputs: tuple[CountedOutput, ...]

    @property
    def agrees(self) -> bool:
        """Whether all counts may be those of the model."""
        return all(one.agrees for one in self.outputs)


@dataclass(frozen=True, slots=True)
class Ran:
    """What an installed library said of a mechanism, and showed where it was run."""

    asked: Asked
    replay: Replay | None = None

    @property
    def agrees(self) -> bool:
        """Whether nothing contradicts the list and the model."""
        return self.asked.agrees and (self.replay is None or self.replay.agrees)


def asked(row: Proved, script: LibraryScript) -> Asked:
    """What the library declares of the mechanism of a row."""
    epsilon, delta = script.declared()
    entry = row.entry
    if entry.question == "epsilon":
        agrees = entry.declared is not None and _is_close(epsilon, entry.declared) and delta == 0
    else:
        alpha = entry.declared if entry.alpha is None else entry.alpha
        wanted = Fraction(0) if entry.alpha is None else entry.declared
        agrees = _is_close_to_log(epsilon, alpha) and _is_close(delta, wanted)
    return Asked(script.version, repr(epsilon), repr(delta), agrees)


def replay(row: Proved, script: LibraryScript, runs: int, progress: Progress = silent) -> Replay:
    """Run the library on its two inputs, and count what it shows.

    Raises BadValue if the inputs are not those of the model, NotSupported if the library only computes
    numbers, UnknownName.
    """
    if script.release is None:
        raise NotSupported(f"{row.entry.name}: its library runs no mechanism", code="not-on-registry")
    counted: list[CountedOutput] = []
    laws = _laws(row, tuple(script.inputs))
    complete = isinstance(row.model, LabelledMarkovChain)
    for side, data in script.inputs.items():
        report = partial(progress, f"running {row.entry.name}, {side}")
        counted += counts(side, laws, partial(script.release, data), runs, report, complete=complete)
    return Replay(runs, tuple(counted))


def counts(
    side: str,
    laws: Mapping[str, Mapping[Word, Enclosure]],
    run: Callable[[], Iterable[object]],
    runs: int,
    report: Callable[[int, int], None] = lambda *_: None,
    *,
    complete: bool = True,
) -> list[CountedOutput]:
    """How often so many runs show each output that some law has, beside its probability by the law of a side.

    Outputs that no law has are impossible if the laws are ``complete``, and counted nowhere if they are not.
    """
    words = list(dict.fromkeys(word for known in laws.values() for word in known))
    labels = {label for word in words for label in word}
    seen: Counter[Word] = Counter()
    for number in range(runs):
        if number % 1000 == 0:
            report(number, runs)
        seen[tuple(label_in(str(one), labels) for one in run())] += 1
    if complete:
        words += sorted(seen.keys() - set(words))
    impossible = (Fraction(0), Fraction(0))
    return [
        CountedOutput(
            side,
            word,
            laws[side].get(word, impossible),
            seen[word],
            clopper_pearson(seen[word], runs, ERROR, _DECIMALS),
        )
        for word in words
    ]


def law(chain: LabelledMarkovChain, secret: str) -> dict[Word, Fraction]:
    """The probabilities of all outputs of a protocol from one secret, which must be finitely many.

    Raises BadValue, UnknownName.
    """
    ended: dict[Word, Fraction] = {}
    going: dict[Word, dict[int, Fraction]] = {(): {chain.index(secret): Fraction(1)}}
    while going:
        word, states = going.popitem()
        for state, mass in states.items():
            for target, chance in chain.rows[state].items():
                label = chain.labels[target]
                if label == LAST:
                    ended[word] = ended.get(word, Fraction(0)) + mass * chance
                    continue
                longer = going.setdefault((*word, label), {})
                longer[target] = longer.get(target, Fraction(0)) + mass * chance
        if len(going) + len(ended) + len(word) > _MOST_WORDS:
            raise BadValue("the model has too many outputs to count them", code="too-many-outputs")
    return dict(sorted(ended.items()))


def _laws(row: Proved, sides: Sequence[str]) -> Mapping[str, Mapping[Word, Enclosure]]:
    """What each side shows with which probability: all outputs of a chain, or the run of a program."""
    if isinstance(row.model, LabelledMarkovChain):
        chain = row.model
        if any(chain.labels[chain.index(side)] != FIRST for side in sides):
            raise BadValue(f"{row.entry.name} is not run from its secrets", code="bad-declaration")
        return {side: {word: (p, p) for word, p in law(chain, side).items()} for side in sides}
    if row.measured is None or tuple(sides) != ("input", "neighbour"):
        raise BadValue(f"{row.entry.name} lists no run, or not its two inputs", code="bad-declaration")
    word = tuple(step.output for step in row.entry.steps for _ in range(step.turns))
    ends = row.measured.probability, row.measured.other_probability
    return {side: {word: chance} for side, chance in zip(sides, ends, strict=True)}


def _is_close(number: float, wanted: Fraction | None) -> bool:
    return wanted is not None and isfinite(number) and abs(Fraction(number) - wanted) <= ERROR


def _is_close_to_log(number: float, alpha: Fraction | None) -> bool:
    """Whether a number is within ERROR of ln α."""
    if alpha is None or not isfinite(number):
        return False

    def attempt() -> bool | None:
        distance = abs(ball_of(Fraction(number)) - ball_of(alpha).log())
        return True if distance <= ball_of(ERROR) else False if distance > ball_of(ERROR) else None

    return refined(attempt)[0]
