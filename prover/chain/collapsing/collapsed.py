"""Systems that remember what they were collapsed from: so certificates can tell, and runs begin elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import fmpq

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess

Exits = Mapping[int, Mapping[int, fmpq]]
"""For states of the original: the probabilities that the next transition that is seen enters these states."""


@dataclass(frozen=True, slots=True)
class Collapsing:
    """How a chain was collapsed: the ``original``, the observer, what new states mean, the exits found.

    The observer does not see the labels ``silent`` (in order), and with ``untimed`` only changes of the
    others. ``entered`` has the names of the new states that stand for having just entered a state of the
    original, and the index of that. ``start`` is the label of the states in front of initial ones, and
    ``silence`` that of staying silent for ever; None where there is no such label. ``erased`` has the exits
    of silent states, and ``merged``, after these are erased, those of states entered without a change.
    """

    original: LabelledMarkovChain
    silent: tuple[str, ...]
    untimed: bool
    entered: Mapping[str, int]
    start: str | None
    silence: str | None
    erased: Exits
    merged: Exits


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CollapsedChain(LabelledMarkovChain):
    """A chain as it looks to an observer who sees less than every step; made by ``prover.collapse``.

    It is a chain like any other, and answers about it are answers about this observer of the original;
    certificates hold both. Names of initial states are those of the original.

        >>> import prover
        >>> chain = LabelledMarkovChain.of({
        ...     "s": ("wait", {"s": "1/3", "yes": "2/3"}), "t": ("wait", {"t": "1/2", "yes": "1/2"}),
        ...     "yes": ("yes", {"yes": 1})}, [("s", "t")])
        >>> [str(prover.distance(one, alpha=1).value) for one in (chain, prover.collapse(chain))]
        ['1/4', '0']
    """

    collapsing: Collapsing = field(kw_only=True)


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class CollapsedProcess(LabelledMarkovDecisionProcess):
    """A process as it looks to an attacker who sees less than every step; made by ``prover.collapse``.

    He does not see the labels ``silent`` of the ``original``, and ``untimed`` only changes of the others.
    """

    original: LabelledMarkovDecisionProcess = field(kw_only=True)
    silent: tuple[str, ...] = field(kw_only=True)
    untimed: bool = field(kw_only=True)
