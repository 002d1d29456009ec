"""`prover distance --json`: what is answered to which question, with every certificate checked."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from prover.certificate.check.reading import MAX_DIGITS
from prover.chain import dispatch as engine
from prover.cli.distance import _lifted
from prover.cli.options import CommandQuery
from prover.exact.rational import format_rational, parse_rational
from prover.progress import silent
from prover.report.reply import Reply
from prover.zoo import random_chain
from tests.commands import FORKS, answer, prover, saved, verdicts, zoo
from tests.outside_examples import THREE_RUNGS

pytestmark = pytest.mark.filterwarnings(FORKS)


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


@pytest.mark.parametrize(
    ("kind", "value"), [("ld", "412/7791"), ("lgd", "412/7791"), ("bd", "6/53"), ("kernel", "1")]
)
def test_a_pair(pin: Path, tmp_path: Path, kind: str, value: str) -> None:
    found = answer(tmp_path, pin, "--from", "0", "--to", "1", "--alpha", "11/10", "--kind", kind)
    del found["seconds"], found["check"], found["certificate"], found["model"]
    assert found == {
        "kind": kind, "alpha": "11/10", "from": "0", "to": "1",
        "lower": value, "upper": value, "value": value,
        "engine": "refinement" if kind == "kernel" else "lp",
        "format": 1, "at_most": None, "holds": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "pair", "value"),
    [("ld", ("1", "0"), "6611/77910"), ("bd", ("0", "1"), "6/53"), ("kernel", ("0", "1"), "1")],
)
def test_the_relation(pin: Path, tmp_path: Path, kind: str, pair: tuple[str, str], value: str) -> None:
    found = answer(tmp_path, pin, "--alpha", "1.1", "--kind", kind)
    assert (found["from"], found["to"], found["value"], found["alpha"]) == (*pair, value, "11/10")


@pytest.mark.parametrize(("target", "value"), [("1", "1"), ("0", "0")])
def test_bisimilarity_has_no_alpha(pin: Path, tmp_path: Path, target: str, value: str) -> None:
    found = answer(tmp_path, pin, "--from", "0", "--to", target, "--kind", "bisimilarity")
    assert (found["alpha"], found["value"], found["engine"]) == (None, value, "refinement")


@pytest.mark.parametrize("kind", ["ld", "lgd", "bd", "kernel", "bisimilarity"])
def test_all_pairs(pin: Path, tmp_path: Path, kind: str) -> None:
    alpha = [] if kind == "bisimilarity" else ["--alpha", "11/10"]
    found = answer(tmp_path, pin, "--all-pairs", "--kind", kind, *alpha)
    states = ["0", "1", "2", "3", "end"]
    expected = {s: {t: "0" if s == t else "1" for t in states} for s in states}
    if kind in ("ld", "lgd"):
        expected["0"]["1"] = expected["3"]["2"] = "412/7791"
        expected["1"]["0"] = expected["2"]["3"] = "6611/77910"
    elif kind == "bd":
        expected["0"]["1"] = expected["1"]["0"] = expected["2"]["3"] = expected["3"]["2"] = "6/53"
    assert found["values"] == found["lower"] == found["upper"] == expected


def test_bisimilar_states_as_one(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text(
        '{"type": "labelled-markov-chain", "version": 1, "states": {"s": {"label": "S", "next": {"e": "3/5", '
        '"g": "2/5"}}, "t": {"label": "S", "next": {"f": "1/2", "g": "1/2"}}, "e": {"label": "e", "next": '
        '{"e": 1}}, "f": {"label": "e", "next": {"f": 1}}, "g": {"label": "g", "next": {"g": 1}}}}'
    )
    pair = ("--from", "s", "--to", "t", "--alpha", "11/10")
    assert answer(tmp_path, model, *pair)["value"] == "1/10"
    found = answer(tmp_path, model, *pair, "--merge")
    assert (found["value"], found["merged"]) == ("1/20", True)
    assert answer(tmp_path, model, *pair[-2:], "--all-pairs", "--merge")["values"]["e"]["f"] == "0"
    assert prover("distance", model, *pair, "--merge", "--kind", "lv").status == 2


@pytest.mark.parametrize(("source", "target", "value"), [("0", "0", "0"), ("0", "2", "1"), ("end", "0", "1")])
def test_trivial_pairs(pin: Path, tmp_path: Path, source: str, target: str, value: str) -> None:
    for kind in ("ld", "bd", "kernel"):
        found = answer(tmp_path, pin, "--from", source, "--to", target, "--alpha", "3", "--kind", kind)
        assert found["value"] == value


def test_a_chain_of_one_state(tmp_path: Path) -> None:
    model = saved(tmp_path, {"": ("", {"": "1"})}, [("", "")])
    for question in (["--from", "", "--to", ""], []):
        assert answer(tmp_path, model, "--alpha", "2", *question)["value"] == "0"
    assert answer(tmp_path, model, "--alpha", "2", "--all-pairs")["values"] == {"": {"": "0"}}


@pytest.mark.parametrize(("alpha", "text"), [("1", "1"), ("2.50", "5/2"), ("006/4", "3/2"), ("1.0", "1")])
def test_alpha_is_read_literally(pin: Path, tmp_path: Path, alpha: str, text: str) -> None:
    assert answer(tmp_path, pin, "--alpha", alpha, "--from", "0", "--to", "1")["alpha"] == text


def test_reachable_only_can_raise_ld(tmp_path: Path) -> None:
    model = saved(tmp_path, THREE_RUNGS)
    question = (model, "--alpha", "8/5", "--from", "s", "--to", "t")
    assert answer(tmp_path, *question)["value"] == "13/1500"
    assert answer(tmp_path, *question, "--reachable-only")["value"] == "13/250"


def test_reachable_only_keeps_what_the_relation_reaches(tmp_path: Path) -> None:
    model = saved(tmp_path, THREE_RUNGS, [("s", "t"), ("A", "B")])
    assert answer(tmp_path, model, "--alpha", "8/5", "--reachable-only")["value"] == "1"


@pytest.mark.parametrize("kind", ["ld", "lgd", "bd"])
def test_bounds_upper_is_an_answer(pin: Path, tmp_path: Path, kind: str) -> None:
    question = (pin, "--alpha", "11/10", "--from", "0", "--to", "1", "--kind", kind)
    exact = Fraction(answer(tmp_path, *question)["value"])
    found = answer(tmp_path, *question, "--bounds", "upper", status=0)
    assert found["value"] is None
    assert Fraction(found["lower"]) <= exact <= Fraction(found["upper"]) < exact + Fraction(1, 10**6)


@pytest.mark.parametrize("kind", ["ld", "bd"])
def test_max_bits_too_few(pin: Path, tmp_path: Path, kind: str) -> None:
    question = (pin, "--alpha", "11/10", "--from", "0", "--to", "1", "--kind", kind)
    exact = Fraction(answer(tmp_path, *question)["value"])
    found = answer(tmp_path, *question, "--max-bits", "2", status=3)
    assert found["value"] is None
    assert Fraction(found["lower"]) < exact < Fraction(found["upper"])
    run = prover("distance", *question, "--max-bits", "2")
    assert run.status == 3
    assert run.err == "prover: not decided: exact numbers are longer than certificates or --max-bits allow\n"


def test_max_bits_too_few_for_all_pairs(tmp_path: Path) -> None:
    model = zoo(tmp_path, "random-chain", "states=9", "labels=2")
    found = answer(tmp_path, model, "--alpha", "6/5", "--all-pairs", "--max-bits", "9", status=3)
    entries = [value for row in found["values"].values() for value in row.values()]
    assert None in entries
    assert "0" in entries
    assert "1" in entries


def test_max_bits_enough(pin: Path, tmp_path: Path) -> None:
    assert answer(tmp_path, pin, "--alpha", "11/10", "--max-bits", "20")["value"] == "6611/77910"


class TestLongNumbers:
    @staticmethod
    def model(folder: Path, digits: int, states: int, labels: str = "a") -> Path:
        """States of each label that lead to two others of it, with numbers of so many digits."""
        random = Random(7)
        chain = {"x": ("x", {"x": "1"}), "y": ("y", {"y": "1"})}
        for label in labels:
            names = [f"{label}{place}" for place in range(states)]
            for name in names:
                total = random.randrange(10 ** (digits - 1), 10**digits)
                shares = [random.randrange(total // 5) for _ in range(3)]
                ends = [*random.sample(names, 2), "x", "y"]
                row = zip(ends, [*shares, total - sum(shares)], strict=True)
                chain[name] = (label, {t: format_rational(Fraction(share, total)) for t, share in row})
        return saved(folder, chain, [("a0", "a1")])

    def test_beyond_what_python_converts(self, tmp_path: Path) -> None:
        found = answer(tmp_path, self.model(tmp_path, 5_000, 2), "--alpha", "6/5")
        assert len(found["value"]) > 9_000
        assert parse_rational(found["value"], 100_000) < 1

    def test_alpha_beyond_what_python_converts(self, tmp_path: Path) -> None:
        alpha = "1." + "0" * 5_000 + "1"
        found = answer(tmp_path, zoo(tmp_path, "fig1"), "--alpha", alpha)
        assert len(found["alpha"]) > 10_000

    def test_the_limit_is_that_of_certificates(self) -> None:
        assert 10 ** (MAX_DIGITS - 100) < 2**engine.LONGEST < 10**MAX_DIGITS

    @pytest.mark.parametrize("kind", ["ld", "bd"])
    def test_a_number_beyond_what_certificates_hold(
        self, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        question = (self.model(tmp_path, 30, 3), "--alpha", "6/5", "--kind", kind)
        exact = Fraction(answer(tmp_path, *question)["value"])
        monkeypatch.setattr(engine, "LONGEST", exact.denominator.bit_length() // 2)
        for options in ([], ["--max-bits", "100000"]):
            found = answer(tmp_path, *question, *options, status=3)
            assert Fraction(found["lower"]) < exact < Fraction(found["upper"])

    @pytest.mark.parametrize("kind", ["ld", "bd"])
    def test_a_common_denominator_beyond_what_certificates_hold(
        self, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The distances of each label have a denominator of their own.
        question = (self.model(tmp_path, 30, 3, labels="ab"), "--alpha", "6/5", "--kind", kind)
        exact = Fraction(answer(tmp_path, *question)["value"])
        monkeypatch.setattr(engine, "LONGEST", exact.denominator.bit_length() * 3 // 2)
        assert Fraction(answer(tmp_path, *question)["value"]) == exact
        found = answer(tmp_path, *question, "--all-pairs", status=3)
        assert Fraction(found["lower"]["a0"]["a1"]) < Fraction(found["upper"]["a0"]["a1"])


@pytest.mark.family
@pytest.mark.parametrize("engine", ["linear", "nonlinear"])
@pytest.mark.parametrize("kind", ["bd", "lgd"])
def test_formulas_give_the_same_answer(tmp_path: Path, engine: str, kind: str) -> None:
    model = zoo(tmp_path, "randomised-response")
    expected = answer(tmp_path, model, "--alpha", "6/5", "--kind", kind)
    found = answer(tmp_path, model, "--alpha", "6/5", "--kind", kind, "--engine", engine)
    assert found["value"] == "4/15"
    assert found["engine"] == engine
    for one in (expected, found):
        del one["engine"], one["seconds"], one["check"]
    assert found == expected


@pytest.mark.timing
@pytest.mark.parametrize("engine", ["linear", "nonlinear"])
def test_the_time_is_up_in_the_middle_of_a_formula(tmp_path: Path, engine: str) -> None:
    model = zoo(tmp_path, "random-chain", "states=20", "degree=3", "labels=3")
    question = (model, "--alpha", "6/5", "--from", "s00", "--to", "s01", "--engine", engine)
    found = answer(tmp_path, *question, "--timeout", "4", status=3)
    exact = Fraction(answer(tmp_path, *question[:-2])["value"])
    assert Fraction(found["lower"]) <= exact <= Fraction(found["upper"])
    assert found["value"] is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (["--kind", "kernel"], "kind kernel"),
        (["--bounds", "upper"], "upper bounds alone"),
        (["--kind", "lv"], "--kind lv cannot be combined with"),
    ],
)
def test_formulas_are_for_ld_and_bd(pin: Path, question: list[str], words: str) -> None:
    run = prover("distance", pin, "--alpha", "2", "--from", "0", "--to", "1", "--engine", "linear", *question)
    assert (run.status, run.out) == (2, "")
    assert words in run.err


def test_formulas_are_not_for_all_pairs(pin: Path) -> None:
    run = prover("distance", pin, "--alpha", "2", "--all-pairs", "--engine", "nonlinear")
    assert (run.status, run.out) == (2, "")
    assert "engine nonlinear does not find the distances of all pairs; ask for engine auto" in run.err


class TestEpsilon:
    """ε in place of α."""

    PAIR = ("--from", "0", "--to", "1")

    def test_a_logarithm_is_exact(self, pin: Path, tmp_path: Path) -> None:
        found = answer(tmp_path, pin, *self.PAIR, "--epsilon", "ln 11/10")
        assert (found["alpha"], found["value"]) == ("11/10", "412/7791")
        assert "epsilon" not in found

    def test_a_rational(self, pin: Path, tmp_path: Path) -> None:
        found = json.loads(prover("distance", pin, *self.PAIR, "--epsilon", "0.1", "--json").out)
        below = "7883193/7133008"
        assert (found["alpha"], found["epsilon"]) == (None, "1/10")
        assert (found["alpha_upper"], found["alpha_lower"]) == (below, below)
        assert found["value"] == answer(tmp_path, pin, *self.PAIR, "--alpha", below)["value"]
        text = prover("distance", pin, *self.PAIR, "--epsilon", "0.1").out.splitlines()
        assert text == [
            f"ld_{below}(0, 1) = 691360889/13893316332 (0.049762…)",
            f"alpha = {below} (1.105170…) is e^(1/10), rounded down.",
            "For every event E:  P[E | 0]  <=  e^(1/10) * P[E | 1]  +  0.049763",
        ]

    def test_delta_itself_is_an_interval_with_two_proofs(self, pin: Path, tmp_path: Path) -> None:
        path = tmp_path / "lv.cert"
        options = (*self.PAIR, "--epsilon", "1/10", "--kind", "lv")
        run = prover("distance", pin, *options, "--json", "--certificate", path)
        found = json.loads(run.out)
        assert found["value"] is None
        upper, lower = (parse_rational(found[key]) for key in ("alpha_upper", "alpha_lower"))
        assert upper < lower
        assert verdicts(path, tmp_path / "lv.cert.lower").status == 0

    def test_all_pairs(self, pin: Path) -> None:
        run = prover("distance", pin, "--all-pairs", "--kind", "bd", "--epsilon", "1/10")
        assert run.out.splitlines()[1] == "alpha = 7883193/7133008 (1.105170…) is e^(1/10), rounded down."

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--alpha", "2", "--epsilon", "1"), "give either alpha"),
            (("--epsilon", "-1"), "--epsilon: epsilon must be at least 0"),
            (("--epsilon", "ln 1/2"), "--epsilon: epsilon must be at least 0"),
            (("--epsilon", "lg 2"), '--epsilon: malformed number "lg 2"'),
            (("--epsilon", "1", "--kind", "bisimilarity"), "leave it out"),
        ],
    )
    def test_refused(self, pin: Path, options: tuple[str, ...], words: str) -> None:
        run = prover("distance", pin, *self.PAIR, *options)
        assert run.status == 2
        assert words in run.err
        assert run.out == ""


@pytest.mark.parametrize(("most", "first"), [(20, "labels"), (10**6, "trivial")])
def test_no_large_table_is_written_that_says_nothing(
    most: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prover.cli.distance._MOST_SAYING_NOTHING", most)
    chain = random_chain(states=8)
    options = {"alpha": Fraction(6, 5), "epsilon": None, "kind": "ld", "engine": "auto", "bounds": "both"}
    others = {"max_bits": None, "merge": False, "jobs": 1, "all_pairs": True, "at_most": None}
    emitted: list[Reply] = []
    _lifted(CommandQuery(**options, **others), chain, silent, emitted.append)
    assert emitted[0].json["engine"] == first
