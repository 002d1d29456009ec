"""Tables of distances, and the rule by which they bound from above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .chains import Chain, Pair, excess, orders, read_coupling, read_rows, skew
from .reading import BadEvidence, Json, Malformed, Ratio, RuleBroken, at, demand, natural, record
from .relations import read_blocks, splitters_rule


@dataclass(frozen=True, slots=True)
class Table:
    """Distances of one side as integers over the denominator; `default` is that of twins without a row. Where
    the table is symmetric, `values` has both orders of every pair, and `rows` one. States of different
    `block` are not bisimilar."""

    chain: Chain
    denominator: int
    default: int
    rows: Mapping[Pair, Mapping[str, Json]]
    values: Mapping[Pair, int]
    block: Sequence[int]

    def __getitem__(self, pair: Pair) -> int:
        if pair[0] == pair[1]:
            return 0
        return self.values.get(pair, self.default) if self.chain.is_twin(*pair) else self.denominator

    def ratio(self, pair: Pair) -> Ratio:
        return self[pair], self.denominator

    def far_apart(self, pair: Pair) -> bool:
        """At distance 1 and not bisimilar."""
        return self[pair] == self.denominator and self.block[pair[0]] != self.block[pair[1]]


NO_ROWS: Json = {"denominator": "1", "rows": []}


def read_table(chain: Chain, value: Json, symmetric: bool, required: str, optional: str = "") -> Table:
    fields = record(value, "denominator rows", "splitters" if optional else "")
    denominator = natural(fields["denominator"])
    demand(denominator > 0, Malformed, "the denominator is 0")
    rows = read_rows(chain, fields["rows"], required, optional)
    demand(not symmetric or all(i < j for i, j in rows), BadEvidence, "a pair is not in order")
    values = {ij: natural(row["value"]) for pair, row in rows.items() for ij in orders(pair, symmetric)}
    demand(all(n <= denominator for n in values.values()), BadEvidence, "a value is above 1")
    block = splitters_rule(chain, read_blocks(chain, fields.get("splitters", [])))
    return Table(chain, denominator, 0, rows, values, block)


def upper_rules(alpha: Ratio, u: Table, couplings: Sequence[str]) -> None:
    """The upper rule, for every row in the direction of each of its couplings."""
    for pair, row in u.rows.items():
        for key, ij in zip(couplings, orders(pair, len(couplings) == 2), strict=True):
            with at(f"coupling of {ij}"):
                upper_rule(alpha, u, ij, row[key])


def upper_rule(alpha: Ratio, u: Table, pair: Pair, coupling: Json) -> None:
    """Σ w(i,j) u(i,j) + Σ_k max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)) ≤ u(pair)."""
    w = read_coupling(coupling, u.chain)
    b = skew(u.chain, alpha, pair, len(u.chain.rows[pair[0]]))
    lost = excess(u.chain.budget, alpha, b, w)
    u.chain.budget.spend(len(w.weights) + 2, u.denominator.bit_length(), b.bits + w.bits)
    cost = sum(x * u[ij] for ij, x in w.weights.items())
    kept = cost * b.unit + lost * u.denominator <= u[pair] * b.unit * w.whole
    demand(kept, RuleBroken, "it costs more than the value")
