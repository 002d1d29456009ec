"""Models that stormpy or stormvogel have built."""

import importlib.util
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prover.errors import BadOptions
from prover.exact.rational import parse_rational
from prover.formats.explicit import built
from prover.formats.explicit.built import explicit_model
from prover.formats.explicit.chain import ExplicitChain
from prover.formats.explicit.process import ExplicitProcess
from prover.formats.load import load, load_chain
from tests.formats.explicit.models import Entry, Named, SparseModel
from tests.refusals import refuses

with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)

WALK = """dtmc
const int N = 19;
module walk
  x : [0..N]; y : [0..N]; s : bool;
  [] x<N & y<N -> 1/6 : (x'=x+1) + 2/3 : (x'=x+1)&(y'=y+1) + 1/6 : true;
  [] x=N & y<N & s -> 0.7 : (y'=y+1) + 3/10 : (x'=0)&(y'=0);
  [] x=N & y<N & !s -> 5/6 : (y'=y+1) + 1/6 : (x'=0)&(y'=0);
  [] x<N & y=N -> (x'=x+1);
endmodule
init true endinit
"""


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


def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of numbers that are read from now on."""
    texts: list[str] = []

    def noted(text: str) -> Fraction:
        texts.append(text)
        return parse_rational(text)

    monkeypatch.setattr(built, "parse_rational", noted)
    return texts


@pytest.mark.parametrize("kind", ["ModelType.DTMC", "ModelType.MDP"])
def test_of_an_exact_model_each_number_is_read_once(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The stand-in for an exact model has rows as texts only; these hold all digits."""
    texts = texts_read(monkeypatch)
    small = Fraction(1, 3**2000)
    weights = [Fraction(1, 3), Fraction(2, 3)], [small, 1 - small], [Fraction(1)]
    rows = [[Entry(place, p) for place, p in enumerate(weights[state % 3])] for state in range(60)]
    labels = [{"init"} if state < 2 else set[str]() for state in range(60)]
    given = SparseModel(rows, labels, (), kind, is_exact=True, choices=[["go"]] * 60)
    found = explicit_model(given)
    if isinstance(found, ExplicitProcess):
        read = [row for ((name, row),) in found.choices if name == "go"]
    else:
        read = list(found.rows)
    assert read == [dict(enumerate(weights[state % 3])) for state in range(60)]
    assert len(texts) == len(set(texts)) == 5


@with_storm
def test_of_a_program_each_probability_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "walk.prism"
    path.write_text(WALK)
    texts = texts_read(monkeypatch)
    chain = load_chain(path, observe="y", secret="s", on_note=lambda _: None)
    assert len(chain) == 800
    assert sorted(texts) == ["1", "1/6", "2/3", "3/10", "5/6", "7/10"]
    start = chain.index("s=true,x=3,y=4")
    assert {chain.states[t]: p for t, p in chain.rows[start].items()} == {
        "s=true,x=3,y=4": Fraction(1, 6),
        "s=true,x=4,y=4": Fraction(1, 6),
        "s=true,x=4,y=5": Fraction(2, 3),
    }


@pytest.mark.parametrize("kind", ["ModelType.DTMC", "ModelType.MDP"])
def test_what_a_library_may_copy_is_asked_for_once(kind: str) -> None:
    asked: Counter[str] = Counter()
    many = 50

    class Counted(SparseModel):
        def __getattribute__(self, name: str) -> Any:
            asked[name] += name in ("labeling", "transition_matrix", "state_valuations", "choice_labeling")
            return super().__getattribute__(name)

    labels = [{"init"}, *[set[str]() for _ in range(many - 1)]]
    rows = [[Entry(state, 1)] for state in range(many)]
    values: list[dict[str, Any]] = [{"x": state, "y": -state} for state in range(many)]
    names = [[f"go {state}"] for state in range(many)]
    found = explicit_model(Counted(rows, labels, values, kind, choices=names))
    assert (found.variables, found.values[7]) == (("x", "y"), ("7", "-7"))
    assert max(asked.values()) <= 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"model_type": "ModelType.POMDP"}, "not-a-markov-chain"),
        ({"rows": [[Entry(0, 0.5), Entry(1, 0.5)], [Entry(1, 1)], [Entry(2, 1)]]}, "not-exact"),
        ({"rows": [[Entry(0, Rational("p+1"))], [Entry(1, 1)], [Entry(2, 1)]]}, "not-exact"),
        ({"rows": [[Entry(0, Fraction(1, 2))], [Entry(1, 1)], [Entry(2, 1)]]}, "row-does-not-sum"),
        ({"rows": [[Entry(0, "p+1")], [Entry(1, 1)], [Entry(2, 1)]], "is_exact": True}, "not-exact"),
        ({"rows": [[Entry(0, "[1, 1]")], [Entry(1, 1)], [Entry(2, 1)]], "is_exact": True}, "not-exact"),
        ({"rows": [[Entry(0, "[1, 1]"), Entry(1, "[0, 0]")], [], []], "is_exact": True}, "not-exact"),
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
