"""The examples in the PRISM language, and the same protocols from the zoo."""

import importlib.util
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.chain.collapsing.collapse import collapse
from prover.formats.convert import convert
from prover.formats.load import load_chain
from prover.questions import delta
from prover.zoo import crowds, dining_cryptographers, randomised_response
from tests.commands import ROOT

EXAMPLES = ROOT / "examples"
with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)


@with_storm
@pytest.mark.parametrize("n", range(3, 9))
def test_diners(n: int) -> None:
    chain = load_chain(EXAMPLES / "diners.prism", const={"N": n}, observe="said", secret="payer")
    answer = delta(chain, alpha="1.0002")
    assert len(chain.relation) == n * (n - 1)
    assert answer.value == delta(dining_cryptographers(n=n), alpha="1.0002").value
    assert verify(answer.certificate)


def test_diners_as_storm_exports_them() -> None:
    chain = load_chain(EXAMPLES / "diners.drn", observe="said", secret="payer")
    assert delta(chain, alpha="1.0002").value == delta(dining_cryptographers(n=3), alpha="1.0002").value


@with_storm
def test_the_export_is_that_of_the_program(tmp_path: Path) -> None:
    convert(EXAMPLES / "diners.prism", tmp_path / "diners.drn", const="N=3")
    assert (tmp_path / "diners.drn").read_bytes() == (EXAMPLES / "diners.drn").read_bytes()


@with_storm
@pytest.mark.parametrize("answers", [1, 2])
def test_randomised_response(answers: int) -> None:
    chain = load_chain(EXAMPLES / "survey.prism", const=f"N={answers}", observe="answer", secret="truth")
    zoo = delta(randomised_response(answers=answers), "a" * answers, "b" * answers, "6/5")
    assert delta(chain, alpha="6/5").value == zoo.value


@with_storm
@pytest.mark.parametrize("rounds", [1, 2])
def test_crowds(rounds: int) -> None:
    view: dict[str, Any] = {"observe": "seen", "secret": "initiator"}
    chain = load_chain(EXAMPLES / "crowds.prism", const={"ROUNDS": rounds}, untimed=True, **view)
    zoo = collapse(crowds(members=3, rounds=rounds))
    assert delta(chain, alpha=2).value == delta(zoo, alpha=2).value


@with_storm
@pytest.mark.parametrize("others", [1, 4, 9])
def test_voting(others: int) -> None:
    chain = load_chain(EXAMPLES / "voting.prism", const={"N": others}, observe="result", secret="vote")
    shifts = [
        Fraction(comb(others, k) - (comb(others, k - 1) if k else 0), 2**others) for k in range(others + 2)
    ]
    assert delta(chain, alpha=1).value == sum(max(shift, Fraction(0)) for shift in shifts)


@with_storm
def test_retransmission() -> None:
    view: dict[str, Any] = {"observe": "state", "secret": "long", "const": "MAX=2"}
    arrives = 1 - Fraction(1, 100) ** 3
    untimed = load_chain(EXAMPLES / "retransmission.prism", untimed=True, **view)
    assert delta(untimed, alpha=1).value == arrives - arrives**2
    assert delta(load_chain(EXAMPLES / "retransmission.prism", **view), alpha=1).value == Fraction(99, 100)


@with_storm
def test_herman() -> None:
    chain = load_chain(EXAMPLES / "herman.prism")
    assert (len(chain), len(chain.relation)) == (30, 20 * 19)
    answer = delta(chain, alpha=1)
    assert answer.value == Fraction(1, 4)
    assert verify(answer.certificate)


@with_storm
def test_leader_election() -> None:
    view: dict[str, Any] = {"observe": "leader", "secret": "favoured", "const": "K=3"}
    # 3 is drawn with probability 1/3 + 1/100, else 1 or 2 equally often; against 1, 2 and 3 equally often:
    top = Fraction(1, 3) + Fraction(1, 100)
    rest = (1 - top) / 2
    wins = top * Fraction(2, 3) + rest * Fraction(1, 3)
    loses = rest * Fraction(2, 3) + rest * Fraction(1, 3)
    untimed = load_chain(EXAMPLES / "leader.prism", untimed=True, **view)
    assert delta(untimed, alpha=1).value == (wins - loses) / (wins + loses)
