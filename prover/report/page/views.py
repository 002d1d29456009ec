"""Which page belongs to which answer, and how models are drawn: what ``prover.views`` looks up."""

from __future__ import annotations

from typing import Any

from prover.chain.answer import Distance, DistanceTable
from prover.chain.delta import Delta
from prover.chain.epsilon import Epsilon
from prover.chain.privacy_profile import Curve
from prover.errors import Fault
from prover.program.answer import Privacy
from prover.report.page.curve import curve_page
from prover.report.page.delta import delta_page
from prover.report.page.distance import distance_page
from prover.report.page.document import Page, fragment, html
from prover.report.page.epsilon import epsilon_page
from prover.report.page.privacy import measured, privacy_page


def page_of(answer: Any) -> Page:
    """The page of an answer."""
    if isinstance(answer, Delta):
        return delta_page(answer)
    if isinstance(answer, Distance | DistanceTable):
        return distance_page(answer)
    if isinstance(answer, Epsilon):
        return epsilon_page(answer)
    if isinstance(answer, Curve):
        return curve_page(answer)
    if isinstance(answer, Privacy):
        return privacy_page(answer, measured(answer))
    raise Fault(f"there is no page of a {type(answer).__name__}")


def html_of(answer: Any) -> str:
    """The page of an answer as HTML."""
    return html(page_of(answer))


def fragment_of(shown: Any) -> str:
    """The beginning of the page, for a notebook."""
    return fragment(page_of(shown))
