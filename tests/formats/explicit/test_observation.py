"""What is observed of a chain, and what is secret."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadOptions
from prover.formats.explicit import secrets
from prover.formats.explicit.chain import ExplicitChain, checked_rows
from prover.formats.explicit.lines import BadLine
from prover.formats.explicit.observation import observed
from prover.formats.reading import Reading
from tests.refusals import refuses

ROWS, _ = checked_rows([{s: Fraction(1)} for s in range(4)], normalise=False)
CHAIN = ExplicitChain(
    rows=ROWS,
    propositions=(("init",), ("a", "b", "init"), ("deadlock", "init"), ("a",)),
    initial=(0, 1, 2),
    variables=("pin", "out", "z"),
    values=(("0", "x", "7"), ("1", "x", "7"), ("1", "y", "8"), ("2", "y", "7")),
)
ONE_SECRET = ExplicitChain(CHAIN.propositions, (0,), rows=ROWS)


def view(chain: ExplicitChain = CHAIN, **options: Any) -> LabelledMarkovChain:
    seen = observed(chain, Reading.of(**options))[0]
    assert isinstance(seen, LabelledMarkovChain)
    return seen


def named_relation(chain: LabelledMarkovChain) -> list[tuple[str, str]]:
    return [(chain.states[s], chain.states[t]) for s, t in chain.relation if s < t]


def notes(chain: ExplicitChain = CHAIN, **options: Any) -> tuple[str, ...]:
    return observed(chain, Reading.of(**options))[1]


def test_states_are_named_by_their_valuations() -> None:
    assert view().states == ("out=x,pin=0,z=7", "out=x,pin=1,z=7", "out=y,pin=1,z=8", "out=y,pin=2,z=7")


def test_or_by_their_numbers() -> None:
    twice = ExplicitChain(CHAIN.propositions, (0,), ("x",), (("1",),) * 4, rows=ROWS)
    assert view(twice).states == ("0", "1", "2", "3")
    with refuses("names-not-unique"):
        view(ExplicitChain(CHAIN.propositions, (0,), names=("a", "b", "a", "c"), rows=ROWS))


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({}, ("", "a,b", "", "a")),
        ({"labels": "a"}, ("", "a", "", "a")),
        ({"labels": ["b", "a"]}, ("", "a,b", "", "a")),
        ({"labels": "init,deadlock"}, ("init", "init", "deadlock,init", "")),
        ({"observe": "out"}, ("out=x", "out=x", "out=y", "out=y")),
        ({"observe": "out,pin"}, ("out=x,pin=0", "out=x,pin=1", "out=y,pin=1", "out=y,pin=2")),
        ({"observe": ["out"], "labels": ["a"]}, ("out=x", "out=x,a", "out=y", "out=y,a")),
        ({"observe": ""}, ("", "", "", "")),
    ],
)
def test_labels(options: dict[str, Any], labels: tuple[str, ...]) -> None:
    assert view(**options).labels == labels


def test_different_observations_have_different_labels() -> None:
    mixed = ExplicitChain((("a", "b"), ("a,b",), (), ("a",)), (0,), rows=ROWS)
    assert len(set(view(mixed).labels)) == 4
    texts = (("a,y=b", "c"), ("a", "b,y=c"), ("a", "b"), ("a", '"b'))
    sly = ExplicitChain(CHAIN.propositions, (0,), ("x", "y"), texts, rows=ROWS)
    assert len(set(view(sly, observe="x,y").labels)) == 4


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"observe": "pni"}, 'no variable "pni"; the variables are "pin", "out", "z"'),
        ({"labels": "c"}, 'no label "c"; the labels are "a", "b", "deadlock", "init"'),
        ({"secret": "c"}, 'no variable "c"'),
    ],
)
def test_what_is_not_there(options: dict[str, Any], match: str) -> None:
    with refuses("not-in-model", match=match):
        view(**options)


def test_secrets_are_initial_states_that_differ_in_a_variable_only() -> None:
    first, second, third = view().states[:3]
    assert named_relation(view()) == [(first, second), (first, third), (second, third)]
    assert view(initial=True).relation == view().relation
    assert named_relation(view(secret="pin")) == [(first, second)]
    assert named_relation(view(secret="pin", observe="out,z")) == [(first, second), (first, third)]
    assert len(named_relation(view(secret="pin,z", observe="out"))) == 3
    with refuses("no-secrets", match="no two of the 3 initial states differ in out and agree"):
        view(secret="out")
    with refuses("no-secrets", match="there is one initial state, but"):
        view(ONE_SECRET, initial=True)


def test_the_relation_of_the_file() -> None:
    related = ExplicitChain(CHAIN.propositions, (0, 1, 2), relation=((0, 3), (2, 2)), rows=ROWS)
    assert view(related).relation == ((0, 3), (2, 2), (3, 0))
    assert len(view(related, initial=True).relation) == 6


@pytest.fixture
def pairs(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        (tmp_path / "pairs").write_text(text, encoding="utf-8")
        return str(tmp_path / "pairs")

    return write


def test_pairs_of_a_file(pairs: Callable[[str], str]) -> None:
    path = pairs('# secrets\n\nout=x,pin=0,z=7 "out=y,pin=2,z=7"\n')
    assert named_relation(view(secret_pairs=path)) == [("out=x,pin=0,z=7", "out=y,pin=2,z=7")]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a\n", "two names"),
        ("a b c\n", "two names"),
        ("# \n0 s\n", 'line 2: there is no state "s"'),
        ('"\\x" 0', "quotation marks"),
    ],
)
def test_pairs_that_are_refused(pairs: Callable[[str], str], text: str, match: str) -> None:
    path = pairs(text)
    with pytest.raises(BadLine, match=match) as caught:
        view(ONE_SECRET, secret_pairs=path)
    assert caught.value.file == path


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "MAX_PAIRS", 2)
    with refuses("too-many-pairs", match="3 pairs of states"):
        view()


def test_notes() -> None:
    assert notes(observe="out", secret="pin") == ()
    assert notes(observe="pin", secret="pin") == (
        "the observer distinguishes one pair of related states at once, such as "
        '"out=x,pin=0,z=7" and "out=x,pin=1,z=7" by pin',
    )
    (note,) = notes(observe="", secret="pin")
    assert "an observer learns nothing" in note
    assert "variables: pin, out, z; labels: a, b, deadlock, init" in note


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"observe": 3}, "names separated by commas"),
        ({"labels": "a,,b"}, "names separated by commas"),
        ({"secret": [1]}, "names separated by commas"),
        ({"initial": "yes"}, "initial must be true or false"),
        ({"secret": "x", "initial": True}, "both choose the secrets"),
        ({"const": {"p": 0.5}}, "a float"),
        ({"const": 5}, "const is written"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(BadOptions, match=match):
        Reading.of(**options)


def test_options_left_out() -> None:
    assert Reading.of(observe=None, initial=False) == Reading()
    assert Reading.of(const={"N": 3, "b": True, "p": "1/2"}).const == "N=3,b=true,p=1/2"
    with pytest.raises(BadOptions, match="observe has no meaning for a program"):
        Reading.of(observe="").only((), "a program")
