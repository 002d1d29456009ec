"""Whether the privacy loss of a program of several variables is bounded (all-differ; Theorem F′).

A step that can be repeated for ever must follow every difference of its inputs at no cost, so its shift is 1
and −1 in turn, and the tests of the step then *demand* a shift ≥ 1 of a stored sample, or ≤ −1; without input
its shift is 0, and they demand ≥ 0 or ≤ 0. A step that
outputs insample has shift 0, and demands ≥ 0 and ≤ 0 of itself; one without noise to the left has a shift of
at least its difference, and so demands ≥ 1 (without input ≥ 0) of itself, or without noise to the right ≤ −1
(≤ 0). A run is told apart without bound where a
sample that has to be high lies below one that has to be low. *Tokens* follow both on their way:

    low token (a, v):    some sample with a demand ≥ a lies below the value in v
    high token (b, v):   some sample with a demand ≤ −b lies above the value in v

with a, b in {0, 1}; the two *clash* unless both are 0. The program is private exactly if no cycle discloses
or leaks, and no clashing tokens meet (docs/theory_variables.md, *Deciding boundedness*). With one variable
tokens are the facts of ``prover.program.decision.facts``, which are found faster.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from prover.program.edge import Edge
from prover.program.noise import INFINITE
from prover.program.order_graph import FINAL, Arrow, OrderGraph, above, below
from prover.program.shifts import is_one_sided

Token = tuple[int, str]
"""The size of the demand, 0 or 1, and the variable that holds the end of the chain."""


@dataclass(frozen=True, slots=True, order=True)
class Tokens:
    """What some run demands: a low token, a high token, both or none."""

    low: Token | None = None
    high: Token | None = None

    @property
    def variables(self) -> frozenset[str]:
        """Where the tokens are."""
        return frozenset(token[1] for token in (self.low, self.high) if token)

    @property
    def clash(self) -> bool:
        """Whether no shift could meet both demands."""
        return self.low is not None and self.high is not None and clashing(self.low[0], self.high[0])


NOTHING = Tokens()


@dataclass(frozen=True, slots=True)
class TokenState:
    """A node of the order graph together with the tokens of a run to it."""

    node: int
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class TokenMove:
    """How a state is reached from the one before it: by the order alone (``arrow`` is None), by a *demand*
    of an arrow that can be repeated, on the sample in the variable ``demanded``, or by taking the arrow.

    A demand is ``low`` if it makes a low token.
    """

    before: TokenState
    arrow: Arrow | None = None
    demanded: str | None = None
    low: bool = False


@dataclass(slots=True)
class Cycles:
    """Which arrows lie on cycles that assign none of some variables."""

    graph: OrderGraph
    _numbers: dict[frozenset[str], list[int]] = field(default_factory=dict)

    def number(self, kept: frozenset[str]) -> list[int]:
        """The component of every node along arrows that assign none of the variables ``kept``."""
        if kept not in self._numbers:
            self._numbers[kept] = self.graph.components(lambda a: kept.isdisjoint(a.edge.assign))
        return self._numbers[kept]

    def inside(self, arrow: Arrow, kept: frozenset[str] = frozenset()) -> bool:
        """Whether the arrow lies on a cycle that assigns none of the variables ``kept``."""
        if arrow.target == FINAL or not kept.isdisjoint(arrow.edge.assign):
            return False
        number = self.number(kept)
        return number[arrow.source] == number[arrow.target]


def exact_arrow(graph: OrderGraph) -> Arrow | None:
    """The first arrow that reads an input, outputs insample, and lacks noise on a side, if there is one."""
    return next(
        (a for a in graph.all_arrows if a.edge.input and a.edge.pinned and is_one_sided(a.edge)), None
    )


def disclosing_arrow(graph: OrderGraph, cycles: Cycles) -> Arrow | None:
    """The first arrow on a cycle that outputs a number at a state that reads an input, if there is one."""
    arrows = (a for a in graph.all_arrows if a.edge.input and a.edge.discloses)
    return next((a for a in arrows if cycles.inside(a)), None)


def leaking_pairs(graph: OrderGraph, cycles: Cycles) -> Iterator[tuple[Arrow, Arrow, str]]:
    """The arrows that test a variable, each with those of the same component that assign it; first those that
    do both. The variable comes with them.
    """
    number = cycles.number(frozenset())
    assigning: dict[tuple[int, str], list[Arrow]] = {}
    for arrow in graph.all_arrows:
        if arrow.edge.assign and cycles.inside(arrow):
            for name in arrow.edge.assign:
                assigning.setdefault((number[arrow.source], name), []).append(arrow)
    pairs = [
        (arrow, name, assigning[number[arrow.source], name])
        for arrow in (graph.all_arrows if assigning else ())
        for _, name in arrow.edge.bounds
        if (number[arrow.source], name) in assigning and cycles.inside(arrow)
    ]
    yield from ((test, test, name) for test, name, stored in pairs if test in stored)
    yield from ((test, other, name) for test, name, stored in pairs for other in stored if test != other)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Clashing tokens that meet at the last state of a run: there, or at the sample of ``arrow``, if one is
    given. ``state`` is where the run is before that, with the tokens it has.
    """

    state: TokenState
    arrow: Arrow | None


