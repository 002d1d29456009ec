"""Which secrets of a protocol are related: neighbours in words, functions that are read, files of pairs."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import prover
from prover.errors import BadInput, BadOptions, BadValue, BeyondLimit
from prover.language import see
from tests.commands import prover as command
from tests.refusals import refuses
from tests.scripts import module_at

ROOT = Path(__file__).resolve().parents[2]
GRID = f"{ROOT / 'examples' / 'mechanisms' / 'protocols.py'}:first_above"
CELLS = list(product(range(4), repeat=3))
NOISE = [
    [Fraction(n, sum(row)) for n in row] for row in ((8, 4, 2, 2), (4, 4, 2, 2), (2, 2, 4, 4), (2, 2, 4, 8))
]

HEAD = """
import prover
from enum import Enum
from typing import Literal
from prover.language import flip, see

class Kind(Enum):
    FLAT = 1
    STEEP = 2
"""
PAIR = HEAD + "@prover.protocol\ndef p(a: range(3), b: range(3), n=(1, 2)):\n    see(a * 3 + b)\n"


def pairs_of(model: object) -> set[tuple[str, str]]:
    assert isinstance(model, prover.LabelledMarkovChain)
    return {(model.states[s], model.states[t]) for s, t in model.relation}


def named(*values: int) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip("abc", values, strict=False))


def written(tmp_path: Path, code: str, text: str = PAIR) -> str:
    path = tmp_path / "m.py"
    path.write_text(text + code)
    return f"{path}:p"


def neighbours(step: int | None) -> Iterator[tuple[str, str]]:
    for s, t in product(CELLS, repeat=2):
        differing = [abs(x - y) for x, y in zip(s, t, strict=True) if x != y]
        if len(differing) == 1 and step in (None, differing[0]):
            yield named(*s), named(*t)


@pytest.mark.family
@pytest.mark.parametrize(
    ("related", "step"),
    [("differ in one", None), ("differ by 1 in one", 1), (" differ  by 4/2 in one", 2), ("near", 1)],
)
def test_neighbours_are_those_of_the_definition(related: str, step: int | None) -> None:
    assert pairs_of(prover.load(GRID, related=related)) == set(neighbours(step))


def laws(cell: tuple[int, ...]) -> dict[int, Fraction]:
    """With which probability which of the answers is the first above the threshold; 3 for none."""
    found = dict.fromkeys(range(4), Fraction(0))
    for threshold in range(4):
        left = NOISE[2][threshold]
        for place, answer in enumerate(cell):
            hit = sum(NOISE[answer][threshold:], Fraction(0))
            found[place] += left * hit
            left *= 1 - hit
        found[3] += left
    return found


def test_the_epsilon_of_a_grid_is_the_largest_ratio_of_neighbours() -> None:
    known = {named(*cell): laws(cell) for cell in CELLS}
    ratios = [known[s][k] / known[t][k] for s, t in neighbours(1) for k in range(4)]
    found = prover.epsilon_for(prover.load_chain(GRID, related="differ by 1 in one"), delta=0)
    assert found.alpha == max(ratios)
    assert found.certificate is not None


@pytest.mark.slow
def test_a_grid_has_the_same_certificate_from_its_json_file(tmp_path: Path) -> None:
    asked = ("--alpha", "3/2", "--certificate", tmp_path / "grid.cert", "--force")
    target = tmp_path / "grid.json"
    assert command("convert", GRID, target, "--related", "near").status == 0
    runs = [
        (command("delta", *model, *asked).status, (tmp_path / "grid.cert").read_bytes())
        for model in ((GRID, "--related", "near"), (target,))
    ]
    assert runs[0][0] == 0
    assert runs[0] == runs[1]


def test_parameters_that_are_not_secret_agree() -> None:
    found = pairs_of(prover.load(GRID, related="near", secret="a,b"))
    assert found == {(s, t) for s, t in neighbours(1) if s[-1] == t[-1]}
    assert found == pairs_of(prover.load(GRID, related="differ by 1 in one", secret=["a", "b"]))


LAST = 2


def sums(cell: Any, last: int = LAST) -> Any:
    return cell.a + cell.b + last


def one_up(one, other):  # type: ignore[no-untyped-def]
    return one.a + 1 == other.a and one.b == other.b


def chained(one, other):  # type: ignore[no-untyped-def]
    for place in range(3):
        if sums(one) == place < sums(other, last=1):
            return True
    return one.b == 1 and not other.a


@pytest.mark.parametrize("related", [one_up, chained])
def test_functions_say_what_python_says_and_are_closed_symmetrically(related: Callable[..., bool]) -> None:
    @prover.protocol
    def cells(a: range(3), b: range(3)):  # type: ignore[valid-type, no-untyped-def]
        see(a * 3 + b)

    values = [SimpleNamespace(a=a, b=b) for a, b in product(range(3), repeat=2)]
    assert pairs_of(cells.chain(related)) == {
        (named(s.a, s.b), named(t.a, t.b))
        for s, t in product(values, repeat=2)
        if s != t and (related(s, t) or related(t, s))
    }


def test_relations_know_public_parameters_and_members_of_enumerations(tmp_path: Path) -> None:
    code = """
