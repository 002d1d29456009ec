"""``prover curve``, as users run it: CSV, tables, JSON, pictures, deadlines, refusals."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover import zoo as models
from prover.chain.arguments import Slope
from prover.chain.breakpoints import breakpoints
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.cli import curve as curve_module
from prover.exact.convex import positive_parts
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import parse_rational
from prover.formats.identity import identity
from prover.formats.load import load
from prover.report.curve import COLUMNS, picture
from tests.commands import FORKS, Run, long_work, program, prover, verdicts, zoo
from tests.waiting import interrupt

pytestmark = pytest.mark.filterwarnings(FORKS)

F = Fraction


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def table(text: str) -> list[dict[str, str]]:
    """The rows of a CSV whose heading is the right one."""
    rows = csv.DictReader(io.StringIO(text))
    assert tuple(rows.fieldnames or ()) == COLUMNS
    return list(rows)


def test_csv(pin: Path) -> None:
    run = prover("curve", pin, "--from", "0", "--to", "1", "--alpha", "1:11/10:3")
    assert run.status == 0
    rows = table(run.out)
    assert [row["alpha"] for row in rows] == ["1", "21/20", "11/10"]
    last = rows[-1]
    assert F(last["lower"]) <= F(3791, 75090) <= F(last["upper"]) <= F(last["lower"]) + F(1, 10**12)
    assert F(6611, 77910) <= F(last["ld"]) <= F(6611, 77910) + F(1, 10**12)
    assert last["ld"] == last["ld_least"]
    assert 0 < float(last["epsilon"]) - math.log(1.1) < 2e-12
    assert last["alpha_decimal"] == "1.1"
    assert run.err == (
        "prover: delta(0, 1) is exact for every alpha, and linear between its breakpoints: "
        "200/2503 at alpha = 1, 0 at alpha = 2809/2209\n"
    )


def test_decimals_are_rounded_to_the_safe_side(tmp_path: Path) -> None:
    model = zoo(tmp_path, "randomised-response", "answers=2")
    grid = "1:4:8"
    exact = json.loads(prover("curve", model, "--alpha", grid, "--json").out)["rows"]
    rows = table(prover("curve", model, "--alpha", grid).out)
    for row, numbers in zip(rows, exact, strict=True):
        assert row["alpha"] == numbers["alpha"]
        assert F(numbers["alpha"]) <= F(row["alpha_decimal"]) < F(numbers["alpha"]) + F(1, 10**12)
        assert F(row["lower"]) <= F(numbers["lower"])
        for name in ("upper", "ld", "ld_least", "bd"):
            assert F(numbers[name]) <= F(row[name]) < F(numbers[name]) + F(1, 10**12)
        assert row["epsilon"] == numbers["epsilon"]


def test_json(pin: Path) -> None:
    run = prover("curve", pin, "--from", "1", "--to", "0", "--kind", "lv", "--alpha", "1.1:1.1:1", "--json")
    assert (run.status, run.err) == (0, "")
    found = json.loads(run.out)
    assert found.pop("seconds") >= 0
    assert found.pop("model") == identity(load(pin))
    assert found == {
        "format": 1, "kind": "lv", "from": "1", "to": "0", "engine": "breakpoints", "check": None,
        "certificate": None,
        "breakpoints": [["1", "200/2503"], ["2809/2209", "0"]],
        "rows": [{
            "alpha": "11/10", "epsilon": "0.095310179805", "lower": "3791/75090", "upper": "3791/75090",
            "value": "3791/75090", "ld": "6611/77910", "ld_least": "6611/77910", "bd": "6/53",
        }],
    }  # fmt: skip


def test_the_relation(pin: Path) -> None:
    run = prover("curve", pin, "--alpha", "1:2:2", "--json", "--no-bounds")
    found = json.loads(run.out)
    assert (found["kind"], found["from"], found["to"]) == ("delta", None, None)
    assert [(row["value"], row["ld"], row["bd"]) for row in found["rows"]] == [
        ("200/2503", None, None), ("0", None, None)
    ]  # fmt: skip


def test_csv_to_a_file(pin: Path, tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    arguments = ("curve", pin, "--from", "0", "--to", "1", "--kind", "lv", "--alpha", "1:1.2:3")
    run = prover(*arguments, "--csv", file)
    assert (run.status, run.err) == (0, "")
    assert run.out == (
        "alpha  epsilon   lv         ld        ld_least  bd\n"
        "1      0         0.079904…  0.113208  0.113208  0.113208\n"
        "1.1    0.095311  0.017312…  0.052882  0.052882  0.113208\n"
        "1.2    0.182322  0          0.036196  0.036196  0.113208\n"
        "Decimals are rounded up; those of lv are cut off at ….\n"
        "lv(0, 1) is exact for every alpha, and linear between its breakpoints: "
        "200/2503 at alpha = 1, 0 at alpha = 53/47\n"
    )
    assert file.read_text() == prover(*arguments).out


def test_intervals(tmp_path: Path) -> None:
    model = zoo(tmp_path, "random-chain", "states=8", "labels=2")
    run = prover(
        "curve", model, "--from", "s1", "--to", "s5", "--alpha", "1:1.4:5", "--gap", "0.01", "--json"
    )
    assert (run.status, run.err) == (0, "")
    found = json.loads(run.out)
    assert (found["engine"], found["breakpoints"]) == ("unrolling", None)
    for row in found["rows"]:
        assert F(row["lower"]) <= F(row["upper"]) <= min(F(row["lower"]) + F(1, 100), F(row["ld_least"]))


def test_the_time_is_up_before_the_first_point(tmp_path: Path) -> None:
    run = prover("curve", long_work(tmp_path), "--alpha", "1:2:3", "--timeout", "0.2", "--json")
    assert run.status == 3
    assert json.loads(run.out)["rows"] == []
    assert run.err.startswith("prover: not decided: the time is up\n")


@pytest.mark.timing
def test_the_time_is_up_after_some_points(tmp_path: Path) -> None:
    """Each of very many values of α takes a moment."""
    model = zoo(tmp_path, "random-chain", "states=8", "labels=2")
    file = tmp_path / "some.csv"
    run = prover(
        "curve", model, "--from", "s1", "--to", "s5", "--alpha", "1:1.05:900", "--gap", "0.004",
        "--no-bounds", "--timeout", "6", "--csv", file,
    )  # fmt: skip
    assert run.status == 3
    assert run.err.startswith("prover: not decided: the time is up\n")
    assert 1 <= len(table(file.read_text())) == len(run.out.splitlines()) - 2 < 900


class TestPictures:
    PAIR = ("--from", "0", "--to", "1")

    @pytest.mark.thorough
    def test_are_the_same_every_time(self, pin: Path, tmp_path: Path) -> None:
        files = [tmp_path / f"{name}.svg" for name in "ab"]
        for file in files:
            run = program("curve", pin, *self.PAIR, "--alpha", "1:1.3:3", "--plot", file)
            assert run.status == 0, run.err
        first, second = (file.read_bytes() for file in files)
        assert first == second
        assert re.search(rb"20\d\d-\d\d", first) is None  # no date

    def test_svg(self, pin: Path, tmp_path: Path) -> None:
        drawn = []
        for name, more in (("curve.svg", ()), ("log.svg", ("--log",))):
            file = tmp_path / name
            run = prover("curve", pin, *self.PAIR, "--alpha", "1:1.3:4", "--plot", file, *more)
            assert run.status == 0
            drawn.append(file.read_text())
        for text in drawn:
            texts = set(re.findall(r">([^<>]+)</text>", text))
            bounds = {"bd, an upper bound in both directions", "ld, an upper bound"}
            assert bounds | {"δ of 0 and 1, exactly", "ε", "δ"} <= texts
            assert "the least ld up to this ε, an upper bound" not in texts
            assert "At α = 11/10, δ is 3791/75090" in text
        assert [">0.01</text>" in text for text in drawn] == [False, True]

    def test_of_intervals(self) -> None:
        slopes = [Slope.of_alpha(F(1)), Slope.of_epsilon(F(1, 2))]
        ends = [(F(0), F(1, 2), F(1, 2), F(1, 3), None), (F(0), F(1, 4), F(1, 2), F(1, 3), None)]
        points = tuple(CurvePoint(slope, *row) for slope, row in zip(slopes, ends, strict=True))
        for answer in (Curve("lv", "$a", "b", points, None), Curve("tv", None, None, points, None)):
            drawn = picture(answer)
            text = str(drawn.svg)
            assert ('class="band"' in text, "the least ld up to this ε" in text) == (True, True)
            assert "bd, a bound" not in text
            whose = "from $a to b" if answer.source else "of the relation"
            assert f"δ {whose}, in the band" in text
            assert drawn.words[0] == "At α = 1, δ is at most 1/2."

    def test_of_nothing(self) -> None:
        for exact in (None, positive_parts([])):
            assert picture(Curve("tv", "a", "b", (), exact), logarithmic=True).words == []

    @pytest.mark.parametrize("name", ["curve.pdf", "curve", "curve.svg.gz", "curve.png"])
    def test_other_endings(self, pin: Path, tmp_path: Path, name: str) -> None:
        run = prover("curve", pin, "--alpha", "1:2:2", "--plot", tmp_path / name)
        assert (run.status, run.out) == (2, "")
        assert "a picture is drawn to an .svg file" in run.err
        assert not (tmp_path / name).exists()


class TestRefusals:
    @staticmethod
    def refused(*arguments: str | Path) -> str:
        run: Run = prover("curve", *arguments)
        assert (run.status, run.out) == (2, "")
        assert run.err.startswith("prover: ")
        return run.err

    @pytest.mark.parametrize(
        "text",
        [
            "1",
            "1:2",
            "1:2:3:4",
            "1:2:x",
            "1:2:-3",
            "1:2:٣",
            "1:2:3\n",
            "a:2:3",
            "1:2/0:3",
            "::",
            "1:2:1000000",
        ],
    )
    def test_grids(self, pin: Path, text: str) -> None:
        assert "--alpha: " in self.refused(pin, "--alpha", text)

    @pytest.mark.parametrize("text", ["0.9:2:3", "2:1:3", "1:2:1", "1:1:2", "1:2:0", "1:2:1001"])
    def test_ends_and_numbers_of_points(self, pin: Path, text: str) -> None:
        assert "--alpha: " in self.refused(pin, "--alpha", text)

    def test_pairs(self, pin: Path) -> None:
        self.refused(pin, "--alpha", "1:2:3", "--from", "0")
        assert 'no state "x"' in self.refused(pin, "--alpha", "1:2:3", "--from", "0", "--to", "x")

    def test_no_alpha(self, pin: Path) -> None:
        assert "give either alpha" in self.refused(pin)
        assert "give either alpha" in self.refused(pin, "--alpha", "1:2:3", "--epsilon", "0:1:3")

    @pytest.mark.parametrize("option", ["--csv", "--plot"])
    def test_files(self, pin: Path, tmp_path: Path, option: str) -> None:
        picture_of_model = tmp_path / "model.svg"
        picture_of_model.write_bytes(pin.read_bytes())
        what = {"--csv": "the CSV", "--plot": "the picture"}[option]
        err = self.refused(picture_of_model, "--alpha", "1:2:3", option, picture_of_model)
        assert f"this file is an input; write {what} to another file" in err
        missing = tmp_path / "no" / "file.svg"
        assert f"cannot write {what}" in self.refused(pin, "--alpha", "1:2:3", option, missing)

    def test_negative_gap(self, pin: Path) -> None:
        assert "gap" in self.refused(pin, "--alpha", "1:2:3", "--gap", "-1")


def test_why_there_is_no_certificate_yet(pin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the work ends while it is made; the file that was there stays."""
    path = tmp_path / "curve.cert"
    path.write_text("of an earlier question")
    monkeypatch.setattr("prover.cli.curve._proof", interrupt)
    asked = "--from", "0", "--to", "1", "--alpha", "1:2:3", "--certificate", path, "--force"
    run = prover("curve", pin, *asked)
    assert run.status == 3
    assert len(table(run.out)) == 3
    assert "no certificate was written: the work ended before it was made" in run.err
    assert path.read_text() == "of an earlier question"


