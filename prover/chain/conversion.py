"""Chains of other kinds as labelled Markov chains, and total variation as a skewed distance.

Reference: Examples 5 and 6 and Theorem 10 of "Asymmetric Distances for Approximate Differential Privacy"
(CONCUR 2019).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from prover.chain.arguments import rational_alpha
from prover.chain.collapsing.chain import fresh
from prover.chain.collapsing.collapse import begun_at
from prover.chain.errors import not_text, relation_names_unknown_state, state_path, unknown_successor
from prover.chain.model import LabelledMarkovChain, Number, restrict
from prover.errors import InvalidModel, must_be, quoted
from prover.exact.given import Given
from prover.graphs import search

LetterStep = tuple[Number, str, str]
"""Probability, letter, successor."""

_Row = Mapping[str, Number]


def label_notfresh(label: str) -> InvalidModel:
    """A label that a conversion adds is one that the chain already has."""
    return InvalidModel(
        f"the chain itself has the label {quoted(label)}; choose another one to be added",
        code="label-not-fresh",
    )


def from_transition_labels(
    transitions: Mapping[str, Iterable[LetterStep]],
    relation: Iterable[tuple[str, str]] = (),
    *,
    start: str = "start",
) -> LabelledMarkovChain:
    """The labelled chain of a chain whose transitions carry the letters (CONCUR 2019, Example 5).

    State ``(q,a)``, of label a, stands for q after the letter a; there is one for every letter with which q
    is entered. State ``(q,start)``, of label ``start``, stands for q before any letter: what is read from q
    with probability p is read from it, after ``start``, with probability p. ``relation`` is between the
    states of the given chain and becomes one between their start copies.

        >>> coin = {"q": [("1/2", "heads", "q"), ("1/2", "tails", "q")]}
        >>> chain = from_transition_labels(coin)
        >>> chain.states, chain.labels
        (('(q,heads)', '(q,start)', '(q,tails)'), ('heads', 'start', 'tails'))

    Raises InvalidModel, also if ``start`` is a letter, and what ``LabelledMarkovChain.of`` raises.
    """
    must_be(Mapping, transitions=transitions)
    must_be(Iterable, relation=relation)
    names = _Copies()
    rows = {state: _copied_row(state, given, transitions, names) for state, given in transitions.items()}
    if any(letter == start for _, letter in names.origin.values()):
        raise label_notfresh(start)
    first = {state: names.of(state, start) for state in rows}
    states = {name: (letter, rows[state]) for name, (state, letter) in names.origin.items()}
    related = []
    for place, pair in enumerate(relation):
        for state in pair:
            if state not in first:
                raise relation_names_unknown_state(state, place)
        related.append((first[pair[0]], first[pair[1]]))
    chain = LabelledMarkovChain.of(states, related)
    # Transitions of probability 0 enter nothing, so the copies that only they enter go.
    return restrict(chain, [chain.index(name) for name in first.values()])


class _Copies:
    """The names of the pairs (state, letter) that have been asked for."""

    def __init__(self) -> None:
        self.origin: dict[str, tuple[str, str]] = {}

    def of(self, state: str, letter: str) -> str:
        """The name of a pair; raises InvalidModel if another one has it."""
        name = f"({state},{letter})"
        known = self.origin.setdefault(name, (state, letter))
        if known != (state, letter):
            pairs = known, (state, letter)
            both = " and ".join(f"state {quoted(q)} after letter {quoted(a)}" for q, a in pairs)
            raise InvalidModel(
                f"{both} would both be called {quoted(name)}; rename a state or a letter",
                code="ambiguous-copy",
            )
        return name


def _copied_row(
    state: str, transitions: Iterable[LetterStep], known: Collection[str], names: _Copies
) -> dict[str, Number]:
    row: dict[str, Number] = {}
    for place, transition in enumerate(transitions):
        if not _is_triple(transition):
            raise InvalidModel(
                f"transition {place} of state {quoted(state)} is not (probability, letter, successor)",
                path=state_path(state),
                code="malformed-transition",
            )
        probability, letter, successor = transition
        if not isinstance(letter, str):
            raise not_text(f"a letter of state {quoted(state)}", letter, state_path(state))
        if successor not in known:
            raise unknown_successor(state, str(successor))
        name = names.of(successor, letter)
        if name in row:
            raise InvalidModel(
                f"state {quoted(state)} goes to {quoted(successor)} with letter {quoted(letter)} twice; "
                "give the sum as one transition",
                path=state_path(state),
                code="repeated-transition",
            )
        row[name] = probability
    return row


def _is_triple(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 3


def from_finite_words(
    states: Mapping[str, tuple[str, _Row]],
    final: Iterable[str],
    relation: Iterable[tuple[str, str]] = (),
    *,
    end: str = "$",
) -> LabelledMarkovChain:
    """The chain over infinite words of a chain over finite ones (CONCUR 2019, Example 6).

    ``states`` are given as to ``LabelledMarkovChain.of``; the ``final`` states occur in rows only. They have
    no label, as the word ends before them: a run s₀ … s_k into a final s_k reads ℓ(s₀) … ℓ(s_{k−1}). In the
    result they are labelled ``end`` and stay where they are, so that a word w of probability p becomes the
    event of all sequences that begin with w and ``end``, and it has probability p.

        >>> chain = from_finite_words({"q": ("a", {"q": "1/2", "f": "1/2"})}, ["f"])
        >>> chain.labels, dict(chain.rows[chain.index("f")])
        (('$', 'a'), {0: Fraction(1, 1)})

    Raises InvalidModel, also if ``end`` is a label, and what ``LabelledMarkovChain.of`` raises.
    """
    must_be(Mapping, states=states)
    must_be(Iterable, final=final, relation=relation)
    ends = sorted(set(final))
    for state in ends:
        if state in states:
            raise InvalidModel(
                f"state {quoted(state)} is final, so it has neither a label nor transitions of its own",
                path=state_path(state),
                code="final-state-continues",
            )
    chain = LabelledMarkovChain.of({**states, **{state: (end, {state: 1}) for state in ends}}, relation)
    finals = {chain.index(state) for state in ends}
    if any(label == end for s, label in enumerate(chain.labels) if s not in finals):
        raise label_notfresh(end)
    ending = _reaching(chain, finals)
    for s, name in enumerate(chain.states):
        if s not in ending:
            raise InvalidModel(
                f"state {quoted(name)} reaches no final state, so its words would never end",
                path=state_path(name),
                code="no-way-to-end",
            )
    return chain


def _reaching(chain: LabelledMarkovChain, targets: Iterable[int]) -> set[int]:
    """The states that reach one of the targets, the targets included."""
    entering: list[list[int]] = [[] for _ in chain.states]
    for s, row in enumerate(chain.rows):
        for t in row:
            entering[t].append(s)
    return set(search(targets, entering.__getitem__))


@dataclass(frozen=True, slots=True)
class Reduction:
    """A chain with two states whose skewed distance is a total variation distance of another chain."""

    chain: LabelledMarkovChain
    source: str
    target: str


def reduce_total_variation(chain: LabelledMarkovChain, first: str, second: str, alpha: Given) -> Reduction:
    """The chain with lv_α(source, target) = tv(first, second), for a given α ≥ 1 (CONCUR 2019, Theorem 10).

    It has three more states: ``source`` goes to ``first``; ``target`` goes to ``second`` with probability 1/α
    and else to a state that no event should hold, as its label is seen from ``target`` only. They are called
    s, s' and ⊥, the first two labelled B and the third C, with primes added where the chain has one so
    called already. The relation is that of the given chain.

    Raises BadValue and UnknownName.

        >>> chain = LabelledMarkovChain.of({"q": ("a", {"q": 1}), "r": ("b", {"r": 1})})
        >>> reduced = reduce_total_variation(chain, "q", "r", 2)
        >>> reduced.source, reduced.target, dict(reduced.chain.rows[reduced.chain.index("s'")])
        ('s', "s'", {1: Fraction(1, 2), 4: Fraction(1, 2)})
    """
    must_be(LabelledMarkovChain, chain=chain)
    slope = rational_alpha("the reduction", alpha)
    chain = begun_at(chain, first, second)
    for state in (first, second):
        chain.index(state)
    source = fresh("s", chain.states)
    target = fresh("s'", (*chain.states, source))
    lost = fresh("⊥", chain.states)
    begin, never = fresh("B", chain.labels), fresh("C", chain.labels)
    share = 1 / slope
    states: dict[str, tuple[str, _Row]] = {
        source: (begin, {first: 1}),
        target: (begin, {second: share, lost: 1 - share}),
        lost: (never, {lost: 1}),
    }
    for name, label, row in zip(chain.states, chain.labels, chain.rows, strict=True):
        states[name] = (label, {chain.states[t]: p for t, p in row.items()})
    relation = [(chain.states[s], chain.states[t]) for s, t in chain.relation]
    return Reduction(LabelledMarkovChain.of(states, relation), source, target)
