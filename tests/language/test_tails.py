"""Unbounded noise in protocols: what is split off, what is seen as one label, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from random import Random
from textwrap import indent

import pytest

import prover
from prover.accounting.mechanism import Mechanism
from prover.chain.model import LabelledMarkovChain
from prover.errors import NotSupported
from prover.language import discrete_laplace, geometric, see
from prover.language.errors import CodeError
from tests.language.test_counting import HEAD, example, of_python, protocol
from tests.language.test_random_functions import words

IMPORTS = HEAD.replace("import binomial", "import discrete_laplace, geometric, binomial")


def stands_for(label: str, seen: str) -> bool:
    """Whether a label is what is seen, or the tail in which that number lies."""
    number, _, side = label.partition(" or ")
    if not side or not seen.lstrip("-").isdigit():
        return label == seen
    return int(seen) >= int(number) if side == "more" else int(seen) <= int(number)


def random_body(random: Random) -> str:
    """Noise that is shifted, negated, compared and seen."""
    word = random.choice(("geometric", "discrete_laplace"))
    lines = [f"x = {word}({random.randint(-1, 1)} + secret, q='1/4')"]
    changes = ["x = x + 1", "x = 2 - x", "x = -x", "x -= secret", "y = x\nx = y - 1"]
    relation = random.choice(("<", "<=", ">", ">=", "==", "!="))
    test = random.choice((f"x {relation} {random.randint(-2, 3)}", f"1 / 2 {relation} x"))
    uses = [
        f"if {test}:\n    see('yes')",
        f"if {test}:\n    x = x + 1",
        f"x = max(x, {random.randint(-3, 1)})",
        "x = min(4, x)",
        f"if {test}:\n    see(2 if flip('1/3') else 3)",
        f"n = 0\nfor _ in range(2):\n    n += flip('1/3')\nif {test}:\n    see(n)",
    ]
    lines += [random.choice(changes) for _ in range(random.randint(0, 2))]
    lines += [random.choice(uses) for _ in range(random.randint(1, 2))]
    lines.append(random.choice(("see(x)", "see(x)", "see('end of it')", f"if {test}:\n    see(x)")))
    return "\n".join(lines)


@pytest.mark.family
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_runs_with_unbounded_noise_are_those_of_python(start: int) -> None:
    tails = 0
    for seed in range(start, start + 40):
        body = random_body(Random(seed))
        text = f"{IMPORTS}def f(secret: bool):\n{indent(body, '    ')}"
        chain = protocol(body, imports=IMPORTS).chain({})
        shown = {labels for secret in (True, False) for labels in words(chain, f"secret={secret}")}
        for secret in (True, False):
            exact, near = words(chain, f"secret={secret}"), of_python(text, secret)
            for seen in near:
                same = [one for one in shown if len(one) == len(seen) and all(map(stands_for, one, seen))]
                assert len(same) == 1, (text, seen)
            assert sum(exact.values()) == 1
            left = 1 - sum(near.values())
            for labels, chance in exact.items():
                parts = [
                    p
                    for seen, p in near.items()
                    if len(seen) == len(labels) and all(map(stands_for, labels, seen))
                ]
                assert 0 <= chance - sum(parts) <= left, (text, labels)
                tails += any(" or " in label for label in labels)
    assert tails >= 20


@pytest.mark.parametrize(("at_least", "delta"), [(2, "1/3"), (3, "1/6"), (1, "2/3"), (5, "1/24")])
def test_thresholded_release(at_least: int, delta: str) -> None:
    """Half of these values is declared, P[noise > at_least − 1], which leaves out the threshold itself."""
    answer = prover.delta(example("thresholded", at_least=at_least), alpha=2)
    assert str(answer.value) == delta


def test_two_sided_noise_is_as_private_as_its_ratio() -> None:
    chain = protocol("see(2 * secret + discrete_laplace(0, q='1/3'))", imports=IMPORTS).chain({})
    assert prover.delta(chain, alpha=9).value == 0
    q = Fraction(1, 3)
    above = sum(((1 - q) / (1 + q) * q ** abs(k - 2) for k in range(2, 60)), Fraction(0))
    below = sum(((1 - q) / (1 + q) * q ** abs(k) for k in range(2, 60)), Fraction(0))
    found = prover.delta(chain, alpha=3).value
    assert found is not None
    assert 0 <= found - (above - 3 * below) <= q**50


def test_bounds_lie_behind_all_numbers_that_are_seen() -> None:
    body = "if secret:\n    see(6)\nelse:\n    see(geometric(2, q='1/2'))"
    chain = protocol(body, imports=IMPORTS).chain({})
    assert set(chain.labels) == {"start", "2", "3", "4", "5", "6", "7 or more", "end"}
    assert prover.delta(chain, "secret=True", "secret=False", alpha=1).value == Fraction(31, 32)


def test_two_draws_are_two_numbers() -> None:
    body = "a = geometric(0, q='1/2')\nb = geometric(0, q='1/2')\nif a >= 2:\n    see(b)"
    chain = protocol(body, imports=IMPORTS).chain({})
    assert words(chain, "secret=True") == {(): Fraction(3, 4), ("0 or more",): Fraction(1, 4)}
    chain = protocol(
        f"{body}\nif b >= 1:\n    see('yes')".replace("see(b)", "see('a')"), imports=IMPORTS
    ).chain({})
    quarter = Fraction(1, 4)
    assert words(chain, "secret=True") == {
        (): Fraction(3, 8), ("yes",): Fraction(3, 8), ("a",): quarter / 2, ("a", "yes"): quarter / 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("see(geometric(0, q=1))", "q must be below 1"),
        ("see(geometric(0, q=0))", "q must be more than 0, not 0"),
        ("see(geometric(0, q=True))", "q is a truth value"),
        (f"see(geometric(0, q='1/{'3' * 10_001}'))", "at most 10,000 digits are read"),
        ("see(geometric('0', q='1/2'))", "the center is a string; add noise to a whole number"),
        ("see(geometric(geometric(0, q='1/2'), q='1/2'))", "the center is noise on noise"),
        ("see(geometric(0, q='1/2') + geometric(0, q='1/2'))", "this noise is unbounded; compare it"),
        ("see(abs(discrete_laplace(0, q='1/2')))", "this noise is unbounded; compare it"),
        ("x = geometric(0, q='1/2')\nsee(x)\nif x > 3:\n    see('a')", "is used after it is seen"),
        ("see(geometric(0, q='1/2') if secret else geometric(0, q='1/3'))", "another q is seen elsewhere"),
        ("if geometric(0, q='1/2') > 10**6:\n    see('a')", "too many; compare it with a nearer number"),
        ("see('7 or more')\nsee(geometric(0, q='1/2'))", "this word stands for unbounded noise"),
        ("see(geometric(0, rate=1))", "this is for mechanisms"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(CodeError) as raised:
        protocol(body, imports=IMPORTS).chain({})
    assert message in str(raised.value)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few states are too many."""
    monkeypatch.setattr(sys.modules["prover.language.protocol"], "MOST_EXACT", 300)


