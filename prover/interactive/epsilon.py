"""The least ε for a given δ, where an attacker chooses: δ at one α after the other.

δ is a supremum over attackers of lines in α, so what leads to the least ε for chains leads there, too: the
line of the best attacker found at one α says how large α has to be at least.
Reference: docs/theory.md, *δ as a function of α*; docs/theory_interactive.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from prover.chain.arguments import Slope, rational_alpha
from prover.chain.delta import delta_question
from prover.chain.epsilon import DEFAULT_LIMIT, DEFAULT_WIDTH, Epsilon, Inquiry, given_delta, searched
from prover.chain.secrets import Secrets
from prover.errors import must_be
from prover.exact.given import Given, given_rational
from prover.interactive.collapsing.collapse import begun_at
from prover.interactive.delta import InteractiveDelta, ProcessAsked
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.interactive.refinement import Limits
from prover.progress import Progress, silent

DEFAULT_LIMITS = Limits(nodes=10_000)


def epsilon_for(
    process: LabelledMarkovDecisionProcess,
    source: str | None = None,
    target: str | None = None,
    delta: Given | None = None,
    *,
    kind: str = "tv",
    gap: Given = DEFAULT_WIDTH,
    at_most: Given | None = None,
    limit: Given = DEFAULT_LIMIT,
    limits: Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Epsilon], None] | None = None,
) -> Epsilon:
    """The least ε at which no attacker tells two states apart better than by ``delta``.

    Arguments and answer are those of ``prover.epsilon_for`` for chains. The answer has certificates for both
    ends, as far as they are found.

        >>> from prover.zoo.interactive import wait
        >>> found = epsilon_for(wait(), "t", "s", "2/5", kind="lv")
        >>> found.alpha_lower <= Fraction(6, 5) <= found.alpha_upper
        True

    Raises BadValue, UnknownName, BadOptions.
    """
    must_be(LabelledMarkovDecisionProcess, process=process)
    process = begun_at(process, source, target)
    secrets = Secrets.of(process.outline, source, target, kind)
    bound, within = given_delta(delta), limits or DEFAULT_LIMITS
    width = given_rational(gap, "the gap", "bad-gap", at_least=0)
    most = rational_alpha("the limit", limit)
    asked = ProcessAsked.of(process, delta_question(secrets, 0, bound))

    def asking(alpha: Fraction, nodes: int) -> InteractiveDelta:
        return asked.at(Slope.of_alpha(alpha), replace(within, nodes=nodes), progress)

    threshold = None if at_most is None else given_rational(at_most, "the bound", "bad-threshold", at_least=0)
    inquiry = Inquiry(secrets, bound, width, most, within.nodes, asking, process)
    return searched(inquiry, threshold, on_interval)
