"""Code in small steps: what functions are turned into before they are interpreted.

Every intermediate result has a variable. Those that the function does not name begin with %, those of helper
functions, whose bodies stand where they are called, with the helper's name and a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from prover.language.errors import SourcePlace

Operation = Literal[
    "constant",  # dst = data
    "copy",  # dst = args[0]
    "apply",  # dst = data(*args), an operation on constants; see operations.py
    "compare",  # dst = args[0] data args[1]
    "add",  # dst = args[0] + args[1], or - with data "-"
    "draw",  # dst = a sample of the noise data.noise around args[0], with rate or scale args[1]
    "flip",  # dst = a coin that is true with probability args[0]
    "choose",  # dst = one of args[0], with weights args[1] if that is there, probabilities with data "among"
    "count",  # dst = a whole number drawn by the word data, binomial or hypergeometric, with args
    "ask",  # dst = one of args, or of the items of the only one, which the attacker chooses
    "see",  # args[0] is seen
    "read",  # dst = the next query of the stream args[0]
    "iterate",  # dst = a cursor at the start of args[0]
    "advance",  # dst = the next item of the cursor args[0], which moves on; go to ``target`` after the last
    "unpack",  # data, a tuple of variables, = the items of args[0]
    "jump",  # go to ``target``
    "branch",  # go to ``target`` unless args[0] holds
    "return",
]


@dataclass(slots=True)
class Instruction:
    """One small step. ``loop`` is the line of the innermost loop around it; targets are set late."""

    operation: Operation
    place: SourcePlace
    dst: str | None = None
    args: tuple[str, ...] = ()
    data: Any = None
    target: int = -1
    loop: int | None = None

    @property
    def writes(self) -> tuple[str, ...]:
        """The variables that get a new value."""
        if self.operation == "unpack":
            return tuple(self.data)
        if self.operation == "advance":
            return (*(() if self.dst is None else (self.dst,)), self.args[0])
        return () if self.dst is None else (self.dst,)


@dataclass(frozen=True, slots=True)
class Code:
    """A function as instructions: its name, and which variables are live where."""

    name: str
    instructions: Sequence[Instruction]
    live: Sequence[frozenset[str]]
    """For each instruction the variables whose values may be used at it or after it."""
    settings: Mapping[str, Any]
    """What the decorator says."""


def liveness(instructions: Sequence[Instruction]) -> list[frozenset[str]]:
    """For each instruction the variables that it or a later one may read before they get a new value."""
    before: list[frozenset[str]] = [frozenset()] * len(instructions)
    leading: list[list[int]] = [[] for _ in instructions]
    for place in range(len(instructions)):
        for after in followers(instructions, place):
            leading[after].append(place)
    waiting = list(range(len(instructions)))  # the last one first, so that most are right at once
    while waiting:
        place = waiting.pop()
        step = instructions[place]
        used = frozenset[str]().union(*(before[after] for after in followers(instructions, place)))
        now = (used - frozenset(step.writes)) | frozenset(step.args)
        if now != before[place]:
            before[place] = now
            waiting.extend(leading[place])
    return before


def followers(instructions: Sequence[Instruction], place: int) -> tuple[int, ...]:
    """Where it may go on after an instruction."""
    step = instructions[place]
    if step.operation == "return":
        return ()
    if step.operation == "jump":
        return (step.target,)
    if step.operation in ("branch", "advance"):
        return (place + 1, step.target)
    return (place + 1,)
