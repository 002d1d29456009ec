"""Mechanisms and protocols run: random numbers are drawn, in floating point, for simulation only.

Real deployments need noise that is safe against what floating point gives away; this is not.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeVar

from prover.errors import BadValue, Fault, NotSupported
from prover.exact.given import given_rational
from prover.exact.real_text import names_real, real_rate
from prover.language.coins import count_arguments
from prover.language.epsilon import amount, names_epsilon, numbers
from prover.language.mechanism.steps import NOTHING
from prover.language.reading.instructions import Code
from prover.language.reading.machine import Bindings, Fail, plain_step
from prover.language.tails import ratio_given
from prover.language.values import Query, Stream, items_of, letter
from prover.language.words import RUNNING, Numeric

AnyValue = TypeVar("AnyValue")
Shown = str | float
"""What is seen: a letter, or a number that was drawn."""

LONGEST = 1_000_000
"""The most that is seen of one run."""


class RunEnded(Exception):
    """A run has come to the end of the queries that were given, or has seen enough."""


@dataclass(slots=True)
class Simulated:
    """One run: what draws for it, and what was seen so far."""

    random: random.Random
    epsilon: float
    most: int = LONGEST
    seen: list[Shown] = field(default_factory=list)
    unread: bool = False
    inputs: Iterator[Fraction] = field(default_factory=lambda: iter(()))
    answered: dict[int, Fraction] = field(default_factory=dict)

    def answer(self, query: Query) -> Fraction:
        """The number that a query is; raises Ended after the last input."""
        if query.number not in self.answered:
            for number in self.inputs:
                self.answered[query.number] = number
                break
            else:
                raise RunEnded
        return self.answered[query.number]

    def draw(
        self,
        noise: str,
        center: Any,
        rate: Numeric | None = None,
        scale: Numeric | None = None,
        sigma: Numeric | None = None,
    ) -> Any:
        """The center plus noise of a rate or a scale, or of the standard deviation ``sigma``."""
        if sigma is not None:
            return float(center) + self.random.gauss(0.0, self._number(sigma))
        if (rate is None) is (scale is None):
            raise BadValue("give either rate or scale")
        number = self._number(rate, "rate") if rate is not None else 1 / self._number(scale or 0, "scale")
        return float(center) + self._noise(noise, number * self.epsilon)

    def unbounded(self, word: str, center: int, q: Numeric) -> int:
        """A whole center plus noise with tails of ratio q."""
        ratio = float(ratio_given(self._exact(q)))
        noise = self._noise(word, -math.log(ratio))
        return center + int(noise)

    def flip(self, probability: Numeric) -> bool:
        """A coin."""
        return self.random.random() < self._number(probability)

    def choose(
        self, values: Sequence[AnyValue] | Mapping[AnyValue, Numeric], weights: Sequence[Numeric] | None
    ) -> AnyValue:
        """One of several values."""
        if isinstance(values, Mapping):
            weights = list(values.values())
        items = list(values)
        bounds = list(accumulate(self._number(weight) for weight in weights or [1] * len(items)))
        number = self.random.random() * bounds[-1]
        return next(item for item, bound in zip(items, bounds, strict=True) if number < bound)

    def count(self, word: str, *given: Numeric) -> int:
        """A number drawn by ``binomial`` or ``hypergeometric``."""
        exact = map(self._exact, given)
        if word == "binomial":
            n, p = count_arguments(word, tuple(exact))
            return sum(self.random.random() < float(p) for _ in range(n))
        population, marked, drawn = count_arguments(word, tuple(exact))
        found = 0
        for k in range(drawn):
            found += self.random.random() * (population - k) < marked - found
        return found

    def ask(self, options: Sequence[AnyValue]) -> AnyValue:
        """Nobody is there to choose. Raises NotSupported."""
        raise NotSupported(
            f"the protocol asks for one of {len(options)} options, and a simulation has no attacker who "
            "chooses: prover delta finds the best choices",
            code="nobody-chooses",
        )

    def see(self, value: Any) -> None:
        """Write down what is seen."""
        name = getattr(value, "name", None)
        text = name if isinstance(name, str) else letter(value)
        self.put(float(value) if text is None else text)
        self.unread = False

    def read(self, queries: Iterator[AnyValue]) -> AnyValue:
        """The next query; raises Ended after the last."""
        self.finish()
        for query in queries:
            self.unread = True
            return query
        raise RunEnded

    def finish(self) -> None:
        """Note that a query was read and nothing was seen since."""
        if self.unread:
            self.put(NOTHING)
        self.unread = False

    def put(self, event: Shown) -> None:
        """Write down one more event; raises Ended where there are enough."""
        if len(self.seen) >= self.most:
            raise RunEnded
        self.seen.append(event)

    def _noise(self, noise: str, rate: float) -> float:
        if noise == "laplace":
            return self._exponential(rate) - self._exponential(rate)
        if noise == "exponential":
            return self._exponential(rate)
        if noise == "geometric":
            return math.floor(self._exponential(rate))
        return math.floor(self._exponential(rate)) - math.floor(self._exponential(rate))

    def _exact(self, given: Numeric) -> Any:
        """A number that is a float as its digits say, and what a text says that names epsilon."""
        if isinstance(given, float):
            return Fraction(repr(given))
        return amount(given, Fraction(self.epsilon)) if names_epsilon(given) else given

    def _number(self, given: Numeric, how: str = "") -> float:
        """A rate, a scale, a weight or a probability, which may be the text of a number."""
        if names_epsilon(given):
            given = amount(given, Fraction(self.epsilon), how)
        if isinstance(given, str) and names_real(given):
            return float(real_rate(given).enclosed(64)[0])
        if isinstance(given, str):
            return math.inf if given == "inf" else float(given_rational(given, "a number"))
        return given if isinstance(given, float) else float(Fraction(given))

    def _exponential(self, rate: float) -> float:
        return 0.0 if math.isinf(rate) else self.random.expovariate(rate)


class QueriesRead:
    """Queries as the function sees them: an iterator that says when one is read."""

    def __init__(self, queries: Iterable[Any], run: Simulated) -> None:
        self._queries = iter(queries)
        self._run = run

    def __iter__(self) -> QueriesRead:
        return self

    def __next__(self) -> Any:
        return self._run.read(self._queries)


def run_function(function: Callable[..., Any], values: dict[str, Any], run: Simulated) -> list[Shown]:
    """What is seen of a run of the Python function itself."""
    token = RUNNING.set(run)
    try:
        function(**values)
        run.finish()
    except RunEnded:
        pass
    finally:
        RUNNING.reset(token)
    return run.seen


def run_code(code: Code, values: Bindings, queries: Iterable[Any], run: Simulated, fail: Fail) -> list[Shown]:
    """What is seen of a run of the code of a function, which is interpreted and not executed.

    Queries may be given as Query and are then answered by ``run.inputs``, in the order of their first use.
    """
    at, current, stream = 0, dict(values), iter(queries)
    try:
        while True:
            step = code.instructions[at]
            if step.operation in ("add", "compare", "draw"):
                for name in step.args:
                    if isinstance(current[name], Query):
                        current[name] = run.answer(current[name])
            following = plain_step(code, at, current, fail)
            if following is not None:
                at = following
                continue
            given = numbers(code, step, tuple(current[name] for name in step.args), fail)
            match step.operation:
                case "draw":
                    word, how = step.data
                    if how == "q":
                        current[step.dst or ""] = run.unbounded(word, given[0], given[1])
                        at += 1
                        continue
                    current[step.dst or ""] = run.draw(word, given[0], **{how: given[1]})
                case "flip":
                    current[step.dst or ""] = run.flip(given[0])
                case "choose":
                    weights = given[1] if len(given) > 1 else None
                    current[step.dst or ""] = run.choose(items_of(given[0]), weights)
                case "count":
                    current[step.dst or ""] = run.count(step.data, *given)
                case "ask":
                    current[step.dst or ""] = run.ask(given)
                case "see":
                    run.see(given[0])
                case "read" | "advance" if isinstance(given[0], Stream):
                    current[step.dst or ""] = run.read(stream)
                case "iterate":
                    current[step.dst or ""] = given[0]
                case "return":
                    run.finish()
                    return run.seen
                case other:
                    raise Fault(f"no way to interpret {other}")
            at += 1
    except RunEnded:
        return run.seen
