"""Labelled Markov chains: what they hold, what they refuse, and chains made from chains."""

import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from fractions import Fraction
from types import MappingProxyType
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.model import LabelledMarkovChain, Number, quotient, reachable, restrict
from tests.oracle import bisimilarity
from tests.refusals import refuses
from tests.strategies import chains

ONE = Fraction(1)
HALF = Fraction(1, 2)


def single(**changes: Number) -> dict[str, tuple[str, dict[str, Number]]]:
    """A two-state chain whose first row is ``changes``."""
    return {"s0": ("a", changes), "s1": ("b", {"s1": 1})}


class TestOf:
    def test_states_are_sorted_by_code_point(self) -> None:
        chain = LabelledMarkovChain.of(
            {name: (name, {"B": 1}) for name in ("a", "é", "B", "", "a1", "\U0001f600")}
        )
        assert chain.states == ("", "B", "a", "a1", "é", "\U0001f600")
        assert chain.labels == chain.states
        assert all(row == {1: ONE} for row in chain.rows)

    def test_rows_are_sorted_and_exact(self) -> None:
        chain = LabelledMarkovChain.of(single(s1="2/3", s0=Fraction(1, 3)))
        assert list(chain.rows[0].items()) == [(0, Fraction(1, 3)), (1, Fraction(2, 3))]

    def test_numbers_of_every_kind(self) -> None:
        chain = LabelledMarkovChain.of(single(s0="0.1", s1=Fraction(9, 10)))
        assert chain.rows[0] == {0: Fraction(1, 10), 1: Fraction(9, 10)}
        assert all(type(p) is Fraction for row in chain.rows for p in row.values())

    @pytest.mark.parametrize("zero", [0, "0", "-0", "0/7", "0.00", Fraction(0)])
    def test_zeros_are_dropped(self, zero: Number) -> None:
        assert LabelledMarkovChain.of(single(s0=zero, s1=1)).rows[0] == {1: ONE}

    def test_the_relation_is_closed_and_sorted(self) -> None:
        states: Mapping[str, tuple[str, Mapping[str, Number]]] = {s: (s, {s: 1}) for s in "abc"}
        chain = LabelledMarkovChain.of(states, [("c", "b"), ("a", "b"), ("b", "c"), ("a", "a")])
        assert chain.relation == ((0, 0), (0, 1), (1, 0), (1, 2), (2, 1))

    @given(chains(related=True), st.randoms(use_true_random=False))
    def test_the_order_of_the_input_does_not_matter(self, chain: LabelledMarkovChain, random: Any) -> None:
        items = list(by_name(chain).items())
        random.shuffle(items)
        pairs = [(chain.states[s], chain.states[t]) for s, t in chain.relation]
        random.shuffle(pairs)
        assert LabelledMarkovChain.of(dict(items), pairs) == chain

    def test_rows_are_copied_unless_they_are_read_only(self) -> None:
        row, rows = {0: ONE}, (MappingProxyType({0: ONE}),)
        chain = LabelledMarkovChain(("s",), ("a",), (row,))
        row.clear()
        assert chain.rows[0] == {0: ONE}
        assert LabelledMarkovChain(("s",), ("a",), rows).rows[0] is rows[0]


