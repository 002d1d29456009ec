"""The examples in the PRISM language, and the same protocols from the zoo."""

import importlib.util
from pathlib import Path

import pytest

from prover.certificate.verification import verify
from prover.chain.delta import delta
from prover.formats.convert import convert
from prover.formats.load import load_chain
from prover.zoo import dining_cryptographers, randomised_response
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
