"""ld and bd against every attacker: tables with a coupling for every action, and one action from below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, overload

from ..chains import Chain, Claim, Pair, orders
from ..distances import lower_rules, upper_rule, with_detours
from ..reading import BadEvidence, Json, Malformed, at, demand, record, typed
from ..symmetry.orbits import Orbits
from ..tables import NO_ROWS, Row, Table, claim_rule, read_table
from .model import Process

T = TypeVar("T")
Views = Mapping[str, Table]  # one table with the rows of every action


def interactive_distance(process: Process, claim: Claim, evidence: Json, symmetric: bool = False) -> Json:
    """The upper rule for every action makes u pre-fixed. The lower rule makes d post-fixed for one action a
    pair, and the rank rule leaves no pairs that support each other by these (*Distances* of processes).
    Returned are the tables, where the claim is about all pairs."""
    tables = "exact" if "exact" in typed(evidence, dict) else "lower upper"
    sides = record(evidence, "", tables)
    demand(len(sides) > 0, Malformed, "there is no evidence")
    chains = chains_of(process)
    chain = next(iter(chains.values()))
    orbits = Orbits(chain, (), symmetric)
    above, ranks = "pair value couplings", "rank rank_potentials"
    below = "action pair value potentials" + (" direction" if symmetric else "")
    for side, value in sides.items():
        with at(side):
            demand("splitters" not in typed(value, dict), Malformed, "splitters for a decision process")
    if "exact" in sides:
        with at("exact"):
            d = u = read_table(chain, sides["exact"], orbits, f"{below} couplings", ranks)
    else:
        with at("lower"):
            d = read_table(chain, sides.get("lower", NO_ROWS), orbits, below, ranks)
        with at("upper"):
            u = read_table(chain, sides.get("upper", NO_ROWS), orbits, above)
    u = replace(u, default=u.denominator)
    views = views_of(with_detours(claim.alpha, d), chains)
    lower_rules(claim.alpha, d, partial(moving, process, views))
    views = views_of(u, chains)
    for pair, row in u.rows.items():
        with at("couplings of", pair):
            couplings_rule(process, claim, views, pair, row["couplings"], symmetric)
    return claim_rule(claim, d, u)


@dataclass(frozen=True, slots=True)
class Sparse(Sequence[T]):
    """A sequence of which most members are the same, so that many actions of a few states take no memory."""

    known: Mapping[int, T]
    other: T
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, s: int) -> T: ...
    @overload
    def __getitem__(self, s: slice) -> Sequence[T]: ...
    def __getitem__(self, s: int | slice) -> T | Sequence[T]:
        if isinstance(s, slice) or not 0 <= s < self.size:
            raise IndexError(s)
        return self.known.get(s, self.other)


def chains_of(process: Process) -> Mapping[str, Chain]:
    """For every action the chain of its rows; states that do not offer it have none."""
    size, classes = len(process.labels), defaultdict[str, list[int]](list)
    for s, label in enumerate(process.labels):
        classes[label].append(s)
    nothing: Mapping[int, int] = {}
    return {
        action: Chain(
            process.index,
            process.labels,
            Sparse(under.rows, nothing, size),
            Sparse(under.wholes, 1, size),
            classes,
            process.relation,
            process.budget,
        )
        for action, under in process.moves.items()
    }


def views_of(table: Table, chains: Mapping[str, Chain]) -> Views:
    return {action: replace(table, chain=chain) for action, chain in chains.items()}


def moving(process: Process, views: Views, row: Row) -> Table:
    """The table with the rows of the action that the row names."""
    action, (s, _) = typed(row["action"], str), row["pair"]
    demand(action in process.menus[process.labels[s]], BadEvidence, "the action is not in the menu")
    return views[action]


def couplings_rule(
    process: Process, claim: Claim, views: Views, pair: Pair, value: Json, symmetric: bool
) -> None:
    """The upper rule for every action that is offered, for bd in both directions."""
    menu, couplings = process.menus[process.labels[pair[0]]], typed(value, dict)
    demand(sorted(couplings) == list(menu), BadEvidence, "the actions are not exactly those of the menu")
    for number, action in enumerate(menu):
        given = couplings[action]
        both = record(given, "backward forward") if symmetric else {"forward": given}
        for key, ij in zip(("forward", "backward"), orders(pair, symmetric), strict=False):
            with at("action", number, "of", ij):
                upper_rule(claim.alpha, views[action], ij, both[key])
