"""Collapsed chains against enumerations of what observers see; examples of silence and divergence."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover.chain.collapsing import elimination
from prover.chain.collapsing.collapse import collapse
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain, restrict
from prover.questions import delta
from prover.zoo import dining_cryptographers
from tests.chain.collapsing.observed import Observer, Word, beginnings, enumerated, observers, shown, slowed
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import alphas, chains, ending_chains

F = Fraction
LENGTH, STEPS = 4, 40


def collapsed(chain: LabelledMarkovChain, observer: Observer) -> CollapsedChain:
    return collapse(chain, sorted(observer.silent & {*chain.labels}), untimed=observer.untimed)


def as_seen(small: CollapsedChain, name: str, observer: Observer, length: int) -> dict[Word, F]:
    """What the collapsed chain shows, without the label of a start; words that are continued end in ""."""
    start, silence = small.collapsing.start, small.collapsing.silence

    def ended(word: Word, state: int) -> bool:
        if observer.untimed:
            return word[-1] == word[-2]
        return small.labels[state] == silence

    words = shown(small, small.index(name), length + (start is not None), ended)
    if start is None:
        return words
    return {word[1:]: mass for word, mass in words.items() if len(word) > 1}


@given(chains(related=True) | chains(), observers())
def test_it_shows_what_the_observer_sees(chain: LabelledMarkovChain, observer: Observer) -> None:
    small = collapsed(chain, observer)
    initial = {s for pair in chain.relation for s in pair} or range(len(chain))
    for s in initial:
        exact = beginnings(chain, s, observer, LENGTH)
        wanted = {word: mass for word, mass in exact.items() if len(word) <= LENGTH}
        found = as_seen(small, chain.states[s], observer, LENGTH)
        assert {word: mass for word, mass in found.items() if len(word) <= LENGTH} == wanted


@examples(60)
@given(chains(related=True, max_states=5), observers())
def test_enumerated_runs_agree(chain: LabelledMarkovChain, observer: Observer) -> None:
    small = collapsed(chain, observer)
    for s in {s for pair in chain.relation for s in pair}:
        found = as_seen(small, chain.states[s], observer, LENGTH)
        runs = enumerated(chain, s, observer, LENGTH, STEPS)
        for word, mass in found.items():
            if word[-1:] == ("",) or len(word) > LENGTH:
                continue
            sure = sum((m for w, m in runs.items() if w[: len(word)] == word), F(0))
            open_ = sum((m for w, m in runs.items() if w == word[: len(w)] and w != word), F(0))
            assert sure <= mass <= sure + open_ + F(1, 2**60)


@given(chains(related=True), alphas(), observers())
@examples(40)
def test_delta_is_at_most_that_of_every_step(
    chain: LabelledMarkovChain, alpha: F, observer: Observer
) -> None:
    small = collapsed(chain, observer)
    gap = F(1, 1000)
    assert delta(small, alpha=alpha, gap=gap).lower <= delta(chain, alpha=alpha, gap=gap).upper


@given(ending_chains(), alphas(), observers(labels="ab"))
@examples(40)
def test_delta_of_chains_that_end_is_at_most_that_of_every_step(
    chain: LabelledMarkovChain, alpha: F, observer: Observer
) -> None:
    small, exact = collapsed(chain, observer), delta(chain, alpha=alpha, gap=0).value
    found = delta(small, alpha=alpha, gap=0).value
    assert found is not None
    assert exact is not None
    assert found <= exact


@given(chains(related=True) | chains(), st.randoms(use_true_random=False))
def test_silent_states_on_the_way_change_nothing(chain: LabelledMarkovChain, random: Random) -> None:
    sources = {s for pair in chain.relation for s in pair} or range(len(chain))
    slow = slowed(chain, random, lambda _: "tau")
    if not chain.relation:  # every state would be an initial one, the new ones too
        related = [(name, name) for name in chain.states]
        slow = LabelledMarkovChain(
            slow.states,
            slow.labels,
            slow.rows,
            tuple(sorted((slow.index(a), slow.index(b)) for a, b in related)),
        )
    silent = ["tau"] if "tau" in slow.labels else []
    small = collapse(slow, silent, untimed=False)
    kept = restrict(chain, sources)
    assert (small.states, small.labels, small.rows) == (kept.states, kept.labels, kept.rows)


@given(chains(related=True), st.randoms(use_true_random=False))
def test_delays_change_nothing_where_time_is_not_seen(chain: LabelledMarkovChain, random: Random) -> None:
    slow = slowed(chain, random, chain.labels.__getitem__)
    first, second = collapse(chain), collapse(slow)
    assert (first.states, first.labels, first.relation) == (second.states, second.labels, second.relation)
    assert first.rows == second.rows


def chain_of(
    relation: list[tuple[str, str]], **states: tuple[str, Mapping[str, str | int | F]]
) -> LabelledMarkovChain:
    return LabelledMarkovChain.of(dict(states), relation)


def test_steps_are_not_counted() -> None:
    chain = chain_of(
        [("s", "t")],
        s=("a", {"z": 1}), t=("a", {"u": 1}), u=("a", {"z": 1}), z=("end", {"z": 1}),
    )  # fmt: skip
    assert delta(chain, alpha=7).value == 1
    small = collapse(chain)
    assert small.states == ("s", "t", "z")
    assert delta(small, alpha=1).value == 0


def test_a_silent_cycle_is_left_with_the_right_odds() -> None:
    chain = chain_of(
        [("s", "s")],
        s=("a", {"u": 1}), u=("tau", {"v": "1/2", "x": "1/4", "s": "1/4"}),
        v=("tau", {"u": "2/3", "y": "1/3"}), x=("x", {"x": 1}), y=("y", {"y": 1}),
    )  # fmt: skip
    timed, untimed = collapse(chain, ["tau"], untimed=False), collapse(chain, ["tau"])
    # u: h(x) = 1/4 + 1/2 · 2/3 h(x), and so on.
    assert timed.rows[timed.index("s")] == {0: F(3, 8), 1: F(3, 8), 2: F(1, 4)}
    assert untimed.rows[untimed.index("s")] == {untimed.index("x"): F(3, 5), untimed.index("y"): F(2, 5)}


def test_staying_for_ever_is_an_outcome_of_its_own() -> None:
    chain = chain_of(
        [("s", "t")],
        s=("a", {"d": "1/3", "z": "2/3"}), t=("a", {"d": "1/2", "t": "1/4", "z": "1/4"}),
        d=("a", {"e": 1}), e=("a", {"d": 1}), z=("end", {"z": 1}),
    )  # fmt: skip
    small = collapse(chain)
    for_ever = small.index("a for ever")
    assert small.labels[for_ever] == "a"
    assert small.rows[for_ever] == {for_ever: 1}
    assert small.rows[small.index("s")] == {for_ever: F(1, 3), small.index("z"): F(2, 3)}
    assert small.rows[small.index("t")] == {for_ever: F(2, 3), small.index("z"): F(1, 3)}
    assert delta(small, alpha=1).value == F(1, 3)


@pytest.mark.parametrize("untimed", [True, False])
def test_two_that_surely_diverge_are_the_same(untimed: bool) -> None:
    chain = chain_of(
        [("s", "t")],
        s=("a", {"u": 1}), u=("tau", {"u": "1/2", "v": "1/2"}), v=("tau", {"u": 1}),
        t=("a", {"w": 1}), w=("tau", {"w": 1}),
    )  # fmt: skip
    small = collapse(chain, ["tau"], untimed=untimed)
    assert delta(small, alpha=1).value == 0
    if untimed:
        assert small.states == ("s", "t")
        assert small.rows[0] == {0: 1}
    else:
        assert small.states == ("s", "silence", "t")
        assert small.rows[0] == {1: 1}


def test_silence_is_not_a_label_for_ever() -> None:
    chain = chain_of([("s", "t")], s=("a", {"u": 1}), u=("tau", {"u": 1}), t=("a", {"t": 1}))
    assert delta(collapse(chain, ["tau"], untimed=False), alpha=9).value == 1
    assert delta(collapse(chain, ["tau"]), alpha=1).value == 0


@pytest.mark.parametrize("untimed", [True, False])
def test_a_silent_initial_state_and_a_visible_one_begin_alike(untimed: bool) -> None:
    chain = chain_of(
        [("s", "t")], s=("tau", {"t": 1}), t=("a", {"t": "1/2", "z": "1/2"}), z=("end", {"z": 1})
    )  # fmt: skip
    small = collapse(chain, ["tau"], untimed=untimed)
    assert {small.labels[small.index(name)] for name in "st"} == {"start"}
    assert delta(small, alpha=1).value == 0


def test_a_start_that_never_shows_anything() -> None:
    chain = chain_of(
        [("s", "t")], s=("tau", {"s": 1}), t=("tau", {"t": "1/2", "z": "1/2"}), z=("z", {"z": 1})
    )
    for untimed in (True, False):
        assert delta(collapse(chain, ["tau"], untimed=untimed), alpha=5).value == 1
    everything = collapse(chain, ["tau", "z"])
    assert everything.states == ("s", "t")
    assert delta(everything, alpha=1).value == 0


def test_new_names_and_labels_avoid_old_ones() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("start", {"t": "1/2", "u": "1/2"}),
            "t": ("silence", {"t": "1/2", "u": "1/2"}),
            "u": ("tau", {"u": 1}),
            "t seen": ("silence", {"u": 1}),
            "silence": ("tau", {"t seen": "1/2", "s": "1/2"}),
        },
        [("silence", "t")],
    )
    small = collapse(chain, ["tau"], untimed=False)
    assert {*small.states} >= {"silence", "silence'", "t", "t seen'", "t seen seen", "s seen"}
    assert small.labels[small.index("silence")] == "start'"
    assert small.labels[small.index("silence'")] == "silence'"
    assert small.relation == ((1, 3), (3, 1))


def test_without_a_relation_every_state_is_kept() -> None:
    chain = restrict(dining_cryptographers(3), [0])
    unrelated = LabelledMarkovChain(chain.states, chain.labels, chain.rows)
    assert {*collapse(unrelated).states} >= {*chain.states}


def test_unreachable_states_and_states_inside_a_stretch_are_dropped() -> None:
    chain = chain_of(
        [("s", "s")],
        s=("a", {"u": 1}), u=("a", {"z": 1}), z=("b", {"z": 1}), lost=("c", {"s": 1}),
    )  # fmt: skip
    assert collapse(chain).states == ("s", "z")


def test_long_numbers_stay_exact() -> None:
    tiny = F(1, 10**400)
    chain = chain_of(
        [("s", "t")],
        s=("a", {"s": 1 - tiny, "x": tiny / 3, "y": 2 * tiny / 3}), t=("a", {"x": "1/3", "y": "2/3"}),
        x=("x", {"x": 1}), y=("y", {"y": 1}),
    )  # fmt: skip
    small = collapse(chain)
    assert small.rows[small.index("s")] == small.rows[small.index("t")]


def test_wrong_labels_are_named() -> None:
    chain = prover.LabelledMarkovChain.of({"s": ("tau", {"s": 1})})
    with refuses("unknown-label", match='no state has the silent label "t"'):
        collapse(chain, ["t"])
    with refuses("not-labels"):
        collapse(chain, "tau")
    with refuses("not-labels"):
        collapse(chain, [1])  # type: ignore[list-item]


def test_too_many_exits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elimination, "MOST_EXITS", 3)
    with refuses("too-many-exits", match="more than 3 "):
        collapse(dining_cryptographers(3))


def test_collapsed_chains_compare_hash_and_travel() -> None:
    first, second = (collapse(dining_cryptographers(3)) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    copy = pickle.loads(pickle.dumps(first))  # noqa: S301  it comes from here
    assert copy == first
    assert copy.collapsing == first.collapsing
    assert repr(first).startswith("<LabelledMarkovChain")


def test_it_is_public() -> None:
    chain = dining_cryptographers()
    assert prover.collapse(chain) == collapse(chain)
