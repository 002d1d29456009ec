"""Independent runs seen together: products of systems, and several answers of one respondent.

A product of chains moves all its components at once and shows the labels of all of them. What is observed of
independent runs is the product of what is observed of each, so that the skewed distances of a product are
those of the composed mechanism, exactly, and no composition theorem is needed. Where an attacker chooses, he
also chooses which component goes on (docs/theory_interactive.md, *Several systems at once*).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product as tuples
from math import prod
from typing import Any, overload

from prover.chain.kinds import RELATED
from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import SYSTEMS, LabelledMarkovDecisionProcess, System
from prover.errors import BadValue, BeyondLimit, InvalidModel, UnknownName, abbreviated, must_be, quoted
from prover.exact.given import given_integer
from prover.exact.rational import format_rational
from prover.graphs import strong_components

MOST_STATES = 50_000
MOST_TRANSITIONS = 500_000
MOST_PAIRS = 200_000
MOST_RUNS = 1_000

States = tuple[int, ...]
"""A state of every component."""

JointMoves = Mapping[str, Mapping[States, Fraction]]
"""Where every action leads."""


@overload
def product(
    left: LabelledMarkovChain, right: LabelledMarkovChain, *, related: str = "some"
) -> LabelledMarkovChain: ...


@overload
def product(left: System, right: System, *, related: str = "some") -> System: ...


def product(left: System, right: System, *, related: str = "some") -> System:
    """Two independent systems, seen together by one observer.

    Two chains move together: state (l,r) has the label (ℓ(l),ℓ(r)) and goes to (l',r') with probability
    μ_l(l') μ_r(r'). A component that has ended, in an absorbing state, waits there for the other.

    *Secrets* of a chain are the states of its relation, or all its states if it has none. The product has
    the states that pairs of secrets reach. Two pairs of secrets are related

    - ``related="one"``: if they are in one component, and the same in the other: the data of two
      respondents, of whom one changes;
    - ``related="both"``: if they are in both components;
    - ``related="some"``: in either case: two answers of one respondent, whose data change.

    If one of them has choices, the attacker also chooses which one makes the next step, in any order: the
    action ``"1: look"`` is ``look`` in the first one, ``"2"`` is a step of the second one without a choice. A
    component makes its steps before its first choice, or before its end, at once.

    Raises UnknownName, BeyondLimit, InvalidModel.

        >>> from prover.zoo import pin_checker, randomised_response
        >>> both = product(randomised_response(), pin_checker(), related="one")
        >>> both.index("(a,0)") < both.index("(b,0)") < len(both)
        True
        >>> (both.index("(a,0)"), both.index("(b,0)")) in both.relation
        True
        >>> from prover.zoo.interactive import doors, wait
        >>> both = product(doors(), wait())
        >>> both.menu(both.index("(sL,s)"))
        ('1: look', '1: open L', '1: open R', '2: cash', '2: wait')

    Reference: docs/theory.md, *Composition*; docs/theory_interactive.md, *Several systems at once*.
    """
    must_be(SYSTEMS, left=left, right=right)
    return _composed((left, right), *_pairs_of_secrets(left, right, related))


def _pairs_of_secrets(
    left: System, right: System, related: str
) -> tuple[list[States], set[tuple[States, States]]]:
    """The pairs of secrets that a product begins with, and which of them are related.

    Raises UnknownName, BeyondLimit.
    """
    if related not in RELATED:
        raise UnknownName(
            f"there is no relation {quoted(related)} on products; they are {', '.join(RELATED)}",
            code="unknown-relation",
        )
    first, second = _secrets_of(left), _secrets_of(right)
    _check_size("states", len(first) * len(second), MOST_STATES)
    sizes = {
        "one": len(left.relation) * len(second) + len(right.relation) * len(first),
        "both": len(left.relation) * len(right.relation),
    }
    wanted = sizes if related == "some" else {related: sizes[related]}
    _check_size("related pairs", sum(wanted.values()), MOST_PAIRS)
    pairs: set[tuple[States, States]] = set()
    if "one" in wanted:
        pairs |= {((s, r), (t, r)) for s, t in left.relation for r in second}
        pairs |= {((r, s), (r, t)) for s, t in right.relation for r in first}
    if "both" in wanted:
        pairs |= {((s, u), (t, v)) for s, t in left.relation for u, v in right.relation}
    return [(s, t) for s in first for t in second], pairs


@overload
def repeat(chain: LabelledMarkovChain, count: int) -> LabelledMarkovChain: ...


@overload
def repeat(chain: LabelledMarkovDecisionProcess, count: int) -> LabelledMarkovDecisionProcess: ...


def repeat(chain: System, count: int) -> System:
    """``count`` independent runs of one system from the same secret, seen together by one observer.

    As a ``product`` of copies of the system, but the secret s stands for (s,…,s), and the secrets of related
    states are related. The product has the states that these reach. Raises BadValue, BeyondLimit,
    InvalidModel.

        >>> from prover.zoo import randomised_response
        >>> twice = repeat(randomised_response(), 2)
        >>> [(twice.states[s], twice.states[t]) for s, t in twice.relation]
        [('(a,a)', '(b,b)'), ('(b,b)', '(a,a)')]

    Reference: docs/theory.md, *Composition*.
    """
    must_be(SYSTEMS, chain=chain)
    count = given_integer(count, "count")
    if not 1 <= count <= MOST_RUNS:
        raise BadValue(
            f"the number of runs is an integer from 1 to {MOST_RUNS:,}, not "
            f"{abbreviated(format_rational(Fraction(count)))}",
            code="bad-count",
        )
    if count == 1 and not isinstance(chain, LabelledMarkovChain):
        return chain
    secrets = [(s,) * count for s in _secrets_of(chain)]
    return _composed((chain,) * count, secrets, {((s,) * count, (t,) * count) for s, t in chain.relation})


def _secrets_of(system: System) -> tuple[int, ...]:
    """The states of the relation, or all of a system that has none."""
    return tuple(sorted({s for s, _ in system.relation})) if system.relation else tuple(range(len(system)))


def _check_size(what: str, size: int, most: int) -> None:
    """Raises BeyondLimit."""
    if size > most:
        advice = "compose fewer or smaller models, or ask prover account"
        raise BeyondLimit(f"the product has more than {most:,} {what}; {advice}", code="product-too-large")


def _composed(
    parts: Sequence[System], secrets: Collection[States], related: Collection[tuple[States, States]]
) -> System:
    """The product of the systems, from the given tuples of states on."""
    chains = [part for part in parts if isinstance(part, LabelledMarkovChain)]
    if len(chains) == len(parts):
        rows = _explored(secrets, lambda state: {ANONYMOUS: _row_together(chains, state)})
        return LabelledMarkovChain.of(*_named(parts, rows, related))
    rows = _explored(secrets, partial(_choices, [_Component(part) for part in parts]))
    return LabelledMarkovDecisionProcess.of(*_named(parts, rows, related))


def _explored(
    secrets: Collection[States], choices: Callable[[States], JointMoves]
) -> dict[States, JointMoves]:
    """What the given tuples of states lead to. Raises BeyondLimit."""
    found: dict[States, JointMoves] = {}
    waiting, seen, transitions = list(secrets), set(secrets), 0
    while waiting:
        state = waiting.pop()
        found[state] = choices(state)
        transitions += sum(map(len, found[state].values()))
        _check_size("transitions", transitions, MOST_TRANSITIONS)
        new = {after for row in found[state].values() for after in row} - seen
        seen |= new
        _check_size("states", len(seen), MOST_STATES)
        waiting.extend(sorted(new))
    return found


def _named(
    parts: Sequence[System],
    rows: Mapping[States, JointMoves],
    related: Collection[tuple[States, States]],
) -> tuple[dict[str, tuple[str, Any]], list[tuple[str, str]]]:
    """The states of a product with their names, labels and rows, and the relation by names."""
    names = {state: _name_of([p.states[s] for p, s in zip(parts, state, strict=True)]) for state in rows}
    shown = {state: tuple(p.labels[s] for p, s in zip(parts, state, strict=True)) for state in rows}
    labels = {seen: _name_of(seen) for seen in shown.values()}
    _check_different("states", names.values())
    _check_different("labels", labels.values())
    states = {}
    for state, choices in rows.items():
        named = {action: {names[t]: p for t, p in row.items()} for action, row in choices.items()}
        states[names[state]] = labels[shown[state]], named.get(ANONYMOUS, named)
    return states, [(names[s], names[t]) for s, t in related]


def _row_together(chains: Sequence[LabelledMarkovChain], state: States) -> dict[States, Fraction]:
    """Where chains go that move at the same time."""
    fan = prod(len(chain.rows[s]) for chain, s in zip(chains, state, strict=True))
    _check_size("transitions", fan, MOST_TRANSITIONS)  # before they are built
    row: dict[States, Fraction] = {(): Fraction(1)}
    for chain, s in zip(chains, state, strict=True):
        steps = chain.rows[s].items()
        row = {(*before, t): p * q for (before, p), (t, q) in tuples(row.items(), steps)}
    return row


class _Component:
    """A system of several of which one goes on at a time. States of the labels in ``ended`` stay where they
    are, whatever is done; those of the labels in ``moving`` go on by themselves, and come to a choice or to
    an end surely.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        labels = system.labels
        leading = {
            labels[s]
            for s in range(len(labels))
            if any(system.row(s, action).keys() != {s} for action in system.menu(s))
        }
        self.ended = {*labels} - leading
        self.moving = {labels[s] for s in range(len(labels)) if len(system.menu(s)) == 1} - self.ended

        def following(state: int) -> Iterator[int]:
            if labels[state] in self.moving:
                yield from system.row(state, system.menu(state)[0])

        circles = strong_components(range(len(labels)), following)
        circling = {labels[s] for part in circles for s in part if len(part) > 1 or s in set(following(s))}
        self.moving = self.moving - circling


