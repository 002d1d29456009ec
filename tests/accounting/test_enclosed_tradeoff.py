"""Trade-off functions of many runs: against those of the composed distributions, and their certificates."""

from __future__ import annotations

from fractions import Fraction

import pytest

import prover
from prover.accounting import enclosed_tradeoff
from prover.accounting.choosing import one_of
from prover.accounting.distribution import composition
from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.accounting.tradeoff import least
from tests.refusals import refuses

F = Fraction
LAWS = [[F(n, sum(row)) for n in row] for row in ((7, 5, 3, 2), (2, 3, 5, 4))]


def of_laws(times: int) -> Mechanism:
    return Mechanism.of_laws(*(dict(enumerate(row)) for row in LAWS), times=times)


def coins(times: int) -> Mechanism:
    return Mechanism.of_known("randomised-response", {"q": "1/2"}, times=times)


@pytest.mark.parametrize(
    "parts",
    [
        [coins(7)],
        [of_laws(3)],
        [coins(2), of_laws(2), Mechanism.of_known("discrete-laplace", {"q": "2/3", "bound": 2})],
        [poisson_sampled(coins(4), "1/3")],
    ],
    ids=["coins", "laws", "mixed", "samples"],
)
def test_exact(parts: list[Mechanism]) -> None:
    answer = EnclosedTradeOff.of_account(parts)
    ways = (
        composition([(own[0].loss, part.times) for part, own in zip(parts, side, strict=True)])
        for side in ([part.forward for part in parts], [part.backward for part in parts])
    )
    assert answer.exact
    assert answer.fewest == least([way.tradeoff() for way in ways])
    assert prover.verify(answer.certificate).startswith(
        f"composition lower-vertices={len(answer.most.vertices)} "
    )


def test_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed_tradeoff, "_MOST_BITS", 0)
    seen: list[EnclosedTradeOff] = []
    answer = EnclosedTradeOff.of_account([of_laws(6)], gap="1/100000", on_function=seen.append)
    (first,) = seen
    assert first.width > answer.width
    assert prover.verify(first.certificate).startswith("composition lower-vertices=")
    function = of_laws(1).forward[0].loss.repeat(6).tradeoff().symmetric
    for found in (first, answer):
        assert function.is_at_least(found.fewest)
        assert found.most.is_at_least(function)
    assert not answer.exact
    assert answer.width < F(1, 500)
    below, above = answer.gaussian
    mu = function.gaussian()
    assert below is not None
    assert mu is not None
    assert mu[0] - F(1, 50) < below <= mu[1]
    assert above is None
    assert prover.verify(answer.certificate).startswith("composition lower-vertices=")


@pytest.mark.slow
def test_noise_has_two_certificates() -> None:
    noise = Mechanism.of_known("gaussian", {"sigma": 2}, times=3)
    answer = EnclosedTradeOff.of_account([noise, coins(2)], gap="1/50")
    assert answer.lower_certificate is not None
    ends = [prover.verify(proof) for proof in (answer.certificate, answer.lower_certificate)]
    assert f"lower-vertices={len(answer.fewest.vertices)} upper-vertices=2 " in ends[0]
    assert f"lower-vertices=2 upper-vertices={len(answer.most.vertices)} " in ends[1]
    assert answer.most.is_at_least(answer.fewest)
    assert answer.width < F(1, 50)


def test_mechanisms_that_are_chosen_are_refused() -> None:
    with refuses("not-supported"):
        EnclosedTradeOff.of_account([one_of([coins(1), of_laws(1)])])
