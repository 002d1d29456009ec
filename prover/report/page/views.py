"""Which page belongs to which answer, and how models are drawn: what ``prover.views`` looks up."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from prover.accounting.account import Account
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.certificate.schema import write_whole
from prover.chain.answer import Distance, DistanceTable
from prover.chain.delta import Delta
from prover.chain.epsilon import Epsilon
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve
from prover.errors import BeyondLimit, Fault
from prover.interactive.delta import InteractiveDelta
from prover.interactive.distance import InteractiveDistance, InteractiveDistanceTable
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.program.answer import Privacy
from prover.program.attack.attack import InputAttack
from prover.program.model import Program
from prover.report import losses
from prover.report.page import account, curve, delta, distance, epsilon, interactive, privacy
from prover.report.page.certificate import accepted
from prover.report.page.chains import chain_words, model_section, related
from prover.report.page.document import Figure, Page, fragment, html, picture_fragment
from prover.report.picture.automaton import MOST_STATES as MOST_OF_PROGRAM
from prover.report.picture.automaton import automaton, automaton_words
from prover.report.picture.chain import MOST_STATES as MOST_OF_CHAIN
from prover.report.picture.chain import MOST_TRANSITIONS, chain_picture, drawn_states
from prover.report.picture.svg import svg_file


class TooLargeToDraw(BeyondLimit):
    """A model has more states, or transitions, than pictures do."""

    def __init__(self, model: object, most: str) -> None:
        super().__init__(f"{repr(model)[1:-1]} is not drawn; pictures have up to {most}")


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


_PAGES: Mapping[type, Callable[[Any], Page]] = {
    Curve: curve.curve_page,
    Delta: delta.delta_page,
    Distance: distance.distance_page,
    DistanceTable: distance.distance_page,
    EnclosedLossDistribution: losses.losses_page,
    Epsilon: epsilon.epsilon_page,
    InteractiveDelta: interactive.interactive_page,
    InteractiveDistance: distance.distance_page,
    InteractiveDistanceTable: distance.distance_page,
    LossDistribution: losses.losses_page,
    Privacy: lambda answer: privacy.privacy_page(answer, privacy.measured(answer)),
}
_SUMMARIES: Mapping[type, Callable[[Any], Page]] = {
    Curve: curve.summary,
    Delta: delta.summary,
    Distance: distance.summary,
    DistanceTable: distance.summary,
    EnclosedLossDistribution: losses.summary,
    Epsilon: epsilon.summary,
    InteractiveDelta: interactive.summary,
    InteractiveDistance: distance.summary,
    InteractiveDistanceTable: distance.summary,
    InputAttack: privacy.attack_summary,
    LossDistribution: losses.summary,
    Privacy: privacy.summary,
}


def html_of(answer: object) -> str:
    """The page of an answer as HTML, its certificates accepted by the stand-alone checker."""
    if type(answer) not in _PAGES:
        raise Fault(f"there is no page of a {type(answer).__name__}")
    return html(accepted(_PAGES[type(answer)](answer)))


def fragment_of(shown: object) -> str:
    """What a notebook shows of an answer, which takes no work, or of a model."""
    if type(shown) in _SUMMARIES:
        return fragment(_SUMMARIES[type(shown)](shown))
    try:
        return drawing_of(shown)._repr_html_()
    except TooLargeToDraw as why:
        return picture_fragment(None, str(why), ())


def drawing_of(shown: object) -> Drawing:
    """The picture of a model, of a curve, or of a privacy loss distribution. Raises TooLargeToDraw."""
    if isinstance(shown, LabelledMarkovDecisionProcess):
        section = model_section(shown)
        figure = section.blocks[0]
        if not isinstance(figure, Figure):
            raise TooLargeToDraw(shown, f"{MOST_OF_CHAIN} states and {MOST_TRANSITIONS} transitions")
        return Drawing(figure.drawn, repr(shown)[1:-1], tuple(figure.words))
    if isinstance(shown, LabelledMarkovChain):
        secrets = [shown.index(name) for name in related(shown)]
        states = drawn_states(shown, secrets)
        if states is None:
            raise TooLargeToDraw(shown, f"{MOST_OF_CHAIN} states and {MOST_TRANSITIONS} transitions")
        words = chain_words(shown, states, secrets)
        return Drawing(chain_picture(shown, states, secrets), repr(shown)[1:-1], tuple(words))
    if isinstance(shown, Program):
        if len(shown.states) > MOST_OF_PROGRAM:
            raise TooLargeToDraw(shown, f"{MOST_OF_PROGRAM} states")
        return Drawing(automaton(shown), repr(shown)[1:-1], tuple(automaton_words(shown, (), ())))
    if isinstance(shown, Curve):
        plotted = curve.picture(shown)
        return Drawing(plotted.drawn, plotted.caption, tuple(plotted.words))
    if isinstance(shown, LossDistribution | EnclosedLossDistribution):
        plotted = losses.picture(shown)
        return Drawing(plotted.drawn, plotted.caption, tuple(plotted.words))
    if isinstance(shown, Account):
        plotted = account.curve_figure(shown, losses.falling_slopes(shown))
        return Drawing(plotted.drawn, plotted.caption, tuple(plotted.words))
    raise Fault(f"there is no picture of a {type(shown).__name__}")