class TestRefusals:
    def test_no_states(self) -> None:
        with refuses("no-states"):
            LabelledMarkovChain.of({})

    def test_row_sum(self) -> None:
        with refuses("row-sum", match='row of state "s0" sums to 999/1000, not 1') as caught:
            LabelledMarkovChain.of(single(s0="1/2", s1="499/1000"))
        assert caught.value.path == '$.states["s0"].next'

    def test_empty_row(self) -> None:
        with refuses("row-sum", match="sums to 0, not 1"):
            LabelledMarkovChain.of(single())

    def test_row_sums_are_exact(self) -> None:
        tiny = Fraction(1, 10**400)
        with refuses("row-sum"):
            LabelledMarkovChain.of(single(s0=tiny, s1=1))
        assert LabelledMarkovChain.of(single(s0=tiny, s1=1 - tiny)).rows[0][0] == tiny

    def test_unknown_successor(self) -> None:
        with refuses("unknown-successor", match='"s9" of state "s0"') as caught:
            LabelledMarkovChain.of(single(s9=1))
        assert caught.value.path == '$.states["s0"].next["s9"]'

    def test_negative_probability(self) -> None:
        with refuses("negative-probability", match="-1/2 is negative") as caught:
            LabelledMarkovChain.of(single(s0="-1/2", s1="3/2"))
        assert caught.value.path == '$.states["s0"].next["s0"]'

    def test_float(self) -> None:
        with refuses("float-probability", match=r"0\.5"):
            LabelledMarkovChain.of(single(s0=cast("Number", 0.5), s1="1/2"))

    @pytest.mark.parametrize("value", [None, True, [1, 2], 1j, b"1"])
    def test_other_types_are_no_numbers(self, value: object) -> None:
        with refuses("not-a-number", match=type(value).__name__):
            LabelledMarkovChain.of(single(s0=cast("Number", value)))

    @pytest.mark.parametrize(
        ("text", "error"),
        [("0.5\n", "malformed-number"), ("1/0", "zero-denominator"), ("1" * 10_001, "number-too-long")],
    )
    def test_texts_that_are_no_numbers(self, text: str, error: str) -> None:
        with refuses(error) as caught:
            LabelledMarkovChain.of(single(s1=text))
        assert caught.value.path == '$.states["s0"].next["s1"]'

    def test_names_and_labels_are_texts(self) -> None:
        with refuses("not-text", match="int"):
            LabelledMarkovChain.of(cast("Any", {1: ("a", {1: 1})}))
        with refuses("not-text", match="label"):
            LabelledMarkovChain.of(cast("Any", {"s": (7, {"s": 1})}))
        with refuses("not-text", match="successor"):
            LabelledMarkovChain.of(cast("Any", {"s": ("a", {0: 1})}))

    def test_missing_label(self) -> None:
        with refuses("missing-label", match='"s"'):
            LabelledMarkovChain.of(cast("Any", {"s": (None, {"s": 1})}))

    @pytest.mark.parametrize("given", ["a", ("a",), ("a", "s"), ("a", {"s": 1}, 0), {"s": 1}, None])
    def test_malformed_state(self, given: object) -> None:
        with refuses("malformed-state", match='"s"'):
            LabelledMarkovChain.of(cast("Any", {"s": given}))

    def test_relation_names_unknown_state(self) -> None:
        with refuses("relation-names-unknown-state", match='"x"') as caught:
            LabelledMarkovChain.of(single(s1=1), [("s0", "s1"), ("s1", "x")])
        assert caught.value.path == "$.relation[1]"


