"""The exact ε of a program bounded its δ, though it is for an observer who does not see that a run stops.

With exponential noise a number at 0 is never below 0, and one at −1 is with the probability 1 − 1/e. A run
that shows "above" and otherwise stops, or ends where others go on, has the exact ε of its noise if nobody
sees the end. So prover account proved that δ = 0 at α = 3, with a certificate, and prover epsilon that no
larger ε is needed, where prover delta found δ = 1 − 1/e for every α.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.accounting.programs import ProgramLosses
from prover.formats.convert import save
from prover.program.gaps import completed
from tests.certificate.check.accounts.test_ends import ENDS, STOPS, Json, with_noise
from tests.commands import prover as command

TRUE = 1 - Fraction(36788, 100_000)  # δ at every α, rounded down


@pytest.mark.parametrize("model", [STOPS, ENDS], ids=["stops", "ends"])
def test_no_bound_of_delta_ignores_the_end(model: Json) -> None:
    program = _program(model)
    assert prover.privacy(program).epsilon == 1
    assert prover.delta(program, alpha=3, at_epsilon=1).upper >= TRUE
    assert prover.epsilon_for(program, delta="1/1000", at_epsilon=1).upper is None
    for point in prover.curve(program, at_epsilon=1, epsilons=[0, 1, 2]):
        assert point.upper >= TRUE
        assert point.pure is None
    losses = ProgramLosses.of(program, at_epsilon=1)
    assert max(upper.delta(3) for _, upper in losses.bounds()) >= TRUE
    assert losses.renyi("inf").upper is None


def test_accounts_say_so(tmp_path: Path) -> None:
    save(_program(STOPS), tmp_path / "stops.json")
    path = tmp_path / "account.toml"
    path.write_text('[[mechanism]]\nmodel = "stops.json"\nat_epsilon = 1\n[ask]\nalpha = 3\n')
    run = command("account", path)
    assert "at most 0.632121" in run.out
    assert "stops.json: upper ends do not use an exact epsilon" in run.out


def test_the_exact_epsilon_counts_where_the_end_is_seen() -> None:
    """A stop that becomes an output is possible on one of the inputs only; with noise on both sides it is
    private."""
    assert prover.privacy(completed(_program(STOPS))).epsilon is None
    answer = prover.epsilon_for(_program(with_noise(STOPS)), delta="1/1000000000", at_epsilon=1)
    assert answer.upper == 1


def _program(model: Json) -> prover.Program:
    program = prover.from_dict(model)
    assert isinstance(program, prover.Program)
    return program
