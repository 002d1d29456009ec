"""The best couplings of many small parts for a table of distances, all at once in arrays.

What ``FloatTable.best`` finds for one part after the other, to the last bit; wide parts are left to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from prover.chain.ld.float_table import SAVING, Amounts, FloatTable
from prover.chain.ld.transport import Basis, Part, Path
from prover.chain.model import Pair
from prover.exact.packing import LARGE
from prover.exact.packings import Corners, Packings, solve_packings


def ragged(starts: Any, counts: Any) -> Any:
    """The numbers start, …, start + count − 1 of every line, one line after the other."""
    return np.arange(int(counts.sum())) + np.repeat(starts - (np.cumsum(counts) - counts), counts)


@dataclass(frozen=True, slots=True)
class Shipments:
    """What the best couplings of all parts send: along arcs, by their places in the table, ascending by part
    and in the order of the part's paths; and what each leaves behind. ``skipped`` parts are not among them.
    """

    part: Any
    slot: Any
    weight: Any
    behind: Any
    skipped: Any


class Batch:
    """Small parts, as arrays: a cell for every source and sink of each."""

    def __init__(self, table: FloatTable, parts: Sequence[Part], amounts: Mapping[Part, Amounts]) -> None:
        self.table, self.parts = table, parts
        self.slots: dict[Pair, int] = {
            arc: k for k, arc in enumerate((i, j) for i, row in table.rows.items() for j in row)
        }
        self._offsets = np.array([len(part.sources) for part in parts])
        sinks = np.array([len(part.sinks) for part in parts])
        sizes = self._offsets * sinks
        self._part = np.repeat(np.arange(len(parts)), sizes)
        self._cell = ragged(np.zeros_like(sizes), sizes)
        self._source, sink = np.divmod(self._cell, np.repeat(sinks, sizes))
        self._sink = sink + np.repeat(self._offsets, sizes)
        arcs = ((i, j) for part in parts for i in part.sources for j in part.sinks)
        self._slot = np.fromiter((self.slots[arc] for arc in arcs), dtype=int, count=len(self._part))
        self._by_slot = np.argsort(self._slot, kind="stable")
        lines = [[*supplies, *capacities] for supplies, capacities in (amounts[part] for part in parts)]
        self._bounds = np.full((len(parts), max(map(len, lines))), np.inf)
        for line, bounds in zip(self._bounds, lines, strict=True):
            line[: len(bounds)] = bounds
        self._supply = np.array([sum(amounts[part][0]) for part in parts])
        self._columns: tuple[Any, Any, Sequence[Path]] = np.array([]), np.array([]), []
        self._corners = Corners(np.array([]), np.array([]), np.array([]))

    def near(self) -> Any:
        """The distances of the table, by their places."""
        return np.fromiter(chain.from_iterable(row.values() for row in self.table.rows.values()), dtype=float)

    def solve(self, near: Any) -> Shipments:
        """The best couplings for these distances, which are the table's."""
        savings = 1.0 - near[self._slot]
        direct = np.flatnonzero(savings > SAVING)
        found = self.table.found_detours
        ways, cells = self._cells_of_detours([(i, j) for i, j, *_ in found])
        cell, way = np.concatenate([direct, cells]), np.concatenate([np.full(len(direct), -1), ways])
        order = np.lexsort((way, cell))
        cell, way = cell[order], way[order]
        part, long = self._part[cell], way >= 0
        skipped = np.flatnonzero(np.bincount(part, minlength=len(self.parts)) >= LARGE)
        if skipped.size:
            kept = ~np.isin(part, skipped)
            cell, way, part, long = cell[kept], way[kept], part[kept], long[kept]
        value, gain = savings[cell], np.full(len(cell), self.table.alpha)
        value[long] = np.array([saving for *_, saving, _ in found])[way[long]] if found else 0.0
        gain[long] = np.array([gain for *_, gain in found])[way[long]] if found else 0.0
        programs = Packings(self._bounds, part, self._source[cell], self._sink[cell], value, gain)
        self._columns = cell, way, [path for _, _, path, _, _ in found]
        self._corners = solve_packings(programs)
        return self._shipments(part, skipped)

    def _cells_of_detours(self, pairs: Sequence[Pair]) -> tuple[Any, Any]:
        """The detours that cells have, by their places, and these cells."""
        slots = np.array([self.slots[pair] for pair in pairs], dtype=int)
        ordered = self._slot[self._by_slot]
        first, last = (np.searchsorted(ordered, slots, side) for side in ("left", "right"))
        return np.repeat(np.arange(len(pairs)), last - first), self._by_slot[ragged(first, last - first)]

    def _shipments(self, part: Any, skipped: Any) -> Shipments:
        cell, way, paths = self._columns
        used = np.flatnonzero(self._corners.basic)
        amount, part, way = self._corners.amounts[used], part[used], way[used]
        behind = self._supply.copy()
        np.subtract.at(behind, part, amount)
        slots = [[self.slots[arc] for arc in pairwise(path)] for path in paths]
        arcs = np.array([len(arcs) for arcs in slots] + [1])[way]  # the last one is that of a direct way
        starts = np.cumsum(arcs) - arcs
        slot, weight = np.empty(int(arcs.sum()), dtype=int), np.empty(int(arcs.sum()))
        slot[starts[way < 0]] = self._slot[cell[used[way < 0]]]
        for k in np.flatnonzero(way >= 0).tolist():
            slot[starts[k] : starts[k] + arcs[k]] = slots[way[k]]
        for step in range(int(arcs.max(initial=0))):
            going = arcs > step
            weight[starts[going] + step] = amount[going]
            amount = amount * self.table.alpha
        return Shipments(np.repeat(part, arcs), slot, weight, np.where(behind > 0.0, behind, 0.0), skipped)

    def bases(self) -> list[Basis]:
        """The bases of the parts that the last solution has."""
        cell, way, paths = self._columns
        used = np.flatnonzero(self._corners.basic)
        taken: list[list[Path]] = [[] for _ in self.parts]
        places = zip(
            self._part[cell[used]].tolist(),
            self._source[cell[used]].tolist(),
            self._sink[cell[used]].tolist(),
            way[used].tolist(),
            strict=True,
        )
        for p, a, b, w in places:
            part = self.parts[p]
            direct = part.sources[a], part.sinks[b - len(part.sources)]
            taken[p].append(paths[w] if w >= 0 else direct)
        return [
            Basis(
                tuple(ways),
                frozenset(k for k, open_ in zip(part.sources, slack, strict=False) if open_),
                frozenset(
                    k for k, open_ in zip(part.sinks, slack[len(part.sources) :], strict=False) if open_
                ),
            )
            for part, ways, slack in zip(self.parts, taken, self._corners.slack.tolist(), strict=True)
        ]
