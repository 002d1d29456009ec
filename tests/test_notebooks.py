"""What notebooks and interactive sessions show: short lines, pictures, tables, and what there is to call."""

from __future__ import annotations

import importlib.util
import pydoc
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import prover
from prover.accounting.account import Questions, account
from prover.accounting.mechanism import Mechanism
from prover.chain.model import LabelledMarkovChain
from prover.report.views import TooLargeToDraw
from prover.zoo import dining_cryptographers, leaking_pair, pin_checker, svt
from prover.zoo.large_programs import row_of_loops
from tests.refusals import refuses
from tests.report.pages import read_page, whole_text

Q = Fraction


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    chain = pin_checker()
    program = svt()
    return [
        prover.delta(chain, alpha="11/10"),
        prover.distance(chain, "0", "1", "11/10"),
        prover.distances(chain, "11/10"),
        prover.epsilon_for(chain, delta="1/100"),
        prover.curve(chain, "0", "1", ["1", "11/10"]),
        prover.privacy(program),
        prover.privacy(leaking_pair()),
    ]


def test_answers_say_themselves_in_a_line(answers: list[Any]) -> None:
    for answer in answers:
        assert len(repr(answer)) < 160
        assert "\n" not in repr(answer)
    assert repr(answers[0]) == "<Delta: max delta_11/10 = delta_11/10(1, 0) = 3791/75090 (0.050486…)>"
    assert repr(answers[5]) == "<Privacy: private: exactly (5/4)·ε (no smaller multiple holds)>"
    assert repr(answers[4]) == "<Curve: delta of 0 and 1 at 2 values of alpha, exact>"
    attack = prover.attack(svt(), answers[5])
    assert repr(attack) == "<InputAttack: a loss of 99.8 % of the bound 5/4 at ε = 1>"


def test_parts_of_answers_say_themselves_in_a_line(answers: list[Any]) -> None:
    coin = prover.LossDistribution.randomised_response("1/2")
    parts = {
        repr(answers[0].attack): "<Attack: guess 1, not 0, if the output begins with one of "
        "infinitely many sequences of labels>",
        repr(answers[5].witness): "<Witness: a run of 4 steps that loses (5/4)·ε>",
        repr(coin.repeat(50)): "<LossDistribution: 51 likelihood ratios, δ(∞) = 0>",
        repr(coin.epsilon("1/3")): "<LeastEpsilon: the least epsilon with delta <= 1/3 is 0>",
        repr(prover.shared_cost(svt())): f"<SharedCost: {prover.shared_cost(svt())}>",
        repr(prover.breakpoints(pin_checker())): f"<Breakpoints: {prover.breakpoints(pin_checker())}>",
    }
    assert {shown: expected for shown, expected in parts.items() if shown != expected} == {}
    proof = answers[0].certificate
    assert repr(proof) == f"<Certificate: {len(proof.data)} bytes, SHA-256 {proof.sha256}>"


def test_an_attack_is_a_table(answers: list[Any]) -> None:
    found = prover.attack(svt(), answers[5])
    assert found is not None
    text = " ".join(" ".join(read_page(found._repr_html_()).text).split())
    assert "A loss of 99.8 % of the bound 5/4 at ε = 1" in text
    assert "q2 -> q2 < obot 16 17 2" in text


def test_names_do_not_break_lines() -> None:
    chain = LabelledMarkovChain.of({"a\n\x1b": ("x", {"a\n\x1b": 1}), "b": ("x", {"b": 1})})
    assert repr(prover.delta(chain, "a\n\x1b", "b", 1)).isprintable()


