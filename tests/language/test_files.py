"""Files of code that are named: read, and never executed; and how their parameters get values."""

import time
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.errors import BadInput, BadValue
from prover.formats.files import named_in_code
from prover.language.files import constants_of
from tests.commands import prover as command
from tests.refusals import refuses

SIDE_EFFECTS = """
import pathlib
pathlib.Path({marker!r}).write_text("executed")
import no_such_module
raise SystemExit("executed")
import prover
from prover.language import laplace, see, flip

def rate():
    pathlib.Path({marker!r}).write_text("executed")

@prover.mechanism
def svt(queries, c=1, rate=pathlib.Path and "1/2"):
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            return
        see("below")

@prover.protocol
def survey(truth: bool, p="2/3"):
    see(truth if flip(p) else not truth)
"""


@pytest.fixture
def dangerous(tmp_path: Path) -> Path:
    """A file that leaves a trace when it is executed."""
    path = tmp_path / "dangerous.py"
    text = SIDE_EFFECTS.format(marker=str(tmp_path / "executed"))
    path.write_text(text.replace('rate=pathlib.Path and "1/2"', 'rate="1/2"'))
    return path


def test_a_file_is_never_executed(dangerous: Path) -> None:
    target = dangerous.with_name("svt.json")
    for arguments in (
        ("privacy", f"{dangerous}:svt", "--witness"),
        ("convert", f"{dangerous}:svt", target),
        ("delta", f"{dangerous}:survey", "--alpha", "6/5"),
        ("distance", f"{dangerous}:survey", "--alpha", "6/5"),
        ("convert", f"{dangerous}:survey", "-"),
    ):
        run = command(*arguments)
        assert run.status == 0, run.err
    assert command("privacy", f"{dangerous}:nothing").status == 2
    assert not dangerous.with_name("executed").exists()
    assert prover.privacy(prover.load_program(target)).epsilon == Fraction(5, 4)


def test_the_file_is_kept_from_being_overwritten(dangerous: Path) -> None:
    before = dangerous.read_text()
    run = command("privacy", f"{dangerous}:svt", "--certificate", dangerous, "--force")
    assert run.status == 2
    assert "is an input" in run.err
    assert dangerous.read_text() == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "no function is chosen; write FILE.py:NAME; there is svt, survey"),
        (":rate", '"rate" is not a mechanism or protocol yet: write @prover.mechanism or @prover.protocol'),
        (":", "no function is chosen"),
        (":svt --const d=1", 'svt has no parameter "d"; it has c, rate'),
        (":svt --const queries=1", "queries is private and cannot be a constant"),
        (":svt --const c", "is not a constant; write name=value"),
        (":svt --const c=1,c=2", "the constant c is given twice"),
        (":survey --const truth=True", "so nothing is secret"),
        (":survey", "a threshold program is expected; prover delta answers about it"),
        (":surve", "did you mean survey? there is svt, survey"),
    ],
)
def test_what_is_wrong_with_names_and_constants_is_said(dangerous: Path, name: str, words: str) -> None:
    name, *options = name.split(" ")
    run = command("privacy", f"{dangerous}{name}", *options)
    assert run.status == 2
    assert words in run.err
    assert run.err.startswith(f"prover: {dangerous}:")


MISTAKEN = """
import prover
from prover.language import laplace, see
from random import gauss

def plain(queries):
    see("x")

@prover.mechanism
def open(count):
    see(laplace(count, rate=1))

@prover.protocol
def told(truth):
    see(truth)

@prover.mechanism
def normal(queries):
    see(gauss(0, 1))

@prover.mechanism
def right(queries):
    see("x")
"""


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("privacy FILE:plain", '"plain" is not a mechanism or protocol yet: write @prover.mechanism or'),
        ("privacy FILE:open", "write a private number as count: Query, a stream of them as count: Queries"),
        (
            "delta FILE:told --alpha 2",
            "write a secret as truth: bool or truth: range(4), or give its values, --const truth=[1,2]",
        ),
        ("privacy FILE:normal", "Gaussian noise is gaussian(query, sigma="),
        (
            "distance FILE:right --alpha 2",
            "is expected; prover privacy and prover delta --at-epsilon answer about it",
        ),
        ("privacy FILE:right --const count", "is not a constant; write name=value"),
    ],
)
def test_what_newcomers_get_wrong(tmp_path: Path, asked: str, words: str) -> None:
    (tmp_path / "mistaken.py").write_text(MISTAKEN)
    run = command(*asked.replace("FILE", str(tmp_path / "mistaken.py")).split(" "))
    assert (run.status, run.out) == (2, "")
    assert words in run.err


