"""Systems that refuse what a state does not offer, against the game in which they stay where they are."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prover.certificate.verification import verify
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats import refusal
from prover.formats.refusal import NamedState, refusing
from prover.questions import delta
from tests.refusals import refuses

HALF = Fraction(1, 2)
END: dict[str, NamedState] = {"end": ("end", {"end": Fraction(1)}), "won": ("won", {"won": Fraction(1)})}

Belief = Mapping[str, Fraction]


def process_of(states: Mapping[str, NamedState]) -> LabelledMarkovDecisionProcess:
    found, _ = refusing(states)
    return LabelledMarkovDecisionProcess.of(found, [("s", "t")])


def gain(states: Mapping[str, NamedState], x: Belief, y: Belief, steps: int, alpha: Fraction) -> Fraction:
    """The most that an attacker gains in some steps, where a state that does not offer an action shows
    "refused" and stays: the definition, without copies of states. All states of x and y have one label.
    """
    stop = max(Fraction(0), sum(x.values(), Fraction(0)) - alpha * sum(y.values(), Fraction(0)))
    if not steps:
        return stop
    names = {*x, *y}
    actions = {action for name in names for action in _actions(states[name][1])} or {""}
    return max([stop, *(_after(states, x, y, action, steps, alpha) for action in sorted(actions))])


def _after(
    states: Mapping[str, NamedState], x: Belief, y: Belief, action: str, steps: int, alpha: Fraction
) -> Fraction:
    seen: dict[tuple[bool, str], tuple[dict[str, Fraction], dict[str, Fraction]]] = {}
    for side, belief in enumerate((x, y)):
        for name, mass in belief.items():
            label, rows = states[name]
            refused = bool(_actions(rows)) and action not in rows
            row: Any = {name: Fraction(1)} if refused else rows[action] if _actions(rows) else rows
            for successor, probability in row.items():
                shown = (True, label) if refused else (False, states[successor][0])
                there = seen.setdefault(shown, ({}, {}))[side]
                there[successor] = there.get(successor, Fraction(0)) + mass * probability
    return sum((gain(states, *pair, steps - 1, alpha) for pair in seen.values()), Fraction(0))


def _actions(rows: Mapping[str, Any]) -> list[str]:
    return [action for action, row in rows.items() if isinstance(row, Mapping)]


def test_the_refusal_is_seen() -> None:
    """Under s there is an action more, so asking for it distinguishes the secrets."""
    states: dict[str, NamedState] = {
        "s": ("a", {"look": {"end": Fraction(1)}, "peek": {"end": Fraction(1)}}),
        "t": ("a", {"look": {"end": Fraction(1)}}),
        **END,
    }
    found, notes = refusing(states)
    expected: dict[str, object] = {
        "t": ("a", {"look": {"end": 1}, "peek": {"t (refused: peek)": 1}}),
        "t (refused: peek)": ("a (refused: peek)", {"look": {"end": 1}}),
    }
    assert found == states | expected
    assert notes == (
        "the system refuses what a state does not offer: 1 state is added in which the attacker sees what "
        "has been refused",
    )
    answer = delta(process_of(states), "s", "t", alpha=1)
    assert answer.value == 1
    assert "attackers=all" in verify(answer.certificate)


def test_after_a_refusal_the_state_is_the_same() -> None:
    """The attacker loses nothing by asking for what is refused under both secrets, and then looks."""
    states: dict[str, NamedState] = {
        "s": ("a", {"look": {"won": HALF, "end": HALF}}),
        "t": ("a", {"look": {"end": Fraction(1)}}),
        "u": ("a", {"peek": {"u": Fraction(1)}}),
        **END,
    }
    assert delta(process_of(states), "s", "t", alpha=1).value == HALF


def test_what_offers_the_same_refuses_nothing() -> None:
    states: dict[str, NamedState] = {
        "s": ("a", {"look": {"won": HALF, "end": HALF}}),
        "t": ("a", {"end": Fraction(1)}),
        **END,
    }
    assert refusing(states) == (states, ())


@settings(max_examples=25)
@given(st.data())
def test_the_game_of_the_definition(data: st.DataObject) -> None:
    """Systems of two layers: what is gained in as many steps as there can be is δ."""
    rows = st.sampled_from([{"won": Fraction(1)}, {"end": Fraction(1)}, {"won": HALF, "end": HALF}])
    first = st.sampled_from(
        [{"m": Fraction(1)}, {"n": Fraction(1)}, {"m": HALF, "n": HALF}, {"m": HALF, "won": HALF}]
    )

    def offering(row: st.SearchStrategy[Any]) -> Any:
        return data.draw(st.dictionaries(st.sampled_from("xyz"), row, min_size=1) | row)

    states: dict[str, NamedState] = {
        **{name: ("a", offering(first)) for name in "st"},
        **{name: ("b", offering(rows)) for name in "mn"},
        **END,
    }
    alpha = data.draw(st.sampled_from([Fraction(1), Fraction(6, 5)]))
    expected = max(
        gain(states, {one: Fraction(1)}, {other: Fraction(1)}, 6, alpha) for one, other in ("st", "ts")
    )
    assert delta(process_of(states), "s", "t", alpha=alpha).value == expected


def test_too_many_copies_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusal, "MAX_STATES", 40)
    states: dict[str, NamedState] = {
        str(k): ("a", {f"action {k}": {"end": Fraction(1)}}) for k in range(10)
    } | END
    with refuses("too-many-states", match="more than 40 states"):
        refusing(states)


@pytest.mark.parametrize(("label", "name"), [("a (refused: x)", "u"), ("b", "t (refused: x)")])
def test_names_that_are_taken(label: str, name: str) -> None:
    states: dict[str, NamedState] = {
        "s": ("a", {"x": {"end": Fraction(1)}, "y": {"end": Fraction(1)}}),
        "t": ("a", {"y": {"end": Fraction(1)}}),
        name: (label, {"end": Fraction(1)}),
        **END,
    }
    with refuses("label-taken", match="is a label or a name already; rename it"):
        refusing(states)