@dataclass(frozen=True, slots=True)
class Chain:
    """A run, as moves from the first node, at whose end clashing tokens meet."""

    moves: list[TokenMove]
    end: Contradiction


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of every node, of which no two that clash can meet.

    They are *single* tokens, of which it is not asked whether two come from one run, or all that moves lead
    to from the first node.
    """

    single: bool
    tokens: tuple[frozenset[Tokens], ...]


def token_table(graph: OrderGraph, cycles: Cycles) -> TokenTable | Chain:
    """The tokens of all nodes, or a chain by which two that clash meet.

    Single tokens are tried first, in linear time; pairs of them where these do not tell.
    """
    if (single := singles(graph, cycles)) is not None:
        return TokenTable(True, single)
    return explore(graph, cycles)


def explore(graph: OrderGraph, cycles: Cycles) -> TokenTable | Chain:
    """Follow all moves, breadth first, until clashing tokens meet or nothing new comes."""
    start = TokenState(0, NOTHING)
    origins: dict[TokenState, TokenMove | None] = {start: None}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for found, move in _moves(graph, cycles, state):
            if isinstance(found, Contradiction):
                return Chain(_run_to(found.state, origins), found)
            if found in origins:
                continue
            origins[found] = move
            tokens = found.tokens
            if tokens.clash and tokens.low and tokens.high and tokens.low[1] == tokens.high[1]:
                return Chain(_run_to(found, origins), Contradiction(found, None))
            waiting.append(found)
    tokens_of: list[set[Tokens]] = [set() for _ in graph.states]
    for state in origins:
        tokens_of[state.node].add(state.tokens)
    return TokenTable(False, tuple(map(frozenset, tokens_of)))


def _run_to(state: TokenState, origins: Mapping[TokenState, TokenMove | None]) -> list[TokenMove]:
    """The moves that lead to a state, in order."""
    moves: list[TokenMove] = []
    move = origins[state]
    while move is not None:
        moves.append(move)
        move = origins[move.before]
    return moves[::-1]


@dataclass(frozen=True, slots=True)
class Passage:
    """What a step does to tokens.

    Low ones on ``lower`` and high ones on ``upper`` come to its sample, and from there to ``up``,
    respectively ``down``; those on ``kept`` variables may stay. ``low`` and ``high`` are the sizes of what
    the sample demands of itself, None where that is nothing; if they clash, no run demands both.
    """

    lower: frozenset[str]
    upper: frozenset[str]
    kept: frozenset[str]
    up: tuple[str, ...]
    down: tuple[str, ...]
    low: int | None
    high: int | None


def own_demands(edge: Edge) -> tuple[int | None, int | None]:
    """The sizes of what the sample of an edge demands of itself, low and high, whether on a cycle or not."""
    size, lacking = int(edge.input), (edge.left == INFINITE, edge.right == INFINITE)
    low, high = (size if lacks else 0 if edge.pinned else None for lacks in lacking)
    return low, high


def passage(graph: OrderGraph, arrow: Arrow) -> Passage:
    """What an arrow does to tokens."""
    order, live = graph.links[arrow.source], graph.live_at(arrow.target)
    lower, upper = below(arrow.edge), above(arrow.edge)
    stored = live.intersection(arrow.edge.assign)
    kept = live - stored
    up = stored | kept & (upper | {b for a, b in order if a in upper})
    down = stored | kept & (lower | {a for a, b in order if b in lower})
    return Passage(lower, upper, kept, tuple(sorted(up)), tuple(sorted(down)), *own_demands(arrow.edge))


def _moves(
    graph: OrderGraph, cycles: Cycles, state: TokenState
) -> Iterator[tuple[TokenState | Contradiction, TokenMove | None]]:
    node, tokens = state.node, state.tokens
    by_order, order = TokenMove(state), graph.links[node]
    for tokens_after in _along(order, tokens):
        yield TokenState(node, tokens_after), by_order
    for arrow in graph.arrows[node]:
        for name, tokens_after in demanded(arrow, tokens, cycles):
            yield (
                TokenState(node, tokens_after),
                TokenMove(state, arrow, name, tokens_after.low != tokens.low),
            )
        step = TokenMove(state, arrow)
        for passed in stepped(passage(graph, arrow), tokens):
            if passed is None:
                yield Contradiction(state, arrow), None
            elif arrow.target != FINAL:
                yield TokenState(arrow.target, passed), step


def _along(order: frozenset[tuple[str, str]], tokens: Tokens) -> Iterator[Tokens]:
    for smaller, larger in sorted(order):
        if tokens.low and tokens.low[1] == smaller:
            yield Tokens((tokens.low[0], larger), tokens.high)
        if tokens.high and tokens.high[1] == larger:
            yield Tokens(tokens.low, (tokens.high[0], smaller))


def demanded(arrow: Arrow, tokens: Tokens, cycles: Cycles) -> Iterator[tuple[str, Tokens]]:
    """The tokens after a demand of an arrow that lies on a cycle which does not assign their variables, each
    with the variable that holds the sample in demand.
    """
    edge = arrow.edge
    size = int(edge.input)
    if not edge.bounds or (tokens.low and tokens.high):
        return
    if not cycles.inside(arrow, tokens.variables):
        return
    if tokens.low is None:
        for name in sorted(above(edge)):
            yield name, Tokens((size, name), tokens.high)
    if tokens.high is None:
        for name in sorted(below(edge)):
            yield name, Tokens(tokens.low, (size, name))


def stepped(step: Passage, tokens: Tokens) -> Iterator[Tokens | None]:
    """The tokens after a step; None for a contradiction at its sample."""
    low, high = meeting(step, tokens)
    if clashing(low, high) or clashing(low, step.high) or clashing(step.low, high):
        yield None
        return
    lows = _passed(step.kept, tokens.low, low is not None, step.up, step.low)
    highs = _passed(step.kept, tokens.high, high is not None, step.down, step.high)
    for now_low in lows:
        for now_high in highs:
            new = (tokens.low is None and now_low, tokens.high is None and now_high)
            if not (all(new) and clashing(step.low, step.high)):
                yield Tokens(now_low, now_high)


def meeting(step: Passage, tokens: Tokens) -> tuple[int | None, int | None]:
    """The sizes of the low and the high token that come to the sample of a step; None where none does."""
    low = tokens.low[0] if tokens.low and tokens.low[1] in step.lower else None
    high = tokens.high[0] if tokens.high and tokens.high[1] in step.upper else None
    return low, high


def clashing(low: int | None, high: int | None) -> bool:
    """Whether demands of these sizes on one sample cannot both be met."""
    return low is not None and high is not None and max(low, high) > 0


def _passed(
    kept: frozenset[str], token: Token | None, meets: bool, reach: tuple[str, ...], own: int | None
) -> list[Token | None]:
    """Where a token may be after a step; nowhere, if it is lost."""
    if token is None:
        return [None, *((own, name) for name in reach if own is not None)]
    stays = [token] if token[1] in kept else []
    return [*stays, *((token[0], name) for name in reach if meets and (token[0], name) not in stays)]


def singles(graph: OrderGraph, cycles: Cycles) -> tuple[frozenset[Tokens], ...] | None:
    """The single tokens of all nodes, if no two of them that clash could ever meet, else None.

    Whether the two come from one run is not asked, nor which variables the loop of the second demand assigns:
    so a table proves that no clashing tokens meet, and its absence proves nothing. Time is linear in the
    number of arrows times that of variables.
    """
    found: list[set[Tokens]] = [set() for _ in graph.states]
    passages = {arrow: passage(graph, arrow) for arrow in graph.all_arrows}
    waiting: deque[tuple[int, Tokens]] = deque()

    def note(node: int, tokens: Tokens) -> None:
        if node != FINAL and tokens not in found[node]:
            found[node].add(tokens)
            waiting.append((node, tokens))

    for arrow, step in passages.items():
        for _, tokens in demanded(arrow, NOTHING, cycles):
            note(arrow.source, tokens)
        for started in stepped(step, NOTHING):
            if started is not None and (started.low is None) != (started.high is None):
                note(arrow.target, started)
    while waiting:
        node, tokens = waiting.popleft()
        for moved in _along(graph.links[node], tokens):
            note(node, moved)
        for arrow in graph.arrows[node]:
            for passed in stepped(passages[arrow], tokens):
                if passed is None:
                    return None
                if (passed.low is None) == (tokens.low is None) and (passed.high is None) == (
                    tokens.high is None
                ):
                    note(arrow.target, passed)
    for node, own in enumerate(found):
        if _may_meet(own, [passages[arrow] for arrow in graph.arrows[node]]):
            return None
    return tuple(map(frozenset, found))


def _may_meet(own: set[Tokens], steps: list[Passage]) -> bool:
    """Whether clashing tokens of a node stand on one variable, or come to the sample of one step."""
    lows: dict[str, int] = {}
    highs: dict[str, int] = {}
    for tokens in own:
        for token, side in ((tokens.low, lows), (tokens.high, highs)):
            if token:
                side[token[1]] = max(side.get(token[1], 0), token[0])
    if any(max(lows[name], highs[name]) for name in lows.keys() & highs.keys()):
        return True
    for step in steps:
        coming = [size for name, size in lows.items() if name in step.lower]
        arriving = [size for name, size in highs.items() if name in step.upper]
        if coming and arriving and clashing(max(coming), max(arriving)):
            return True
    return False
