"""Independent runs seen together: products of chains, and several answers of one respondent.

A product moves all its components at once and shows the labels of all of them. What is observed of
independent runs is the product of what is observed of each, so that the skewed distances of a product are
those of the composed mechanism, exactly, and no composition theorem is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import product as tuples

from prover.chain.kinds import RELATED
from prover.chain.model import LabelledMarkovChain
from prover.errors import (
    BadValue,
    BeyondLimit,
    InvalidModel,
    UnknownName,
    abbreviated,
    must_be,
    quoted,
)
from prover.exact.given import given_integer
from prover.exact.rational import format_rational

MOST_STATES = 50_000
MOST_TRANSITIONS = 500_000
MOST_PAIRS = 200_000
MOST_RUNS = 1_000

_Tuple = tuple[int, ...]


def product_too_large(what: str, most: int) -> BeyondLimit:
    """A product has more states, transitions or related pairs than the limit."""
    advice = "compose fewer or smaller models, or ask prover account"
    return BeyondLimit(f"the product has more than {most:,} {what}; {advice}", code="product-too-large")


def ambiguous_product(what: str, name: str) -> InvalidModel:
    """Two states, or two labels, of a product would have the same name."""
    message = f"two {what} of the product would both be called {quoted(name)}"
    return InvalidModel(f"{message}; rename those with commas or parentheses", code="ambiguous-product")


def product(
    left: LabelledMarkovChain, right: LabelledMarkovChain, *, related: str = "some"
) -> LabelledMarkovChain:
    """Two independent chains that run at the same time, the labels of both observed.

    State (l,r) has the label (ℓ(l),ℓ(r)) and goes to (l',r') with probability μ_l(l') μ_r(r'). A component
    that has ended, in an absorbing state, waits there for the other.

    *Secrets* of a chain are the states of its relation, or all its states if it has none. The product has
    the states that pairs of secrets reach. Two pairs of secrets are related

    - ``related="one"``: if they are in one component, and the same in the other: the data of two
      respondents, of whom one changes;
    - ``related="both"``: if they are in both components;
    - ``related="some"``: in either case: two answers of one respondent, whose data change.

    Raises UnknownName, BeyondLimit, InvalidModel.

        >>> from prover.zoo import pin_checker, randomised_response
        >>> both = product(randomised_response(), pin_checker(), related="one")
        >>> both.index("(a,0)") < both.index("(b,0)") < len(both)
        True
        >>> (both.index("(a,0)"), both.index("(b,0)")) in both.relation
        True

    Reference: docs/theory.md, *Composition*.
    """
    must_be(LabelledMarkovChain, left=left, right=right)
    return _composed((left, right), *pairs_of_secrets(left, right, related))


def pairs_of_secrets(
    left: LabelledMarkovChain, right: LabelledMarkovChain, related: str
) -> tuple[list[_Tuple], set[tuple[_Tuple, _Tuple]]]:
    """The pairs of secrets that a product begins with, and which of them are related.

    Raises UnknownName, BeyondLimit.
    """
    if related not in RELATED:
        raise UnknownName(
            f"there is no relation {quoted(related)} on products; they are {', '.join(RELATED)}",
            code="unknown-relation",
        )
    first, second = secrets_of(left), secrets_of(right)
    check_size("states", len(first) * len(second), MOST_STATES)
    sizes = {
        "one": len(left.relation) * len(second) + len(right.relation) * len(first),
        "both": len(left.relation) * len(right.relation),
    }
    wanted = sizes if related == "some" else {related: sizes[related]}
    check_size("related pairs", sum(wanted.values()), MOST_PAIRS)
    pairs: set[tuple[_Tuple, _Tuple]] = set()
    if "one" in wanted:
        pairs |= {((s, r), (t, r)) for s, t in left.relation for r in second}
        pairs |= {((r, s), (r, t)) for s, t in right.relation for r in first}
    if "both" in wanted:
        pairs |= {((s, u), (t, v)) for s, t in left.relation for u, v in right.relation}
    return [(s, t) for s in first for t in second], pairs


def repeat(chain: LabelledMarkovChain, count: int) -> LabelledMarkovChain:
    """``count`` independent runs of one chain, all from the same secret, and all observed.

    As a product of copies of the chain, but the secret s stands for (s,…,s), and the secrets of related
    states are related. The product has the states that these reach. Raises BadValue, BeyondLimit,
    InvalidModel.

        >>> from prover.zoo import randomised_response
        >>> twice = repeat(randomised_response(), 2)
        >>> [(twice.states[s], twice.states[t]) for s, t in twice.relation]
        [('(a,a)', '(b,b)'), ('(b,b)', '(a,a)')]

    Reference: docs/theory.md, *Composition*.
    """
    must_be(LabelledMarkovChain, chain=chain)
    count = count_of_runs(count)
    return _composed((chain,) * count, *repeated_secrets(chain, count))


def count_of_runs(count: int) -> int:
    """The number, if it is one of runs; raises BadValue."""
    count = given_integer(count, "count")
    if not 1 <= count <= MOST_RUNS:
        raise BadValue(
            f"the number of runs is an integer from 1 to {MOST_RUNS:,}, not "
            f"{abbreviated(format_rational(Fraction(count)))}",
            code="bad-count",
        )
    return count


def repeated_secrets(
    chain: LabelledMarkovChain, count: int
) -> tuple[list[_Tuple], set[tuple[_Tuple, _Tuple]]]:
    """The secrets of so many runs from the same one, and which of them are related."""
    secrets = [(s,) * count for s in secrets_of(chain)]
    return secrets, {((s,) * count, (t,) * count) for s, t in chain.relation}


def secrets_of(chain: LabelledMarkovChain) -> tuple[int, ...]:
    """The states of the relation, or all of a chain that has none."""
    return tuple(sorted({s for s, _ in chain.relation})) if chain.relation else tuple(range(len(chain)))


def check_size(what: str, size: int, most: int) -> None:
    """Raises BeyondLimit."""
    if size > most:
        raise product_too_large(what, most)


def _composed(
    chains: Sequence[LabelledMarkovChain],
    secrets: Collection[_Tuple],
    related: Collection[tuple[_Tuple, _Tuple]],
) -> LabelledMarkovChain:
    """The product of the chains, from the given tuples of states on."""
    rows: dict[_Tuple, dict[_Tuple, Fraction]] = {}
    waiting = list(secrets)
    found, transitions = set(waiting), 0
    while waiting:
        state = waiting.pop()
        fan = 1
        for chain, s in zip(chains, state, strict=True):
            fan *= len(chain.rows[s])
        transitions += fan
        check_size("transitions", transitions, MOST_TRANSITIONS)  # before they are built
        rows[state] = _row(chains, state)
        new = rows[state].keys() - found
        found |= new
        waiting.extend(sorted(new))
        check_size("states", len(found), MOST_STATES)
    names = {state: name_of([c.states[s] for c, s in zip(chains, state, strict=True)]) for state in rows}
    shown = {state: tuple(c.labels[s] for c, s in zip(chains, state, strict=True)) for state in rows}
    labels = {parts: name_of(parts) for parts in shown.values()}
    check_different("states", names.values())
    check_different("labels", labels.values())
    order = sorted(rows, key=names.__getitem__)
    places = {state: place for place, state in enumerate(order)}
    return LabelledMarkovChain(
        tuple(names[state] for state in order),
        tuple(labels[shown[state]] for state in order),
        tuple(dict(sorted((places[t], p) for t, p in rows[state].items())) for state in order),
        tuple(sorted((places[s], places[t]) for s, t in related)),
    )


def _row(chains: Sequence[LabelledMarkovChain], state: _Tuple) -> dict[_Tuple, Fraction]:
    row: dict[_Tuple, Fraction] = {(): Fraction(1)}
    for chain, s in zip(chains, state, strict=True):
        steps = chain.rows[s].items()
        row = {(*before, t): p * q for (before, p), (t, q) in tuples(row.items(), steps)}
    return row


def name_of(parts: Sequence[str]) -> str:
    """What a state or a label of a product is called."""
    return parts[0] if len(parts) == 1 else f"({','.join(parts)})"


def check_different(what: str, names: Iterable[str]) -> None:
    """Raises InvalidModel."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ambiguous_product(what, name)
        seen.add(name)