@pytest.mark.parametrize(("word", "noted"), [("pass", True), ("see(x)", False)])
def test_who_forgets_to_show_anything_is_told(tmp_path: Path, word: str, noted: bool) -> None:
    code = f"from prover.language import protocol, see\n@protocol\ndef quiet(x: bool):\n    {word}\n"
    (tmp_path / "quiet.py").write_text(code)
    run = command("delta", tmp_path / "quiet.py", "--alpha", "2")
    assert run.status == 0
    assert ("Note: no run has an output: none reaches see(…)" in run.out) is noted


def test_paths_that_name_code() -> None:
    assert named_in_code("a/b.py") == ("a/b.py", None)
    assert named_in_code("a.py:b.py:f") == ("a.py:b.py", "f")
    assert named_in_code("a.pyx") is None
    assert named_in_code("svt.py.json") is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("a=1, b = 1/2,c=x", {"a": 1, "b": Fraction(1, 2), "c": "x"}),
        ("a=true,b='1,2',c=\"1\"", {"a": True, "b": "1,2", "c": "1"}),
        ("a=(1, (x,y)),b=[1,2]", {"a": (1, ("x", "y")), "b": [1, 2]}),
        ("a=()", {"a": ()}),
    ],
)
def test_constants_are_read(text: str, values: dict[str, object]) -> None:
    assert constants_of(text) == values


@pytest.mark.parametrize("text", ["a", "=1", "a=", "a=(1", "a=1)", "a=1 b=2", "1=a", "a=[1,2"])
def test_what_are_no_constants_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        constants_of(text)


def test_one_function_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        "\ufefffrom prover.language import flip, mechanism, protocol as p, see\r\n"
        "@p\r\ndef coin(side: bool):\r\n    see(side == flip('1/3'))\r\n"
    )
    chain = prover.load_chain(path)
    assert chain.states == ("end", "line4: False", "line4: True", "side=False", "side=True")
    path.write_text("x = 1\n")
    with refuses("no-such-function", match="above a function"):
        prover.load(path)
    path.write_bytes(b"x = '\xff'")
    with pytest.raises(BadInput, match="not in UTF-8"):
        prover.load(path)


def test_members_are_given_by_name(tmp_path: Path) -> None:
    path = tmp_path / "kinds.py"
    path.write_text(
        "from enum import Enum\nimport prover\nfrom prover.language import flip, laplace, see\n"
        "class Kind(Enum):\n    FAST = 1\n    SLOW = 2\n"
        "@prover.mechanism\ndef m(queries, kind: Kind = Kind.FAST, twice: bool = False):\n"
        "    see(kind.value)\n    see(laplace(next(queries), rate=2 if twice else 1))\n"
        "@prover.protocol\ndef p(kind: Kind):\n    see(kind if flip('3/4') else Kind.FAST)\n"
    )
    epsilons = [
        prover.privacy(prover.load_program(f"{path}:m", const=const)).epsilon
        for const in ("", "kind=SLOW", "kind=Kind.SLOW,twice=true")
    ]
    assert epsilons == [1, 1, 2]
    assert prover.delta(prover.load_chain(f"{path}:p"), alpha=1).value == Fraction(3, 4)
    for const in ("kind=SLOWLY", "kind=1", "twice=2", "twice=yes"):
        with pytest.raises(BadValue, match="must be one of"):
            prover.load_program(f"{path}:m", const=const)


def test_secrets_that_are_named_are_related_alone(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(
        "import prover\nfrom prover.language import flip, see\n"
        "@prover.protocol\ndef both(first: bool, second: bool):\n"
        "    see(first == flip('1/3'))\n    see(second == flip('2/5'))\n"
    )
    assert len(prover.load_chain(path).relation) == 12
    assert len(prover.load_chain(path, secret="first").relation) == 4
    assert len(prover.load_chain(path, secret="first,second").relation) == 12
    assert prover.delta(prover.load_chain(path, secret="second"), alpha="1").value == Fraction(1, 5)
    with pytest.raises(BadValue, match="no parameter"):
        prover.load_chain(path, secret="third")


def states_of_lyu_2(tmp_path: Path, count: int) -> int:
    path = tmp_path / "large.py"
    path.write_text((Path(__file__).parents[2] / "examples" / "mechanisms" / "sparse_vector.py").read_text())
    return len(prover.load_program(f"{path}:lyu_2", const=f"c={count}").states)


def test_two_states_for_each_answer_above(tmp_path: Path) -> None:
    assert states_of_lyu_2(tmp_path, 50) == 100


@pytest.mark.timing
def test_a_thousand_states_are_compiled_in_seconds(tmp_path: Path) -> None:
    began = time.process_time()
    assert states_of_lyu_2(tmp_path, 500) == 1000
    assert time.process_time() - began < 20