def test_notebooks_show_answers_without_work(answers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a summary takes no attack and no certificate")

    monkeypatch.setattr("prover.report.privacy_page.attack", refuse)
    monkeypatch.setattr("base64.b64encode", refuse)
    for answer in answers:
        shown = answer._repr_html_()
        assert len(read_page(shown).pictures) == 1
        # Nothing outside of the fragment looks different for it.
        style = re.findall(r"<style>(.*?)</style>", shown, re.DOTALL)[0]
        selectors = re.findall(r"^\s*([^\s@}][^{};]*)\{", style, re.MULTILINE)
        assert selectors
        assert all(one.strip().startswith(".prover-shown") for one in selectors), selectors
    assert "δ = 3791/75090" in whole_text(answers[0]._repr_html_())
    assert "not private: leaking pair" in whole_text(answers[6]._repr_html_())
    assert "State q2 (marked)" in whole_text(answers[6]._repr_html_())


COIN = prover.LossDistribution.randomised_response("1/2")
LOSSES = [
    COIN,
    COIN.repeat(50),
    prover.LossDistribution.approximate(2, "1/10"),
    prover.LossDistribution.of_laws({"a": 1}, {"b": 1}),
    prover.EnclosedLossDistribution.of(COIN, prover.Grid(100)).repeat(50),
]


@pytest.mark.family
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_loss_distributions_show_themselves(loss: Any) -> None:
    summary, page = read_page(loss._repr_html_()), read_page(loss.to_html())
    assert len(summary.pictures) == len(page.pictures) == 1
    assert loss.to_html() == loss.to_html()
    assert loss.to_html().startswith("<!doctype html>")
    assert "a distribution alone has no certificate" in whole_text(loss.to_html()).lower()


def test_what_is_said_of_a_loss_distribution() -> None:
    coin, enclosed, apart = (whole_text(LOSSES[k].to_html()) for k in (0, 4, 3))
    assert "δ falls from 1/3 at ε = 0 to 0 as ε grows" in coin
    assert "1/100 0.67803354275" in coin  # ln(197/100), rounded up: 1/100 = 2/3 - α/3
    assert "1/2 -0.693148 .. -0.693147 1/3 2/3" in coin
    assert "no ε makes δ smaller" not in coin
    assert "δ is 1 at every ε" in apart
    assert "1/100 none" in apart
    assert "δ is at most 0.984334 at ε = 0" in enclosed
    lies = "The distribution is not known exactly: it lies between two distributions on the ratios"
    assert f"{lies} (1 + 1/100)^k" in enclosed


def test_an_account_shows_itself() -> None:
    coins = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=1000)
    found = account([coins], Questions())
    assert repr(found) == "<Account: 1,000 runs of 1 mechanism, exact>"
    assert len(read_page(found._repr_html_()).pictures) == 1


@pytest.mark.parametrize("model", [pin_checker(), svt()], ids=["chain", "program"])
def test_models_are_drawn(model: LabelledMarkovChain | prover.Program, tmp_path: Path) -> None:
    drawing = model.show()
    assert str(drawing).startswith("<?xml")
    assert repr(drawing).startswith("<Drawing: ")
    assert read_page(drawing._repr_html_()).pictures == read_page(model._repr_html_()).pictures
    drawing.write(tmp_path / "model.svg")
    assert (tmp_path / "model.svg").read_bytes() == str(drawing).encode()


def test_large_models_say_so() -> None:
    chain = dining_cryptographers(n=5)
    with pytest.raises(TooLargeToDraw, match="is not drawn"):
        chain.show()
    assert "is not drawn" in whole_text_of_fragment(chain)
    with pytest.raises(TooLargeToDraw, match="at most 60"):
        row_of_loops(states=70).show()


def whole_text_of_fragment(model: Any) -> str:
    return " ".join(read_page(model._repr_html_()).text)


def test_a_table_has_its_pairs(answers: list[Any]) -> None:
    table = answers[2]
    assert table["0", "1"].value == answers[1].value == Q(412, 7791)
    assert repr(table["0", "1"]) == repr(answers[1])
    assert table["0", "0"].value == 0
    with refuses("unknown-state"):
        table["0", "nobody"]
    with pytest.raises(prover.BadInput, match="pair must be"):
        table["0"]
    with pytest.raises(prover.BadInput, match="two names"):
        table["0", "1", "2"]


def test_a_curve_has_its_points(answers: list[Any]) -> None:
    assert answers[4][1] is answers[4].points[1] is [*answers[4]][1]
    assert repr(answers[4][-1]) == "<CurvePoint: δ = 3791/75090 at α = 11/10>"
    assert (
        prover.curve(pin_checker(), "0", "1", [1]).headline == "delta of 0 and 1 at 1 value of alpha, exact"
    )
    with pytest.raises(IndexError):
        answers[4][2]


def test_a_curve_draws_itself(answers: list[Any]) -> None:
    assert "the points asked for" in str(answers[4].plot())


class FakePandas(ModuleType):
    """What is asked of pandas, where that may not be installed."""

    def DataFrame(self, data: dict[str, list[Any]], index: Any, dtype: type) -> Any:
        assert dtype is object
        return data, index


