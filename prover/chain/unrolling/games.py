"""Exact values of an unrolling in which nature chooses, too: maxima of the attacker, minima of nature.

The attacker starts by stopping everywhere, and continues where that is strictly better against nature's best
replies, until nothing is better. Then the values solve v = max(stop, Σ c·v of the attacker's actions), and at
nature's nodes v = max(stop, the least Σ c·v); they are the least solution, because every step keeps them at
most that (docs/theory_interactive.md, *Games against nature*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz

from prover.chain.unrolling.graph import Entry, Node
from prover.chain.unrolling.plan import STOP
from prover.chain.unrolling.values import LeafValue
from prover.exact.linear import SingularSystem, solve
from prover.exact.refinement import TooLong

_ROUNDS = 500
_LARGEST = 300  # nodes of a cycle, whose values are computed together
_LONGEST = 4_000  # bits of a value, from which it is rounded
_BITS = 64  # of a rounded value, counted from the size of |x|
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Game:
    """Absolute values of all nodes. ``taken`` is the index of an action, or STOP: at the attacker's nodes
    what the attacker does, at nature's the best reply where the attacker does not stop. ``replies`` are
    nature's best actions at all its inner nodes, elsewhere STOP.
    """

    values: list[fmpq]
    taken: list[int]
    replies: list[int]


def game_values(
    nodes: Sequence[Node], order: Sequence[Sequence[int]], leaf: LeafValue, *, below: bool
) -> Game:
    """The value of the game at every node, or a bound on the safe side where it is too long.

    ``order`` are the strong components, successors first. From ``below`` the attacker stops where nature's
    choice is hidden.
    """
    values = [_ZERO if not node.is_leaf else node.scale * leaf(node) for node in nodes]
    game = Game(values, [STOP] * len(nodes), [STOP] * len(nodes))
    for component in order:
        _Component(nodes, component, game, below=below).solve()
    return game


class _Component:
    """A strong component of inner nodes, when the values of what it leads to are known."""

    def __init__(self, nodes: Sequence[Node], component: Sequence[int], game: Game, *, below: bool) -> None:
        self._nodes, self._component, self._game, self._below = nodes, component, game, below
        self._index = {number: k for k, number in enumerate(component)}

    def solve(self) -> None:
        """Set the values of the members, what is taken there, and nature's replies."""
        values, taken = self._game.values, self._game.taken
        for number in self._component:
            values[number] = self._nodes[number].stop
        try:
            if len(self._component) > _LARGEST:
                raise TooLong("there are too many unknowns")
            for _ in range(_ROUNDS):
                if not self._continue():
                    break
                self._answer()
            else:
                raise TooLong("too many rounds")
        except (TooLong, SingularSystem):
            for number in self._component:
                node, taken[number] = self._nodes[number], STOP
                values[number] = node.stop if self._below else node.total
        for number in self._component:
            if self._nodes[number].by_nature:
                self._game.replies[number] = self._least(number)[0]
        number = self._component[0]
        if all(entry.target not in self._index for entry in self._nodes[number].entries):
            values[number] = self._outward(values[number], self._nodes[number])
            if self._below and values[number] == self._nodes[number].stop:
                taken[number] = STOP

    def _continue(self) -> bool:
        """Let the attacker take what is strictly better; whether there was anything."""
        switched, values, taken = False, self._game.values, self._game.taken
        better = dict[int, int]()
        for number in self._component:
            node, best = self._nodes[number], values[number]
            if node.by_nature:
                if taken[number] == STOP and not (self._below and node.hidden):
                    action, least = self._least(number)
                    if least > best:
                        better[number] = action
                continue
            for action, entries in enumerate(node.choices or ()):
                gain = self._sum(entries)
                if gain > best:
                    best, better[number] = gain, action
        for number, action in better.items():
            taken[number], switched = action, True
        return switched

    def _answer(self) -> None:
        """Nature's best replies to the attacker, and the values of both."""
        values, taken = self._game.values, self._game.taken
        for _ in range(_ROUNDS):
            for number, value in zip(self._component, self._of_both(), strict=True):
                values[number] = value
            switched = False
            for number in self._component:
                if self._nodes[number].by_nature and taken[number] != STOP:
                    action, least = self._least(number)
                    if least < values[number]:
                        taken[number], switched = action, True
            if not switched:
                return
        raise TooLong("too many rounds")

    def _of_both(self) -> list[fmpq]:
        """What the attacker gains if both do what is taken. Raises TooLong, SingularSystem."""
        rows, right = [], []
        for k, number in enumerate(self._component):
            node, action, row = self._nodes[number], self._game.taken[number], {k: _ONE}
            constant = node.stop if action == STOP else _ZERO
            for entry in () if action == STOP or node.choices is None else node.choices[action]:
                at = self._index.get(entry.target)
                if at is None:
                    constant += entry.factor * self._game.values[entry.target]
                else:
                    row[at] = row.get(at, _ZERO) - entry.factor
            rows.append(row)
            right.append(constant)
        if len(rows) == 1:
            return [right[0] / rows[0][0]]
        return solve(rows, right, _LONGEST)

    def _least(self, number: int) -> tuple[int, fmpq]:
        """Nature's best action, the first of several, and its value."""
        sums = [self._sum(entries) for entries in self._nodes[number].choices or ()]
        action = min(range(len(sums)), key=sums.__getitem__)
        return action, sums[action]

    def _sum(self, entries: Sequence[Entry]) -> fmpq:
        return sum((entry.factor * self._game.values[entry.target] for entry in entries), start=_ZERO)

    def _outward(self, value: fmpq, node: Node) -> fmpq:
        """The value, or where it is long a short one on the safe side."""
        if int(value.q).bit_length() <= _LONGEST:
            return value
        size = int(node.total.q).bit_length() - int(node.total.p).bit_length()
        unit = fmpz(1 << (_BITS + max(0, size)))
        if self._below:
            return max(fmpq((value * unit).floor(), unit), node.stop)
        return min(fmpq((value * unit).ceil(), unit), node.total)
