"""Files in which a parameter of rates is left open."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import prover
from prover.certificate.schema import model_bytes
from prover.errors import BadInput
from prover.formats.load import load
from prover.formats.opened import load_open, opening_of
from prover.program.noise import INFINITE
from tests.refusals import refuses

Q = Fraction
OPEN = "t=1/10:9/10"

JSON: dict[str, Any] = {
    "type": "threshold-program",
    "version": 1,
    "initial": "draw",
    "states": {
        "draw": {
            "input": False, "rate": "t", "mean": "0",
            "transitions": [{"guard": [], "assign": ["x"], "output": "o", "to": "test"}],
        },
        "test": {
            "input": True, "rate_left": "(1 - t)/2", "rate_right": "inf", "mean": "0",
            "rate_prime": "2*t", "mean_prime": "0",
            "transitions": [{"guard": [["<", "x"]], "assign": [], "output": "insampleprime", "to": "end"}],
        },
    },
}  # fmt: skip

DIPA = """
(draw: non-input, t, 0): x := insample; output o; goto test
(test, left (1 - t)/2 right inf, 0, 2*t, 0):
    if (insample < x) then output insampleprime; goto end
"""

CODE = """
import prover
from prover.language import laplace, see


@prover.mechanism
def hits(queries, part="1/2"):
    threshold = laplace(0, rate="t")
    for query in queries:
        if laplace(query, RATE) >= threshold:
            see("above")
            return
        see("below")
"""


def file(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content, encoding="utf-8")
    return str(folder / name)


def test_json_and_dipa_say_the_same(tmp_path: Path) -> None:
    as_json = load_open(file(tmp_path, "a.json", json.dumps(JSON)), OPEN)
    as_dipa = load_open(file(tmp_path, "a.dipa", DIPA), {"t": ("1/10", Q(9, 10))})
    assert as_json.model == as_dipa.model
    middle = as_json.at(Q(1, 2)).states
    assert middle["draw"].rate == Q(1, 2)
    assert middle["test"].rates == (Q(1, 4), INFINITE)
    assert middle["test"].rate_prime == 1
    assert as_json.model["states"]["draw"]["rate"] == ["1/10", "9/10"]
    assert as_json.least.states["test"].rates[0] == Q(1, 20)
    assert as_json.greatest.states["test"].rates[0] == Q(9, 20)


def test_a_file_that_says_the_interval(tmp_path: Path) -> None:
    given = load_open(file(tmp_path, "a.json", json.dumps(JSON)), OPEN)
    own = {**JSON, "open": {"name": "t", "from": "1/10", "to": "0.9"}}
    path = file(tmp_path, "own.json", json.dumps(own))
    assert load_open(path) == given
    canonical = file(tmp_path, "canonical.json", model_bytes(given.model).decode())
    assert load_open(canonical) == given
    with pytest.raises(BadInput, match="the file says which parameter is open"):
        load_open(path, OPEN)
    wrongs: list[Any] = [[], {"name": "t", "from": "1"}, {"name": "t", "from": "a", "to": "1"}]
    for wrong in wrongs:
        with pytest.raises(BadInput):
            load_open(file(tmp_path, "wrong.json", json.dumps({**JSON, "open": wrong})))


def test_code(tmp_path: Path) -> None:
    path = file(tmp_path, "a.py", CODE.replace("RATE", 'rate="(1 - t)/2"'))
    found = load_open(f"{path}:hits", OPEN)
    rates = [sorted(str(state.rate) for state in found.at(t).states.values()) for t in (Q(1, 10), Q(1, 2))]
    assert rates == [["1/10", "9/20"], ["1/2", "1/4"]] or rates == [["1/10", "9/20"], ["1/4", "1/2"]]
    assert load_open(f"{path}:hits", OPEN, const={"part": "1/3"}).model == found.model
    for rate, words in (
        ('scale="t"', "t is left open, and may stand in rates only"),
        ('rate="t*t"', "no rate that is affine in t"),
        ('rate="s"', "malformed number"),
        ('rate="-t"', 'rate "-t" is -1/10 at t = 1/10, which is not positive'),
    ):
        with pytest.raises(BadInput, match=words) as caught:
            load_open(f"{file(tmp_path, 'b.py', CODE.replace('RATE', rate))}:hits", OPEN)
        assert caught.value.file


class TestSensitivities:
    """Of the program and of states, in place of rates."""

    dipa = """
sensitivity 1 + t;
(draw: non-input, 1, 0): x := insample; output o; goto test
(test, left 1/2 right inf, 0, 2, 0, sensitivity (3 - t)/2):
    if (insample < x) then output insampleprime; goto end