def test_tables_of_pandas(answers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", FakePandas("pandas"))
    data, index = answers[2].to_pandas()
    assert index == ("0", "1", "2", "3", "end")
    assert data["1"][0] == Q(412, 7791)
    assert data["end"][0] == 1
    data, index = answers[4].to_pandas()
    assert data["alpha"] == [1, Q(11, 10)]
    assert data["upper"] == [Q(200, 2503), Q(3791, 75090)]
    assert index is None


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_tables_of_the_real_pandas(answers: list[Any]) -> None:
    frame = answers[2].to_pandas()
    assert frame.loc["0", "1"] == Q(412, 7791)
    assert list(answers[4].to_pandas()["upper"]) == [Q(200, 2503), Q(3791, 75090)]


def test_without_pandas_a_line_says_so(answers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refuses("no-pandas", match="needs pandas"):
        answers[4].to_pandas()


@pytest.mark.parametrize("alpha", [Decimal("1.1"), "1.1", Q(11, 10), Decimal("1.1E0")])
def test_exact_numbers_of_all_kinds(alpha: Any) -> None:
    assert prover.delta(pin_checker(), alpha=alpha).value == Q(3791, 75090)


def test_integers_of_numpy() -> None:
    two: Any = np.int64(2)
    one: Any = np.uint8(1)
    big = prover.distance(pin_checker(), "0", "1", two)
    assert big.value == prover.distance(pin_checker(), "0", "1", 2).value
    assert type(big.alpha.numerator) is int  # type: ignore[union-attr]
    chain = LabelledMarkovChain.of({"a": ("x", {"a": one})})
    assert type(chain.rows[0][0].numerator) is int


def test_integers_of_numpy_are_counts() -> None:
    two: Any = np.int64(2)
    coin = prover.LossDistribution.randomised_response("1/2", two)
    thousand: Any = np.int16(1000)
    assert coin.repeat(thousand) == COIN.repeat(1000)
    assert prover.LossDistribution.discrete_laplace("1/2", two, bound=two).infinite > 0
    enclosed = prover.EnclosedLossDistribution.of(COIN, prover.Grid(np.int8(100)))  # type: ignore[arg-type]
    assert repr(enclosed.repeat(two)) == repr(enclosed.repeat(2))
    assert prover.repeat(pin_checker(), two) == prover.repeat(pin_checker(), 2)
    for wrong in (2.0, np.float64(2), True, "2", None):
        with pytest.raises(prover.BadInput, match="times must be an integer, not"):
            COIN.repeat(wrong)  # type: ignore[arg-type]
        with pytest.raises(prover.BadInput, match="values must be an integer, not"):
            prover.LossDistribution.randomised_response("1/2", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given", [float("nan"), float("inf"), Decimal("NaN"), Decimal("Infinity"), True, None]
)
def test_no_number_is_refused(given: Any) -> None:
    with pytest.raises(prover.BadInput):
        prover.delta(pin_checker(), alpha=given)


@pytest.mark.parametrize("given", [1.1, np.float64(1.1)])
def test_floats_are_refused_with_what_to_write(given: Any) -> None:
    with pytest.raises(prover.BadInput, match=re.escape('write it as text: "1.1" is exactly 11/10')):
        prover.delta(pin_checker(), alpha=given)
    with refuses("float-probability", match=re.escape('"1.1" is exactly 11/10')):
        LabelledMarkovChain.of({"a": ("x", {"a": given})})


def test_the_least_epsilon_needs_no_empty_places() -> None:
    assert str(prover.epsilon_for(pin_checker(), delta="1/100").alpha) == "273391/220900"
    with pytest.raises(prover.BadInput, match="give the delta that is allowed"):
        prover.epsilon_for(pin_checker())


def test_the_module_tells_what_it_has() -> None:
    assert set(prover.__all__) <= set(dir(prover))
    functions = [name for name in prover.__all__ if name[0].islower()]
    words = pydoc.plain(pydoc.render_doc(prover)).partition("PACKAGE CONTENTS")[0]
    lines = re.findall(r"^ {8}([a-z_, ]+?)  +\S", words, re.MULTILINE)
    named = [name for line in lines for name in line.split(", ")]
    assert sorted(named) == sorted(functions)
