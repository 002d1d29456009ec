"""How much work an answer may take, in steps that are counted.

They are never seconds: the same question has the same answer on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Budget:
    """What an answer may take. It always suffices for an answer, but perhaps not for an exact one.

    ``values`` of a table for each state, ``rounds`` over states that lead to each other, and the ``steps`` of
    all tables together, but for small ones at first: values, and points of functions, that are computed.
    Where nobody asked, what observers learn who see that a run stops, there are ``aside`` steps. With several
    ``jobs`` both directions of the adjacency monotonic are measured at the same time, in processes.
    """

    values: int = 4_096
    rounds: int = 20_000
    steps: Steps = field(default_factory=Steps, compare=False)
    aside: int = 5_000_000
    jobs: int = 1