"""

    @staticmethod
    def json(usual: object = "1 + t", own: object = "(3 - t)/2") -> str:
        rates = {"rate_left": "1/2", "rate_prime": "2", "sensitivity": own}
        states = {
            "draw": {**JSON["states"]["draw"], "rate": "1"},
            "test": {**JSON["states"]["test"], **rates},
        }
        return json.dumps({**JSON, "states": states, "sensitivity": usual})

    def test_json_and_dipa_say_the_same(self, tmp_path: Path) -> None:
        as_json = load_open(file(tmp_path, "a.json", self.json()), "t=0:1")
        as_dipa = load_open(file(tmp_path, "a.dipa", self.dipa), "t=0:1")
        assert as_json == as_dipa
        assert as_json.model["sensitivity"] == ["1", "2"]
        assert as_json.model["states"]["test"]["sensitivity"] == ["3/2", "1"]
        canonical = file(tmp_path, "canonical.json", model_bytes(as_json.model).decode())
        assert load_open(canonical) == as_json
        middle = as_json.at(Q(1, 2))
        assert (middle.noise.sensitivity, middle.states["test"].sensitivity) == (Q(3, 2), Q(5, 4))

    def test_code(self, tmp_path: Path) -> None:
        code = CODE.replace("RATE", 'rate="1/4"').replace('rate="t"', 'rate="1/2"')
        code = code.replace("@prover.mechanism", '@prover.mechanism(sensitivity="(1 + t)/2")')
        path = file(tmp_path, "a.py", code)
        found = load_open(f"{path}:hits", OPEN)
        assert found.model["sensitivity"] == ["11/20", "19/20"]
        for given, words in (
            ("t*t", "no sensitivity that is affine"),
            ("t - 1", "is not positive"),
            ("s", "names s"),
        ):
            wrong = file(tmp_path, "b.py", code.replace("(1 + t)/2", given))
            with pytest.raises(BadInput, match=words) as caught:
                load_open(f"{wrong}:hits", OPEN)
            assert caught.value.line == 6
        with pytest.raises(BadInput, match=r"this sensitivity names t.*--open t="):
            load(f"{path}:hits")

    def test_a_decorator_is_run_by_python(self) -> None:
        assert callable(prover.mechanism(sensitivity="1 + t"))
        with pytest.raises(BadInput):
            prover.mechanism(sensitivity="t*t")

    @pytest.mark.parametrize(
        ("own", "words"),
        [
            ("t*t", r"test.*no sensitivity that is affine in t"),
            ("1 - t", r'sensitivity "1 - t" is 0 at t = 1, which is not positive'),
            (
                "s",
                "this sensitivity names s, which is no number; one parameter can be left open, and that is t",
            ),
            ("ln 3", "malformed"),
            (["1", "0"], "is not positive"),
        ],
    )
    def test_refused(self, tmp_path: Path, own: object, words: str) -> None:
        with pytest.raises(BadInput, match=words):
            load_open(file(tmp_path, "a.json", self.json(own=own)), "t=0:1")

    def test_rates_as_well(self, tmp_path: Path) -> None:
        with refuses("rates-and-sensitivities"):
            load_open(
                file(tmp_path, "a.dipa", self.dipa.replace("non-input, 1", "non-input, 1 + t")), "t=0:1"
            )

    def test_without_open(self, tmp_path: Path) -> None:
        with refuses("open-parameter", match="this sensitivity names t"):
            load(file(tmp_path, "a.dipa", self.dipa))


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ("t*t", "no rate that is affine in t"),
        ("1/t", "no rate that is affine in t"),
        ("1 - 2*t", "is not positive"),
        ("2*s", "this rate names s, which is no number"),
        (["1", "2", "3"], "number is expected|expected"),
    ],
)
def test_rates_in_json_that_are_refused(tmp_path: Path, rate: object, words: str) -> None:
    states = {**JSON["states"], "draw": {**JSON["states"]["draw"], "rate": rate}}
    path = file(tmp_path, "a.json", json.dumps({**JSON, "states": states}))
    with pytest.raises(BadInput, match=words) as caught:
        load_open(path, OPEN)
    assert caught.value.file == path


@pytest.mark.parametrize("rate", ["t*t", "1/t", "1 - 2*t", "2*s", "(t", "t t", ""])
def test_rates_in_dipa_that_are_refused(tmp_path: Path, rate: str) -> None:
    path = file(tmp_path, "a.dipa", DIPA.replace("non-input, t,", f"non-input, {rate},"))
    with pytest.raises(BadInput) as caught:
        load_open(path, OPEN)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "given",
    [
        "t",
        "t=1",
        "t=1:2:3",
        "=1:2",
        "1=1:2",
        {"t": "1:2"},
        {"t": (1, 2, 3)},
        {},
        {"a": (1, 2), "b": (1, 2)},
        3,
    ],
)
def test_openings_that_are_refused(given: object) -> None:
    with pytest.raises(BadInput, match="one parameter is left open"):
        opening_of(given)


def test_intervals_that_are_refused() -> None:
    for given in ("t=2:1", "t=1:1"):
        with pytest.raises(BadInput, match="the smaller one"):
            opening_of(given)
    with pytest.raises(BadInput):
        opening_of("t=a:1")
    with pytest.raises(BadInput, match="epsilon"):
        opening_of("epsilon=1:2")


def test_other_files(tmp_path: Path) -> None:
    plain = DIPA.replace("2*t", "2").replace("(1 - t)/2", "1").replace("t, 0)", "1, 0)")
    with pytest.raises(BadInput, match="no rate and no sensitivity names"):
        load_open(file(tmp_path, "a.dipa", plain), OPEN)
    with pytest.raises(BadInput, match="say which parameter"):
        load_open(file(tmp_path, "a.dipa", DIPA))
    with pytest.raises(BadInput, match="say which parameter"):
        load_open(file(tmp_path, "a.json", json.dumps(JSON)))
    with pytest.raises(BadInput, match="const gives values"):
        load_open(file(tmp_path, "a.dipa", DIPA), OPEN, const="a=1")
    with refuses("wrong-kind"):
        load_open("examples/coin.json", OPEN)
    with refuses("unknown-extension"):
        load_open("examples/crowds.prism", OPEN)
    with refuses("empty-file"):
        load_open(file(tmp_path, "empty.json", " "), OPEN)
    with refuses("no-such-file"):
        load_open("nowhere.json", OPEN)
