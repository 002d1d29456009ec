"""The least ε of many runs of one chain, without the chain of all of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from prover.accounting.account import Account, Questions, account
from prover.accounting.certificates import certifiable, certificate_of
from prover.accounting.mechanism import Mechanism
from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope, rational_alpha
from prover.chain.epsilon import Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import query_pairs
from prover.errors import BadOptions
from prover.exact.given import Given
from prover.progress import Progress, silent

_JUST_BELOW = 1 - Fraction(1, 2**20)


def epsilon_of_runs(
    chain: LabelledMarkovChain,
    source: str | None,
    target: str | None,
    delta: Fraction,
    times: int,
    *,
    kind: str = "tv",
    gap: Given,
    limit: Given,
    certified: bool = False,
    progress: Progress = silent,
    on_interval: Callable[[Epsilon], None] | None = None,
) -> Epsilon:
    """The least ε at which δ of so many independent runs, all seen, is at most ``delta``, both ways round.

    Without states, over the relation, the same pair in every run. If it is to be ``certified``, and what is
    exact takes longer to check than checkers work, it is an interval that does not. ``on_interval`` is called
    with wider answers on the way.

    Raises BadOptions for another ``kind``, and what ``Mechanism.of`` and ``account`` raise, and
    TooMuchWork if it is to be certified and cannot be.
    """
    if kind != "tv":
        raise BadOptions(
            "for several runs, delta is in both directions: leave --kind lv out", code="one-way-only"
        )
    chain, _ = query_pairs(chain, source, target)
    questions, most = Questions((), (delta,)), rational_alpha("the limit", limit)

    def answer(found: Account) -> Epsilon:
        least = found.epsilon(delta)
        high = least.alpha_upper

        @cache
        def certificate() -> Certificate:
            return certificate_of(found, Slope.of_alpha(high or most), upper=True)

        @cache
        def lower_certificate() -> Certificate | None:
            """Where no upper end is known, of an α with a larger δ."""
            alpha = most if least.alpha_lower is None else 1 + (least.alpha_lower - 1) * _JUST_BELOW
            if high is not None or found.delta(Slope.of_alpha(alpha))[0] <= delta:
                return None
            return certificate_of(found, Slope.of_alpha(alpha), upper=True)

        return Epsilon(
            kind,
            delta,
            source,
            target,
            least.alpha_lower or most,
            high,
            least.impossible,
            most,
            None if high is None else certificate,
            lower_certificate,
            times,
            chain,
        )

    def hear(found: Account) -> None:
        made = answer(found)
        if on_interval is not None and (made.alpha_lower > 1 or made.alpha_upper is not None):
            on_interval(made)

    on_account = None if on_interval is None else hear

    def coarsely(part: Mechanism) -> None:
        account([part], questions, exact=False, on_account=on_account, finer_by=lambda _: Fraction(0))

    on_coarse = None if on_interval is None else coarsely
    part = Mechanism.of(chain, source, target, times=times, gap=gap, progress=progress, on_coarse=on_coarse)
    if not certified:
        return answer(account([part], questions, gap=gap, progress=progress, on_account=on_account))
    proved = certifiable([part], questions, gap=gap, progress=progress, on_account=on_account)
    if proved.why is not None:
        raise proved.why
    return answer(proved.account)
