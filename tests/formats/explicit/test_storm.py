"""Programs that Storm makes chains of, and models of stormpy and stormvogel."""

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadOptions
from prover.formats.convert import convert
from prover.formats.explicit.chain import ExplicitChain, state_names
from prover.formats.explicit.storm import explicit_model
from prover.formats.load import load, load_chain
from prover.questions import delta
from tests.formats.explicit.made import DRN
from tests.formats.explicit.programs import COIN
from tests.refusals import refuses

with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)


@dataclass
class Entry:
    column: int
    value: Any


@dataclass
class Valuations:
    rows: Sequence[dict[str, Any]]

    def get_all_variables(self) -> set[Any]:
        return {Named(name) for name in self.rows[0]}

    def get_value(self, state: int, variable: Any) -> Any:
        return self.rows[state][variable.name]


@dataclass(frozen=True)
class Named:
    name: str


@dataclass
class SparseModel:
    """What stormpy's sparse models offer of themselves."""

    rows: list[list[Entry]]
    labels: list[set[str]]
    valuations: list[dict[str, Any]] = field(default_factory=list)
    model_type: str = "ModelType.DTMC"

    @property
    def nr_states(self) -> int:
        return len(self.rows)

    @property
    def transition_matrix(self) -> Any:
        return SimpleNamespace(get_row=self.rows.__getitem__)

    @property
    def labeling(self) -> Any:
        return SimpleNamespace(get_labels_of_state=self.labels.__getitem__)

    @property
    def initial_states(self) -> list[int]:
        return [state for state, labels in enumerate(self.labels) if "init" in labels]

    @property
    def has_state_valuations(self) -> bool:
        return bool(self.valuations)

    @property
    def state_valuations(self) -> Valuations:
        return Valuations(self.valuations)


class Rational:
    """A number of a library, known by its text only."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def sparse(**changes: Any) -> SparseModel:
    rows = [[Entry(1, Rational("1/3")), Entry(2, lambda: Rational("2/3"))], [Entry(1, 1)], [Entry(2, 1.0)]]
    labels = [{"init"}, {"heads", "init"}, {"deadlock", "tails"}]
    values: list[dict[str, Any]] = [
        {"x": 0, "b": False},
        {"x": 1, "b": True},
        {"x": Rational("1/2"), "b": True},
    ]
    return SparseModel(**{"rows": rows, "labels": labels, "valuations": values, **changes})


def test_a_sparse_model() -> None:
    chain = explicit_model(sparse())
    assert isinstance(chain, ExplicitChain)
    assert chain.rows == ({1: Fraction(1, 3), 2: Fraction(2, 3)}, {1: Fraction(1)}, {2: Fraction(1)})
    assert chain.propositions == (("init",), ("heads", "init"), ("deadlock", "tails"))
    assert chain.initial == (0, 1)
    assert chain.variables == ("b", "x")
    assert chain.values == (("false", "0"), ("true", "1"), ("true", "1/2"))
    assert chain.notes == (
        "1 state goes nowhere in the program (deadlock) and got a transition of probability 1 to itself",
    )
    said: list[str] = []
    loaded = load_chain(sparse(), observe="x", on_note=said.append)
    assert loaded.labels == ("x=0", "x=1", "x=1/2")
    assert len(said) == 2
    assert explicit_model(sparse(valuations=[])).variables == ()


@pytest.mark.parametrize("kind", ["ModelType.DTMC", "ModelType.MDP"])
def test_what_a_library_may_copy_is_asked_for_once(kind: str) -> None:
    asked: Counter[str] = Counter()
    many = 50

    class Counted(SparseModel):
        has_choice_labeling = True
        choice_labeling = SimpleNamespace(get_labels_of_choice=lambda place: {f"go {place}"})

        def __getattribute__(self, name: str) -> Any:
            asked[name] += name in ("labeling", "transition_matrix", "state_valuations", "choice_labeling")
            return super().__getattribute__(name)

        @property
        def transition_matrix(self) -> Any:
            return SimpleNamespace(
                get_row=self.rows.__getitem__,
                get_row_group_start=lambda state: state,
                get_row_group_end=lambda state: state + 1,
            )

    labels = [{"init"}, *[set[str]() for _ in range(many - 1)]]
    rows = [[Entry(state, 1)] for state in range(many)]
    values: list[dict[str, Any]] = [{"x": state, "y": -state} for state in range(many)]
    found = explicit_model(Counted(rows, labels, values, kind))
    assert (found.variables, found.values[7]) == (("x", "y"), ("7", "-7"))
    assert max(asked.values()) <= 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"model_type": "ModelType.POMDP"}, "not-a-markov-chain"),
        ({"rows": [[Entry(0, 0.5), Entry(1, 0.5)], [Entry(1, 1)], [Entry(2, 1)]]}, "not-exact"),
        ({"rows": [[Entry(0, Rational("p+1"))], [Entry(1, 1)], [Entry(2, 1)]]}, "not-exact"),
        ({"rows": [[Entry(0, Fraction(1, 2))], [Entry(1, 1)], [Entry(2, 1)]]}, "row-does-not-sum"),
        ({"rows": [], "labels": []}, "no-state"),
    ],
)
def test_models_that_are_refused(changes: dict[str, Any], error: str) -> None:
    with refuses(error):
        load(sparse(**changes))


def test_options_and_other_objects() -> None:
    with refuses("not-a-model", match="not int"):
        load(5)
    with pytest.raises(BadOptions, match="const has no meaning"):
        load(sparse(), const="p=1")


class Vogel:
    """What a model of stormvogel offers of itself."""

    model_type = SimpleNamespace(name="DTMC")

    def __init__(self, weight: Any = Fraction(1, 3), values: bool = True) -> None:
        x = Named("x")
        self.states = [
            SimpleNamespace(labels=iter(labels), valuations={x: value} if values or not value else {})
            for value, labels in enumerate([["init"], ["one"]])
        ]
        first, second = self.states
        first.get_outgoing_transitions = lambda: [(weight, first), (1 - weight, second)]
        second.get_outgoing_transitions = lambda: [(1.0, second)]

    def __str__(self) -> str:
        return "DTMC"

    def new_state(self) -> Iterator[None]:
        raise NotImplementedError


def test_a_model_of_stormvogel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vogel, "model_type", "ModelType.DTMC")
    chain = load_chain(Vogel(), labels="one")
    assert chain.rows == ({0: Fraction(1, 3), 1: Fraction(2, 3)}, {1: Fraction(1)})
    assert (chain.states, chain.labels) == (("x=0", "x=1"), ("", "one"))
    assert load_chain(Vogel(values=False)).states == ("0", "1")
    with refuses("not-exact"):
        load(Vogel(0.25))


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