class TestConstructor:
    """A chain cannot break what its engines rely on, however it is made."""

    def test_duplicate_state(self) -> None:
        with refuses("duplicate-state", match='"s"'):
            LabelledMarkovChain(("s", "s"), ("a", "a"), ({0: ONE}, {1: ONE}))

    @pytest.mark.parametrize(
        ("fields", "error"),
        [
            (((), (), ()), "no-states"),
            ((("t", "s"), ("a", "a"), ({0: ONE}, {1: ONE})), "not-canonical"),
            ((("s", "t"), ("a",), ({0: ONE}, {1: ONE})), "not-canonical"),
            ((("s", "t"), ("a", "a"), ({0: ONE},)), "not-canonical"),
            ((("s",), (1,), ({0: ONE},)), "not-text"),
            ((("s",), ("a",), ({1: ONE},)), "unknown-successor"),
            ((("s",), ("a",), ({-1: ONE},)), "unknown-successor"),
            ((("s",), ("a",), ({0: 1.0},)), "not-canonical"),
            ((("s",), ("a",), ({0: HALF},)), "row-sum"),
            ((("s", "t"), ("a", "a"), ({0: ONE, 1: Fraction(0)}, {1: ONE})), "not-canonical"),
            ((("s", "t"), ("a", "a"), ({0: -ONE, 1: 2 * ONE}, {1: ONE})), "negative-probability"),
            ((("s", "t"), ("a", "a"), ({1: HALF, 0: HALF}, {1: ONE})), "not-canonical"),
            ((("s", "t"), ("a", "a"), ({0: ONE}, {1: ONE}), ((0, 1),)), "not-canonical"),
            ((("s", "t"), ("a", "a"), ({0: ONE}, {1: ONE}), ((1, 0), (0, 1))), "not-canonical"),
            ((("s", "t"), ("a", "a"), ({0: ONE}, {1: ONE}), ((0, 0), (0, 0))), "not-canonical"),
            (
                (("s", "t"), ("a", "a"), ({0: ONE}, {1: ONE}), ((0, 2), (2, 0))),
                "relation-names-unknown-state",
            ),
        ],
    )
    def test_refusals(self, fields: tuple[Any, ...], error: str) -> None:
        with refuses(error):
            LabelledMarkovChain(*fields)

    def test_chains_do_not_change(self) -> None:
        row = {0: ONE}
        chain = LabelledMarkovChain(("s",), ("a",), (row,))
        with pytest.raises(FrozenInstanceError):
            chain.states = ("t",)  # type: ignore[misc]
        with pytest.raises(TypeError):
            chain.rows[0][0] = HALF  # type: ignore[index]
        row[0] = HALF
        assert chain.rows[0] == {0: ONE}


class TestChain:
    def test_index(self) -> None:
        chain = LabelledMarkovChain.of(single(s1=1))
        assert [chain.index(name) for name in chain.states] == [0, 1]
        assert len(chain) == 2

    @pytest.mark.parametrize("name", ["", "s", "s00", "s2"])
    def test_unknown_state(self, name: str) -> None:
        with refuses("unknown-state", match='the chain has 2 states: "s0", "s1"'):
            LabelledMarkovChain.of(single(s1=1)).index(name)

    def test_an_index_is_not_a_name(self) -> None:
        with refuses("not-text"):
            LabelledMarkovChain.of(single(s1=1)).index(cast("str", 0))

    @given(chains(related=True))
    def test_pickling_and_hashing(self, chain: LabelledMarkovChain) -> None:
        copy = pickle.loads(pickle.dumps(chain))  # noqa: S301
        assert copy == chain
        assert hash(copy) == hash(chain)

    def test_repr_is_short_whatever_the_numbers(self) -> None:
        tiny = Fraction(1, 10**9000)
        assert len(repr(LabelledMarkovChain.of(single(s0=tiny, s1=1 - tiny)))) < 80


class TestReachable:
    CHAIN = LabelledMarkovChain.of(
        {
            "a": ("", {"b": "1/2", "c": "1/2"}),
            "b": ("", {"b": 1}),
            "c": ("", {"d": 1}),
            "d": ("", {"c": 1}),
            "e": ("", {"a": 1}),
        },
        [("a", "e"), ("b", "c"), ("c", "d")],
    )

    @pytest.mark.parametrize(
        ("sources", "found"),
        [([1], {1}), ([2], {2, 3}), ([0], {0, 1, 2, 3}), ([1, 3], {1, 2, 3}), ([], set())],
    )
    def test_examples(self, sources: list[int], found: set[int]) -> None:
        assert reachable(self.CHAIN, sources) == found

    @pytest.mark.parametrize("source", [-1, 5])
    def test_unknown_source(self, source: int) -> None:
        with refuses("unknown-state", match=str(source)):
            reachable(self.CHAIN, [source])

    def test_restriction_keeps_the_pairs_inside(self) -> None:
        small = restrict(self.CHAIN, [1, 3])
        assert small == LabelledMarkovChain.of(
            {"b": ("", {"b": 1}), "c": ("", {"d": 1}), "d": ("", {"c": 1})}, [("b", "c"), ("c", "d")]
        )

    def test_restriction_to_nothing(self) -> None:
        with refuses("no-states"):
            restrict(self.CHAIN, [])

    @given(chains(related=True), st.data())
    def test_restriction_keeps_rows_and_labels(self, chain: LabelledMarkovChain, data: st.DataObject) -> None:
        source = data.draw(st.integers(0, len(chain) - 1))
        small = restrict(chain, [source])
        kept = by_name(small)
        assert chain.states[source] in kept
        assert kept.items() <= by_name(chain).items()
        assert restrict(small, [small.index(chain.states[source])]) == small


