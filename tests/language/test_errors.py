"""What is outside the language: one readable error each, with its place, its text and what to write."""

import pytest

import prover
from prover.errors import BadDocument
from prover.language.errors import CodeError, NotYetInTheModel, Unbounded, Unsupported, WrongCode
from prover.language.files import function_in
from prover.language.written import Mechanism
from tests.refusals import refuses

HEAD = """\
import random
import numpy as np
import prover
from enum import Enum
from prover.language import Query, flip, geometric, laplace, see
LIST = [1, 2]
TWICE = 1
TWICE = 2
NOISE = laplace(0, rate=1)
class Colour(Enum):
    RED = 1
class Other:
    pass
def helper(x):
    return helper(x)
@prover.mechanism
def m(queries):
    t = laplace(0, rate="1/4")
    for query in queries:
"""
LINES = HEAD.count("\n")

# What stands in the loop, the error, the text that it quotes, and words of what it says.
WRONG = [
    ("noise = random.gauss(0, 1)", Unsupported, "random.gauss(0, 1)", "draw random numbers with laplace"),
    ("noise = np.random.laplace(0, 1)", Unsupported, "np.random.laplace(0, 1)", "draw noise with laplace"),
    ("found = [query]", Unsupported, "[query]", "write a tuple"),
    ("found = {1: 2}", Unsupported, "{1: 2}", "write a tuple of pairs"),
    ("found = {1, 2}", Unsupported, "{1, 2}", "write a tuple"),
    ("found = [x for x in (1, 2)]", Unsupported, "[x for x in (1, 2)]", "write a loop"),
    ("found = sum(x for x in (1, 2))", Unsupported, "(x for x in (1, 2))", "write a loop"),
    ("f = lambda x: x", Unsupported, "lambda x: x", "at the top of the file"),
    ("try:\n    pass\nexcept ValueError:\n    pass", Unsupported, "try:", "test with if"),
    ("with open('x') as f:\n    pass", Unsupported, "with open('x') as f:", "leave it out"),
    ("raise ValueError", Unsupported, "raise ValueError", "see a word and return"),
    ("assert True", Unsupported, "assert True", "leave it out"),
    ("global t", Unsupported, "global t", "pass values"),
    ("del t", Unsupported, "del t", "leave it out"),
    ("import math", Unsupported, "import math", "in the same file"),
    ("def inner():\n    pass", Unsupported, "def inner():", "top of the file"),
    ("class Inner:\n    pass", Unsupported, "class Inner:", "Enum"),
    ("match t:\n    case 1:\n        pass", Unsupported, "match t:", "if and elif"),
    ("yield t", Unsupported, "yield t", "write see"),
    ("print('above')", Unsupported, "print('above')", "write see"),
    ("return 'above'", Unsupported, "return 'above'", "write see"),
    ("found = (1, 2)[0:1]", Unsupported, "(1, 2)[0:1]", "write a loop"),
    ("found = 3 & 1", Unsupported, "3 & 1", "write //"),
    ("found = ~3", Unsupported, "~3", "write not"),
    ("see(f'{1:>3}')", Unsupported, "", "write {value} alone"),
    ("see(float(1))", Unsupported, "float(1)", "numbers are exact"),
    ("found = round(laplace(query, rate=1))", Unsupported, "round(laplace(query, rate=1))", "noisy"),
    ("found = sorted((2, 1))", Unsupported, "sorted((2, 1))", "in its order"),
    ("found = 'a'.upper()", Unsupported, "'a'.upper()", "same file"),
    ("t.x = 1", Unsupported, "t.x", "write a variable"),
    ("t[0] = 1", Unsupported, "t[0]", "write a new tuple"),
    ("a, *b = (1, 2)", Unsupported, "*b", "one by one"),
    ("found = max(*(1, 2))", Unsupported, "*(1, 2)", "one by one"),
    ("found = dict(**t)", Unsupported, "t", "one by one"),
    ("found = helper(1)", Unsupported, "helper(x)", "write a loop"),
    ("found = m(1)", Unsupported, "m(1)", "decorator"),
    ("found = laplace", Unsupported, "laplace", "write laplace(…)"),
    ("found = len", Unsupported, "len", "write len(…)"),
    ("found = 1j", Unsupported, "1j", "a number or a string"),
    ("found = LIST", Unsupported, "[1, 2]", "write a tuple"),
    ("found = NOISE", Unsupported, "laplace(0, rate=1)", "constant"),
    ("found = Other", Unsupported, "class Other:", "enumerations"),
    ("found = TWICE", WrongCode, "TWICE", "constants have one"),
    ("found = Colour.BLUE", WrongCode, "Colour.BLUE", "no member"),
    ("noisy = geometric(query, q='1/2')", Unsupported, "geometric(query, q='1/2')", "q is for protocols"),
    ("t = geometric(0, rate=1, q='1/2')", WrongCode, "geometric(0, rate=1, q='1/2')", "rate, scale or q"),
    ("coin = flip('1/2')", Unsupported, "flip('1/2')", "for protocols"),
    ("found = undefined", WrongCode, "undefined", "no value"),
    ("if 1 == 2:\n    late = 1\nsee(late)", WrongCode, "see(late)", "no value on some path"),
    ("found = 1 // 0", WrongCode, "1 // 0", "division"),
    ("found = 10 ** 10 ** 10", WrongCode, "10 ** 10 ** 10", "too large"),
    ("x, y = (1, 2, 3)", WrongCode, "x, y", "do not fit"),
    ("for x in 3:\n    pass", WrongCode, "3", "cannot be iterated over"),
    ("noisy = laplace(query)", WrongCode, "laplace(query)", "either rate or scale"),
    ("noisy = laplace(query, rate=1, scale=1)", WrongCode, "laplace(query, rate=1, scale=1)", "both"),
    ("noisy = laplace(query, rate=0)", WrongCode, "laplace(query, rate=0)", "more than 0"),
    ("noisy = laplace(query, rate='a')", WrongCode, "laplace(query, rate='a')", "1/3, 0.25"),
    ("noisy = laplace(query, noise=1)", WrongCode, "laplace(query, noise=1)", "no parameter noise"),
    ("noisy = laplace(rate=1)", WrongCode, "laplace(rate=1)", "center is missing"),
    ("noisy = laplace('a', rate=1)", WrongCode, "laplace('a', rate=1)", "a string"),
    ("noisy = laplace(t, rate=1)", NotYetInTheModel, "laplace(t, rate=1)", "noise on noise"),
    ("if t:\n    pass", WrongCode, "t", "neither true nor false"),
    ("if not t:\n    pass", WrongCode, "not t", "neither true nor false"),
    ("noisy = 2 * laplace(query, rate=1)", WrongCode, "2 * laplace(query, rate=1)", "shifted by a public"),
    ("noisy = laplace(2 * query, rate=1)", WrongCode, "2 * query", "c times that rate"),
    ("noisy = laplace((query + query) / 2, rate=1)", WrongCode, "(query + query) / 2", "c times that rate"),
    ("noisy = t + laplace(query, rate=1)", NotYetInTheModel, "t + laplace(query, rate=1)", "no meaning"),
    ("if query >= 3:\n    pass", NotYetInTheModel, "query >= 3", "without any noise"),
    ("if laplace(query, rate=1) > 'a': pass", NotYetInTheModel, "laplace(query, rate=1) > 'a'", "a string"),
    (
        "u = laplace(0, rate=1)\nsee(t < u)\nv = laplace(0, rate=1)\nsee(v < t)\nsee(t + 1 < u)",
        NotYetInTheModel, "t + 1 < u", "right after",
    ),
    (
        "a = laplace(query, rate=1)\nu = laplace(0, rate=1)\nb = laplace(query, rate=1)\nsee(a + u)",
        NotYetInTheModel, "laplace(query, rate=1)", "answered before",
    ),
    ("see('insample')", WrongCode, "see('insample')", "another word"),
    ("see(None)", WrongCode, "see(None)", "a non-empty string, a whole number"),
    ("see(1 / 2)", WrongCode, "see(1 / 2)", "a non-empty string, a whole number"),
    ("while True:\n    pass", Unbounded, "True", "see something"),
    ("for x in range(10 ** 9):\n    pass", Unbounded, "", "see something"),
]  # fmt: skip


