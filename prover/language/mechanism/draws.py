"""Draws, and the arithmetic of what is drawn: queries, noise, public offsets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.errors import BadInput
from prover.exact.given import given_rational
from prover.language.epsilon import numbers
from prover.language.errors import CodeError, NeedsRegisters, NotYetInTheModel, Unsupported, WrongCode
from prover.language.mechanism.moved import give_query
from prover.language.mechanism.path import DrawnSample, Trace
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Fail, value_of
from prover.language.values import CURRENT, PRIME, Difference, Query, Sample, described
from prover.program.noise import DISCRETE_LAPLACE, INFINITE, LAPLACE, NO_NOISE, Gaussian, Rate, Shape

KINDS = {
    "laplace": LAPLACE, "exponential": LAPLACE,
    "gaussian": LAPLACE,
    "discrete_laplace": DISCRETE_LAPLACE, "geometric": DISCRETE_LAPLACE,
}  # fmt: skip
"""The noise of a program whose draws are of a word; Gaussian noise goes with Laplace noise."""
ONE_SIDED = ("exponential", "geometric")


def is_number(value: object) -> bool:
    """Whether a value is a public number."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


class Draws:
    """What draws mean; comparisons and the rest of a step are added on top."""

    def __init__(self, code: Code, fail: Fail, *, remembers: bool = False, moves: bool = False) -> None:
        self.code = code
        self.fail = fail
        self.remembers = remembers
        self.moves = moves

    def error(self, kind: type[CodeError], step: Instruction, problem: str, instead: str = "") -> CodeError:
        """The error about an instruction."""
        return self.fail(kind, step.place, problem, instead)

    def drawn(self, path: Trace, step: Instruction) -> DrawnSample:
        """What a draw is, when it is about to happen."""
        given = [value_of(name, path.values, step, self.fail) for name in step.args]
        if step.operation == "compare" or (step.operation == "see" and isinstance(given[0], Query)):
            return self._bare(path, step)
        if step.operation == "see":
            return DrawnSample(Fraction(0), NO_NOISE, None, None, step.place)
        if step.operation == "add":
            query = self.unread(path, step)
            return DrawnSample(Fraction(0), (Fraction(1), Fraction(1)), None, query, step.place)
        center, noise = numbers(self.code, step, tuple(given), self.fail)
        word, how = step.data
        shape = self._shape(step, noise, word, how)
        if self.remembers and isinstance(shape, Gaussian):
            raise self.error(
                NotYetInTheModel, step, "a query with Gaussian noise is used again", "use it once"
            )
        kind = None if shape == NO_NOISE else KINDS[word]
        if isinstance(center, Query):
            return DrawnSample(center.offset, shape, kind, center.bare, step.place)
        if not is_number(center):
            noisy = isinstance(center, Sample | Difference)
            raise self.error(
                NotYetInTheModel if noisy else WrongCode,
                step,
                f"the center is {'noise on noise' if noisy else described(center)}",
                "add noise to a query, or to a public number such as 0",
            )
        return DrawnSample(Fraction(center), shape, kind, None, step.place)

    def use(self, path: Trace, sample: Sample, step: Instruction) -> None:
        """Decide which query the current sample is of, at its first use."""
        if not path.fixed:
            path.fixed = True
            if path.drawn is not None:
                path.drawn = replace(path.drawn, query=sample.query)
            self.mark(path, sample.query, step)
        elif path.drawn is not None and path.drawn.query != sample.query:
            raise self.error(
                NotYetInTheModel, step, "one draw is used with and without a query, or with two",
                "draw noise for each",
            )  # fmt: skip

    def mark(self, path: Trace, query: Query | None, step: Instruction) -> None:
        """Remember that a query has been answered; raises NotYetInTheModel where it was before."""
        if query is None:
            return
        if query.more:
            raise self.error(
                NotYetInTheModel, step, "noise is drawn before the sum that it is added to", "draw it after"
            )
        if query.number in path.used and not self.remembers:
            raise self.error(
                NotYetInTheModel, step, "this query has been answered before",
                "draw once for each query; a second draw can only be seen, right after the first one is used",
            )  # fmt: skip
        path.used |= {query.number}

    def is_second(self, path: Trace, step: Instruction) -> bool:
        """Whether a draw is a second one of the current query, which happens in the same step."""
        center = value_of(step.args[0], path.values, step, self.fail)
        if self.remembers or path.drawn is None or not isinstance(center, Query) or path.drawn.query is None:
            return False
        if path.drawn.query.number != center.number or center.based:
            return False
        if path.prime is not None:
            raise self.error(
                NotYetInTheModel, step, "this query is drawn a third time", "draw two times at most"
            )
        path.prime = self.drawn(path, step)
        if not isinstance(path.prime.noise, Gaussian) and INFINITE in path.prime.noise:
            raise self.error(
                NotYetInTheModel, step, "a second draw has noise on both sides", "draw laplace noise"
            )
        path.values[step.dst or ""] = Sample(PRIME)
        return True

    def unread(self, path: Trace, step: Instruction) -> Query | None:
        """A query that is added to another one before noise was drawn around it: it has to be read alone."""
        given = [value_of(name, path.values, step, self.fail) for name in step.args]
        known = set(path.used)
        if path.drawn is not None and path.drawn.query is not None:
            known.add(path.drawn.query.number)
        queries = [value for value in given if isinstance(value, Query)]
        whole = len(queries) == len(given) or (
            step.data == "-" and queries == given[1:] and is_number(given[0])
        )
        if not self.remembers or not whole:
            return None
        return next((value for value in queries if value.number not in known), None)

    def sum(self, path: Trace, step: Instruction, left: Any, right: Any) -> Any:
        """The sum or the difference of values that are not all constants."""
        minus = step.data == "-"
        if self.remembers and isinstance(left, Query) and isinstance(right, Query):
            sign = -1 if minus else 1
            more = [(1, right.number), *right.more]
            offset = left.offset + sign * right.offset
            sums = (*left.more, *((sign * own, n) for own, n in more))
            return Query(left.number, offset, sums, left.based or right.based)
        if self.remembers and minus and is_number(left) and isinstance(right, Query):  # −u is u − u − u
            less = ((-1, right.number), (-1, right.number), *((-sign, n) for sign, n in right.more))
            return Query(right.number, left - right.offset, less, right.based)
        for one, other in ((left, right),) if minus else ((left, right), (right, left)):
            known = isinstance(other, Sample) and other.seen
            if known and (isinstance(one, Query) or (isinstance(one, Sample) and not minus)):
                return replace(one, based=True)
        if minus and isinstance(left, Sample) and isinstance(right, Sample) and (left.based or right.based):
            raise self.based(step)
        if minus and isinstance(left, Sample) and isinstance(right, Sample):
            return Difference(left, right)
        for one, other in ((left, right),) if minus else ((left, right), (right, left)):
            if is_number(other):
                offset = Fraction(-other if minus else other)
                if isinstance(one, Query | Sample):
                    return replace(one, offset=one.offset + offset)
                if isinstance(one, Difference):
                    return Difference(replace(one.above, offset=one.above.offset + offset), one.below)
            if isinstance(one, Sample) and isinstance(other, Query) and not minus:
                return self._noisy(path, step, one, other)
        problem = f"{described(left)} {step.data} {described(right)} has no meaning here"
        if isinstance(left, Query) and isinstance(right, Query):
            raise self.error(NeedsRegisters, step, problem)
        kind = NotYetInTheModel if isinstance(left, Sample) or isinstance(right, Sample) else WrongCode
        raise self.error(
            kind, step, problem, "add and subtract public numbers, and subtract one drawn number from another"
        )

    def moved(self, sample: Sample, by: Any, step: Instruction) -> Sample:
        """A sample plus a public number."""
        if not is_number(by):
            raise self.error(WrongCode, step, f"a difference is compared with {described(by)}")
        return replace(sample, offset=sample.offset + by)

    def _noisy(self, path: Trace, step: Instruction, noise: Sample, query: Query) -> Sample:
        waits = noise.is_pending and dict(path.pending)[noise.store].query in (None, query.bare)
        if (noise.store != CURRENT and not waits) or noise.query is not None:
            raise self.error(
                NotYetInTheModel, step, "this noise was used before, or is added to a query already",
                "draw noise for each query, right where it is used",
            )  # fmt: skip
        if waits:
            give_query(path, noise.store, query.bare)
        based = noise.based or query.based
        return replace(noise, query=query.bare, offset=noise.offset + query.offset, based=based)

    def _bare(self, path: Trace, step: Instruction) -> DrawnSample:
        """A query that is compared or seen without noise, as a draw."""
        given = [value_of(name, path.values, step, self.fail) for name in step.args]
        query = next(value for value in given if isinstance(value, Query))
        mean = query.offset if step.operation == "see" else Fraction(0)
        return DrawnSample(mean, NO_NOISE, None, query.bare, step.place)

    def based(self, step: Instruction) -> CodeError:
        """The error that more than seeing happens to a number to which one seen before is added."""
        return self.error(
            NotYetInTheModel, step, "a number that was seen before is added to one that is compared",
            "only see such a sum",
        )  # fmt: skip

    def _shape(self, step: Instruction, noise: Any, word: str, how: str) -> Shape:
        if how == "q":
            raise self.error(Unsupported, step, "q is for protocols", 'write rate="1/4" in mechanisms')
        rate = self._rate(step, noise, how)
        if how == "sigma" and isinstance(rate, Fraction):
            return Gaussian(rate)
        return (INFINITE if word in ONE_SIDED else rate), rate

    def _rate(self, step: Instruction, noise: Any, how: str) -> Rate:
        """The rate, or what stands in its place: sigma."""
        if isinstance(noise, str) and noise.strip() == INFINITE and how == "rate":
            return INFINITE
        if not isinstance(noise, int | str | Fraction) or isinstance(noise, bool):
            raise self.error(
                WrongCode, step, f"the {how} is {described(noise)}", f'write a number, such as {how}="1/4"'
            )
        try:
            number = given_rational(noise, f"the {how}", more_than=0)
        except BadInput as error:
            raise self.error(WrongCode, step, error.message) from None
        return 1 / number if how == "scale" else number
