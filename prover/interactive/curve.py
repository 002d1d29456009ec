"""δ as a function of α where an attacker chooses, at given points.

δ is convex and does not increase with α, as a supremum over attackers of such functions; so what is known at
some values of α bounds it at the others, as for chains.
Reference: docs/theory.md, *δ as a function of α*; docs/theory_interactive.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

from prover.chain.arguments import Slope
from prover.chain.delta import DEFAULT_GAP, delta_question
from prover.chain.dispatch import MANY_PAIRS
from prover.chain.privacy_profile import Curve, Looked, points_of, slopes_of, spread
from prover.chain.secrets import Secrets
from prover.errors import must_be
from prover.exact.enclosed_curve import EnclosedCurve
from prover.exact.given import Given
from prover.interactive.collapsing.collapse import begun_at
from prover.interactive.delta import ProcessAsked
from prover.interactive.distance import largest
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.interactive.refinement import Limits
from prover.parallel import each
from prover.progress import Progress, silent


def curve(
    process: LabelledMarkovDecisionProcess,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    *,
    epsilons: Iterable[Given] = (),
    kind: str = "tv",
    bounds: bool = True,
    gap: Given = DEFAULT_GAP,
    limits: Limits | None = None,
    jobs: int = 1,
    progress: Progress = silent,
    on_curve: Callable[[Curve], None] | None = None,
) -> Curve:
    """δ against every attacker at the given values of α, or of ε, as for chains.

    With ``bounds`` ld and bd stand beside it, where states of equal label make no more than 2,000 ordered
    pairs. ``jobs`` processes work at the same time, and find the same.

        >>> from prover.zoo.interactive import doors
        >>> [str(point.upper) for point in curve(doors(), "s", "t", ["1", "6/5", "2"])]
        ['1/2', '9/20', '1/4']

    Raises BadOptions, BadValue, UnknownName.
    """
    must_be(LabelledMarkovDecisionProcess, process=process)
    must_be(Iterable, alphas=alphas)
    process = begun_at(process, source, target)
    secrets = Secrets.of(process.outline, source, target, kind)
    question = delta_question(secrets, gap)
    wanted = slopes_of(alphas, epsilons, question.bits)
    asked, known = ProcessAsked.of(process, question), EnclosedCurve()
    distances: dict[Slope, tuple[Fraction | None, Fraction | None]] = {}
    pairs = sum(many * (many - 1) for many in Counter(process.labels).values())
    bounded = bounds and pairs <= MANY_PAIRS

    def found() -> Curve:
        points = points_of(lambda slope: (known.lower(slope.lower), known.upper(slope.upper)), distances)
        return Curve(kind, source, target, tuple(points), None, question.width, process)

    def is_open(slope: Slope) -> bool:
        return known.lower(slope.lower) < known.upper(slope.upper)

    within = progress if jobs <= 1 else silent

    def asked_at(looked: tuple[Slope, bool]) -> tuple[Looked | None, tuple[Fraction | None, Fraction | None]]:
        slope, unknown = looked
        there = unrolled(slope) if unknown else None
        if not bounded:
            return there, (None, None)
        ld, bd = (largest(process, secrets.directions, slope.upper, name, within) for name in ("ld", "bd"))
        return there, (ld, bd)

    def unrolled(slope: Slope) -> Looked:
        answer = asked.at(Slope.of_alpha(slope.upper), limits or Limits(), within)
        attacker = answer.strategy
        gains = None if attacker is None else (attacker.from_probability, attacker.to_probability)
        return Looked(answer.lower, answer.upper, gains)

    order = list(spread(wanted))
    answers = each(asked_at, ((slope, is_open(slope)) for slope in order), jobs)
    progress("values of alpha", 0, len(wanted))
    for done, (slope, (there, own)) in enumerate(zip(order, answers, strict=True), 1):
        # With several jobs it was asked before all before it was known: that must not tell more.
        if there is not None and is_open(slope):
            there.told(known, slope.upper)
        distances[slope] = own
        for distance_there in own:
            if distance_there is not None:
                known.add_upper(slope.upper, distance_there)
        progress("values of alpha", done, len(wanted))
        if on_curve is not None:
            on_curve(found())
    return found()