def test_a_better_curve_waits_for_its_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the work ends while that is made, the curve is left whose certificate there is."""
    proof, path = curve_module._proof, tmp_path / "curve.cert"

    def ending(chain: Any, answer: Curve, progress: Any) -> Any:
        return proof(chain, answer, progress) if answer.leaves_out_pairs else interrupt()

    monkeypatch.setattr(curve_module, "_proof", ending)
    monkeypatch.setattr("prover.chain.secrets.MOST_SOON", 1)
    model = zoo(tmp_path, "dining-cryptographers", "n=4", "p=2/5")
    run = prover("curve", model, "--alpha", "1:2:3", "--certificate", path)
    assert run.status == 3
    assert verdicts(path).status == 0
    lower, upper = (Fraction(table(run.out)[0][key]) for key in ("lower", "upper"))
    assert 0 < lower < upper == 1


def test_rational_texts_of_a_long_answer_are_read_back(tmp_path: Path) -> None:
    """Numbers beyond the digits that models may have go through CSV and table."""
    digits = "9" * 9_000
    model = tmp_path / "long.json"
    chain = {
        "type": "labelled-markov-chain", "version": 1, "relation": [["s", "t"]],
        "states": {
            "s": {"label": "a", "next": {"x": f"1/{digits}", "y": f"{digits[:-1]}8/{digits}"}},
            "t": {"label": "a", "next": {"x": f"2/{digits}", "y": f"{digits[:-1]}7/{digits}"}},
            "x": {"label": "x", "next": {"x": 1}},
            "y": {"label": "y", "next": {"y": 1}},
        },
    }  # fmt: skip
    model.write_text(json.dumps(chain))
    grid = f"1:{digits}/{digits[:-1]}8:2"
    run = prover("curve", model, "--alpha", grid, "--csv", tmp_path / "long.csv")
    assert run.status == 0, run.err
    last = table((tmp_path / "long.csv").read_text())[-1]
    assert parse_rational(last["alpha"], 20_000) > 1
    assert last["upper"] == "0.000000000001"


class TestEpsilon:
    """Values of ε in place of α: rows say of which α they are, and bounds hold at ε."""

    PAIR = ("--from", "0", "--to", "1")

    def test_json(self, pin: Path) -> None:
        found = json.loads(prover("curve", pin, *self.PAIR, "--epsilon", "0:1/5:3", "--json").out)
        assert [row["epsilon"] for row in found["rows"]] == ["0", "1/10", "1/5"]
        assert [row["alpha"] for row in found["rows"]] == ["1", None, None]
        exact = breakpoints(models.build_chain("pin-checker"), "0", "1").delta
        for row in found["rows"][1:]:
            below, above = Fraction(row["alpha_upper"]), Fraction(row["alpha_lower"])
            assert below < above < below * (1 + Fraction(1, 10**11))
            assert enclosed_logarithm(below, 20)[0] <= Fraction(row["epsilon"])
            assert enclosed_logarithm(above, 20)[1] >= Fraction(row["epsilon"])
            ends = Fraction(row["lower"]), Fraction(row["upper"])
            assert ends == (exact.value(above), exact.value(below))

    def test_table_and_csv(self, pin: Path, tmp_path: Path) -> None:
        file = tmp_path / "pin.csv"
        run = prover("curve", pin, *self.PAIR, "--epsilon", "0:0.1:2", "--csv", file, "--no-bounds")
        assert run.out.splitlines()[:3] == [
            "alpha     epsilon  delta",
            "1         0        0.079904…",
            "1.105171  0.1      0.048964…",
        ]
        last = dict(zip(*csv.reader(file.read_text().splitlines()[::2]), strict=True))
        assert last["alpha"] == "7883193/7133008"
        assert (last["alpha_decimal"], last["epsilon"]) == ("1.105170918076", "0.1")

    @pytest.mark.parametrize("grid", ["0:1", "-1:1:3", "1:0:3", "0:1:x", "ln 2:1:3"])
    def test_refused(self, pin: Path, grid: str) -> None:
        run = prover("curve", pin, *self.PAIR, "--epsilon", grid)
        assert (run.status, run.out) == (2, "")
        assert run.err.startswith("prover: --epsilon: ")
