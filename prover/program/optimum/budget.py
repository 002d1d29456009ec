"""How much work an answer may take, in steps that are counted.

They are never seconds: the same question has the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from numbers import Integral

from prover.errors import BadValue


class Exhausted(Exception):
    """The steps that are left do not suffice for the next ones."""


class Steps:
    """Steps are counted before they are taken; ``most`` of them may be, or any number."""

    def __init__(self, most: int | None = None) -> None:
        self.taken, self.most = 0, most

    def take(self, count: int = 1) -> None:
        """Count so many steps, which are taken next. Raises Exhausted if these are too many."""
        self.taken += count
        if self.are_over:
            raise Exhausted

    @property
    def are_over(self) -> bool:
        """Whether there were to be more steps than there may be."""
        return self.most is not None and self.taken > self.most

    def anew(self) -> Steps:
        """As many steps, none of them taken."""
        return Steps(self.most)


DEFAULT_EFFORT = 1


def given_effort(given: object) -> int:
    """The effort that was given. Raises BadValue."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise BadValue(f"effort is an integer from 1 on, not {given!r}", code="bad-effort")
    return int(given)


@dataclass(frozen=True, slots=True)
class Budget:
    """The work that an answer may take. It always suffices for an answer, but not always for an exact one.

    For tables: ``values`` for each state, ``rounds`` over states that lead to each other, and ``steps`` of
    all tables together (values, and points of functions, that are computed; the first small tables are
    free). The second question, about an observer who sees that a run stops, has ``aside`` steps.

    Where outputs hide the run, upper bounds take: the ``runs`` of a program without loops that are analysed
    together, in ``groups`` of the same output; the ``orders`` that count them (sets of samples, times steps);
    the comparisons of shifts in ``ladders``; and the values of a state that stores hidden ``extremes``. Lower
    bounds take: the runs that are ``listed`` to find ``words`` (outputs), and the ``costs`` of each. Where
    the loss of runs has no bound, the search for words of unbounded loss takes ``places``, ``loops`` and
    ``rows`` of words, and the places before ``turns``.

    With several ``jobs`` both directions of the adjacency monotonic are measured at the same time, in
    processes. docs/budgets.md has all these numbers.
    """

    values: int = 4_096
    rounds: int = 20_000
    steps: Steps = field(default_factory=Steps, compare=False)
    aside: int = 5_000_000
    runs: int = 20_000
    groups: int = 4_000
    orders: int = 40_000_000
    ladders: int = 200_000
    extremes: int = 200
    listed: int = 4_000
    words: int = 60
    costs: int = 2_000
    places: int = 200
    loops: int = 2_000
    rows: int = 2_000
    turns: int = 2_000
    jobs: int = 1

    def times(self, effort: int) -> Budget:
        """The budget with everything multiplied by ``effort``. Raises BadValue."""
        effort = given_effort(effort)
        counted = {f.name: effort * getattr(self, f.name) for f in fields(self) if f.name not in _NOT_COUNTED}
        most = None if self.steps.most is None else effort * self.steps.most
        return replace(self, **counted, steps=Steps(most))


_NOT_COUNTED = ("steps", "jobs")


def table_sizes(most: int, fewest: int, growth: int) -> Iterator[int]:
    """How many values a cell of a table may have, in the order in which this is tried."""
    size = fewest
    while size < most:
        yield size
        size *= growth
    yield most
