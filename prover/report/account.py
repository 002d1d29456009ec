"""Accounts of composed mechanisms, as text for people and as JSON objects for machines."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.account import Account, Mechanism, Questions
from prover.accounting.certificates import proofs_of
from prover.accounting.least_epsilon import DIGITS, LeastEpsilon
from prover.accounting.theorems import advanced, basic
from prover.chain.arguments import Slope
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.errors import short_name, shown
from prover.exact.rational import decimal_above, decimal_text, format_rational, rational_or_null
from prover.exact.readable import readable, readable_alpha, readable_interval, upper_text
from prover.report.curve import curve_json
from prover.report.distance import slope_json
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned


def reply_of(
    found: Account,
    questions: Questions,
    gap: Fraction,
    slopes: Sequence[Slope] = (),
    certificates: tuple[bytes | None, bytes | None] = (None, None),
) -> Reply:
    """The reply of ``prover account``; ``slopes`` are the points of its curve."""
    width = questions.width(found)
    impossible = any(found.epsilon(bound).impossible for bound in questions.deltas)
    return Reply(
        account_text(found, questions),
        account_json(found, questions, slopes),
        certificates[0],
        width is not None and width <= gap,
        refuted=impossible,
        obstacle=_obstacle(found),
        lower_certificate=certificates[1],
        so_far=_so_far(found, questions),
    )


def _so_far(found: Account, questions: Questions) -> str:
    """What is known of the first number that is asked for."""
    for bound in questions.deltas:
        least = found.epsilon(bound)
        return "" if least.lower is None else so_far("epsilon", least.lower, least.upper, most=None)
    for slope in questions.slopes:
        return so_far("delta", *found.delta(slope))
    return ""


def _obstacle(found: Account) -> str:
    """Why an answer is not as narrow as was asked."""
    if any(choice.upper is not None for row in found.choices for choice in row):
        return "delta of one of the chains is only enclosed as a function of alpha, and not narrowly enough"
    return "the grid that this takes has more cells than the limits"


def certificates_of(found: Account, questions: Questions) -> tuple[bytes | None, bytes | None]:
    """The certificates of the one number that is asked for; of the lower end where that has its own α.

    Raises TooMuchWork.
    """
    upper, lower = proofs_of(found, questions)
    return None if upper is None else upper.data, None if lower is None else lower.data


def nothing_proved() -> Reply:
    """The reply if the time is up before anything is proved."""
    found = {"kind": "account", "mechanisms": [], "exact": False, "combinations": 0}
    json = {**found, "deltas": [], "epsilons": [], "curve": None}
    return Reply("Nothing is proved yet", json, None, exact=False)


def account_json(found: Account, questions: Questions, slopes: Sequence[Slope]) -> dict[str, Any]:
    """The JSON object of an account; the caller adds ``seconds`` and ``certificate``."""
    rows = [CurvePoint(slope, *found.delta(slope), None, None, None) for slope in slopes]
    curve = Curve("tv", None, None, tuple(rows), None)
    return {
        "kind": "account",
        "mechanisms": [_mechanism_json(part) for part in found.mechanisms],
        "exact": found.exact,
        "combinations": len(found.choices),
        "deltas": [_delta_json(found, slope) for slope in questions.slopes],
        "epsilons": [_epsilon_json(found, bound) for bound in questions.deltas],
        "curve": curve_json(curve) if rows else None,
    }


def _mechanism_json(part: Mechanism) -> dict[str, Any]:
    source, target = _pair(part)
    return {"name": part.name, "times": part.times, "from": source, "to": target}


def _delta_json(found: Account, slope: Slope) -> dict[str, Any]:
    lower, upper = found.delta(slope)
    worst = found.choices[found.worst(slope.lower)]
    return {
        **slope_json(slope, both=True),
        "lower": format_rational(lower),
        "upper": format_rational(upper),
        "value": format_rational(upper) if lower == upper else None,
        "worst": [None if choice.source is None else [choice.source, choice.target] for choice in worst],
    }


def _epsilon_json(found: Account, bound: Fraction) -> dict[str, Any]:
    least = found.epsilon(bound)
    epsilon, rest = basic(found.mechanisms)
    promised = advanced(found.mechanisms, bound)
    return {
        "delta": format_rational(bound),
        "alpha": rational_or_null(least.alpha),
        "alpha_lower": rational_or_null(least.alpha_lower),
        "alpha_upper": rational_or_null(least.alpha_upper),
        "lower": "inf" if least.lower is None else decimal_text(least.lower, DIGITS),
        "upper": "inf" if least.upper is None else decimal_text(least.upper, DIGITS),
        "impossible": least.impossible,
        "basic": _up(epsilon) if rest <= bound else None,
        "advanced": None if promised is None else _up(promised),
    }


def _up(number: Fraction) -> str:
    return decimal_text(decimal_above(number, DIGITS), DIGITS)


def account_text(found: Account, questions: Questions) -> str:
    """The account in lines: the mechanisms, and an answer for each question."""
    lines = aligned([(f"{part.times:,} x", named(part)) for part in found.mechanisms])
    lines += worst_text(found)
    for slope in questions.slopes:
        lines += ["", *delta_lines(found, slope)]
    for bound in questions.deltas:
        lines += ["", *epsilon_lines(found, bound)]
    return "\n".join(lines)


def worst_text(found: Account) -> list[str]:
    """Of how many combinations the worst is meant, where there are several."""
    if len(found.choices) == 1:
        return []
    return [f"The worst of {len(found.choices)} combinations of secrets and directions that differ."]


def named(part: Mechanism) -> str:
    """A mechanism for people: its name and parameters, or its secrets."""
    if part.known is not None:
        parameters = (f"{key} = {value}" for key, value in part.known.items() if key != "known")
        return f"{part.name}, {', '.join(parameters)}"
    source, target = _pair(part)
    if source is None or target is None:
        return short_name(part.name)
    return f"{short_name(part.name)}, {short_name(source)} against {short_name(target)}"


def _pair(part: Mechanism) -> tuple[str | None, str | None]:
    """The pair of secrets that is named, if one is."""
    return (None, None) if part.secrets is None else (part.secrets.source, part.secrets.target)


def delta_lines(found: Account, slope: Slope) -> list[str]:
    """δ at an ε, and what theorems promise."""
    lower, upper = found.delta(slope)
    at = f"alpha = {readable_alpha(slope.upper)}"
    if slope.epsilon is not None:
        at = f"epsilon = {format_rational(slope.epsilon)}"
    if lower == upper:
        value = f"delta at {at} is {readable(upper)}"
    else:
        low, high = readable_interval(lower, upper)
        value = f"delta at {at} is at least {low} and at most {high}, rounded outward"
    epsilon, rest = basic(found.mechanisms)
    promised = rest if enough(epsilon, slope) else Fraction(1)
    return [value, f"  basic composition promises {_promise(promised)}"]


def enough(epsilon: Fraction, slope: Slope) -> bool:
    """Whether ε, rounded up, is at most the one that is asked about."""
    from prover.exact.exponential import enclosed_logarithm

    given = enclosed_logarithm(slope.upper, DIGITS)[1] if slope.epsilon is None else slope.epsilon
    return epsilon <= given


def _promise(delta: Fraction) -> str:
    return "nothing" if delta >= 1 else f"delta <= {upper_text(delta)}"


def epsilon_lines(found: Account, bound: Fraction) -> list[str]:
    """The least ε for a δ, and what theorems promise."""
    least: LeastEpsilon = found.epsilon(bound)
    epsilon, rest = basic(found.mechanisms)
    promised = advanced(found.mechanisms, bound)
    return [
        shown(str(least)),
        "  basic composition promises " + (f"epsilon <= {_short(epsilon)}" if rest <= bound else "nothing"),
        "  advanced composition promises "
        + ("nothing" if promised is None else f"epsilon <= {_short(promised)}"),
    ]


def _short(number: Fraction) -> str:
    return decimal_text(decimal_above(number, 6), 6)
