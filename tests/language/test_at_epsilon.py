"""Texts that name epsilon: the model is that at one ε, with plain numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, BadOptions, BadValue
from prover.language.epsilon import amount, names_epsilon
from prover.language.errors import NeedsEpsilon
from prover.language.files import function_in
from prover.language.written import Mechanism, Protocol
from prover.program.privacy import privacy
from prover.questions import advantages, delta
from tests.commands import prover

HEAD = "import prover\nfrom prover.language import exponential, flip, choose, gaussian, laplace, see\n\n"
TENTH = Fraction(1, 10)


def mechanism(*lines: str, parameters: str = "queries") -> Mechanism:
    text = f"{HEAD}@prover.mechanism\ndef f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    function = function_in(text.encode(), "f", "f.py")
    assert isinstance(function, Mechanism)
    return function


def chain(*lines: str, **given: Any) -> LabelledMarkovChain:
    text = f"{HEAD}@prover.protocol\ndef f(truth: bool):\n" + "".join(f"    {line}\n" for line in lines)
    function = function_in(text.encode(), "f", "f.py")
    assert isinstance(function, Protocol)
    made = function.system(given, {"truth": [True, False]})
    assert isinstance(made, LabelledMarkovChain)
    return made


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "m.py"
    path.write_text(
        HEAD
        + "@prover.mechanism\ndef scaled(queries):\n    see(laplace(next(queries), scale='epsilon'))\n\n"
        + "@prover.mechanism\ndef plain(queries):\n    see(laplace(next(queries), scale=1))\n\n"
        + "@prover.protocol\ndef lies(truth: bool):\n    see(truth != flip('(1 - epsilon)/2'))\n\n"
        + "@prover.protocol\ndef coin(truth: bool):\n    see(truth != flip('1/3'))\n"
    )
    return str(path)


@pytest.mark.parametrize(
    ("noise", "same"),
    [
        ("laplace({}, scale='epsilon')", "laplace({}, rate=100)"),
        ("laplace({}, rate='2*epsilon')", "laplace({}, rate=2)"),
        ("laplace({}, rate='1/(4 * epsilon)')", "laplace({}, rate=25)"),
        ("laplace({}, scale='-(1 - 2)/epsilon')", "laplace({}, rate=1)"),
        ("exponential({}, rate='epsilon + 0.9')", "exponential({}, rate=10)"),
        ("gaussian({}, sigma='2/epsilon')", "gaussian({}, sigma=20)"),
    ],
)
def test_noise_at_one_epsilon(noise: str, same: str) -> None:
    lines = "t = laplace(0, rate=1)", "see('a' if {} >= t else 'b')"
    named = mechanism(lines[0], lines[1].format(noise.format("next(queries)"))).program({"epsilon": "1/10"})
    plain = mechanism(lines[0], lines[1].format(same.format("next(queries)"))).program({})
    assert named == plain
    assert (named.at_epsilon, plain.at_epsilon) == (TENTH, None)


@pytest.mark.parametrize(
    ("drawn", "same"),
    [
        ("flip('(1 - epsilon)/2')", "flip('9/20')"),
        ("choose((True, False), ('epsilon', 1))", "choose((True, False), (1, 10))"),
        ("choose({True: 'epsilon', False: '1 - epsilon'})", "flip('1/10')"),
    ],
)
def test_coins_at_one_epsilon(drawn: str, same: str) -> None:
    assert chain(f"see(truth != {drawn})", epsilon=TENTH) == chain(f"see(truth != {same})")


def test_the_loss_is_that_at_the_only_epsilon() -> None:
    function = mechanism("see(laplace(next(queries), scale='epsilon'))")
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
        answer = privacy(function.program({"epsilon": epsilon}))
        assert answer.epsilon is not None
        assert answer.epsilon * epsilon == 1 / epsilon
        assert f"= {1 / epsilon} (no" in answer.headline
        assert f"ε is {epsilon}" in answer.assumption


def test_questions_are_about_the_only_epsilon() -> None:
    program = mechanism(
        "see('a' if laplace(next(queries), scale='epsilon') >= 0 else 'b')"
    ).program({"epsilon": "1/2"})  # fmt: skip
    assert delta(program, alpha=2).at_epsilon == Fraction(1, 2)
    with pytest.raises(BadOptions, match="epsilon = 1/2"):
        delta(program, at_epsilon=1, alpha=2)
    with pytest.raises(BadOptions, match="epsilon = 1/2"):
        advantages(program, epsilon=1)


def test_epsilon_is_asked_for() -> None:
    with pytest.raises(NeedsEpsilon, match="--at-epsilon"):
        mechanism("see(laplace(next(queries), scale='epsilon'))").program({})
    with pytest.raises(NeedsEpsilon, match="rename it"):
        mechanism("see(laplace(next(queries), scale='epsilon'))", parameters="queries, epsilon=1").program({})
    with pytest.raises(BadValue, match="no parameter"):
        mechanism("see(laplace(next(queries), scale=1))").program({"epsilon": 1})


@pytest.mark.parametrize(
    "text", ["epsilon^(1/3)", "epsilon/0", "f(epsilon)", "epsilon +", "epsilon + 'a'", "e^epsilon",
             "epsilon" + "+1" * 20000, "epsilon + True", "epsilon - epsilon"],
)  # fmt: skip
def test_texts_that_are_no_noise(text: str) -> None:
    assert names_epsilon(text)
    with pytest.raises(BadInput):
        mechanism(f"see(laplace(next(queries), scale={text!r}))").program({"epsilon": "1/2"})


def test_amounts() -> None:
    assert amount("3 - 2*epsilon", TENTH) == Fraction(14, 5)
    assert amount("epsilonic", TENTH) == "epsilonic"


def test_commands(file: str, tmp_path: Path) -> None:
    assert prover("privacy", f"{file}:scaled").status == 2
    said = prover("privacy", f"{file}:scaled", "--at-epsilon", "1/10").out
    assert said.startswith("private at ε = 1/10: exactly 100·ε = 10 ")
    assert "For every ε" not in said
    read = json.loads(prover("privacy", f"{file}:scaled", "--at-epsilon", "1/10", "--json").out)
    assert (read["at_epsilon"], read["epsilon"]) == ("1/10", "100")
    assert "at_epsilon" not in json.loads(prover("privacy", f"{file}:plain", "--json").out)
    kept = str(tmp_path / "c.cert")
    assert prover("privacy", f"{file}:scaled", "--const", "epsilon=1/10", "--certificate", kept).status == 0
    assert prover("verify", kept).status == 0
    assert "11/9" in prover("epsilon", f"{file}:lies", "--at-epsilon", "1/10", "--delta", "0").out
    assert prover("delta", f"{file}:lies", "--const", "epsilon=1/10", "--alpha", "11/9").status == 0
    assert prover("delta", f"{file}:coin", "--at-epsilon", "1", "--alpha", "2").status == 2
    attacked = prover("privacy", f"{file}:scaled", "--at-epsilon", "1/10", "--witness", "--simulate", "50")
    assert "Attack at ε = 1/10" in attacked.out
    assert "simulated" in attacked.out


def test_an_account_reads_at_its_epsilon(file: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        f'[[mechanism]]\nmodel = "{file}:scaled"\nat_epsilon = "2"\ntimes = 2\n\n[ask]\ndelta = "1/100"\n'
    )
    found = prover("account", str(path))
    assert found.status == 0, found.err
