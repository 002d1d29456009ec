"""What pages about chains have in common: α and ε, the model as a picture, the observer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from prover.chain.answer import Distance, DistanceTable
from prover.chain.arguments import Slope
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.real import RoundedChain
from prover.errors import Fault, short_name
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_text
from prover.exact.readable import brief, readable_alpha
from prover.report.document import Figure, Listing, Section, Text

if TYPE_CHECKING:
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.report.picture.chain import DrawnModel

DIGITS = 6


def both_notations(slope: Slope) -> str:
    """Where a number was asked for, as ε and as α = e^ε.

    >>> both_notations(Slope.of_alpha(Fraction(11, 10)))
    'ε = ln 11/10 ≈ 0.09531, α = e^ε = 11/10'
    """
    if slope.epsilon is None:
        return f"ε = {logarithm(slope.upper)}, α = e^ε = {readable_alpha(slope.upper)}"
    alpha = decimal_text(slope.upper, DIGITS)
    return f"ε = {readable_alpha(slope.epsilon)}, α = e^ε ≈ {alpha.rstrip('…')}"


def logarithm(alpha: Fraction) -> str:
    """ln α, with its first digits."""
    if alpha == 1:
        return "ln 1 = 0"
    low, _ = enclosed_logarithm(alpha, DIGITS)
    return f"ln {readable_alpha(alpha)} ≈ {decimal_text(low, DIGITS)}"


def pair_text(source: str, target: str) -> str:
    """Two secrets, as sentences name them."""
    return f"{short_name(source)} and {short_name(target)}"


def lost_lines(system: object, lost: Fraction) -> list[str]:
    """What is lost of a chain that is cut or rounded, if anything is."""
    if not lost:
        return []
    most = f"{Decimal(lost.numerator) / lost.denominator:.5g}"  # it has no more digits
    why = "The model is too large to be explored as a whole, so it is cut"
    if isinstance(system, RoundedChain):
        also = ", and the model is cut" if system.rounding.original.lost is not None else ""
        why = f"Probabilities that are not rational are rounded down{also}"
    return [f"{why}: a run is lost with probability at most {most}. Both bounds allow for that."]


def system_of(answer: Delta | Distance | DistanceTable | InteractiveDelta) -> object:
    """The chain that an answer is about, or the decision process."""
    from prover.chain.unrolling.answer import InteractiveDelta

    if isinstance(answer, InteractiveDelta):
        return answer.process
    return answer.chain


def model_section(system: object, secrets: Iterable[str] = ()) -> Section:
    """The chain, or the decision process, as a picture, if it is not too large, and in words.

    Without secrets, those that its relation pairs are marked. Raises Fault if it is neither.
    """
    from prover.report.picture.chain import drawn_states, model_picture

    if not isinstance(system, LabelledMarkovChain | LabelledMarkovDecisionProcess):
        raise Fault("an answer does not say which system it is about")
    is_chain = isinstance(system, LabelledMarkovChain)
    named = tuple(secrets) or [system.states[s] for pair in system.relation for s in pair]
    marked = sorted({system.index(name) for name in named})
    states = drawn_states(system, marked)
    if states is None:
        return Section("The model", [Text(_too_large(system))])
    if not is_chain:
        caption = "The decision process. The attacker sees labels, not states. Arrows carry the actions."
    else:
        caption = "The Markov chain. The observer sees labels, not states; equal labels have the same colour."
        if len(states) < len(system):
            caption += f" Only states that the secrets reach are drawn, of {len(system):,} states."
    words = [sentence for state in states for sentence in _state_words(system, state, state in marked)]
    return Section("The model", [Figure(model_picture(system, states, marked), caption, words)])


def _state_words(model: DrawnModel, state: int, secret: bool) -> list[str]:
    """A sentence for a state of a chain; of a process another one for each action."""
    from prover.report.picture.chain import moves

    also = ", a secret," if secret else ""
    name, label = short_name(model.states[state]), short_name(model.labels[state])
    shows = f"State {name}{also} has the label {label}"
    if isinstance(model, LabelledMarkovChain):
        return [f"{shows} and goes to {_steps(model, model.rows[state])}."]
    sentences = [f"{shows}."]
    for action, row in moves(model, state):
        leads = "It goes" if action == ANONYMOUS else f"The action {short_name(action)} leads"
        sentences.append(f"{leads} to {_steps(model, row)}.")
    return sentences


def _steps(model: DrawnModel, row: Mapping[int, Fraction]) -> str:
    return ", ".join(f"{short_name(model.states[t])} ({brief(p)})" for t, p in row.items())


def _too_large(model: DrawnModel) -> str:
    from prover.report.picture.chain import MOST_STATES, MOST_TRANSITIONS

    drawn = f"Models of up to {MOST_STATES} states and {MOST_TRANSITIONS} transitions are drawn."
    if not isinstance(model, LabelledMarkovChain):
        return f"The decision process has {len(model):,} states. {drawn}"
    transitions = sum(map(len, model.rows))
    return f"The Markov chain has {len(model):,} states and {transitions:,} transitions. {drawn}"


def assumptions_section(system: object) -> Section:
    """The observer of a chain, or the attacker on a decision process, and what the answer is about."""
    assumed = [_observer(system), *_ALWAYS] if isinstance(system, LabelledMarkovChain) else _ATTACKERS
    return Section("What is assumed", [Listing(assumed)])


_RIGHT = "The model is correct: its transitions have these probabilities, and"

_ATTACKERS = (
    "The attacker knows the model, and at every step all labels seen and all actions taken so far.",
    "The attacker has unlimited time and computing power, and may toss coins.",
    f"{_RIGHT} the attacker sees nothing else of the system.",
)


_ALWAYS = (
    "The observer knows the model, has unlimited time and computing power, and may look for any event.",
    f"{_RIGHT} the observer sees nothing else of the system.",
)


def _observer(chain: LabelledMarkovChain) -> str:
    if not isinstance(chain, CollapsedChain):
        return f"{_TIMED}, the secret's own first, so the observer can count steps."
    collapsing = chain.collapsing
    unseen = ", ".join(short_name(label) for label in collapsing.silent)
    hidden = f" States labelled {unseen} are invisible." if unseen else ""
    if collapsing.untimed:
        return f"The observer sees the sequence of different labels, not how long each lasts.{hidden}"
    return f"{_TIMED}.{hidden}"


_TIMED = "The observer sees the label of every state"
