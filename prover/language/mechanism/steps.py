"""Steps of a mechanism: what happens from one draw to the next, on every way that comparisons may go.

A step draws a number, compares it with numbers that are stored, lets something be seen, and stores the number
or forgets it. That is a transition of a threshold program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from prover.errors import BadInput, quoted
from prover.exact.given import given_rational
from prover.language.errors import CodeError, NotYetInTheModel, Place, Unbounded, Unsupported, WrongCode
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Fail, Values, plain_step, value_of
from prover.language.reading.operations import compare
from prover.language.values import (
    CURRENT,
    PRIME,
    Gap,
    Query,
    Sample,
    Stream,
    described,
    is_constant,
    letter,
)
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, REAL_OUTPUTS

NOTHING = "_"
"""What is seen when a query is read and nothing else is seen: observers count queries."""

LONGEST = 100_000
"""The most instructions between two draws."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draw that a step begins with: the public part of its center, its rate, and the query in it."""

    mean: Fraction
    rate: Fraction
    query: Query | None
    place: Place


@dataclass(slots=True)
class Path:
    """How far a step has come on one way through the code.

    ``tests`` says of stores whether the current sample is below them. ``fixed`` is whether it is known which
    query the current sample is of, ``shift`` what it is more than the number that is drawn in the code: the
    difference of public offsets. ``unread`` is whether nothing was seen since a query was read.
    """

    at: int
    values: Values
    used: frozenset[int]
    unread: bool
    drawn: Drawn | None = None
    tests: dict[str, bool] = field(default_factory=dict)
    letters: list[tuple[str, Place]] = field(default_factory=list)
    number: tuple[str, Place] | None = None
    fixed: bool = False
    shift: Fraction | None = None
    prime: Drawn | None = None
    tested: Place | None = None
    sites: set[int] = field(default_factory=set)
    length: int = 0

    def fork(self) -> Path:
        """A copy that goes its own way."""
        return replace(
            self,
            values=dict(self.values),
            tests=dict(self.tests),
            letters=list(self.letters),
            sites=set(self.sites),
        )


