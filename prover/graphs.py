"""Walks of directed graphs that are given by a function from a node to its successors, and orders.

Nodes are hashable. What is found depends on the order of the starts and of the successors only, so that the
same graph gives the same answer, and no walk recurses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from math import factorial, prod
from typing import TypeVar

AnyNode = TypeVar("AnyNode", bound=Hashable)
AnyStep = TypeVar("AnyStep")


def search(
    starts: Iterable[AnyNode],
    successors: Callable[[AnyNode], Iterable[AnyNode]],
    wanted: Collection[AnyNode] | None = None,
) -> dict[AnyNode, AnyNode | None]:
    """The nodes that the starts reach, breadth first, each with the node before it on a shortest way.

    The starts have None. If some nodes are ``wanted``, the search ends as soon as all of them are found. Time
    is linear in the number of nodes and arcs reached.

        >>> search([1], {1: [2, 3], 2: [4], 3: [4], 4: [1]}.__getitem__)
        {1: None, 2: 1, 3: 1, 4: 2}
    """
    before: dict[AnyNode, AnyNode | None] = dict.fromkeys(starts)
    waiting = deque(before)
    missing = None if wanted is None else set(wanted).difference(before)
    while waiting and (missing is None or missing):
        node = waiting.popleft()
        for following in successors(node):
            if following not in before:
                before[following] = node
                waiting.append(following)
                if missing:
                    missing.discard(following)
    return before


def way_to(node: AnyNode, before: dict[AnyNode, AnyNode | None]) -> list[AnyNode]:
    """The nodes of the way that ``search`` found, from a start to ``node``, both included.

    >>> way_to(4, {1: None, 2: 1, 3: 1, 4: 2})
    [1, 2, 4]
    """
    way = [node]
    while (last := before[way[-1]]) is not None:
        way.append(last)
    return way[::-1]


def nearest_way(
    starts: Iterable[AnyNode],
    leaving: Callable[[AnyNode], Iterable[tuple[AnyNode, AnyStep]]],
    goals: Collection[AnyNode],
) -> tuple[AnyNode, list[AnyStep]] | None:
    """Where a shortest way from a start to one of the goals begins, and its steps; None without one.

    ``leaving`` gives the successors of a node, each with the step that leads there. There are no steps if a
    start is a goal.

        >>> nearest_way([1], {1: [(2, "a"), (3, "b")], 2: [(4, "c")], 3: [], 4: []}.__getitem__, {4})
        (1, ['a', 'c'])
    """
    came: dict[AnyNode, tuple[AnyNode, AnyStep]] = {}

    def successors(node: AnyNode) -> Iterator[AnyNode]:
        for following, step in leaving(node):
            came.setdefault(following, (node, step))
            yield following

    before = search(starts, successors)
    at = next((node for node in before if node in goals), None)
    if at is None:
        return None
    steps: list[AnyStep] = []
    while before[at] is not None:
        at, step = came[at]
        steps.append(step)
    return at, steps[::-1]


def strong_components(
    starts: Iterable[AnyNode], successors: Callable[[AnyNode], Iterable[AnyNode]]
) -> list[list[AnyNode]]:
    """The strongly connected components of what the starts reach; a component comes after those it leads to.

    Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), in linear time. The members
    of a component are in the reverse of the order in which they were entered.

        >>> strong_components([1], {1: [2], 2: [3, 4], 3: [2], 4: []}.__getitem__)
        [[4], [3, 2], [1]]
    """
    found: list[list[AnyNode]] = []
    entered: dict[AnyNode, int] = {}
    lowest: dict[AnyNode, int] = {}
    pending: list[AnyNode] = []  # nodes of components that are not complete yet
    is_pending: set[AnyNode] = set()
    walk: list[tuple[AnyNode, Iterator[AnyNode]]] = []

    def enter(node: AnyNode) -> None:
        entered[node] = lowest[node] = len(entered)
        pending.append(node)
        is_pending.add(node)
        walk.append((node, iter(successors(node))))

    for start in starts:
        if start not in entered:
            enter(start)
        while walk:
            node, rest = walk[-1]
            for following in rest:
                if following in is_pending:
                    lowest[node] = min(lowest[node], entered[following])
                elif following not in entered:
                    enter(following)
                    break
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == entered[node]:
                    members = [pending.pop()]
                    while members[-1] != node:
                        members.append(pending.pop())
                    is_pending.difference_update(members)
                    found.append(members)
    return found


def has_cycle(starts: Iterable[AnyNode], successors: Callable[[AnyNode], Iterable[AnyNode]]) -> bool:
    """Whether the starts reach a node that leads back to itself. The search ends at the first such way.

    >>> has_cycle([1], {1: [2, 3], 2: [3], 3: []}.__getitem__), has_cycle([1], {1: [2], 2: [1]}.__getitem__)
    (False, True)
    """
    left = set[AnyNode]()
    on_way = set[AnyNode]()
    walk: list[tuple[AnyNode, Iterator[AnyNode]]] = []

    def enter(node: AnyNode) -> None:
        on_way.add(node)
        walk.append((node, iter(successors(node))))

    for start in starts:
        if start not in left:
            enter(start)
        while walk:
            node, rest = walk[-1]
            following = next((one for one in rest if one not in left), None)
            if following is None:
                walk.pop()
                on_way.remove(node)
                left.add(node)
            elif following in on_way:
                return True
            else:
                enter(following)
    return False


def linear_extensions(below: Sequence[int], take: Callable[[int], None] = lambda _: None) -> int:
    """How many rows of the numbers 0, 1, … keep an order; ``below[i]`` has bit j set if j comes before i.

    The order is transitive. If it is a forest, all that comes after a number being in a row, there is a
    formula. Otherwise rows are counted by the sets that are closed downwards: those of one size, then those
    of the next one. ``take`` is called before each size with how many sets of the size before there are, and
    for a forest with how many numbers.

        >>> linear_extensions((0, 0, 0b11))
        2
    """
    if is_forest(below):
        take(len(below))
        return factorial(len(below)) // prod(under.bit_count() + 1 for under in below)
    counts = {0: 1}
    for _ in below:
        take(len(counts))
        larger: dict[int, int] = {}
        for taken, count in counts.items():
            for step, under in enumerate(below):
                if not taken >> step & 1 and not under & ~taken:
                    key = taken | 1 << step
                    larger[key] = larger.get(key, 0) + count
        counts = larger
    return sum(counts.values())


def is_forest(below: Sequence[int]) -> bool:
    """Whether of any two numbers that come after the same one, one comes after the other.

    >>> is_forest((0, 0b1, 0b1)), is_forest((0, 0, 0b11))
    (False, True)
    """
    return all(
        below[a] >> b & 1 or below[b] >> a & 1 or not below[a] & below[b]
        for a in range(len(below))
        for b in range(a)
    )