@prover.protocol
def p(kind: Kind, value: Literal["low", "high"], bias="1/3"):
    see(value if flip(bias) else kind)

def r(one, other):
    return one.bias < 1 and one.kind.value < other.kind.value and one.value == other.value
"""
    found = pairs_of(prover.load(written(tmp_path, code, HEAD), related="r"))
    one = {(f"kind=FLAT, value={v}", f"kind=STEEP, value={v}") for v in ("low", "high")}
    assert found == one | {(t, s) for s, t in one}


@pytest.mark.parametrize(
    ("related", "code", "message"),
    [
        ("r", "def r(x, y):\n    return x.c == y.c", 'there is no secret "c"; there is a, b, n'),
        (
            "r",
            "def r(x):\n    return True",
            "r has 1 parameter; a relation of secrets has two: def r(one, other)",
        ),
        ("r", "def r(x, y):\n    x.a == y.a", "r returns None; return True or False, such as a comparison"),
        ("r", "def r(x, y):\n    return flip()", "a relation draws nothing and sees nothing"),
        ("r", "def r(x, y):\n    while True:\n        pass", "r runs too long; write a loop that ends"),
        ("r", "def r(x, y):\n    return x.a.b == 1", 'a number has no attribute "b"'),
        ("r", "def r(x, y):\n    x.a = 1\n    return True", "objects cannot be changed"),
        ("r", "def r(x, y):\n    return False", "no two of the 18 secrets are related by r"),
        (
            "s",
            "def r(x, y):\n    return True",
            '"s" is no relation; write "differ in one", "differ by 1 in one", or',
        ),
        ("ner", "def near(x, y):\n    return True", '"ner" is no relation; did you mean near? write'),
        ("differ in two", "", '"differ in two" is no relation; write "differ in one"'),
        ("differ by 9 in one", "", "no two of the 18 secrets differ by 9 in one of a, b, n"),
        ("differ by x in one", "", 'malformed number "x"'),
        ("differ by 0 in one", "", "the difference must be more than 0, not 0; a relation is"),
        ("p", "", "p has 3 parameters; a relation of secrets has two"),
    ],
)
def test_what_is_no_relation_is_refused(tmp_path: Path, related: str, code: str, message: str) -> None:
    text = PAIR.replace("n=(1, 2)", "n=[1, 2]")
    with pytest.raises(BadInput) as raised:
        prover.load(written(tmp_path, code, text), related=related)
    assert message in raised.value.message
    assert raised.value.file is not None


def test_only_numbers_differ_by_a_number_and_only_parameters_are_secret(tmp_path: Path) -> None:
    text = HEAD + "@prover.protocol\ndef p(a: bool, b: range(3)):\n    see(b if a else 0)\n"
    path = written(tmp_path, "", text)
    with refuses("bad-relation", match="a is a truth value, and only numbers differ by a number"):
        prover.load(path, related="differ by 1 in one")
    assert len(pairs_of(prover.load(path, related="differ by 1 in one", secret="b"))) == 8
    with pytest.raises(BadValue, match=r'no parameter "c" that could be secret; the parameters are a, b$'):
        prover.load(path, related="differ in one", secret="b,c")
    with refuses("no-secrets", match="no two of the 3 secrets differ in a alone"):
        prover.load(path, const="a=true", secret="a")


def test_too_many_pairs_are_refused(tmp_path: Path) -> None:
    text = HEAD + "@prover.protocol\ndef p(a: range(40), b: range(40)):\n    see(a)\n"
    path = written(tmp_path, "", text)
    with pytest.raises(
        BeyondLimit, match=r"1,279,200 pairs of secrets would be compared, .* relate neighbours"
    ):
        prover.load(path)
    assert len(pairs_of(prover.load(path, related="differ by 1 in one"))) == 2 * 2 * 40 * 39


def test_files_of_pairs_write_secrets_as_assignments(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs"
    pairs.write_text('# b first\nb=1,a=0 a=2,b=2\n"a=0, b=0"   "b=0, a=1"\n')
    path = written(tmp_path, "")
    model = prover.load(path, secret_pairs=pairs, const="n=1")
    expected = {(named(0, 1), named(2, 2)), (named(0, 0), named(1, 0))}
    assert pairs_of(model) == expected | {(t, s) for s, t in expected}
    for line, message in (
        ("a=0,b=0 a=0", 'line 1: there is no secret "a=0"; one is written "a=0, b=0"'),
        ("a=0,b=0 a=0,b=7", 'line 1: there is no secret "a=0,b=7"'),
        ("a=0,b=0 somewhere", "line 1: "),
        ("a=0, b=0 a=0, b=1", "line 1: a line must have two names"),
    ):
        pairs.write_text(line)
        run = command("delta", path, "--alpha", "2", "--const", "n=1", "--secret-pairs", pairs)
        assert run.status == 2
        assert message in run.err


def test_one_way_to_choose_secrets_is_enough() -> None:
    with pytest.raises(BadOptions, match="secret_pairs and related both choose the secrets"):
        prover.load(GRID, related="near", secret_pairs="pairs")
    with pytest.raises(BadOptions, match=r'related must be words such as "differ in one", not int'):
        prover.load(GRID, related=1)  # type: ignore[arg-type]
    with pytest.raises(BadOptions, match="related has no meaning for a JSON chain"):
        prover.load(ROOT / "examples" / "coin.json", related="differ in one")
    mechanism = f"{ROOT / 'examples' / 'mechanisms' / 'sparse_vector.py'}:lyu_2"
    run = command("delta", mechanism, "--at-epsilon", "1", "--related", "differ in one")
    assert run.status == 2
    assert "--related" in run.err


def test_values_come_from_types_and_defaults(tmp_path: Path) -> None:
    code = """
