"""The programs of ``tests.program_examples`` are what their names say."""

from prover.program.conditions import conditions
from tests.program_examples import (
    disclosing_cycle,
    numeric_sparse_with_insample,
    published_numeric_sparse,
    two_branches,
)


def test_all_conditions_hold() -> None:
    examples = [
        numeric_sparse_with_insample(),
        disclosing_cycle(),
        disclosing_cycle("insampleprime"),
        two_branches(),
        published_numeric_sparse(),
        published_numeric_sparse(private_threshold=True),
    ]
    for example in examples:
        met = conditions(example)
        assert met.determinism
        assert met.output_distinction


def test_the_two_branches_part_for_ever() -> None:
    ends = {edge.source: edge.target for edge in two_branches().edges if edge.source in ("q2", "q3")}
    assert ends == {"q2": "q2", "q3": "q3"}


def test_only_the_threshold_differs() -> None:
    public, private = published_numeric_sparse(), published_numeric_sparse(private_threshold=True)
    assert public.states["q1"] == private.states["q1"]
    assert (public.states["q0"].input, private.states["q0"].input) == (False, True)