def body(text: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in text.split("\n"))


def program(text: str) -> prover.LabelledMarkovChain | object:
    function = function_in(text.encode(), "m", "m.py")
    assert isinstance(function, Mechanism)
    return function.program({})


@pytest.mark.parametrize(("text", "kind", "quoted", "words"), WRONG)
def test_an_error_says_where_what_and_what_instead(
    text: str, kind: type[CodeError], quoted: str, words: str
) -> None:
    with pytest.raises(kind) as caught:
        program(body(text))
    error = caught.value
    assert type(error) is kind
    assert error.file == "m.py"
    assert error.line is not None
    assert error.column is not None
    assert words in error.message
    if quoted:
        assert error.text == quoted
        line = body(text).split("\n")[error.line - 1]
        assert line[error.column - 1 :].startswith(error.text.split("\n")[0])
    assert str(error).startswith(f"m.py: line {error.line}, column {error.column}: ")
    assert "\n" not in str(error)
    assert len(str(error)) < 330


def test_there_are_forty_of_them() -> None:
    assert len({words for words, *_ in WRONG}) >= 40


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def m(:", "invalid syntax"),
        ("def m():\n\tif 1:\n        pass", "inconsistent use of tabs"),
        ("x = " + "(" * 10_000, "this is not Python"),
        ("\0", "this is not Python"),
    ],
)
def test_what_is_no_python_is_said_to_be_none(text: str, words: str) -> None:
    with refuses("not-python") as caught:
        function_in(text.encode(), "m", "m.py")
    assert words in str(caught.value)
    assert caught.value.file == "m.py"


def test_places_are_counted_in_characters() -> None:
    text = body("see('ε'); see(float(1))")
    with pytest.raises(Unsupported) as caught:
        program(text)
    assert (caught.value.line, caught.value.column) == (LINES + 1, 9 + len("see('ε'); see("))


def test_deep_nesting_is_no_fault_of_ours() -> None:
    with pytest.raises(BadDocument):
        program(body("x = " + "+".join(["1"] * 20_000)))


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("from prover import Query", "Query"),
        ("import prover", "prover.Query"),
        ("import prover as p", "p.Query"),
    ],
)
def test_a_word_that_is_looked_for_in_prover(head: str, named: str) -> None:
    text = f"{head}\nfrom prover import mechanism\n@mechanism\ndef f(query: {named}):\n    pass\n"
    mechanism = function_in(text.encode(), "f", None)
    assert isinstance(mechanism, Mechanism)
    with pytest.raises(WrongCode) as caught:
        mechanism.program({})
    assert f'"{named}": prover has no Query; write from prover.language import Query' in str(caught.value)


def test_a_text_among_numbers() -> None:
    text = (
        "import prover\nfrom prover.language import laplace, see\nSHARE = '1/10'\n@prover.mechanism\n"
        "def f(queries):\n    t = laplace(0, rate=1 - SHARE)\n    see('x')\n"
    )
    mechanism = function_in(text.encode(), "f", None)
    assert isinstance(mechanism, Mechanism)
    with pytest.raises(WrongCode, match='"1/10" is a string, not a number: write 1 / 10'):
        mechanism.program({})
