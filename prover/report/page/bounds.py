"""What pages of δ have in common, whether somebody only watches or chooses, too."""

from __future__ import annotations

from fractions import Fraction

from prover.chain.delta import Delta
from prover.errors import short_name
from prover.interactive.delta import InteractiveDelta
from prover.report.delta import between
from prover.report.page.certificate import Proof
from prover.report.page.chains import both_notations, pair_text
from prover.report.page.document import LOOKS
from prover.report.verdict import asked_text, is_at_most

AnyDelta = Delta | InteractiveDelta


def pair_of(answer: AnyDelta) -> str:
    """Whom the answer is about."""
    related = "two secrets that are related"
    return related if answer.over_relation else pair_text(answer.source, answer.target)


def number(answer: AnyDelta, at_most: Fraction | None) -> tuple[str, str]:
    """The answer in a line, behind whether it is at most what was asked; and the verdict of the page."""
    holds = is_at_most(answer.lower, answer.upper, at_most)
    asked = asked_text(at_most, holds)
    is_ = "is" if answer.value is None else "="
    return f"{asked}δ {is_} {between((answer.lower, answer.upper))}", LOOKS[holds]


def facts(answer: AnyDelta, why: str) -> list[tuple[str, str]]:
    """Where it was asked, for whom it is largest, both directions, and ``why`` it is not more."""
    s, t = short_name(answer.source), short_name(answer.target)
    found = [("At", both_notations(answer.slope))]
    if answer.over_relation:
        found.append(("Largest for", f"{s} and {t}, of all pairs that are related"))
    names = {"forward": (s, t), "backward": (t, s)}
    for way, bounds in answer.directions.items():
        found.append((f"From {names[way][0]} to {names[way][1]}", f"δ: {between(bounds)}"))
    return [*found, ("Why not more", why.removeprefix("Why not more: "))]


def proofs(answer: AnyDelta) -> list[Proof]:
    """The certificate, or with ε one of each end."""
    if answer.alpha is not None:
        return [("of the answer", lambda: answer.certificate)]
    return [
        ("of the upper end", lambda: answer.certificate),
        ("of the lower end", lambda: answer.lower_certificate),
    ]
