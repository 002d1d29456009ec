"""How private is this system? Exact answers with certificates that anyone can check.

    chain = prover.load("pin.json")
    answer = prover.distance(chain, "0", "1", alpha="11/10")
    answer.value                       # Fraction(412, 7791)
    prover.verify(answer.certificate)  # the claim in words; raises Rejected
    prover.delta(chain, "0", "1", alpha="11/10").value  # the true δ: Fraction(3791, 75090)

    program = prover.load_program("svt.dipa")
    prover.privacy(program).epsilon    # Fraction(5, 4)
    prover.attack(program).loss        # bounds of a loss near to that, on two concrete inputs

Models, read and written:

    load, load_chain, load_program   a model from a file, or from code as FILE.py:NAME
    from_dict, to_dict               a model from, or as, what JSON holds
    explore                          a chain from a function that says what follows a state
    mechanism, protocol              decorators that make models of Python functions
    save, convert                    a model as a file of one of the formats
    to_networkx                      a chain as a graph

Chains from chains:

    repeat, product                  independent runs that are seen together
    collapse                         what an observer sees who does not see every step
    restrict, quotient               the part that is reached; states that are alike as one
    from_transition_labels           of a chain whose transitions carry the labels
    from_finite_words                of a chain whose runs end
    reduce_total_variation           whose lv is the total variation distance of two states

Questions about chains:

    delta                            how well two secrets can be told apart, with the attack
    distance, distances              bounds of delta that need no search; of all pairs
    curve                            delta at many epsilon
    breakpoints                      delta for all epsilon at once
    epsilon_for                      the least epsilon for a delta
    bisimilarity                     which states nothing tells apart

Questions about mechanisms:

    privacy                          is it private, and at which epsilon exactly
    attack                           two neighbouring inputs that lose nearly as much as can be
    shared_cost                      what one coupling strategy proves

Proofs, and other opinions:

    verify                           the claim of a certificate, once it is checked
    crosscheck                       the answer, computed once more by another library
    encode                           the question as a formula for SMT solvers

Compositions of many mechanisms begin with LossDistribution. Answers have a ``certificate``, ``to_html()``
makes a page of them, and notebooks show them; models are drawn by ``show()``. Numbers are exact: give them as
text ("0.1"), integers, Fraction or Decimal. The parts are loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from typing import Any

    from prover.accounting.distribution import LossDistribution
    from prover.accounting.enclosed import EnclosedLossDistribution
    from prover.accounting.grid import Grid
    from prover.accounting.least_epsilon import LeastEpsilon
    from prover.certificate.check import Rejected
    from prover.certificate.schema import Certificate
    from prover.certificate.verification import verify
    from prover.chain.answer import Distance, DistanceTable
    from prover.chain.bisimulation import bisimilarity
    from prover.chain.breakpoints import Breakpoints, breakpoints
    from prover.chain.collapsing.collapsed import CollapsedChain
    from prover.chain.conversion import from_finite_words, from_transition_labels, reduce_total_variation
    from prover.chain.delta import Delta
    from prover.chain.epsilon import Epsilon
    from prover.chain.model import LabelledMarkovChain, quotient, restrict
    from prover.chain.privacy_profile import Curve
    from prover.comparison import Crosscheck, crosscheck
    from prover.encoding import encode
    from prover.errors import BadInput, Fault
    from prover.formats.convert import convert, save
    from prover.formats.exploration import explore
    from prover.formats.load import load, load_chain, load_program
    from prover.formats.objects import from_dict, to_dict, to_networkx
    from prover.formats.reading import ReadingNote
    from prover.interactive.asking import curve, delta, distance, distances, epsilon_for
    from prover.interactive.collapsing.collapse import collapse
    from prover.interactive.delta import InteractiveDelta
    from prover.interactive.model import LabelledMarkovDecisionProcess
    from prover.interactive.products.concurrent import product, repeat
    from prover.language.functions import mechanism, protocol
    from prover.program.answer import Privacy
    from prover.program.attack.attack import InputAttack, attack
    from prover.program.model import Program
    from prover.program.privacy import privacy
    from prover.program.strategies.sharing import SharedCost, shared_cost

__version__ = "0.1.0"

_HOME = {
    "BadInput": "prover.errors",
    "Breakpoints": "prover.chain.breakpoints",
    "Certificate": "prover.certificate.schema",
    "CollapsedChain": "prover.chain.collapsing.collapsed",
    "Curve": "prover.chain.privacy_profile",
    "Delta": "prover.chain.delta",
    "Crosscheck": "prover.comparison",
    "Distance": "prover.chain.answer",
    "DistanceTable": "prover.chain.answer",
    "Epsilon": "prover.chain.epsilon",
    "Fault": "prover.errors",
    "EnclosedLossDistribution": "prover.accounting.enclosed",
    "Grid": "prover.accounting.grid",
    "InteractiveDelta": "prover.interactive.delta",
    "InputAttack": "prover.program.attack.attack",
    "LabelledMarkovChain": "prover.chain.model",
    "LabelledMarkovDecisionProcess": "prover.interactive.model",
    "LeastEpsilon": "prover.accounting.least_epsilon",
    "LossDistribution": "prover.accounting.distribution",
    "Rejected": "prover.certificate.check",
    "attack": "prover.program.attack.attack",
    "bisimilarity": "prover.chain.bisimulation",
    "breakpoints": "prover.chain.breakpoints",
    "collapse": "prover.interactive.collapsing.collapse",
    "curve": "prover.interactive.asking",
    "delta": "prover.interactive.asking",
    "crosscheck": "prover.comparison",
    "distance": "prover.interactive.asking",
    "distances": "prover.interactive.asking",
    "epsilon_for": "prover.interactive.asking",
    "encode": "prover.encoding",
    "from_finite_words": "prover.chain.conversion",
    "from_transition_labels": "prover.chain.conversion",
    "convert": "prover.formats.convert",
    "explore": "prover.formats.exploration",
    "from_dict": "prover.formats.objects",
    "load": "prover.formats.load",
    "load_chain": "prover.formats.load",
    "load_program": "prover.formats.load",
    "mechanism": "prover.language.functions",
    "Privacy": "prover.program.answer",
    "privacy": "prover.program.privacy",
    "product": "prover.interactive.products.concurrent",
    "protocol": "prover.language.functions",
    "Program": "prover.program.model",
    "quotient": "prover.chain.model",
    "ReadingNote": "prover.formats.reading",
    "reduce_total_variation": "prover.chain.conversion",
    "repeat": "prover.interactive.products.concurrent",
    "restrict": "prover.chain.model",
    "save": "prover.formats.convert",
    "SharedCost": "prover.program.strategies.sharing",
    "shared_cost": "prover.program.strategies.sharing",
    "to_dict": "prover.formats.objects",
    "to_networkx": "prover.formats.objects",
    "verify": "prover.certificate.verification",
}

__all__ = [
    "BadInput",
    "Breakpoints",
    "Certificate",
    "CollapsedChain",
    "Crosscheck",
    "Curve",
    "Delta",
    "Distance",
    "DistanceTable",
    "EnclosedLossDistribution",
    "Epsilon",
    "Fault",
    "Grid",
    "InputAttack",
    "InteractiveDelta",
    "LabelledMarkovChain",
    "LabelledMarkovDecisionProcess",
    "LeastEpsilon",
    "LossDistribution",
    "Privacy",
    "Program",
    "ReadingNote",
    "Rejected",
    "SharedCost",
    "attack",
    "bisimilarity",
    "breakpoints",
    "collapse",
    "convert",
    "crosscheck",
    "curve",
    "delta",
    "distance",
    "distances",
    "encode",
    "epsilon_for",
    "explore",
    "from_dict",
    "from_finite_words",
    "from_transition_labels",
    "load",
    "load_chain",
    "load_program",
    "mechanism",
    "privacy",
    "product",
    "protocol",
    "quotient",
    "reduce_total_variation",
    "repeat",
    "restrict",
    "save",
    "shared_cost",
    "to_dict",
    "to_networkx",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'prover' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
