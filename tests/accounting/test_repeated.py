"""The least ε of many runs: what is known on the way."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from prover.accounting import mechanism, repeated
from prover.accounting.account import Account
from prover.accounting.certificates import certifiable
from prover.accounting.repeated import epsilon_of_runs
from prover.chain.epsilon import Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.formats.load import load
from prover.zoo import dining_cryptographers, herman_ring, randomised_response
from tests.certified import proved
from tests.commands import FORKS, prover, verdicts
from tests.waiting import interrupt

FIFTY = Path(__file__).parents[2] / "benchmarks" / "models" / "fifty-outcomes.json"


@pytest.mark.parametrize("certified", [False, True])
def test_the_interval_narrows_from_grid_to_grid(certified: bool) -> None:
    chain = load(FIFTY)
    assert isinstance(chain, LabelledMarkovChain)
    seen: list[Epsilon] = []
    last = epsilon_of_runs(
        chain,
        None,
        None,
        Fraction(1, 100),
        100,
        gap="1/1000",
        limit=10**6,
        certified=certified,
        on_interval=seen.append,
    )
    assert len(seen) > 1
    for wide, narrow in pairwise([*seen, last]):
        assert narrow.upper is not None
        assert wide.upper is not None
        assert wide.lower <= narrow.lower < narrow.upper <= wide.upper
    for found in seen:
        assert found.certificate is not None
        proved(found.certificate)


def test_rounding_leaves_room_for_what_grids_are_refined_for() -> None:
    """One grid that looks around and one that is fine enough: if masses have too few digits, there are nine
    grids, as what is rounded takes the room that finer cells gain.
    """
    chain = load(FIFTY)
    assert isinstance(chain, LabelledMarkovChain)
    on_the_way: list[Epsilon] = []
    last = epsilon_of_runs(
        chain, None, None, Fraction(1, 10**6), 30, gap="1/10000", limit=10**20, on_interval=on_the_way.append
    )
    assert last.upper is not None
    assert last.upper - last.lower <= Fraction(1, 10**4)
    assert len(on_the_way) <= 2


def test_a_coarse_grid_before_many_exact_sums() -> None:
    """Ten likelihood ratios have millions of sums of twenty; the first grid has few cells."""

    class Enough(Exception):
        pass

    seen: list[Epsilon] = []

    def take(found: Epsilon) -> None:
        seen.append(found)
        if len(seen) == 2:
            raise Enough

    chain = dining_cryptographers(n=8)
    with pytest.raises(Enough):
        epsilon_of_runs(
            chain, None, None, Fraction(1, 100), 20, gap="1e-6", limit=10**6, certified=True, on_interval=take
        )
    coarse, found = seen  # the bounds of all pairs are coarse, before they are exact
    assert coarse.upper is not None
    assert found.upper is not None
    assert found.upper < Fraction(3, 100)
    assert found.upper < coarse.upper < 1
    for one in seen:
        assert one.certificate is not None
        proved(one.certificate)


def test_bounds_of_all_pairs_come_before_those_of_one_are_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many belief pairs, of which the whole question needs more."""

    class Enough(Exception):
        pass

    heard: list[str] = []
    seen: list[tuple[Epsilon, int]] = []

    def take(found: Epsilon) -> None:
        seen.append((found, len(heard)))
        raise Enough

    monkeypatch.setattr(mechanism, "MOST_SOON", 100)
    with pytest.raises(Enough):
        epsilon_of_runs(
            herman_ring(processes=5),
            None,
            None,
            Fraction(1, 1000),
            20,
            gap="1e-6",
            limit=10**6,
            certified=True,
            progress=lambda stage, *_: heard.append(stage),
            on_interval=take,
        )
    ((found, rounds),) = seen
    assert rounds < 100
    assert found.certificate is None
    assert found.alpha_lower > 10_000
    assert found.lower_certificate is not None
    claim = proved(found.lower_certificate)["claim"]
    assert 10_000 < Fraction(claim["alpha"]) < found.alpha_lower
    assert Fraction(claim["lower"]) > found.delta


def test_few_exact_sums_need_no_grid() -> None:
    seen: list[Epsilon] = []
    chain = randomised_response()
    last = epsilon_of_runs(
        chain, None, None, Fraction(1, 100), 20, gap="1e-6", limit=10**6, on_interval=seen.append
    )
    assert last.alpha is not None
    assert seen == []


@pytest.mark.filterwarnings(FORKS)
def test_ended_after_the_first_grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*arguments: Any, on_account: Any, **options: Any) -> object:
        def once(found: Account) -> None:
            on_account(found)
            interrupt()

        return certifiable(*arguments, on_account=once, **options)

    monkeypatch.setattr(repeated, "certifiable", ended)
    path = tmp_path / "runs.cert"
    question = ("epsilon", FIFTY, "--delta", "1/100", "--times", "100", "--certificate", path, "--json")
    run = prover(*question)
    found = json.loads(run.out)
    assert run.status == 3
    assert 7 < Fraction(found["lower"]) < Fraction(found["upper"]) < 8
    assert verdicts(path).status == 0