@prover.protocol
def p(a: range(2, 4), b: Literal["x", "1/2"], c: Literal[-1, True], d={"u", "v"}, e=["1/3"]):
    see((a, b, c, d))
"""
    path = written(tmp_path, code, HEAD)
    found = {name for pair in pairs_of(prover.load(path)) for name in pair}
    assert len(found) == 16
    assert "a=3, b=1/2, c=True, d=v" in found
    for const, message in (
        ("a=4", "a must be one of 2, 3, not 4"),
        ("c=1", "c must be one of -1, True, not 1"),
        ('b="1"', 'b must be one of x, 1/2, not "1"'),
    ):
        run = command("delta", path, "--alpha", "2", "--const", const)
        assert run.status == 2
        assert message in run.err


def test_python_has_the_same_relations() -> None:
    path = ROOT / "examples" / "mechanisms" / "protocols.py"
    module = module_at(path)
    expected = prover.load(GRID, related="near")
    for related in ("differ by 1 in one", "near", module.near):
        assert module.first_above.chain(related) == expected
    assert module.first_above.system("near", "a, b") == prover.load(GRID, related="near", secret="a,b")
    assert module.first_above.run(a=3, b=0, c=0, seed=1)[-1] in ("above", "below")


def test_a_relation_may_stand_elsewhere_than_the_protocol() -> None:
    @prover.protocol
    def shown(related: range(3)):  # type: ignore[valid-type, no-untyped-def]
        see(related)

    def next_to(one, other):  # type: ignore[no-untyped-def]
        return one.related + 1 == other.related

    found = pairs_of(shown.chain(next_to))
    assert found == {(f"related={s}", f"related={t}") for s, t in ((0, 1), (1, 0), (1, 2), (2, 1))}
    assert len(pairs_of(shown.chain(related=[0, 1, 2]))) == 6


@pytest.mark.slow
def test_claims_are_about_neighbours(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs"
    pairs.write_text("a=0,b=0,c=0 a=0,b=0,c=1\n")
    claims = tmp_path / "privacy.claims.toml"
    claims.write_text(
        f'[[claim]]\nmodel = "{GRID}"\nrelated = "near"\nalpha = 2\ndelta_at_most = 0\n'
        f'[[claim]]\nmodel = "{GRID}"\nalpha = 2\ndelta_at_most = 0\n'
        f'[[claim]]\nmodel = "{GRID}"\nsecret_pairs = "pairs"\nalpha = 2\ndelta_at_most = 0\n'
    )
    run = command("check", claims)
    assert run.status == 1
    assert "3 claims: 2 hold, 1 refuted, 0 open." in run.out


def test_secrets_with_values(tmp_path: Path) -> None:
    code = "\n@prover.protocol\ndef q(a, b, n=(1, 2)):\n    see(a * 3 + b)\n"
    path = written(tmp_path, code).removesuffix("p") + "q"
    by_secret = prover.load_chain(path, secret="a=[0..2],b=[0,1]", const="n=2")
    by_const = prover.load_chain(path, secret="a,b", const="a=[0,1,2],b=[0,1],n=2")
    assert pairs_of(by_secret) == pairs_of(by_const)
    with pytest.raises(BadValue, match="given twice"):
        prover.load_chain(path, secret="a=[0..2],b=[0,1]", const="a=[1,2]")
