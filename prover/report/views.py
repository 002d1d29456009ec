"""Which text and page belong to which answer, and how models are drawn: what ``prover.views`` looks up."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from prover.certificate.schema import write_whole
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BeyondLimit, Fault
from prover.program.model import Program
from prover.report.certificate import accepted
from prover.report.chains import model_section
from prover.report.code import with_code
from prover.report.document import Document, Figure, Page, fragment, html, picture_fragment
from prover.report.picture.automaton import MOST_STATES as MOST_OF_PROGRAM
from prover.report.picture.automaton import automaton, automaton_words
from prover.report.picture.chain import MOST_STATES as MOST_OF_CHAIN
from prover.report.picture.chain import MOST_TRANSITIONS
from prover.report.picture.svg import svg_file
from prover.views import DrawnAnswer

_HOMES: Mapping[str, str] = {
    "Account": "account",
    "AccountDivergences": "divergences",
    "Curve": "curve",
    "Delta": "delta",
    "Distance": "distance",
    "DistanceTable": "distance",
    "Divergences": "renyi",
    "EnclosedLossDistribution": "losses",
    "EnclosedTradeOff": "enclosed_tradeoff",
    "Epsilon": "epsilon",
    "InputAttack": "attack",
    "InteractiveDelta": "delta",
    "LossDistribution": "losses",
    "OpenCount": "counts",
    "OpenPrivacy": "open_privacy",
    "PairDelta": "pair_delta",
    "Privacy": "privacy_page",
    "ProgramCurve": "program_curve",
    "ProgramDelta": "program_delta",
    "ProgramEpsilon": "program_epsilon",
    "RealPrivacy": "real_privacy",
    "SecretTradeOff": "tradeoff",
}
"""The module of this package that makes the document of an answer; only what is asked for is loaded."""

_PARTS: Mapping[str, tuple[str, str]] = {
    "Attack": ("event", "attack_lines"),
    "Strategy": ("strategy", "strategy_lines"),
}
"""The module and the function that make the lines of a part of an answer."""


class TooLargeToDraw(BeyondLimit):
    """A model has more states, or transitions, than pictures do."""

    def __init__(self, model: object, most: str) -> None:
        super().__init__(f"{repr(model)[1:-1]} is not drawn; pictures have at most {most}")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture: notebooks draw it, ``str`` is its SVG, and ``write`` makes a file of it."""

    drawn: Element
    caption: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return svg_file(self.drawn, self.words).decode()

    def __repr__(self) -> str:
        return f"<Drawing: {self.caption}>"

    def _repr_html_(self) -> str:
        return picture_fragment(self.drawn, self.caption, self.words)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg file, whole or not at all. Raises Unwritable."""
        write_whole(path, svg_file(self.drawn, self.words), "the picture")


def text_of(answer: object) -> str:
    """What commands print of an answer, or of its attack."""
    part = _PARTS.get(type(answer).__name__)
    if part is None:
        document: Document = _home(answer).document(answer)
        return document.text
    home, function = part
    lines: Sequence[str] = getattr(importlib.import_module(f"prover.report.{home}"), function)(answer)
    return "\n".join(lines)


def page_of(answer: object, **beside: object) -> Page:
    """The page of an answer; ``beside`` is what the function of its document takes beside it."""
    document: Document = _home(answer).document(answer, **beside)
    return with_code(document.page(), *document.systems)


def html_of(answer: object) -> str:
    """The page of an answer as HTML, its certificates accepted by the stand-alone checker."""
    return html(accepted(page_of(answer)))


def fragment_of(shown: object) -> str:
    """What a notebook shows of an answer, which takes no work, or of a model."""
    if isinstance(shown, DrawnAnswer) or type(shown).__name__ == "Account":  # which alone answers nothing
        try:
            return drawing_of(shown)._repr_html_()
        except TooLargeToDraw as why:
            return picture_fragment(None, str(why), ())
    document: Document = _home(shown).document(shown)
    return fragment(document.summary())


def drawing_of(shown: object) -> Drawing:
    """The picture of a model, of a curve, or of a privacy loss distribution. Raises TooLargeToDraw."""
    if isinstance(shown, LabelledMarkovChain | LabelledMarkovDecisionProcess):
        figure = model_section(shown).blocks[0]
        if not isinstance(figure, Figure):
            raise TooLargeToDraw(shown, f"{MOST_OF_CHAIN} states and {MOST_TRANSITIONS} transitions")
        return Drawing(figure.drawn, repr(shown)[1:-1], tuple(figure.words))
    if isinstance(shown, Program):
        if len(shown.states) > MOST_OF_PROGRAM:
            raise TooLargeToDraw(shown, f"{MOST_OF_PROGRAM} states")
        return Drawing(automaton(shown), repr(shown)[1:-1], tuple(automaton_words(shown, (), ())))
    plotted: Figure = _home(shown).picture(shown)
    return Drawing(plotted.drawn, plotted.caption, tuple(plotted.words))


def _home(answer: object) -> Any:
    """The module with the document of an answer, and its picture if it has one."""
    name = type(answer).__name__
    if name not in _HOMES:
        raise Fault(f"there is no page of a {name}")
    return importlib.import_module(f"prover.report.{_HOMES[name]}")