class Steps:
    """Runs code from the place after a draw to the next draw, on all ways."""

    def __init__(self, code: Code, fail: Fail) -> None:
        self.code = code
        self.fail = fail

    def paths(self, start: Path) -> Iterator[Path]:
        """The ways from a start to where the next step begins; each ends at a draw, a see or the return."""
        waiting = [start]
        while waiting:
            path = waiting.pop()
            if (forks := self._run(path)) is None:
                yield path
            else:
                waiting += reversed(forks)

    def _run(self, path: Path) -> list[Path] | None:
        """Go on until the step ends (None) or a comparison may go both ways."""
        while True:
            path.length += 1
            step = self.code.instructions[path.at]
            if path.length > LONGEST:
                raise self._error(Unbounded, step, "nothing is drawn or seen for too long", "see something")
            following = plain_step(self.code, path.at, path.values, self.fail)
            if following is not None:
                path.at = following
                continue
            given = [value_of(name, path.values, step, self.fail) for name in step.args]
            match step.operation:
                case "add":
                    path.values[step.dst or ""] = self._sum(step, given[0], given[1])
                case "compare":
                    forks = self._compare(path, step, given[0], given[1])
                    if len(forks) > 1:
                        return forks
                    continue
                case "see":
                    if not self._see(path, step, given[0]):
                        return None
                case "read" | "advance" | "iterate" if not isinstance(given[0], Stream):
                    problem = f"{described(given[0])} is no stream of queries"
                    raise self._error(WrongCode, step, problem, "read from the parameter queries")
                case "read" | "advance":
                    if not self._read(path, step):
                        return None
                case "iterate":
                    path.values[step.dst or ""] = given[0]
                case "draw":
                    if not self._is_second(path, step, given):
                        return None
                case "return":
                    if path.unread:
                        self._put(path, NOTHING, step.place)
                    path.unread = False
                    return None
                case word:
                    raise self._error(
                        Unsupported, step, f"{word} is for protocols", "draw noise in mechanisms"
                    )
            path.at += 1

    def drawn(self, path: Path, step: Instruction) -> Drawn:
        """What a draw is, when it is about to happen."""
        center, noise = (value_of(name, path.values, step, self.fail) for name in step.args)
        word, how = step.data
        if word != "laplace":
            raise self._error(NotYetInTheModel, step, f"{word} is not yet in the model", "draw laplace noise")
        if not isinstance(noise, int | str | Fraction) or isinstance(noise, bool):
            raise self._error(
                WrongCode, step, f"the {how} is {described(noise)}", f'write a number, such as {how}="1/4"'
            )
        try:
            number = given_rational(noise, f"the {how}", BadInput, more_than=0)
        except BadInput as error:
            raise self._error(WrongCode, step, error.message, "") from None
        rate = number if how == "rate" else 1 / number
        if isinstance(center, Query):
            return Drawn(center.offset, rate, replace(center, offset=Fraction(0)), step.place)
        if isinstance(center, bool) or not isinstance(center, int | Fraction):
            what = "noise on noise" if isinstance(center, Sample | Gap) else described(center)
            raise self._error(
                NotYetInTheModel if isinstance(center, Sample | Gap) else WrongCode,
                step,
                f"the center is {what}",
                "add noise to a query, or to a public number such as 0",
            )
        return Drawn(Fraction(center), rate, None, step.place)

    def use(self, path: Path, sample: Sample, step: Instruction) -> None:
        """Decide which query the current sample is of, at its first use."""
        if not path.fixed:
            path.fixed = True
            if path.drawn is not None:
                path.drawn = replace(path.drawn, query=sample.query)
            self.mark(path, sample.query, step)
        elif path.drawn is not None and path.drawn.query != sample.query:
            raise self._error(
                NotYetInTheModel, step, "one draw is used with and without a query, or with two",
                "draw noise for each",
            )  # fmt: skip

    def mark(self, path: Path, query: Query | None, step: Instruction) -> None:
        """Remember that a query has been answered; raises NotYetInTheModel where it was before."""
        if query is None:
            return
        if query.number in path.used:
            raise self._error(
                NotYetInTheModel, step, "this query has been answered before",
                "draw once for each query; a second draw can only be seen, right after the first one is used",
            )  # fmt: skip
        path.used |= {query.number}

    def _error(self, kind: type[CodeError], step: Instruction, problem: str, instead: str) -> CodeError:
        return self.fail(kind, step.place, problem, instead)

    def _is_second(self, path: Path, step: Instruction, given: list[Any]) -> bool:
        """Whether a draw is a second one of the current query, which happens in the same step."""
        center = given[0]
        if path.drawn is None or not isinstance(center, Query) or path.drawn.query is None:
            return False
        if path.drawn.query.number != center.number:
            return False
        if path.prime is not None:
            raise self._error(
                NotYetInTheModel, step, "this query is drawn a third time", "draw two times at most"
            )
        path.prime = self.drawn(path, step)
        path.values[step.dst or ""] = Sample(PRIME)
        return True

    def _sum(self, step: Instruction, left: Any, right: Any) -> Any:
        """The sum or the difference of values that are not all constants."""
        minus = step.data == "-"
        for one, other in ((left, right), (right, left)):
            if minus and one is right:
                break
            if isinstance(other, int | Fraction) and not isinstance(other, bool):
                offset = Fraction(-other if minus else other)
                if isinstance(one, Query | Sample):
                    return replace(one, offset=one.offset + offset)
            if isinstance(one, Sample) and isinstance(other, Query) and not minus:
                if one.store != CURRENT or one.query is not None:
                    raise self._error(
                        NotYetInTheModel, step, "this noise is not fresh, or is added to a query already",
                        "draw noise for each query, right where it is used",
                    )  # fmt: skip
                return replace(
                    one, query=replace(other, offset=Fraction(0)), offset=one.offset + other.offset
                )
        if minus and isinstance(left, Sample) and isinstance(right, Sample):
            return Gap(left, right)
        problem = f"{described(left)} {step.data} {described(right)} has no meaning here"
        kind = NotYetInTheModel if isinstance(left, Sample) or isinstance(right, Sample) else WrongCode
        raise self._error(
            kind, step, problem, "add and subtract public numbers, and subtract one number drawn from another"
        )

    def _compare(self, path: Path, step: Instruction, left: Any, right: Any) -> list[Path]:
        """The ways on from a comparison; one only, the path itself, where its outcome is known."""
        relation: str = step.data
        if isinstance(left, Gap) and is_constant(right):
            left, right = left.above, self._moved(left.below, right, step)
        elif isinstance(right, Gap) and is_constant(left):
            left, right = self._moved(right.below, left, step), right.above
        for value in (left, right):
            if isinstance(value, Query):
                raise self._error(
                    NotYetInTheModel, step, "a private query is compared without noise",
                    'add noise: laplace(query, rate="1/4")',
                )  # fmt: skip
        if not (isinstance(left, Sample) and isinstance(right, Sample)):
            kinds = f"{described(left)} is compared with {described(right)}"
            if isinstance(left, Sample | Gap) or isinstance(right, Sample | Gap):
                raise self._error(
                    NotYetInTheModel, step, f"{kinds}, which is not yet in the model",
                    "compare with a number drawn, such as a threshold",
                )  # fmt: skip
            raise self._error(WrongCode, step, kinds, "compare numbers drawn with each other")
        if relation not in ("<", "<=", ">", ">="):
            raise self._error(
                NotYetInTheModel, step, f"numbers drawn are compared by {relation}", "write <, <=, > or >="
            )
        for value in (left, right):
            if value.store == PRIME:
                raise self._error(
                    NotYetInTheModel, step, "a second draw of the same query can only be seen",
                    "compare the first draw, and see a fresh one",
                )  # fmt: skip
        if left.store == right.store:
            return [self._went(path, step, compare(relation, left.offset, right.offset))]
        if CURRENT not in (left.store, right.store):
            raise self._error(
                NotYetInTheModel, step, "both numbers were drawn before the last draw",
                "compare two numbers right after the later one is drawn",
            )  # fmt: skip
        current, stored = (left, right) if left.store == CURRENT else (right, left)
        self.use(path, current, step)
        shift = current.offset - stored.offset
        if path.shift is None:
            path.shift = shift
        elif path.shift != shift:
            raise self._error(
                NotYetInTheModel, step, "one number drawn is compared at two different offsets",
                "add the same public number in all comparisons of a draw",
            )  # fmt: skip
        holds_below = (relation in ("<", "<=")) is (left.store == CURRENT)
        if stored.store in path.tests:
            return [self._went(path, step, path.tests[stored.store] is holds_below)]
        ways = []
        for outcome in (True, False):
            way = path.fork()
            way.tests[stored.store] = outcome is holds_below
            way.tested = way.tested or step.place
            ways.append(self._went(way, step, outcome))
        return ways

    def _went(self, path: Path, step: Instruction, outcome: bool) -> Path:
        path.values[step.dst or ""] = outcome
        path.at += 1
        return path

    def _moved(self, sample: Sample, by: Any, step: Instruction) -> Sample:
        if isinstance(by, bool) or not isinstance(by, int | Fraction):
            raise self._error(WrongCode, step, f"a difference is compared with {described(by)}", "")
        return replace(sample, offset=sample.offset + by)

    def _read(self, path: Path, step: Instruction) -> bool:
        """Read the next query; False where the step ends before."""
        if path.unread and not self._put(path, NOTHING, step.place):
            return False
        numbers = [value.number for value in path.values.values() if isinstance(value, Query)]
        path.values[step.dst or ""] = Query(max([*numbers, *path.used], default=-1) + 1)
        path.unread = True
        return True

    def _see(self, path: Path, step: Instruction, value: Any) -> bool:
        """Let a value be seen; False where the step ends before."""
        text = letter(value)
        if text is None:
            return self._see_number(path, step, value)
        if text in REAL_OUTPUTS:
            raise self._error(WrongCode, step, f"{quoted(text)} is a word of the model", "see another word")
        if not self._put(path, text, step.place):
            return False
        path.unread = False
        return True

    def _put(self, path: Path, text: str, place: Place) -> bool:
        """Put out a letter; False, and nothing is done, where that was put out before in this step."""
        if path.at in path.sites:
            return False
        path.sites.add(path.at)
        path.letters.append((text, place))
        return True

    def _see_number(self, path: Path, step: Instruction, value: Any) -> bool:
        if isinstance(value, Query):
            raise self._error(
                WrongCode, step, "a private query is seen without noise", 'see laplace(query, rate="1/4")'
            )
        if isinstance(value, Gap):
            raise self._error(
                NotYetInTheModel, step, "gaps are not yet in the model", "see a letter or a fresh number"
            )
        if not isinstance(value, Sample):
            raise self._error(
                WrongCode, step, f"{described(value)} cannot be seen",
                "see a text, a whole number, a truth value or a number drawn",
            )  # fmt: skip
        if value.store not in (CURRENT, PRIME) or path.drawn is None:
            raise self._error(
                NotYetInTheModel, step, "this number was drawn before the last draw",
                "see a number right after it is drawn",
            )  # fmt: skip
        if path.number is not None:
            raise self._error(NotYetInTheModel, step, "two numbers of one draw are seen", "see one of them")
        if value.store == CURRENT:
            self.use(path, value, step)
        path.number = (INSAMPLE if value.store == CURRENT else INSAMPLE_PRIME, step.place)
        path.unread = False
        return True
