"""Prove how private a system is, with certificates that anyone can check.

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
    load_open                        a program with a parameter left open
    load_real                        a program with rates that are real numbers, such as ln 3
    from_dict, to_dict               a model from, or as, what JSON holds
    explore                          a chain from a function that gives the successors of a state
    mechanism, protocol              decorators that turn Python functions into models
    save, convert                    a model as a file of one of the formats
    to_networkx                      a chain as a graph

Chains from chains:

    repeat, product                  independent runs, observed together
    collapse                         the chain of an observer who does not see every step
    restrict, quotient               the reachable part; bisimilar states merged
    from_transition_labels           from a chain whose transitions carry the labels
    from_finite_words                from a chain whose runs end
    reduce_total_variation           its lv is the total variation distance of two states

Questions about chains:

    delta                            the largest P[E | s] − α·P[E | t] over all events E, with the attack
    distance, distances              upper bounds for δ that need no search; of all pairs
    curve                            δ for many ε
    breakpoints                      δ for all ε at once
    epsilon_for                      the least ε for a given δ
    renyi                            Rényi divergences, and the ρ of zCDP
    tradeoff                         the least errors of tests of two secrets
    bisimilarity                     which states are bisimilar
    sweep                            δ or ε over the parameters of a model, of chains and of mechanisms

Questions about mechanisms:

    privacy                          whether the mechanism is private, and at which ε
    open_privacy                     the same as a function of a rate that is left open
    privacy_of_counts                the same as a formula in a count that is left open
    real_privacy                     the same where rates are real numbers
    attack                           two neighbouring inputs whose loss is close to the largest
    advantages                       δ, with the two inputs found that are distinguished best
    shared_cost                      the bound that one coupling strategy proves

Proofs, and other ways to check an answer:

    verify                           checks a certificate, and returns its claim
    crosscheck                       computes the answer again with another library
    encode                           writes the question as a formula for SMT solvers

LossDistribution composes many mechanisms. ``print(answer)`` prints what the command prints,
``answer.headline`` is the answer in one line, and ``answer.certificate`` proves it. ``to_html()`` makes a
page of an answer, and notebooks show this page; ``show()`` draws a model. Numbers are exact: give them as
text ("0.1"), integers, Fraction or Decimal. Each part is loaded when it is first used.
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