def _choices(parts: Sequence[_Component], state: States) -> dict[str, dict[States, Fraction]]:
    """What can be done: every row with its name, without name where there is only one thing to be done."""
    labels = [part.system.labels[s] for part, s in zip(parts, state, strict=True)]
    going = [k for k, part in enumerate(parts) if labels[k] not in part.ended]
    by_itself = [k for k in going if labels[k] in parts[k].moving]
    if not going:
        return {ANONYMOUS: {state: Fraction(1)}}
    found = {}
    for k in by_itself[:1] or going:
        for action in parts[k].system.menu(state[k]):
            row = parts[k].system.row(state[k], action)
            named = f"{k + 1}: {action}" if action else str(k + 1)
            after = {(*state[:k], t, *state[k + 1 :]): p for t, p in row.items()}
            found[ANONYMOUS if by_itself else named] = after
    return found


def _name_of(parts: Sequence[str]) -> str:
    """What a state or a label of a product is called."""
    return parts[0] if len(parts) == 1 else f"({','.join(parts)})"


def _check_different(what: str, names: Iterable[str]) -> None:
    """Raises InvalidModel."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            message = f"two {what} of the product would both be called {quoted(name)}"
            raise InvalidModel(
                f"{message}; rename those with commas or parentheses", code="ambiguous-product"
            )
        seen.add(name)