class TestQuotient:
    CHAIN = LabelledMarkovChain.of(
        {
            "a": ("x", {"c": "1/3", "d": "2/3"}),
            "b": ("x", {"d": "1/2", "c": "1/2"}),
            "c": ("y", {"c": 1}),
            "d": ("y", {"c": "1/5", "d": "4/5"}),
            "e": ("x", {"a": "1/2", "d": "1/2"}),
        },
        [("a", "b"), ("e", "b")],
    )

    def test_example(self) -> None:
        small = quotient(self.CHAIN, [[3, 2], [4], [1, 0]])
        assert small == LabelledMarkovChain.of(
            {"b": ("x", {"d": 1}), "d": ("y", {"d": 1}), "e": ("x", {"b": "1/2", "d": "1/2"})},
            [("b", "b"), ("b", "e")],
        )

    def test_different_labels(self) -> None:
        with refuses("quotient-not-lumpable", match='their labels are "x" and "y"'):
            quotient(self.CHAIN, [[0, 2], [1], [3], [4]])

    def test_different_masses(self) -> None:
        with refuses("quotient-not-lumpable", match='states "a" and "b" cannot be merged') as caught:
            quotient(self.CHAIN, [[0, 1], [2], [3], [4]])
        assert 'the class of "c"' in str(caught.value)

    def test_mass_that_only_one_state_has(self) -> None:
        with refuses("quotient-not-lumpable"):
            quotient(self.CHAIN, [[0, 4], [1], [2, 3]])
        with refuses("quotient-not-lumpable"):
            quotient(self.CHAIN, [[4, 0], [1], [2, 3]])

    @pytest.mark.parametrize(
        "classes",
        [
            [[0, 1], [2, 3]],
            [[0, 1], [2, 3], [4], []],
            [[0, 1], [2, 3], [4, 4]],
            [[0, 1], [2, 3], [4], [0]],
            [],
        ],
    )
    def test_not_a_partition(self, classes: list[list[int]]) -> None:
        with refuses("not-a-partition"):
            quotient(self.CHAIN, classes)

    @pytest.mark.parametrize("state", [-1, 5])
    def test_unknown_state(self, state: int) -> None:
        with refuses("unknown-state"):
            quotient(self.CHAIN, [[0, 1], [2, 3], [4], [state]])

    @given(chains(related=True))
    def test_singletons_change_nothing(self, chain: LabelledMarkovChain) -> None:
        small = quotient(chain, [[s] for s in reversed(range(len(chain)))])
        assert small == chain
        assert all(one is other for one, other in zip(small.rows, chain.rows, strict=True))

    @given(chains(related=True))
    def test_bisimilar_states_merge(self, chain: LabelledMarkovChain) -> None:
        classes = bisimilarity(chain)
        small = quotient(chain, classes)
        assert small.states == tuple(sorted(chain.states[members[0]] for members in classes))
        assert bisimilarity(small) == [[s] for s in range(len(small))]


def by_name(chain: LabelledMarkovChain) -> dict[str, tuple[str, dict[str, Number]]]:
    """The states of a chain as ``of`` takes them."""
    return {
        name: (label, {chain.states[t]: p for t, p in row.items()})
        for name, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    }
