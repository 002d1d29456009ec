"""The least ε for a δ of 2 was 0; a δ is a probability."""

from pathlib import Path

import pytest

import prover
from prover.errors import BadInput
from prover.formats.convert import write_json
from prover.zoo import pin_checker
from prover.zoo.interactive import wait
from tests.commands import prover as run


@pytest.mark.parametrize("times", ["1", "50"])
@pytest.mark.parametrize("delta", ["2", "1000001/1000000"])
def test_the_command_refuses_it(delta: str, times: str, tmp_path: Path) -> None:
    path = tmp_path / "pin.json"
    path.write_text(write_json(pin_checker()), encoding="utf-8")
    refused = run("epsilon", path, "--delta", delta, "--times", times)
    assert (refused.status, refused.out) == (2, "")
    assert f"{delta} is not a number from 0 to 1" in refused.err
    assert run("epsilon", path, "--delta", "1", "--times", times).status == 0


def test_functions_refuse_it() -> None:
    coin = prover.LossDistribution.randomised_response("1/2")
    for ask in (
        lambda: prover.epsilon_for(pin_checker(), delta=2),
        lambda: prover.epsilon_for(wait(), "s", "t", 2),
        lambda: coin.epsilon(2),
    ):
        with pytest.raises(BadInput, match=r"^delta must be at most 1, not 2$"):
            ask()
