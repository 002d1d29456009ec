"""Real probabilities in code and in files: δ is enclosed, by mpmath at 40 digits, and checkers agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import prover
from prover.accounting.profile_certificates import profile_certificate
from prover.certificate.check import check
from prover.chain.epsilon import epsilon_for
from prover.chain.privacy_profile import curve
from prover.errors import BadInput, BadValue, InvalidModel
from prover.exact.real import Real, real_number, whole_part
from prover.formats.load import read_model
from prover.formats.reading import Reading
from tests.certificate.accounts_judge import is_true_account
from tests.certificate.real_judge import accepts_real
from tests.certified import proved
from tests.commands import prover as prover_says

mpmath.mp.dps = 45
SAMPLERS = "examples/mechanisms/samplers.py"
FAR = 200


def value(expression: str) -> Any:
    """The number by mpmath."""
    return mpmath.mpf(sympy.sympify(expression.replace("^", "**"), {"e": sympy.E}).evalf(45))


def hockey(p: Callable[[int], Any], q: Callable[[int], Any], alpha: Any) -> Any:
    return sum(max(mpmath.mpf(0), p(k) - alpha * q(k)) for k in range(-FAR, FAR + 1))


def normal(weight: Callable[[int], Any]) -> Callable[[int], Any]:
    total = sum(weight(k) for k in range(-FAR, FAR + 1))
    return lambda k: weight(k) / total


def laplace(k: int) -> Any:
    return mpmath.exp(-mpmath.mpf(abs(k)) / 2)


def gaussian(k: int) -> Any:
    return mpmath.exp(-mpmath.mpf(k * k) / 2)


@pytest.mark.parametrize(
    ("name", "law"),
    [pytest.param("laplace_count", laplace, marks=pytest.mark.slow), ("gaussian_count", gaussian)],
)
def test_samplers_draw_what_they_are_for(name: str, law: Callable[[int], Any]) -> None:
    chance = normal(law)
    lost = Fraction(1, 10**4)
    chain = read_model(f"{SAMPLERS}:{name}", Reading.of(), None, lost)
    answer = prover.delta(chain, alpha="6/5", gap="1/1000")
    truth = hockey(chance, lambda k: chance(k - 1), mpmath.mpf(6) / 5)
    assert answer.lower <= Fraction(mpmath.nstr(truth, 40)) <= answer.upper
    assert answer.upper - answer.lower <= Fraction(1, 1000)
    assert answer.certificate is not None
    assert check(answer.certificate.data).startswith("tv ")


def test_a_key_is_released_more_often_than_is_declared() -> None:
    answer = prover.delta(read_model(f"{SAMPLERS}:released_key", Reading.of(), None), alpha=1)
    true, declared = value("e^(-4)/(1 + e^(-1))"), value("e^(-5)/(1 + e^(-1))")
    assert mpmath.nstr(true, 15) == "0.0133898049326985"
    assert mpmath.nstr(declared, 14) == "0.0049258339560357"
    assert (
        answer.lower <= Fraction(mpmath.nstr(true, 40)) <= answer.upper <= answer.lower + Fraction(1, 10**11)
    )


@pytest.fixture(name="noisy", scope="module")
def laplace_chain(tmp_path_factory: pytest.TempPathFactory) -> prover.LabelledMarkovChain:
    """Discrete Laplace noise of scale 2 around 0 or 1: a chain that need not be cut."""
    file = tmp_path_factory.mktemp("noise") / "f.py"
    file.write_text(protocol("see(discrete_laplace(int(s), q='e^(-1/2)'))"))
    return prover.load_chain(f"{file}:f")


@pytest.mark.parametrize("bound", ["1/5", "1/100"])
def test_the_least_epsilon(noisy: prover.LabelledMarkovChain, bound: str) -> None:
    answer = epsilon_for(noisy, delta=bound)
    chance = normal(laplace)
    allowed = mpmath.mpf(Fraction(bound).numerator) / Fraction(bound).denominator
    truth = mpmath.findroot(
        lambda alpha: hockey(chance, lambda k: chance(k - 1), alpha) - allowed,
        (mpmath.mpf(1), mpmath.mpf("1.64")),
        solver="anderson",
    )
    assert answer.alpha_upper is not None
    assert answer.alpha_lower <= Fraction(mpmath.nstr(truth, 30)) <= answer.alpha_upper
    assert answer.alpha_upper <= answer.alpha_lower * (1 + Fraction(1, 10**6))
    assert answer.alpha is None
    for proof, is_enough in ((answer.certificate, True), (answer.lower_certificate, False)):
        assert proof is not None
        claim = proved(proof)["claim"]
        assert (Fraction(claim["upper"]) <= answer.delta) == is_enough
        assert accepts_real(json.loads(proof.data))


@pytest.mark.parametrize(
    ("body", "truth"),
    [
        ("see(s == flip('e^(1/3)/(1 + e^(1/3))'))", "1/3"),
        ("see(discrete_laplace(int(s), q='e^(-1/2)'))", "1/2"),
        ("for _ in range(2):\n    see(s == flip('e^(1/3)/(1 + e^(1/3))'))", "2/3"),
        ("while flip('e^(-1)'):\n    pass\nsee(s == flip('e/(1 + e)'))", "1"),
        ("see(s == flip('e/(1 + e)'))\nif flip('1/3'):\n    see('more')", "1"),
    ],
)
def test_pure_privacy(body: str, truth: str, tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(protocol(body))
    answer = epsilon_for(prover.load_chain(f"{file}:f"), delta=0, limit=3)
    assert answer.upper is not None
    assert answer.lower <= Fraction(truth) <= answer.upper <= answer.lower + Fraction(1, 10**6)
    assert answer.upper <= Fraction(truth) + Fraction(1, 10**11)
    for proof in (answer.certificate, answer.lower_certificate):
        assert proof is not None
        proved(proof)
        assert accepts_real(json.loads(proof.data))


def test_what_lost_runs_leave_open(tmp_path: Path) -> None:
    """Runs that go on flipping are all lost in the end; and that no ε is enough has no proof."""
    twice = protocol("while flip('e^(-1)'):\n    see(s == flip('e/(1 + e)'))")
    file = tmp_path / "f.py"
    file.write_text(twice)
    answer = epsilon_for(prover.load_chain(f"{file}:f"), delta=0, limit=3)
    assert (answer.alpha_upper, answer.impossible) == (None, False)
    assert answer.lower > Fraction("0.99")
    assert "No upper bound of epsilon is proved for a delta below this probability." in str(answer)
    key = read_model(f"{SAMPLERS}:released_key", Reading.of(), None)
    assert isinstance(key, prover.LabelledMarkovChain)
    released = epsilon_for(key, delta="1/1000")
    assert (released.alpha_upper, released.impossible) == (None, False)
    assert released.alpha_lower > 10**6
    assert "Where runs are lost, it is not proved that no epsilon is enough." in str(released)


def test_curves(noisy: prover.LabelledMarkovChain) -> None:
    chance = normal(laplace)
    alphas = [Fraction(1), Fraction(5, 4), Fraction(3, 2)]
    found = curve(noisy, alphas=alphas, provable=True)
    for one in (found, curve(noisy, alphas=alphas)):
        assert one.exact is None
        assert one.lost > 0
        for point in one:
            factor = mpmath.mpf(point.alpha.numerator) / point.alpha.denominator
            truth = Fraction(mpmath.nstr(hockey(chance, lambda k: chance(k - 1), factor), 30))
            assert point.lower <= truth <= point.upper <= point.lower + Fraction(1, 10**6)
            assert point.ld is None
    made = profile_certificate(noisy, found)
    assert proved(made)["claim"]["lost"] == "lost"
    assert is_true_account(small_curve())


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(protocol("see(s == flip('e^(1/3)/(1 + e^(1/3))'))"))
    least = prover_says("epsilon", f"{file}:f", "--delta", "1/1000", "--json")
    assert least.status == 0
    lost = json.loads(least.out)["lost"]
    assert 0 < Fraction(lost) < Fraction(1, 10**11)
    drawn = prover_says(
        "curve", f"{file}:f", "--alpha", "1:2:3", "--json", "--certificate", str(tmp_path / "c")
    )
    assert drawn.status == 0
    assert json.loads(drawn.out)["lost"] == lost
    assert prover_says("verify", str(tmp_path / "c"), "--model", f"{file}:f").status == 0
    table = prover_says("curve", f"{file}:f", "--alpha", "1:2:3", "--csv", str(tmp_path / "d"))
    assert "Probabilities that are not rational are rounded down: a run is lost" in table.out


def small_curve() -> Any:
    """The certificate of a curve of randomised response, answered twice where the truth was told."""
    share = {"c": "1/(1 + e^(1/3))", "b": "e^(1/3)/(1 + e^(1/3))"}
    states: dict[str, Any] = {
        "s": {"label": "S", "next": {"a": "e^(-1)", "b": "1 - e^(-1)"}},
        "t": {"label": "S", "next": share},
        "a": {"label": "A", "next": share},
        "b": {"label": "B", "next": {"b": 1}},
        "c": {"label": "C", "next": {"c": 1}},
    }
    chain = prover.from_dict({"type": "labelled-markov-chain", "version": 1, "states": states})
    assert isinstance(chain, prover.LabelledMarkovChain)
    found = prover.curve(chain, "s", "t", ["1", "3/2"], provable=True)
    return proved(profile_certificate(chain, found))


NUMBERS = (
    "e^(-1/2)",
    "1/(1 + e^(1/3))",
    "1 - e^(-2)",
    "e/(1 + e + e^2)",
    "(e - 1)/(e + 1)",
    "e^(-3)*e^(1/7)/2",
)


@settings(max_examples=settings().max_examples // 4)
@given(seed=st.integers(0, 10**9))
def test_random_chains(seed: int) -> None:
    """Every word of a small chain, by mpmath."""
    random = Random(seed)
    names = ["s", "t", "a", "b", "c"]
    rows: dict[str, dict[str, str]] = {name: {name: "1"} for name in ("b", "c")}
    for name, later in (("s", ["a", "b", "c"]), ("t", ["a", "b", "c"]), ("a", ["b", "c"])):
        first, *rest = random.sample(later, random.randint(2, len(later)))
        share = f"({random.choice(NUMBERS)})"
        rows[name] = {first: share} | {one: f"(1 - {share})/{len(rest)}" for one in rest}
    labels = {"s": "S", "t": "S", "a": "A", "b": "B", "c": "C"}
    document: dict[str, Any] = {
        "type": "labelled-markov-chain", "version": 1, "relation": [["s", "t"]],
        "states": {name: {"label": labels[name], "next": rows[name]} for name in names},
    }  # fmt: skip
    alpha = random.choice([Fraction(1), Fraction(6, 5)])

    def words(name: str) -> dict[str, Any]:
        law = {one: value(rows[name].get(one, "0")) for one in names}
        return {one: law[one] for one in "bc"} | {
            f"a{one}": law["a"] * value(rows["a"].get(one, "0")) for one in "bc"
        }

    of_s, of_t = words("s"), words("t")
    factor = mpmath.mpf(alpha.numerator) / alpha.denominator
    truth = sum(max(mpmath.mpf(0), of_s[w] - factor * of_t[w]) for w in of_s)
    chain = prover.from_dict(document)
    assert isinstance(chain, prover.LabelledMarkovChain)
    answer = prover.delta(chain, "s", "t", alpha, kind="lv")
    assert answer.lower <= Fraction(mpmath.nstr(truth, 40)) + Fraction(1, 10**35)
    assert answer.upper >= Fraction(mpmath.nstr(truth, 40)) - Fraction(1, 10**35)
    assert answer.upper - answer.lower < Fraction(1, 10**10)
    made = json.loads(answer.certificate.data)
    check(answer.certificate.data)
    assert accepts_real(made)


@pytest.mark.parametrize(
    "text",
    [
        *NUMBERS,
        "e",
        "2^16*e^(-3/2)",
        "e^(1/3)/(1+e^(1/3)) + 1/(1+e^(1/3))",
        "(1 - e^(-2))/(1 - e^(-1))",
        "-e^2 + 8",
    ],
)
def test_numbers(text: str) -> None:
    number = real_number(text)
    assert whole_part(number) == int(mpmath.floor(value(text)))
    if isinstance(number, Real):
        low, high = number.enclosed(120)
        near = Fraction(mpmath.nstr(value(text), 40))
        assert low - Fraction(1, 10**33) <= near <= high + Fraction(1, 10**33)
        assert real_number(str(number)) == number
        assert number - number == 0


def test_equal_numbers_are_one() -> None:
    assert real_number("(1 - e^(-2))/(1 - e^(-1))") == real_number("1 + 1/e")
    assert real_number("(e^(1/2) + 1)*(e^(1/2) - 1) - e") == -1
    assert real_number("e^(1/2)*e^(1/3)") == real_number("e^(5/6)")
    assert real_number("e^(1/2)") != real_number("e^(1/3)")


@pytest.mark.parametrize(
    "text",
    [
        "e^e",
        "pi",
        "e^(1/2",
        "2^(1/2)",
        "1/(e - e)",
        "e^(2000)",
        "f(e)",
        "e.real",
        "(1 + e)^300",
        "e^(1/2)^(1/2)/0",
    ],
)
def test_texts_that_are_no_numbers(text: str) -> None:
    with pytest.raises(BadInput):
        real_number(text)


def protocol(body: str) -> str:
    head = "import prover\nfrom prover.language import *\n\n@prover.protocol\ndef f(s: bool):\n"
    return head + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("see(s == flip('e^(1/2)'))", "at most 1"),
        ("see(s == flip('1 - e'))", "at least 0"),
        ("see(choose({1: 'e^(-1)', 2: '1/2'}) + s)", "add up to 1/2 + 1*e^(-1), not to 1"),
        ("see(binomial(3, 'e^(-1)') + s)", "p"),
        ("see(geometric(0, q='e'))", "q must be below 1"),
        ("see(s == flip('e^(-x)'))", "no number"),
    ],
)
def test_what_is_refused(body: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(protocol(body))
    done = prover_says("delta", f"{file}:f", "--alpha", "1")
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_rows_of_files_add_up_to_1() -> None:
    states: dict[str, Any] = {
        "s": {"label": "S", "next": {"s": "e^(-1)", "t": "1/2"}},
        "t": {"label": "T", "next": {"t": 1}},
    }
    document = {"type": "labelled-markov-chain", "version": 1, "states": states}
    with pytest.raises(InvalidModel, match=r"add up to 1/2 \+ 1\*e\^\(-1\), not to 1"):
        prover.from_dict(document)
    states["s"]["next"] = {"s": "1 - e", "t": "e"}
    with pytest.raises(InvalidModel, match="below 0"):
        prover.from_dict(document)
    states["s"]["next"] = {"s": "pie", "t": "e"}
    with pytest.raises(BadValue):
        prover.from_dict(document)
