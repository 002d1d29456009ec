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

Compositions of many mechanisms begin with LossDistribution. ``print(answer)`` prints what the command prints,
``answer.headline`` is the answer in one line, and ``answer.certificate`` proves it. ``to_html()`` makes a
page of an answer, and notebooks show it; ``show()`` draws a model. Numbers are exact: give them as text
("0.1"), integers, Fraction or Decimal. The parts are loaded when they are first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

_STUB = __loader__.get_data(f"{__file__}i").decode()  # where the public names are imported, one a line
_HOME = {line.split()[-1]: line.split()[1] for line in _STUB.splitlines() if line.startswith("from ")}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'prover' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
