"""A system as an observer sees it who sees only changes of the label, or does not see some labels.

Reference: docs/theory.md, *Unseen steps*; docs/theory_interactive.md, *Unseen steps*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeVar, cast, overload

from prover.chain.collapsing.chain import collapse_for
from prover.chain.collapsing.collapsed import CollapsedChain, CollapsedProcess, Collapsing
from prover.chain.collapsing.spelling import code_of, read_again, spelt_out
from prover.chain.errors import menu_text
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import (
    SYSTEMS,
    LabelledMarkovDecisionProcess,
    System,
    must_be_whole,
    without_idle_choice,
)
from prover.errors import BadValue, NotSupported, UnknownName, must_be, quoted
from prover.progress import Progress
from prover.progress import silent as quiet

Begun = TypeVar("Begun", bound=System)


def not_labels() -> BadValue:
    """The silent labels are not given as a collection of texts."""
    return BadValue(
        'silent labels are given as a list of texts, such as ["tau"], also if it is one', code="not-labels"
    )


@overload
def collapse(
    chain: LabelledMarkovChain,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> CollapsedChain: ...


@overload
def collapse(
    chain: LabelledMarkovDecisionProcess,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> LabelledMarkovDecisionProcess: ...


def collapse(
    chain: LabelledMarkovChain | LabelledMarkovDecisionProcess,
    silent: Iterable[str] = (),
    *,
    untimed: bool = True,
    progress: Progress = quiet,
) -> CollapsedChain | LabelledMarkovDecisionProcess:
    """The system as an observer sees it who does not see every step, only changes of the label.

    States with a ``silent`` label are invisible: they are erased first, so that a, silent, a is one a. If
    ``untimed`` is False, they are erased and nothing else: a, silent, a is then a, a.

    The result keeps the initial states and those that a change of label enters (all visible ones, if only
    silent labels are erased). Initial states are the states of the relation, or all states if there is no
    relation; they keep their names. A question about other states collapses the chain again, with these as
    initial states, too (``begun_at``). To stay for ever without a new label is an outcome of its own: an
    absorbing state of the same label, or, if only silent labels are erased, of a label that no other state
    has. If an initial state is silent, all initial states begin with a common label; then a state that runs
    enter has another name, such as "x seen".

    δ of the result is δ of the chain for this observer, and at most δ of the chain (docs/theory.md,
    *Unseen steps*, theorem on collapsing).

        >>> chain = LabelledMarkovChain.of({"a": ("x", {"b": 1}), "b": ("x", {"c": 1}), "c": ("y", {"c": 1})})
        >>> seen = collapse(chain)
        >>> seen.states[seen.index("a")], [seen.labels[t] for t in seen.rows[seen.index("a")]]
        ('a', ['y'])

    Attackers see their own actions. So a step that an attacker chooses is visible, also if the label stays
    the same; silent states leave no choice. An action, or a state without a choice, leads to the next visible
    state; if none ever follows, to a state with a label of its own.

        >>> process = LabelledMarkovDecisionProcess.of({
        ...     "s": ("ready", {"go": {"work": 1}, "stay": {"s": 1}}),
        ...     "t": ("ready", {"go": {"work": 1}, "stay": {"s": 1}}),
        ...     "work": ("busy", {"work": "1/2", "done": "1/2"}),
        ...     "done": ("done", {"done": 1})}, [("s", "t")])
        >>> seen = collapse(process, ["busy"])
        >>> seen.states, seen.row(seen.index("s"), "go") == {seen.index("done"): 1}
        (('done', 's', 't'), True)

    Raises BadValue, UnknownName, NotSupported, BeyondLimit.
    """
    must_be(SYSTEMS, chain=chain)
    must_be(Iterable, silent=silent)
    must_be_whole(chain)
    return _collapsed((), chain, _checked(chain, silent), untimed=untimed, progress=progress)


def begun_at(system: Begun, *names: str | None) -> Begun:
    """The system in which runs begin at the states of these names, besides where they begin already.

    One of which every step is seen is that already. Of a collapsed one the names are those of the original's
    states; None names no state. Raises UnknownName, InvalidModel, BeyondLimit.

        >>> chain = LabelledMarkovChain.of({"r": ("b", {"t": 1}), "t": ("a", {"t": 1})}, [("r", "r")])
        >>> seen = collapse(chain, ["b"])
        >>> seen.states, begun_at(seen, "t").states
        (('r', 't seen'), ('r', 't', 't seen'))
    """
    found = _observer(system)
    if found is None:
        return system
    wanted = [name for name in names if name is not None]
    original = begun_at(found.original, *wanted)
    for name in wanted:
        original.index(name)
    if {*system.states}.issuperset(wanted):
        return system
    begun = _collapsed(wanted, original, found.silent, untimed=found.untimed, progress=quiet)
    return cast("Begun", begun)


def begun_anywhere(system: Begun) -> Begun:
    """The same for all states of the original. Raises BeyondLimit."""
    found = _observer(system)
    return system if found is None else begun_at(system, *found.original.states)


def queried_system(chain: System, *names: str | None, cut: bool = False) -> System:
    """The system that a question is about: runs begin at the states of these names, too, and one that leaves
    no choice is a chain. It may be ``cut`` from a larger one, or not. Raises WrongArgument, NotSupported, and
    what ``begun_at`` raises.
    """
    must_be(SYSTEMS, chain=chain)
    if not cut:
        must_be_whole(chain)
    return without_idle_choice(begun_at(chain, *names))


def secrets(system: System) -> list[int]:
    """The states where runs begin: all, or of a collapsed system those that have a name of the original."""
    found = _observer(system)
    named = {*(system if found is None else found.original).states}
    return [s for s, name in enumerate(system.states) if name in named]


def _observer(system: System) -> Collapsing | CollapsedProcess | None:
    """What a collapsed system says of the original, and of what is not seen of it."""
    if isinstance(system, CollapsedProcess):
        return system
    return system.collapsing if isinstance(system, CollapsedChain) else None


def _collapsed(
    names: Iterable[str], system: System, silent: Collection[str], *, untimed: bool, progress: Progress
) -> CollapsedChain | CollapsedProcess:
    """What is seen of the system, where runs may begin at the states of these names, too."""
    if isinstance(system, LabelledMarkovChain):
        return collapse_for(names, system, frozenset(silent), untimed=untimed, progress=progress)
    hidden = frozenset(map(code_of, silent))
    found = collapse_for(names, spelt_out(system), hidden, untimed=untimed, progress=progress)
    left = read_again(found, system)
    return CollapsedProcess(left.menus, left.under, original=system, silent=(*silent,), untimed=untimed)


def _checked(system: System, silent: Iterable[str]) -> list[str]:
    if isinstance(silent, str):
        raise not_labels()
    menus = {label: system.menu(s) for s, label in enumerate(system.labels)}
    hidden = list(silent)
    for label in hidden:
        if not isinstance(label, str):
            raise not_labels()
        if label not in menus:
            known = sorted(menus)
            some = ", ".join(map(quoted, known[:5])) + (", …" if len(known) > 5 else "")
            raise UnknownName(
                f"no state has the silent label {quoted(label)}; the labels are {some}", code="unknown-label"
            )
        if len(menus[label]) > 1:
            raise NotSupported(
                f"label {quoted(label)} cannot be silent: the attacker chooses there "
                f"({menu_text(menus[label])}), and attackers see where they have a choice",
                code="silent-choice",
            )
    return hidden
