"""Threshold programs of several variables: a bounded loss, by tokens of which no two that clash can meet.

A low token [a, v] says that some sample whose shift has to be at least a lies below the value in v; a high
one [b, v], that some sample whose shift has to be at most -b lies above it. Sizes are 0 or 1, and a low and a
high token clash unless both sizes are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..programs import Program, Transition
from ..reading import (
    BadClaim,
    BadEvidence,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    demand,
    items,
    record,
    typed,
)
from .orders import (
    Node,
    Order,
    among,
    defined,
    known_after,
    known_links,
    live_variables,
    read_nodes,
    read_order,
)

Token = tuple[int, str] | None

Tokens = tuple[Token, Token]

NOTHING: Tokens = (None, None)


@dataclass(frozen=True, slots=True)
class Table:
    """The nodes with their components and tokens; without pairs of tokens if ``single``.

    Links are pairs of variables (a, b) such that the shift of a is known to be at most that of b.
    """

    program: Program
    nodes: Sequence[Node]
    links: Sequence[Order]
    component: Sequence[int]
    tokens: Sequence[frozenset[Tokens]]
    kept: Mapping[str, Sequence[int]]
    single: bool
    live: Mapping[str, set[str]]


def several_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """No cycle discloses or leaks; tokens are closed under all moves, and no two that clash meet."""
    demand(claim["adjacency"] == "all-differ", BadClaim, "the adjacency is not all-differ")
    fields = record(evidence, "kept nodes single")
    entries = [
        record(entry, "component order state targets tokens", "links")
        for entry in typed(fields["nodes"], list)
    ]
    nodes = read_nodes(program, entries)
    defined(program)
    component = [typed(entry["component"], int) for entry in entries]
    kept = {
        name: [typed(k, int) for k in items(numbers, len(nodes))]
        for name, numbers in typed(fields["kept"], dict).items()
    }
    demand(kept.keys() <= set(program.variables), BadEvidence, "kept names something that is not a variable")
    numbers = [*component, *(number for listed in kept.values() for number in listed)]
    demand(min(numbers, default=0) >= 0, Malformed, "a negative component")
    tokens = [read_tokens(entry["tokens"]) for entry in entries]
    live = live_variables(program)
    links = [
        read_order(program, entry["links"]) if "links" in entry else node.order
        for node, entry in zip(nodes, entries, strict=True)
    ]
    table = Table(program, nodes, links, component, tokens, kept, typed(fields["single"], bool), live)
    storing: set[tuple[int, str]] = set()
    for number, t, target in arrows(table):
        demand(component[target] >= component[number], RuleBroken, "a transition to a lower component")
        for name, numbers in kept.items():
            lower = name not in t.stored and numbers[target] < numbers[number]
            demand(not lower, RuleBroken, "a transition to a lower component")
        if component[target] == component[number]:
            storing.update((component[number], name) for name in t.stored)
    most = max(len(own) + 1 for own in table.tokens)
    program.budget.spend(len(nodes) * most * (1 + len(program.variables)))
    for number, node in enumerate(nodes):
        with at("node", number):
            leaving = program.leaving(node.state)
            program.budget.spend(moves_cost(table, number, leaving))
            for t, after in zip(program.leaving(node.state), node.targets, strict=True):
                if after is not None:
                    exact_links(table, number, t, after)
                    inside = component[after] == component[number]
                    real = t.pinned or t.primed
                    lacking = t.takes_input and t.pinned and t.worst is None
                    demand(not lacking, RuleBroken, "insample of an input is output without noise on a side")
                    demand(not (inside and t.takes_input and real), RuleBroken, "there is a disclosing cycle")
                    leaks = inside and any((component[number], name) in storing for _, name in t.bounds)
                    demand(not leaks, RuleBroken, "there is a leaking cycle")
            tokens_rule(table, number)


def moves_cost(table: Table, number: int, leaving: Sequence[Transition]) -> int:
    """The operations of a node: its links after each transition, and the moves of its tokens.

    Two tokens can be on any two variables after a transition, one alone on any one.
    """
    variables, links, many = len(table.program.variables), len(table.links[number]), len(leaving)
    each_way = sum(t.pinned or t.worst is None or not table.single for t in leaving)
    moves = (1 + many) * (variables + links) + each_way * 4 * variables**2
    return many * (4 * variables**2 + links) + (1 + len(table.tokens[number])) * moves


def arrows(table: Table) -> Iterator[tuple[int, Transition, int]]:
    """All transitions between nodes that do not end the run."""
    for number, node in enumerate(table.nodes):
        for t, target in zip(table.program.leaving(node.state), node.targets, strict=True):
            if target is not None:
                yield number, t, target


def exact_links(table: Table, number: int, t: Transition, target: int) -> None:
    """The links of the target have all pairs of live variables that follow: none hides a meeting."""
    if known_after(table.nodes[number].order, t) is None:
        return
    known = known_links(table.links[number], t)
    complete = among(known, t, table.live.get(t.to, ())) <= table.links[target]
    demand(complete, RuleBroken, "the links of the target lack a pair that follows")


def read_tokens(value: Json) -> frozenset[Tokens]:
    found = []
    for entry in typed(value, list):
        low, high = (read_token(token) for token in items(entry, 2))
        demand(low is not None or high is not None, BadEvidence, "a pair of tokens has two nulls")
        found.append((low, high))
    ascending([json_key(tokens) for tokens in found], BadEvidence, "tokens")
    return frozenset(found)


def json_key(tokens: Tokens) -> list[tuple[int, str]]:
    return [(-1, "") if token is None else token for token in tokens]


def read_token(value: Json) -> Token:
    if value is None:
        return None
    size, name = items(value, 2)
    demand(typed(size, int) in (0, 1), Malformed, "the size of a token is not 0 or 1")
    return typed(size, int), typed(name, str)


def clash(low: Token, high: Token) -> bool:
    return low is not None and high is not None and clashing(low[0], high[0])


def tokens_rule(table: Table, number: int) -> None:
    """All moves from the tokens of a node lead to tokens that are listed, and no two that clash meet."""
    node, own = table.nodes[number], table.tokens[number]
    for tokens in own | {NOTHING}:
        low, high = tokens
        demand(not (table.single and low and high), BadEvidence, "single is true, and a pair has two tokens")
        meet = clash(low, high) and low is not None and high is not None and low[1] == high[1]
        demand(not meet, RuleBroken, "two tokens clash on one variable")
        for a, b in table.links[number]:
            if low and low[1] == a:
                listed(table, number, ((low[0], b), high))
            if high and high[1] == b:
                listed(table, number, (low, (high[0], a)))
    for t, target in zip(table.program.leaving(node.state), node.targets, strict=True):
        if target is not None:
            passage = passage_of(table, number, t)
            for tokens in own | {NOTHING}:
                demands_rule(table, number, t, target, tokens)
                step_rule(table, target, passage, tokens)
    if table.single:
        singles_rule(table, number)


def listed(table: Table, number: int, tokens: Tokens) -> None:
    single = tokens[0] is None or tokens[1] is None
    if tokens != NOTHING and (single or not table.single):
        demand(tokens in table.tokens[number], RuleBroken, f"node {number} does not list tokens of a move")


def demands_rule(table: Table, number: int, t: Transition, target: int, tokens: Tokens) -> None:
    """A transition that a run may repeat while it keeps the tokens makes its demands."""
    low, high = tokens
    names = {token[1] for token in tokens if token}
    numberings = [table.kept.get(name, table.component) for name in names] or [table.component]
    repeats = all(numbers[target] == numbers[number] for numbers in (*numberings, table.component))
    if not (repeats and names.isdisjoint(t.stored)):
        return
    size = int(t.takes_input)
    for relation, name in t.bounds:
        if relation != ">=" and low is None:
            listed(table, number, ((size, name), high))
        if relation != "<" and high is None:
            listed(table, number, (low, (size, name)))


@dataclass(frozen=True, slots=True)
class Passage:
    """What a transition from a node does to tokens: of low ones, and of high ones.

    Tokens on the variables `on` come to the sample, and from there to those of `reach`; the sample has a
    demand of its own, or None, and `new` are the tokens after it where there was none. Others stay on `old`.
    """

    on: tuple[set[str], set[str]]
    reach: tuple[set[str], set[str]]
    own: tuple[int | None, int | None]
    new: tuple[list[Token], list[Token]]
    old: set[str]


def passage_of(table: Table, number: int, t: Transition) -> Passage:
    links = table.links[number]
    lower = {name for relation, name in t.bounds if relation != "<"}
    upper = {name for relation, name in t.bounds if relation != ">="}
    live, stored, own = table.live.get(t.to, set[str]()), set(t.stored), own_demands(t)
    ups = live & (stored | upper | {b for a, b in links if a in upper})
    downs = live & (stored | lower | {a for a, b in links if b in lower})
    old = live - stored
    reach = (ups & old) | (live & stored), (downs & old) | (live & stored)
    new = [[None, *((size, name) for name in far if size is not None)]
           for size, far in zip(own, reach, strict=True)]  # fmt: skip
    return Passage((lower, upper), reach, own, (new[0], new[1]), old)


def step_rule(table: Table, target: int, passage: Passage, tokens: Tokens) -> None:
    """The tokens after a transition are listed, and none that clash meet at its sample."""
    come_low, come_high = (
        token[0] if token is not None and token[1] in on else None
        for token, on in zip(tokens, passage.on, strict=True)
    )
    own_low, own_high = passage.own
    for one, other in ((come_low, come_high), (come_low, own_high), (own_low, come_high)):
        demand(not clashing(one, other), RuleBroken, "two tokens clash at one sample")
    lows, highs = (passed(token, side, passage) for side, token in enumerate(tokens))
    either = clashing(own_low, own_high)  # the sample demands one of them, as its difference is
    for after_low in lows:
        for after_high in highs:
            both = tokens == NOTHING and after_low is not None and after_high is not None
            if not (either and both):
                listed(table, target, (after_low, after_high))


def own_demands(t: Transition) -> tuple[int | None, int | None]:
    """The sizes of the demands of a sample of its own: at least its difference, at most, or 0 if it is
    output."""
    low, high = (
        int(t.takes_input) if rate is None else 0 if t.pinned else None for rate in (t.left, t.right)
    )
    return low, high


def clashing(low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and max(low, high) > 0


def passed(token: Token, side: int, passage: Passage) -> list[Token]:
    """Where a token may be after a transition, among live variables; nowhere if it is lost."""
    if token is None:
        return passage.new[side]
    size, name = token
    stays: list[Token] = [token] if name in passage.old else []
    return stays + [(size, other) for other in passage.reach[side] if name in passage.on[side]]


def singles_rule(table: Table, number: int) -> None:
    """No two single tokens of a node that clash stand on one variable, or come to the sample of one step."""
    lows = [low for low, _ in table.tokens[number] if low]
    highs = [high for _, high in table.tokens[number] if high]
    on: dict[str, int] = {}
    for size, name in highs:
        on[name] = max(on.get(name, 0), size)
    same = any(name in on and max(size, on[name]) for size, name in lows)
    demand(not same, RuleBroken, "two tokens clash on one variable")
    node = table.nodes[number]
    for t, target in zip(table.program.leaving(node.state), node.targets, strict=True):
        if target is None:
            continue
        lower = {name for relation, name in t.bounds if relation != "<"}
        upper = {name for relation, name in t.bounds if relation != ">="}
        first = [size for size, name in lows if name in lower]
        second = [size for size, name in highs if name in upper]
        meet = bool(first and second) and max(first + second) > 0
        demand(not meet, RuleBroken, "two tokens clash at one sample")
