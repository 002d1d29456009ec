"""What pages about chains have in common: α and ε, the model as a picture, the observer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from prover.chain.arguments import Slope
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain
from prover.errors import Fault, short_name
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import brief, readable_alpha, readable_interval
from prover.interactive.model import ANONYMOUS, LabelledMarkovDecisionProcess
from prover.report.page.document import Figure, Listing, Section, Text
from prover.report.picture.chain import (
    MOST_STATES,
    MOST_TRANSITIONS,
    chain_picture,
    drawn_states,
    process_picture,
)

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


def related(chain: LabelledMarkovChain) -> list[str]:
    """The states of the chain's relation."""
    return sorted({chain.states[s] for pair in chain.relation for s in pair})


def model_section(system: object, secrets: Iterable[str] = ()) -> Section:
    """The chain, or the decision process, as a picture, if it is not too large, and in words.

    Without secrets, those that its relation pairs are marked. Raises Fault if it is neither.
    """
    if isinstance(system, LabelledMarkovDecisionProcess):
        return _process_section(system, tuple(secrets) or related(system.outline))
    if isinstance(system, LabelledMarkovChain):
        return _chain_section(system, tuple(secrets) or related(system))
    raise Fault("an answer does not say which system it is about")


def _chain_section(chain: LabelledMarkovChain, secrets: Iterable[str]) -> Section:
    marked = sorted({chain.index(name) for name in secrets})
    states = drawn_states(chain, marked)
    if states is None:
        return Section("The model", [Text(_too_large(chain))])
    part = "" if len(states) == len(chain) else f" Drawn is what the secrets reach, of {len(chain):,} states."
    caption = f"The Markov chain. What is seen of a state is its label, which gives it its colour.{part}"
    drawn = chain_picture(chain, states, marked)
    return Section("The model", [Figure(drawn, caption, chain_words(chain, states, marked))])


def _process_section(process: LabelledMarkovDecisionProcess, secrets: Iterable[str]) -> Section:
    marked = sorted({process.index(name) for name in secrets})
    states = drawn_states(process, marked)
    if states is None:
        return Section("The model", [Text(f"The decision process has {len(process):,} states. {_DRAWN}")])
    caption = "The decision process. What is seen of a state is its label; arrows say what is done there."
    drawn = process_picture(process, states, marked)
    return Section("The model", [Figure(drawn, caption, process_words(process, states, marked))])


def process_words(
    process: LabelledMarkovDecisionProcess, states: Sequence[int], secrets: Sequence[int]
) -> list[str]:
    """A sentence for each state and each action."""
    found = []
    for state in states:
        also = ", a secret," if state in secrets else ""
        name, label = short_name(process.states[state]), short_name(process.labels[state])
        found.append(f"State {name}{also} shows {label}.")
        for action in process.menu(state):
            row = process.row(state, action)
            steps = ", ".join(f"{short_name(process.states[t])} ({brief(p)})" for t, p in row.items())
            done = "Then it goes" if action == ANONYMOUS else f"Who does {short_name(action)} there goes"
            found.append(f"{done} to {steps}.")
    return found


_DRAWN = f"Models of up to {MOST_STATES} states and {MOST_TRANSITIONS} transitions are drawn."


def _too_large(chain: LabelledMarkovChain) -> str:
    transitions = sum(map(len, chain.rows))
    return f"The Markov chain has {len(chain):,} states and {transitions:,} transitions. {_DRAWN}"


def chain_words(chain: LabelledMarkovChain, states: Sequence[int], secrets: Sequence[int]) -> list[str]:
    """A sentence for each state."""
    found = []
    for state in states:
        also = ", a secret," if state in secrets else ""
        steps = [f"{short_name(chain.states[t])} ({brief(p)})" for t, p in chain.rows[state].items()]
        name, label = short_name(chain.states[state]), short_name(chain.labels[state])
        found.append(f"State {name}{also} shows {label} and goes to {', '.join(steps)}.")
    return found


def assumptions_section(system: object) -> Section:
    """Who observes the chain, or attacks the decision process, and what the answer is about."""
    assumed = [_observer(system), *_ALWAYS] if isinstance(system, LabelledMarkovChain) else _ATTACKERS
    return Section("What is assumed", [Listing(assumed)])


_ATTACKERS = (
    "The attacker knows the model, and at every step what was seen so far and what he did himself.",
    "He has any amount of time and computing power, and may throw coins, which do not help him.",
    "The model is right: its transitions have these probabilities, and nothing else is seen of the system.",
)


_ALWAYS = (
    "Who observes knows the model, has any amount of time and computing power, and may look for anything.",
    "The model is right: its transitions have these probabilities, and nothing else is seen of the system.",
)


def _observer(chain: LabelledMarkovChain) -> str:
    if not isinstance(chain, CollapsedChain):
        return (
            "Seen is the label of the state at every step, from the secret's own on, so steps can be counted."
        )
    found = chain.collapsing
    unseen = ", ".join(short_name(label) for label in found.silent)
    hidden = f"; states labelled {unseen} are not seen at all" if unseen else ""
    if found.untimed:
        return f"Seen are changes of the label; nobody counts steps{hidden}."
    return f"Seen is the label of the state at every step{hidden}."


def bounds_text(bounds: tuple[Fraction, Fraction]) -> str:
    """A number of an interval for a cell."""
    if bounds[0] == bounds[1]:
        return format_rational(bounds[0]) if len(format_rational(bounds[0])) <= 20 else brief(bounds[0])
    return " to ".join(readable_interval(*bounds))
