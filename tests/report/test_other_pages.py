"""The pages of distances, of the least ε, of curves, and of accounts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import prover
from prover.exact.rational import decimal_text
from prover.zoo import lyu_1, lyu_3, lyu_4, pin_checker, randomised_response
from prover.zoo.interactive import doors
from tests.commands import FORKS
from tests.commands import prover as run
from tests.report.pages import check_as_told, embedded, whole_text


def test_a_distance(tmp_path: Path) -> None:
    answer = prover.distance(pin_checker(), "0", "1", "11/10")
    page = answer.to_html()
    text = whole_text(page)
    assert "How far apart are 0 and 1, by ld at α = 11/10?" in text
    assert "ld_11/10 = 412/7791 (0.052881…)" in text
    assert "P[E | 0] ≤ 11/10 · P[E | 1] + 412/7791" in text
    assert check_as_told(page, tmp_path) == [f"VERIFIED {prover.verify(answer.certificate)}"]


def test_an_upper_bound_is_an_interval() -> None:
    text = whole_text(prover.distance(pin_checker(), "0", "1", "11/10", bounds="upper").to_html())
    assert "ld_11/10 is between 0.012999 and 0.052882" in text


def test_relations_are_explained() -> None:
    text = whole_text(prover.distance(pin_checker(), "0", "1", kind="bisimilarity").to_html())
    assert "0 and 1 are not bisimilar" in text
    assert "lead to every class of bisimilar states with the same probability" in text


def test_all_distances() -> None:
    table = prover.distances(pin_checker(), epsilon="1/10")
    text = whole_text(table.to_html())
    assert f"0 1 {decimal_text(table.upper['0', '1'], 12)}" in text
    assert "by ld at α = e^(1/10)?" in text
    assert "Not listed: pairs of a state with itself (5, at distance 0)" in text
    assert embedded(table.to_html()) == [table.certificate.data]


def test_the_least_epsilon(tmp_path: Path) -> None:
    answer = prover.epsilon_for(pin_checker(), "0", "1", "1/100")
    page = answer.to_html()
    text = whole_text(page)
    assert "What is the least ε with δ at most 1/100 (0.01), for 0 and 1?" in text
    assert "The least ε with δ ≤ 1/100 is ln(273391/220900) ≈ 0.213192894522, rounded up" in text
    assert "So P[E | 1] − 273391/220900 · P[E | 0] = 1/100, the allowed δ." in text
    assert [line[:8] for line in check_as_told(page, tmp_path)] == ["VERIFIED"] * 2


def test_no_epsilon_at_all() -> None:
    chain = prover.LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("y", {"b": 1})})
    text = whole_text(prover.epsilon_for(chain, "a", "b", "1/2").to_html())
    assert "No ε has δ ≤ 1/2" in text
    assert "Some event is more likely than this under one secret, and has probability 0" in text


def test_a_curve(tmp_path: Path) -> None:
    page = prover.curve(pin_checker(), "0", "1", ["1", "11/10", "5/4"]).to_html()
    text = whole_text(page)
    assert "δ falls from 200/2503 at ε = 0 to 191/30036 at ε = 0.223144, and is known for every ε" in text
    assert "At α = 11/10, δ is 3791/75090." in text
    assert check_as_told(page, tmp_path)[0].startswith("VERIFIED profile")


def test_a_curve_of_intervals_says_what_is_not_proved() -> None:
    found = prover.curve(pin_checker(), "0", "1", ["1", "5/4"], bounds=False)
    wide = [replace(point, lower=point.lower / 2) for point in found]
    page = replace(found, points=tuple(wide), exact=None).to_html()
    text = whole_text(page)
    assert "δ of 0 and 1, in the band" in text
    assert "δ falls from at most 200/2503" in text
    assert "for every ε" not in text
    assert "This page has no certificate of the curve" in text
    assert embedded(page) == []


@pytest.mark.filterwarnings(FORKS)
def test_commands_write_pages(tmp_path: Path) -> None:
    model, survey, year = (tmp_path / name for name in ("pin.json", "survey.json", "year.toml"))
    model.write_text(run("zoo", "pin-checker").out)
    survey.write_text(run("zoo", "randomised-response").out)
    year.write_text('[[mechanism]]\nmodel = "survey.json"\ntimes = 20\n[ask]\ndelta = "1e-6"\n')
    said = {}
    for name, arguments in {
        "distance": ("distance", model, "--alpha", "11/10", "--at-most", "1/10"),
        "lv": ("distance", model, "--alpha", "11/10", "--kind", "lv"),
        "table": ("distance", model, "--alpha", "11/10", "--all-pairs"),
        "epsilon": ("epsilon", model, "--delta", "1/100"),
        "runs": ("epsilon", model, "--delta", "1/100", "--times", "3"),
        "curve": ("curve", model, "--alpha", "1:5/4:3"),
        "account": ("account", year),
    }.items():
        page = tmp_path / f"{name}.html"
        assert run(*arguments, "--html", page).status == 0, name
        said[name] = whole_text(page.read_text(encoding="utf-8"))
    assert "At most 1/10: yes. ld_11/10 =" in said["distance"]
    assert "by events that are likelier under the first secret" in said["lv"]
    assert "all 25 ordered pairs" in said["table"]
    assert "The least ε with δ ≤ 1/100" in said["epsilon"]
    assert "seen in 3 independent runs" in said["runs"]
    assert "Note: the answer is for 3 independent runs" in said["runs"]
    assert "for all related secrets" in said["curve"]
    assert "How private are 20 runs of one mechanism together?" in said["account"]
    assert "Advanced composition proves" in said["account"]


@pytest.mark.filterwarnings(FORKS)
def test_an_account_of_several_questions_has_no_certificate(tmp_path: Path) -> None:
    year = tmp_path / "year.toml"
    known = '[[mechanism]]\nknown = "randomised-response"\nq = "1/2"\ntimes = 5\n'
    year.write_text(f'{known}[ask]\ndelta = ["1e-6", "1e-3"]\n')
    assert run("account", year, "--html", tmp_path / "year.html").status == 0
    text = whole_text((tmp_path / "year.html").read_text(encoding="utf-8"))
    assert "A certificate is about one number" in text
    assert json.dumps("randomised-response, q = 1/2").strip('"') in text


def test_pages_of_parts_of_chains_say_so() -> None:
    big = randomised_response(respondents=5)
    s, t = (big.states[state] for state in big.relation[0])
    text = whole_text(prover.distance(big, s, t, "6/5", bounds="upper").to_html())
    assert f"of {len(big):,} states" in text or f"has {len(big):,} states" in text


def test_a_curve_where_an_attacker_chooses() -> None:
    page = prover.curve(doors(), "s", "t", ["1", "6/5", "2"]).to_html()
    assert "The attacker knows the model" in page
    assert "`prover delta` proves single points of it." in page
    assert "At α = 6/5, δ is 9/20." in page
    assert "The action" in page


def test_a_count_that_is_left_open(tmp_path: Path) -> None:
    answer = prover.privacy_of_counts(lyu_4, "c", last=4)
    page, proof = answer.to_html(), answer.certificate
    assert proof is not None
    text = whole_text(page)
    assert "private: exactly (1/4 + (3/2)·c)·ε for every c >= 1" in text
    assert "(25/4)·ε" in text  # at c = 4
    assert "comes c − 1 times in a row. For c from 1 to 4 it was compared with the code" in text
    assert check_as_told(page, tmp_path) == [f"VERIFIED {prover.verify(proof)}"]


def test_a_page_of_noise_that_is_divided_says_which_rates_it_draws() -> None:
    answer = prover.privacy_of_counts(lyu_1, "c", last=4)
    assert "Rates are those times c, for c = 1." in whole_text(answer.to_html())


def test_a_page_without_a_formula() -> None:
    text = whole_text(prover.privacy_of_counts(lyu_3, "c", last=4).to_html())
    assert "not private: the program is not private at c = 1" in text
    assert "There is no certificate of this answer." in text
