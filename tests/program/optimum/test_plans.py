"""Steps by plans, against the same steps point by point."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from prover.program.optimum.functions import Box, Function, Transfer, by_points, respects, simplified
from prover.program.optimum.plans import ShiftGrid, by_plan, plan
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order
from prover.zoo import k_min_max
from tests.profiles import examples

CAP = 6
EDGE = k_min_max(2).edges[0]
NO_ORDER: Order = frozenset()
ORDERS = [NO_ORDER, frozenset({("a", "b")}), frozenset({("a", "b"), ("b", "c"), ("a", "c")})]

orders = st.sampled_from(ORDERS)
some_names = st.sets(st.sampled_from("abc"))
names = some_names.map(lambda some: tuple(sorted(some)))
sides = st.sampled_from([(-1, 1), (0, 0), (-1, 0), (0, 1)])
boxes = st.dictionaries(st.sampled_from("abc"), sides, max_size=2).map(Box)
costs = st.tuples(*[st.none() | st.integers(0, 3)] * 3)
values = st.lists(st.sampled_from([0, 1, CAP]), min_size=27, max_size=27)


@given(names=names, box=boxes, order=orders, values=values)
@examples(150)
def test_functions_on_a_grid_lose_the_variables_that_do_not_matter(
    names: tuple[str, ...], box: Box, order: Order, values: list[int]
) -> None:
    shifts = [[shift for shift in SHIFTS if box.allows(name, shift)] for name in names]
    vectors = [vector for vector in product(*shifts) if respects(order, names, vector)]
    points = {vector: v for vector, v in zip(vectors, values, strict=False) if v < CAP}
    if points:
        found = ShiftGrid(names, tuple(vectors), order).simplified(values[: len(vectors)], CAP)
        assert found == simplified(names, points, order)


@given(
    after=names, values=values, below=some_names, above=some_names, stored=some_names,
    costs=costs, box=boxes, order=orders,
)  # fmt: skip
@examples(150)
def test_steps(
    after: tuple[str, ...],
    values: list[int],
    below: set[str],
    above: set[str],
    stored: set[str],
    costs: tuple[int | None, ...],
    box: Box,
    order: Order,
) -> None:
    step = Transfer(EDGE, 0, frozenset(below), frozenset(above - below), frozenset(stored), costs)
    vectors = product(SHIFTS, repeat=len(after))
    points = [(vector, v) for vector, v in zip(vectors, values, strict=False) if v < CAP]
    function = Function(after, tuple(points))
    made = by_plan(plan(step, after, box, order), function, CAP)
    found = simplified(made.names, dict(made.points), order)
    assert found == by_points(step, function, box, order, CAP)
