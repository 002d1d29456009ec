"""Counts: their distributions, sums of coins that are counted, and what wrong arguments are told."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log
from random import Random
from textwrap import indent

import pytest

import prover
from prover.chain.model import LabelledMarkovChain
from prover.language import binomial, choose, flip, hypergeometric, see
from prover.language.coins import outcomes
from prover.language.errors import CodeError
from prover.language.files import function_in
from prover.language.written import Protocol
from tests.language.scripted import runs
from tests.language.test_examples import FOLDER
from tests.language.test_random_functions import function_of, words

HEAD = """\
import prover
from prover.language import binomial, choose, flip, hypergeometric, see
@prover.protocol
"""


def protocol(body: str, parameters: str = "secret: bool", imports: str = HEAD) -> Protocol:
    """A protocol of this body."""
    text = f"{imports}def f({parameters}):\n{indent(body, '    ')}"
    function = function_in(text.encode(), "f", "f.py")
    assert isinstance(function, Protocol)
    return function


def of_python(text: str, secret: bool) -> dict[tuple[str, ...], Fraction]:
    """What Python sees of a protocol, with probabilities, by going all ways."""
    python = function_of(text)
    found: dict[tuple[str, ...], Fraction] = {}
    for script in runs(lambda _: python(secret)):
        if script.mass:
            word = tuple(text for _, text in script.events)
            found[word] = found.get(word, Fraction(0)) + script.mass
    return found


def least_epsilon(chain: LabelledMarkovChain) -> float:
    """The least ε with δ ≤ 1e-6, in floating point."""
    alpha = prover.epsilon_for(chain, delta="1e-6").alpha_upper
    assert alpha is not None
    return log(alpha)


def random_body(random: Random) -> str:
    """Loops that add coins to counters, use some of them, and rename others."""
    adds = [
        "a += 1 if flip('1/3') else 0",
        "if flip('1/4'):\n    b -= 2",
        "c = a + 1\nif flip():\n    a = c",
        "a += choose({-1: '1/5', 0: '1/5', 2: '3/5'})",
        "b += binomial(2, '1/3')",
        "a, b = b, a",
        "d = choose((0, 1, 2))\nif d == 0:\n    a += 1\nelif d == 1:\n    b += 1",
        "b = a\na += secret + flip('1/7')",
    ]
    uses = ["if a > 1:\n    a = 0", "see(b)", "a = b * 2", "if flip('1/5'):\n    break"]
    after = ["see(a)", "see((a, b))", "see('more' if a > b else 'less')", "see(a + b)", "see(a - b)"]
    lines = ["a = 0\nb = secret + 0\nc = 1"]
    for _ in range(random.randint(1, 2)):
        body = [random.choice(adds) for _ in range(random.randint(1, 2))]
        body += [random.choice(uses)] * (random.random() < 0.3)
        lines.append(f"for _ in range({random.randint(1, 3)}):\n{indent(chr(10).join(body), '    ')}")
        lines.append(random.choice(after))
    return "\n".join(lines)


@pytest.mark.parametrize("block", range(3))
def test_counted_runs_are_those_of_python(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        function = protocol(random_body(Random(seed)))
        chain = function.chain({})
        for secret in (True, False):
            text = "\n".join(function.source.lines)
            assert words(chain, f"secret={secret}") == of_python(text, secret), text


def test_coins_until_two_differ() -> None:
    body = (
        "n = 0\nwhile True:\n    a = flip('1/3')\n    b = flip('1/4')\n    if a != b:\n        break\nsee(a)"
    )
    found = words(protocol(body).chain({}), "secret=True")
    assert found == {("True",): Fraction(3, 5), ("False",): Fraction(2, 5)}


@pytest.mark.parametrize(("n", "p"), [(0, "1/3"), (1, "0"), (3, "1"), (7, "2/5"), (40, "1/7")])
def test_binomial(n: int, p: str) -> None:
    chance = Fraction(p)
    expected = {k: comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)}
    found = {k: Fraction(str(q)) for k, q in outcomes("binomial", (n, p))}
    assert found == {k: q for k, q in expected.items() if q}


@pytest.mark.parametrize("given", [(0, 0, 0), (5, 0, 3), (5, 5, 3), (6, 4, 5), (12, 5, 4), (9, 2, 9)])
def test_hypergeometric(given: tuple[int, int, int]) -> None:
    population, marked, drawn = given
    found = {k: Fraction(str(q)) for k, q in outcomes("hypergeometric", given)}
    body = f"see(hypergeometric({population}, {marked}, {drawn}))\n"
    assert {(str(k),): q for k, q in found.items()} == of_python(f"{HEAD}def f(secret):\n    {body}", True)
    assert sum(found.values()) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("binomial(-1, '1/2')", "n must be at least 0, not -1"),
        ("binomial(10001, '1/2')", "n must be at most 10000, not 10001"),
        ("binomial('1/2', '1/2')", "n must be a whole number, not 1/2"),
        ("binomial(True, '1/2')", 'n is a truth value; write a number, such as "1/2"'),
        ("binomial(2, '3/2')", "p must be at most 1, not 3/2"),
        ("binomial(2, -1)", "p must be at least 0, not -1"),
        (f"binomial(2, '1/{'7' * 10_001}')", "is too long; at most 10,000 digits are read"),
        (f"binomial(2, '1/{'7' * 9_000}')", "may have more than 10,000 digits; write a smaller n"),
        ("binomial(2)", "p is missing"),
        ("hypergeometric(3, 4, 1)", "marked must be at most the population, 3, not 4"),
        ("hypergeometric(3, 1, 5)", "drawn must be at most the population, 3, not 5"),
        ("hypergeometric(10**9, 1, 5)", "population must be at most 10000, not 1000000000"),
        ("hypergeometric(3, 'x', 5)", "malformed number"),
        ("choose({'a': '1/2', 'b': '1/3'})", "the probabilities add up to 5/6, not to 1"),
        ("choose({1: '1/2', True: '1/2'})", "True occurs twice"),
        ("choose({'a': '3/2', 'b': '-1/2'})", "a probability must be at least 0, not -1/2"),
        ("choose({'a': 1}, (1,))", "values with probabilities have no weights"),
        ("choose({**a})", "write the values one by one"),
        ("choose({})", "there are no options to choose from"),
        ("see({1: 2})", "dictionaries stand only in choose({value: probability})"),
    ],
)
def test_wrong_arguments(call: str, message: str) -> None:
    with pytest.raises(CodeError) as raised:
        protocol(f"a = 1\nb = {call}\nsee(b)").chain({})
    assert message in str(raised.value)
    assert raised.value.line == 6


def example(name: str, **constants: object) -> LabelledMarkovChain:
    """The chain of a function in the examples."""
    function = function_in((FOLDER / "counts.py").read_bytes(), name, None)
    assert isinstance(function, Protocol)
    return function.chain(constants)


@pytest.mark.family
@pytest.mark.parametrize(
    ("name", "n", "least"),
    [
        ("shuffled", 100, "0.550065527"),
        ("shuffled_at_once", 100, "0.550065527"),
        ("shuffled", 1000, "0.142057674"),
        pytest.param("shuffled", 3000, "0.077158307", marks=pytest.mark.slow),
    ],
)
def test_shuffled_randomised_response(name: str, n: int, least: str) -> None:
    chain = example(name, n=n)
    assert len(chain.states) == n + 4
    assert f"{least_epsilon(chain):.9f}" == least


@pytest.mark.parametrize(("p", "n", "least"), [("1/3", 30, "1.098348502"), ("1/2", 30, "1.092996886")])
def test_clones(p: str, n: int, least: str) -> None:
    assert f"{least_epsilon(example('clones', n=n, p=p)):.9f}" == least


@pytest.mark.slow
def test_shuffled_answers_of_three_kinds() -> None:
    assert f"{least_epsilon(example('shuffled_of_three', mine=[1, 2])):.6f}" == "0.717812"


def test_fifty_votes_in_three_bins() -> None:
    chain = example("tally", mine=[0, 1, 2])
    assert len(chain.states) == comb(52, 2) + 3 + 1
    ways = [(a, b, 49 - a - b) for a in range(50) for b in range(50 - a)]
    chance = {(a, b): Fraction(comb(49, a) * comb(49 - a, b), 3**49) for a, b, _ in ways}
    parts = [
        max(Fraction(0), chance.get((a - 1, b), Fraction(0)) - 2 * chance.get((a, b - 1), Fraction(0)))
        for a in range(51)
        for b in range(51 - a)
    ]
    assert prover.delta(chain, alpha=2).value == sum(parts)


def test_python_runs_count_too() -> None:
    @prover.protocol
    def counted(secret: bool) -> None:
        see(binomial(4, "1/2"))
        see(hypergeometric(5, 3, 4))
        see(choose({"a": "1/2", "b": 0.5}) if secret else "c")
        see(flip())

    seen = {tuple(counted.run(secret=True, seed=seed)) for seed in range(200)}
    assert {one[0] for one in seen} == {"0", "1", "2", "3", "4"}
    assert {one[1] for one in seen} == {"2", "3"}
    assert {one[2] for one in seen} == {"a", "b"}