CUT = {
    "loop": "k = 1 if secret else 0\nwhile flip('1/2'):\n    k += 1\nsee(k)",
    "slow": "k = 1 if secret else 0\nwhile flip('9/10'):\n    k += 1\nsee(k)",
    "sum": "see(secret + (geometric(0, q='1/2') + geometric(0, q='1/3')))",
    "size": "see(abs(secret + discrete_laplace(0, q='1/2')))",
    "twice": "x = geometric(1 if secret else 0, q='1/2')\nsee(x)\nsee(x)",
    "ratios": "see(geometric(0, q='1/2') if secret else geometric(0, q='1/3'))",
    "noisy": "see(geometric(geometric(1 if secret else 0, q='1/3'), q='1/2'))",
    "pair": "see((geometric(1 if secret else 0, q='1/2'), geometric(0, q='1/2')))",
    "walk": "k = 1\nwhile 0 < k:\n    if flip('1/10'):\n        k += 1\n    else:\n        k -= 1\n"
    "    see('up' if k > 5 and secret else 'on')\nsee('done')",
}


def geometric_law(q: Fraction, least: int = 0) -> dict[int, Fraction]:
    return {least + k: (1 - q) * q**k for k in range(120)}


def convolved(*laws: dict[int, Fraction]) -> dict[int, Fraction]:
    found = {0: Fraction(1)}
    for law in laws:
        sums: dict[int, Fraction] = {}
        for one, p in found.items():
            for other, r in law.items():
                sums[one + other] = sums.get(one + other, Fraction(0)) + p * r
        found = sums
    return found


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SUMS = tuple(convolved(geometric_law(HALF), geometric_law(THIRD, k)) for k in (0, 1))
LAWS = {
    "loop": (geometric_law(HALF), geometric_law(HALF, 1)),
    "twice": (geometric_law(HALF), geometric_law(HALF, 1)),
    "pair": (geometric_law(HALF), geometric_law(HALF, 1)),
    "ratios": (geometric_law(THIRD), geometric_law(HALF)),
    "sum": SUMS,
    "noisy": SUMS,
}


