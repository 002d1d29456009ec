"""Accounts of composed mechanisms: as text for people, as JSON objects for machines, and as pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.account import Account, Questions
from prover.accounting.certificates import proofs_of
from prover.accounting.fitting import MostRuns
from prover.accounting.least_epsilon import DIGITS, LeastEpsilon
from prover.accounting.mechanism import Mechanism
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope
from prover.errors import short_name, shown
from prover.exact.rational import decimal_text, format_rational, rational_or_null
from prover.exact.readable import readable, readable_alpha, readable_interval
from prover.report.certificate import proof_section
from prover.report.chains import both_notations, model_section
from prover.report.distance import slope_json
from prover.report.document import Document, Figure, Listing, PageBlock, PageTable, Section, Text
from prover.report.losses import falling_slopes
from prover.report.profiles import falling_figure
from prover.report.program_losses import (
    assumed,
    ends_lines,
    ends_section,
    losses_json,
    named_program,
    program_sections,
)
from prover.report.promise import typeset
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.theorems import theorem_of_delta, theorems_json, theorems_of_epsilon


def reply_of(
    account: Account,
    questions: Questions,
    gap: Fraction,
    slopes: Sequence[Slope] = (),
    certificates: tuple[bytes | None, bytes | None] = (None, None),
    *,
    last: bool = True,
) -> Reply:
    """The reply of ``prover account``; ``slopes`` are the points of its curve. Only the ``last`` one is
    compared with what takes long to find.
    """
    width = questions.width(account)
    impossible = any(account.epsilon(bound).impossible for bound in questions.deltas)
    return Reply(
        document(account, questions=questions, last=last).text,
        account_json(account, questions, slopes, last=last),
        certificates[0],
        account.has_programs or (width is not None and width <= gap),
        refuted=impossible,
        obstacle=_obstacle(account),
        lower_certificate=certificates[1],
        so_far=_so_far(account, questions),
    )


def _so_far(account: Account, questions: Questions) -> str:
    """What is known of the first number that is asked for."""
    for bound in questions.deltas:
        least = account.epsilon(bound)
        return "" if least.lower is None else so_far("epsilon", least.lower, least.upper, most=None)
    for slope in questions.slopes:
        return so_far("delta", *account.delta(slope))
    return ""


def _obstacle(account: Account) -> str:
    """Why an answer is not as narrow as was asked."""
    if any(choice.upper is not None for row in account.choices for choice in row):
        return "for one of the chains only bounds of delta are known as a function of alpha, too far apart"
    return "the grid that this precision needs has more cells than the limits allow"


def certificates_of(account: Account, questions: Questions) -> tuple[bytes | None, bytes | None]:
    """The certificates of the one number that is asked for; of the lower end where that has its own α.

    Raises TooMuchWork.
    """
    upper, lower = proofs_of(account, questions)
    return None if upper is None else upper.data, None if lower is None else lower.data


def nothing_proved() -> Reply:
    """The reply if the time is up before anything is proved."""
    head = {"kind": "account", "mechanisms": [], "exact": False, "combinations": 0}
    json = {**head, "deltas": [], "epsilons": [], "curve": None}
    return Reply("No bound is proved yet.", json, None, exact=False)


def account_json(
    account: Account, questions: Questions, slopes: Sequence[Slope], *, last: bool = True
) -> dict[str, Any]:
    """The JSON object of an account; the caller adds ``seconds`` and ``certificate``."""
    return {
        "kind": "account",
        "mechanisms": [mechanism_json(part) for part in account.mechanisms],
        "exact": account.exact,
        "combinations": len(account.choices),
        "deltas": [_delta_json(account, slope) for slope in questions.slopes],
        "epsilons": [_epsilon_json(account, bound, last=last) for bound in questions.deltas],
        "curve": _curve_json(account, slopes) if slopes else None,
    }


def _curve_json(account: Account, slopes: Sequence[Slope]) -> dict[str, Any]:
    from prover.chain.privacy_profile import Curve, CurvePoint
    from prover.report.curve import curve_json

    rows = [CurvePoint(slope, *account.delta(slope), None, None, None) for slope in slopes]
    return curve_json(Curve("tv", None, None, tuple(rows), None))


def mechanism_json(part: Mechanism) -> dict[str, Any]:
    """A mechanism in JSON objects."""
    source, target = _pair(part)
    rate = {} if part.rate is None else {"sampling_rate": format_rational(part.rate)}
    rate |= {"sampling_size": "fixed"} if part.fixed else {}
    more = {"options": [mechanism_json(option) for option in part.options]} if part.options else {}
    found = {"name": part.name, "times": part.times, "from": source, "to": target}
    return {**found, **rate, **losses_json(part), **more}


def _delta_json(account: Account, slope: Slope) -> dict[str, Any]:
    lower, upper = account.delta(slope)
    worst = account.choices[account.worst(slope.lower)]
    return {
        **slope_json(slope, both=True),
        "lower": format_rational(lower),
        "upper": format_rational(upper),
        "value": format_rational(upper) if lower == upper else None,
        "worst": [None if choice.source is None else [choice.source, choice.target] for choice in worst],
    }


def _epsilon_json(account: Account, bound: Fraction, *, last: bool) -> dict[str, Any]:
    least = account.epsilon(bound)
    return {
        "delta": format_rational(bound),
        "alpha": rational_or_null(least.alpha),
        "alpha_lower": rational_or_null(least.alpha_lower),
        "alpha_upper": rational_or_null(least.alpha_upper),
        "lower": "inf" if least.lower is None else decimal_text(least.lower, DIGITS),
        "upper": "inf" if least.upper is None else decimal_text(least.upper, DIGITS),
        "impossible": least.impossible,
        **theorems_json(account, bound, last=last),
    }


def worst_text(account: Account) -> list[str]:
    """Over how many combinations of secrets numbers are maxima, where there are several; and what is said of
    samples and of mechanisms that are chosen."""
    said = about_runs(account.mechanisms)
    if len(account.choices) == 1:
        return said
    number = len(account.choices)
    return [
        f"All numbers are the largest over {number} different combinations of secrets and directions.",
        *said,
    ]


def about_runs(
    mechanisms: Sequence[Mechanism], ends: tuple[str, str] = ("Upper ends hold", "lower ends hold")
) -> list[str]:
    """What is said of samples, of which the one and the other end hold, and of mechanisms that are chosen."""
    sampled = [part for part in _single(mechanisms) if part.rate is not None]
    said = [_SAMPLES.format(*ends)] if any(not part.fixed for part in sampled) else []
    said += [_FIXED.format(*ends)] if any(part.fixed for part in sampled) else []
    return said + ([_CHOSEN] if any(part.options for part in mechanisms) else [])


def named(part: Mechanism) -> str:
    """A mechanism for people: its name and parameters, or its secrets."""
    if part.options:
        return f"one of: {'; '.join(map(named, part.options))}"
    if part.whole is not None and part.rate is not None:
        kind = "samples of a fixed size, of" if part.fixed else "Poisson samples of"
        return f"{named(part.whole)}, on {kind} rate {format_rational(part.rate)}"
    if part.known is not None:
        parameters = (f"{key} = {value}" for key, value in part.known.items() if key != "known")
        return f"{part.name}, {', '.join(parameters)}"
    if part.losses is not None:
        return named_program(part.name, part.losses)
    source, target = _pair(part)
    if source is None or target is None:
        return short_name(part.name)
    return f"{short_name(part.name)}, {short_name(source)} against {short_name(target)}"


def _pair(part: Mechanism) -> tuple[str | None, str | None]:
    """The pair of secrets that is named, if one is."""
    return (None, None) if part.secrets is None else (part.secrets.source, part.secrets.target)


def delta_lines(account: Account, slope: Slope) -> list[str]:
    """δ at an ε, and what theorems prove."""
    lower, upper = account.delta(slope)
    at = f"alpha = {readable_alpha(slope.upper)}"
    if slope.epsilon is not None:
        at = f"epsilon = {format_rational(slope.epsilon)}"
    if lower == upper:
        value = f"delta at {at} is {readable(upper)}"
    else:
        low, high = readable_interval(lower, upper)
        value = f"delta at {at} is at least {low} and at most {high}, rounded outward"
    return [value, theorem_of_delta(account, slope)]


def epsilon_lines(account: Account, bound: Fraction, *, last: bool = True) -> list[str]:
    """The least ε for a δ, and what theorems prove."""
    least: LeastEpsilon = account.epsilon(bound)
    return [shown(least.headline), *theorems_of_epsilon(account, bound, last=last)]


_CHOSEN = (
    "Mechanisms run in the order of this list. Before each run of one of several mechanisms, one is chosen, "
    "after the outputs of all runs before it. All numbers are those of the worst way to choose."
)

_SAMPLES = (
    "With samples, one of two neighbours has the data of one person more, who is in each sample with the "
    "rate as probability. {0} for every mechanism whose outputs with and without this person are dominated "
    "by the pair of distributions at hand; {1} where no other data count."
)

_FIXED = (
    "With samples of a fixed size, neighbours have other data of one person. {0} for every mechanism for "
    "which all such pairs of samples are dominated by the pair of distributions at hand; {1} where all other "
    "people have the same data as one of the two."
)

MOST_DRAWN = 3
"""Models of an account that are drawn."""

_NONE = Questions()

ASSUMED = (
    "All mechanisms, and all their runs, draw independently. The observer sees all outputs.",
    "The secret is the same in every run of a mechanism. Among all related secrets, in both directions, the "
    "worst combination counts.",
    "The observer knows the mechanisms, and has unlimited time and computing power.",
)


def document(
    account: Account,
    *,
    questions: Questions = _NONE,
    slopes: Sequence[Slope] = (),
    last: bool = True,
    runs: MostRuns | None = None,
) -> Document:
    """The mechanisms, and an answer for each question. With ``runs`` it is how many fit into a budget.

    ``slopes`` are the points of its curve, if there are any. Only the ``last`` answer has a proof on its
    page, and is compared with what takes long to find.
    """
    deltas = [(both_notations(slope), delta_lines(account, slope)) for slope in questions.slopes]
    answers = [*deltas, *(("", epsilon_lines(account, bound, last=last)) for bound in questions.deltas)]
    total = sum(part.times for part in account.mechanisms)
    worst = worst_text(account)
    most = [] if runs is None else [runs.headline]
    claim: list[PageBlock] = [Text(typeset(line), "claim") for line in most]
    for where, (head, *rest) in answers:
        claim += [
            Text(typeset(head), "claim"),
            *([Text(where)] if where else []),
            Listing([typeset(line.strip()) + "." for line in rest]),
        ]

    def curve() -> list[Section]:
        points = slopes or falling_slopes(account, questions.deltas)
        return [Section("The curve", [curve_figure(account, points)])]

    return Document(
        lines=lambda: [
            *aligned([(f"{part.times:,} x", named(part)) for part in account.mechanisms]),
            *worst,
            *(line for _, lines in answers for line in ("", *lines)),
            *ends_lines(account.mechanisms),
            *(line for found in most for line in ("", found)),
        ],
        title="Composition of mechanisms",
        question=f"How private are {total:,} runs of {counted(len(account.mechanisms))} together?",
        answer=typeset(most[0] if most else answers[0][1][0]) if answers else "No question was asked.",
        meaning=worst,
        before=lambda: [
            Section("The mechanisms", [mechanisms_table(account.mechanisms)]),
            Section("The claim", claim),
            *ends_section(account.mechanisms),
        ],
        opening=curve,
        after=lambda: [
            *models_sections(account.mechanisms),
            *program_sections(account.mechanisms, MOST_DRAWN),
            Section("What is assumed", [Listing([*ASSUMED, *assumed(account.mechanisms)])]),
            _proof(account, questions) if last else proof_section([]),
        ],
        systems=[part.secrets.chain for part in _single(account.mechanisms) if part.secrets is not None],
    )


def counted(count: int) -> str:
    """So many mechanisms, in words."""
    return "one mechanism" if count == 1 else f"{count} mechanisms"


def _proof(account: Account, questions: Questions) -> Section:
    """The certificates of the one number that is asked for."""
    if len(questions.slopes) + len(questions.deltas) != 1:
        return proof_section([], "A certificate is about one number: ask for one delta, epsilon or alpha.")
    try:
        upper, lower = certificates_of(account, questions)
    except TooMuchWork as why:
        return proof_section([], f"There is no certificate of this answer: {why}.")
    proofs = [("of the answer", upper), ("of the lower bound", lower)]
    return proof_section([(what, _made(data)) for what, data in proofs if data is not None])


def _made(data: bytes) -> Callable[[], Certificate]:
    return lambda: Certificate(data)


def mechanisms_table(mechanisms: Sequence[Mechanism]) -> PageTable:
    """How often each mechanism runs."""
    rows = [(f"{part.times:,}", named(part)) for part in mechanisms]
    return PageTable("How often each mechanism runs", ("runs", "mechanism"), rows, (0,))


def _single(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """The mechanisms, and in place of those that are chosen all that may be."""
    return [own for part in mechanisms for own in part.options or (part,)]


def models_sections(mechanisms: Sequence[Mechanism]) -> list[Section]:
    """Pictures of the first chains."""
    sections: list[Section] = []
    for part in _single(mechanisms):
        if part.secrets is None or len(sections) == MOST_DRAWN:
            continue
        chain = part.secrets.chain
        secrets = sorted({chain.states[s] for pair in part.secrets.pairs for s in pair})
        one = model_section(chain, secrets)
        sections.append(Section(f"The model {named(part)}", one.blocks))
    return sections


def curve_figure(account: Account, slopes: Sequence[Slope], *, logarithmic: bool = False) -> Figure:
    """δ of all together at these ε, as a line or a band; on a logarithmic axis if that is wanted."""
    name = "δ" if account.exact else "δ, in the band"
    title = "δ of all mechanisms together, as ε grows"
    return falling_figure(account.delta, slopes, title, name, f"{title}.", logarithmic=logarithmic)


def picture(account: Account) -> Figure:
    """δ of all together as ε grows."""
    return curve_figure(account, falling_slopes(account))
