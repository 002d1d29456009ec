"""The page of an account: what many mechanisms give away together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from prover.accounting.account import Account, Questions
from prover.certificate.schema import Certificate, TooMuchWork
from prover.chain.arguments import Slope
from prover.exact.readable import upper_text
from prover.report.account import certificates_of, delta_lines, epsilon_lines, named, worst_text
from prover.report.code import with_code
from prover.report.losses import falling_slopes
from prover.report.page.certificate import proof_section
from prover.report.page.chains import both_notations, model_section
from prover.report.page.curves import delta_chart
from prover.report.page.document import Block, Figure, Listing, Page, Section, Table, Text
from prover.report.picture.chart import Series, drawn_chart
from prover.report.promise import typeset

MOST_DRAWN = 3
"""Models of an account that are drawn."""

_ASSUMED = (
    "All mechanisms, and all their runs, are independent, and everything that they put out is seen.",
    "Secrets are the same in every run of a mechanism; of all that are related the worst combination "
    "counts, in either direction.",
    "Who observes knows the mechanisms, and has any amount of time and computing power.",
)


def account_page(
    found: Account, questions: Questions, slopes: Sequence[Slope] = (), *, proved: bool = True
) -> Page:
    """The page; ``slopes`` are the points of its curve, if there are any; without ``proved`` no proof."""
    answers = [
        (both_notations(slope), [*map(typeset, delta_lines(found, slope))]) for slope in questions.slopes
    ]
    answers += [("", [*map(typeset, epsilon_lines(found, bound))]) for bound in questions.deltas]
    runs = sum(part.times for part in found.mechanisms)
    first = answers[0][1][0] if answers else "Nothing was asked."
    blocks: list[Block] = []
    for place, (head, *rest) in answers:
        blocks += [
            Text(head, "claim"),
            *([Text(place)] if place else []),
            Listing([typeset(line.strip()) + "." for line in rest]),
        ]
    page = Page(
        title="How private are many mechanisms together?",
        question=f"What do {runs:,} runs of {_counted(len(found.mechanisms))} give away together?",
        answer=first,
        meaning=worst_text(found),
        sections=[
            Section("The mechanisms", [_mechanisms(found)]),
            Section("The claim", blocks),
            Section("The curve", [curve_figure(found, slopes or falling_slopes(found, questions.deltas))]),
            *_models(found),
            Section("What is assumed", [Listing(_ASSUMED)]),
            _proof(found, questions) if proved else proof_section([]),
        ],
    )
    return with_code(page, *(part.secrets.chain for part in found.mechanisms if part.secrets is not None))


def _counted(count: int) -> str:
    return "one mechanism" if count == 1 else f"{count} mechanisms"


def _proof(found: Account, questions: Questions) -> Section:
    """The certificates of the one number that is asked for."""
    if len(questions.slopes) + len(questions.deltas) != 1:
        return proof_section([], "A certificate is about one number: ask for one delta, epsilon or alpha.")
    try:
        upper, lower = certificates_of(found, questions)
    except TooMuchWork as why:
        return proof_section([], f"There is no certificate of this answer: {why}.")
    proofs = [("of the answer", upper), ("of the lower end", lower)]
    return proof_section([(what, _made(data)) for what, data in proofs if data is not None])


def _made(data: bytes) -> Callable[[], Certificate]:
    return lambda: Certificate(data)


def _mechanisms(found: Account) -> Table:
    rows = [(f"{part.times:,}", named(part)) for part in found.mechanisms]
    return Table("What is composed", ("runs", "mechanism"), rows, (0,))


def _models(found: Account) -> list[Section]:
    sections: list[Section] = []
    for part in found.mechanisms:
        if part.secrets is None or len(sections) == MOST_DRAWN:
            continue
        chain = part.secrets.chain
        secrets = sorted({chain.states[s] for pair in part.secrets.pairs for s in pair})
        one = model_section(chain, secrets)
        sections.append(Section(f"The model {named(part)}", one.blocks))
    return sections


def curve_figure(found: Account, slopes: Sequence[Slope], *, logarithmic: bool = False) -> Figure:
    """δ of all together at these ε, as a line or a band; on a logarithmic axis if that is wanted."""
    band = []
    words = []
    for slope in slopes:
        lower, upper = found.delta(slope)
        epsilon = float(slope.epsilon) if slope.epsilon is not None else math.log(slope.upper)
        band.append((epsilon, float(lower), float(upper)))
        words.append(f"At ε = {epsilon:.6g} δ is at most {upper_text(upper)}.")
    line = Series("δ" if found.exact else "δ is in the band", [(x, high) for x, _, high in band])
    title = "δ of all mechanisms together, as ε grows"
    floor = min((high for _, _, high in band if high > 0), default=1e-9) if logarithmic else 0.0
    chart = delta_chart([line], title, band, floor)
    return Figure(drawn_chart(chart), f"{title}.", words)
