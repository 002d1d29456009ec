"""Secrets with long names are called s and t, and the answer says once which states these are."""

from __future__ import annotations

from typing import Any

from prover import LabelledMarkovChain, delta, distance, epsilon_for
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.report.delta import delta_json
from prover.report.delta import document as delta_document
from prover.report.distance import document as distance_document
from prover.report.epsilon import document as epsilon_document
from prover.report.names import legend
from tests.interactive_oracle import attackers_delta as against_all
from tests.report.pages import whole_text

LONG = ",".join(f"the_variable_number_{k}=0" for k in range(15))
ONE, OTHER = f"{LONG},secret=1,told=a", f"{LONG},secret=2,told=b"
ROWS: dict[str, dict[str, Any]] = {ONE: {"x": "2/3", "y": "1/3"}, OTHER: {"x": "1/3", "y": "2/3"}}
ENDS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {name: 1}) for name in "xy"}
CHAIN = LabelledMarkovChain.of({name: ("?", ROWS[name]) for name in ROWS} | ENDS, [(ONE, OTHER)])
PROCESS = LabelledMarkovDecisionProcess.of(
    {name: ("?", {"look": ROWS[name], "wait": {name: 1}}) for name in ROWS} | ENDS,
    [(ONE, OTHER)],
)
DIFFERING = "secret is 1 in s, 2 in t; told is a in s, b in t; 15 other variables are the same in both."


def test_texts_say_once_which_states_they_are() -> None:
    answer = delta(CHAIN, ONE, OTHER, "6/5")
    for text in (
        delta_document(answer).text,
        distance_document(distance(CHAIN, ONE, OTHER, "6/5")).text,
        epsilon_document(epsilon_for(CHAIN, ONE, OTHER, "1/10")).text,
        delta_document(against_all(PROCESS, ONE, OTHER, "6/5", open_loop=True)).text,
    ):
        assert text.count(DIFFERING) == 1
        assert "the_variable" not in text
        assert "P[E | s]" in text
    assert "delta_6/5(s, t) = 4/15" in delta_document(answer).text
    assert delta_json(answer)["from"] == ONE
    assert "δ from t to s: 4/15" in delta_document(answer).text


def test_the_other_way_round_it_is_the_same_two() -> None:
    text = delta_document(delta(CHAIN, OTHER, ONE, "6/5", kind="lv")).text
    assert "lv_6/5(s, t)" in text
    assert "secret is 2 in s, 1 in t" in text
    assert "Attack: guess s if the output begins with:" in text


def test_pages_do_it_too() -> None:
    for page in (
        delta(CHAIN, alpha="6/5").to_html(),
        distance(CHAIN, alpha="6/5").to_html(),
        epsilon_for(CHAIN, delta="1/10").to_html(),
        epsilon_for(PROCESS, delta="1/10").to_html(),
        against_all(PROCESS, ONE, OTHER, "6/5").to_html(),
    ):
        assert whole_text(page).count(DIFFERING) == 1
    assert "x s 2/3 t 1/3 Guess s" in whole_text(delta(CHAIN, ONE, OTHER, "6/5").to_html())


def test_names_without_variables_stand_there_once() -> None:
    assert legend("a" * 70, "b=1") == [f"State s is {'a' * 70}", "State t is b=1"]
    assert legend("x=1,y=1", "x=1,z=1") == ["State s is x=1,y=1", "State t is x=1,z=1"]
    assert legend("a" * 5_000, "b")[0].endswith("aaa (5000 characters)")


def test_many_variables_are_counted() -> None:
    first, second = (",".join(f"v{k}={value}" for k in range(20)) for value in (0, 1))
    assert legend(first, second)[0].endswith("; v11 is 0 in s, 1 in t; and 8 more differ.")


def test_short_names_stay() -> None:
    chain = LabelledMarkovChain.of({"x=1": ("?", ROWS[ONE]), "x=2": ("?", ROWS[OTHER])} | ENDS)
    assert "δ from x=1 to x=2" in delta_document(delta(chain, "x=1", "x=2", "6/5")).text
