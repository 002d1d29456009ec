"""Chains whose δ(α) is enclosed, composed between two bounds."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.accounting.account import Mechanism, Questions, account
from prover.accounting.certificates import certificate_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosing.search import enclosed_loss
from prover.accounting.errors import OnlyEnclosed
from prover.chain import breakpoints
from prover.chain.arguments import Slope
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.zoo import hidden_loops, pin_checker
from tests.accounting.chains import asymmetric
from tests.commands import FORKS, zoo
from tests.commands import prover as run

pytestmark = pytest.mark.filterwarnings(FORKS)

F = Fraction


@pytest.mark.parametrize("chain", [pin_checker(), asymmetric()])
def test_what_is_known_exactly_is_enclosed(chain: LabelledMarkovChain) -> None:
    secrets = Secrets.of(chain, None, None, "tv")
    pair = secrets.pairs[0]
    exact = LossDistribution.of(chain, *(chain.states[state] for state in pair))
    width = F(1, 10**4)
    lower, upper = enclosed_loss(secrets, pair, width)
    for alpha in [F(k, 16) for k in range(64)]:
        low, truth, high = (one.delta(alpha) for one in (lower, exact, upper))
        assert low <= truth <= high <= low + width
        low, truth, high = (one.reverse.delta(alpha) for one in (lower, exact, upper))
        assert low <= truth <= high


def test_both_sides_of_a_composition_enclose_the_product_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = asymmetric()
    monkeypatch.setattr(breakpoints, "MOST_NODES", 0)
    part = Mechanism.of(chain, times=3, gap="1/1000")
    assert part.forward[0].upper is not None
    monkeypatch.undo()
    slopes = [Slope.of_alpha(F(alpha)) for alpha in ("1", "11/10", "3/2", "9/4")]
    found = account([part], Questions(tuple(slopes)), gap="1/1000")
    assert not found.exact
    for slope in slopes:
        truth = prover.delta(prover.repeat(chain, 3), alpha=slope.upper)
        low, high = found.delta(slope)
        assert low <= truth.lower == truth.upper <= high <= low + F(1, 1000)
    for refused in (
        lambda: certificate_of(found, slopes[0], upper=True),
        lambda: account([part], Questions(), exact=True),
    ):
        with pytest.raises(OnlyEnclosed, match="only between bounds"):
            refused()


def test_endless_situations_and_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakpoints, "MOST_CYCLIC_NODES", 20)
    zoo(tmp_path, "hidden-loops")
    file = tmp_path / "year.toml"
    text = '[[mechanism]]\nmodel = "hidden-loops.json"\ntimes = 2\n[ask]\nalpha = 1\ngap = "1/10"\n'
    file.write_text(text, encoding="utf-8")
    found = run("account", file, "--json")
    assert found.status == 0, found.err
    (row,) = json.loads(found.out)["deltas"]
    truth = prover.delta(hidden_loops(), alpha=1, gap="1/100")
    assert truth.lower <= F(row["upper"])
    assert F(row["lower"]) <= 2 * truth.upper
    assert F(row["upper"]) - F(row["lower"]) <= F(1, 10)