@pytest.mark.family
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", [name for name in CUT if name in LAWS])
def test_protocols_that_are_cut_enclose_their_delta(name: str) -> None:
    """``LAWS`` are the numbers that are seen without and with the secret, up to tails of 2^-100."""
    chain = protocol(CUT[name], imports=IMPORTS).chain({}, lost=Fraction(1, 10**7))
    assert chain.lost == "lost"
    there, here = LAWS[name]
    for alpha in (Fraction(1), Fraction(3, 2), Fraction(3)):
        for source, target, first, second in (("False", "True", there, here), ("True", "False", here, there)):
            answer = prover.delta(chain, f"secret={source}", f"secret={target}", alpha, kind="lv")
            true = sum(max(Fraction(0), p - alpha * second.get(k, 0)) for k, p in first.items())
            assert answer.lower - THIRD**60 <= true <= answer.upper + THIRD**60
            assert 0 < answer.upper - answer.lower <= Fraction(5, 10**7)
            assert 0 < answer.lost <= Fraction(11, 10**8)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", CUT)
def test_few_runs_are_lost(name: str) -> None:
    chain = protocol(CUT[name], imports=IMPORTS).chain({}, lost=Fraction(1, 1000))
    assert 0 < max(words_lost(chain, f"secret={secret}") for secret in (True, False)) <= Fraction(1, 1000)


def words_lost(chain: LabelledMarkovChain, start: str) -> Fraction:
    """How likely a run is lost within 400 steps."""
    places, lost = {chain.index(start): Fraction(1)}, Fraction(0)
    for _ in range(400):
        after: dict[int, Fraction] = {}
        for s, p in places.items():
            for t, r in chain.rows[s].items():
                if chain.labels[t] == "lost":
                    lost += p * r
                elif chain.labels[t] != "end":
                    after[t] = after.get(t, Fraction(0)) + p * r
        places = after
    return lost


def test_the_word_lost_may_be_seen_where_nothing_is() -> None:
    chain = protocol("see('lost')\nsee('found')", imports=IMPORTS).chain({})
    assert words(chain, "secret=True") == {("lost", "found"): 1}


def test_what_needs_no_cut_stays_exact() -> None:
    body = "see(geometric(1 if secret else 0, q='1/2'))"
    chain = protocol(body, imports=IMPORTS).chain({}, lost=HALF)
    assert chain == protocol(body, imports=IMPORTS).chain({})
    assert chain.lost is None


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("see('lost')\nsee(geometric(0, q='1/2') + geometric(0, q='1/2'))", "reserved"),
        ("x = ask('a', 'b')\nsee(geometric(0, q='1/2') + geometric(0, q='1/2'))", "this noise is unbounded"),
        ("see(geometric(0, q='1/2') + geometric(0, q=1))", "q must be below 1"),
        ("k = 0\nwhile flip('1/2'):\n    k += 1\nsee(k)", "so far k takes"),
    ],
)
def test_what_is_not_cut(body: str, message: str) -> None:
    lost = None if "while" in body else THIRD
    with pytest.raises(CodeError) as raised:
        protocol(body, imports=IMPORTS.replace("flip,", "ask, flip,")).system({}, lost=lost)
    assert message in str(raised.value)


@pytest.mark.usefixtures("soon")
def test_other_questions_refuse_a_chain_that_is_cut() -> None:
    chain = protocol(CUT["loop"], imports=IMPORTS).chain({}, lost=THIRD)
    questions: list[Callable[[], object]] = [
        lambda: prover.distance(chain, alpha=2),
        lambda: prover.collapse(chain),
        lambda: Mechanism.of(chain),
    ]
    for ask in questions:
        with pytest.raises(NotSupported, match="cut from another one"):
            ask()


def test_python_draws_unbounded_numbers() -> None:
    @prover.protocol
    def noisy(secret: bool) -> None:
        see(geometric(1 if secret else 0, q="1/2"))
        see(discrete_laplace(0, q=0.5))

    runs = [noisy.run(secret=True, seed=seed) for seed in range(400)]
    first, second = ([int(run[k]) for run in runs] for k in (0, 1))
    assert min(first) == 1
    assert 150 <= first.count(1) <= 250  # 200 are expected, and the standard deviation is 10
    assert 83 <= second.count(0) <= 183  # 133
    assert min(second) < 0 < max(second)
