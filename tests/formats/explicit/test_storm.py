"""Programs that Storm makes chains of, and models of stormpy and stormvogel."""

import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.formats.convert import convert
from prover.formats.explicit.built import explicit_model
from prover.formats.explicit.chain import state_names
from prover.formats.load import load, load_chain
from prover.questions import delta
from tests.formats.explicit.made import DRN
from tests.formats.explicit.programs import COIN
from tests.refusals import refuses

with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)


def program(folder: Path, text: str = COIN, name: str = "m.prism") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_without_stormpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stormpy", None)
    with refuses("storm-missing", match=r"privacy-prover\[storm\]") as caught:
        load(program(tmp_path))
    assert caught.value.file == str(tmp_path / "m.prism")


@with_storm
@pytest.mark.parametrize("name", ["m.prism", "m.pm", "M.PRISM"])
def test_a_program(tmp_path: Path, name: str) -> None:
    said: list[str] = []
    chain = load_chain(program(tmp_path, name=name), const="p=3/5", secret="secret", on_note=said.append)
    assert isinstance(chain, LabelledMarkovChain)
    assert len(chain) == 6
    start = chain.index("face=0,secret=true")
    assert chain.rows[start][chain.index("face=1,secret=true")] == Fraction(3, 5)
    assert delta(chain, None, None, 1).value == Fraction(1, 10)
    assert said == [
        "4 states go nowhere in the program (deadlock) and got a transition of probability 1 to itself"
    ]


@with_storm
def test_a_constant_of_many_digits(tmp_path: Path) -> None:
    path = program(tmp_path)
    chain = load_chain(path, const="p=1/3", on_note=lambda _: None)
    assert chain.rows[chain.index("face=0,secret=true")][chain.index("face=1,secret=true")] == Fraction(1, 3)
    convert(path, tmp_path / "m.drn", const="p=1/3")
    assert load_chain(tmp_path / "m.drn") == chain


@with_storm
@pytest.mark.parametrize(
    ("text", "const", "error", "match"),
    [
        (COIN, None, "missing-constants", r"--const p=…"),
        (COIN, "q=1", "storm-refuses", "unknown undefined constant"),
        (COIN, "p=", "storm-refuses", "Storm says"),
        (COIN.replace("dtmc", "pomdp"), "p=1/2", "not-a-markov-chain", "POMDP"),
        (COIN.replace("dtmc", "ctmc"), "p=1/2", "storm-refuses", "CTMC"),
        (COIN.replace("1-p", "1/4"), "p=1/2", "storm-refuses", "sum to 3/4"),
        ("dtmc module", None, "storm-refuses", "Parsing error"),
        ("// nothing\n", None, "storm-refuses", "Storm says"),
    ],
)
def test_programs_that_are_refused(
    tmp_path: Path, text: str, const: str | None, error: str, match: str
) -> None:
    with refuses(error, match=match) as caught:
        load(program(tmp_path, text), const=const)
    assert str(caught.value).isprintable()


@with_storm
def test_reachability_is_what_storm_says(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    again = "[] face=1 -> 1/7 : (face'=2) + 6/7 : (face'=0);"
    path = program(tmp_path, COIN.replace("[] face=0 & secret", f"{again}\n  [] face=0 & secret"))
    built = stormpy.instantiate_constants(stormpy.parse_prism_program(str(path)), "p=3/5")[0]
    options = stormpy.BuilderOptions(build_full=True)
    model = stormpy.build_model[stormpy.Rational](built, options=options)
    within = stormpy.parse_properties('P=? [F<=9 "tails"]', built)[0]
    found = stormpy.model_checking(model, within)
    chain = load_chain(model, on_note=lambda _: None)
    reached = {state: Fraction(label == "tails") for state, label in enumerate(chain.labels)}
    for _ in range(9):
        reached = {
            s: reached[s]
            if chain.labels[s] == "tails"
            else sum((p * reached[t] for t, p in row.items()), Fraction(0))
            for s, row in enumerate(chain.rows)
        }
    names = state_names(explicit_model(model))
    assert {chain.index(name): Fraction(str(found.get_value(s))) for s, name in enumerate(names)} == reached
    assert len(set(reached.values())) > 3


@with_storm
def test_what_storm_exports_is_read(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    path = program(tmp_path)
    built = stormpy.instantiate_constants(stormpy.parse_prism_program(str(path)), "p=3/5")[0]
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    options.set_build_state_valuations()
    model = stormpy.build_model[stormpy.Rational](built, options=options)
    stormpy.io.export_to_drn(model, str(tmp_path / "out.drn"))
    assert load_chain(tmp_path / "out.drn") == load_chain(model, on_note=lambda _: None)
    (tmp_path / "own.drn").write_text(DRN, encoding="utf-8")
    convert(tmp_path / "own.drn", tmp_path / "again.drn")
    again = stormpy.build_model_from_drn[stormpy.Rational](str(tmp_path / "again.drn"))
    rows = load_chain(again, on_note=lambda _: None).rows
    assert rows == load_chain(tmp_path / "again.drn").rows


@with_storm
def test_jani(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    path = program(tmp_path)
    jani, _ = stormpy.parse_prism_program(str(path)).to_jani([])
    stormpy.io.export_jani_to_file(str(tmp_path / "m.jani"), jani)
    options: dict[str, Any] = {"const": "p=3/5", "secret": "secret", "on_note": lambda _: None}
    assert delta(load_chain(tmp_path / "m.jani", observe="face", **options), alpha=1).value == Fraction(1, 10)
    with refuses("missing-constants"):
        load(tmp_path / "m.jani")


@with_storm
def test_storm_does_not_speak_where_answers_stand(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with refuses("storm-refuses"):
        load(program(tmp_path, COIN.replace("1-p", "1/4")), const="p=1/2")
    assert capfd.readouterr() == ("", "")
