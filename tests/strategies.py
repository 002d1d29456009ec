"""Hypothesis strategies shared by the tests: chains of many shapes, and values of α."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from prover.chain.model import LabelledMarkovChain

Row = dict[str, Fraction]


@st.composite
def chains(
    draw: DrawFn, min_states: int = 3, max_states: int = 7, max_weight: int = 4, related: bool = False
) -> LabelledMarkovChain:
    """A chain with a commonest label, which is sometimes the only one.

    A row is absorbing, goes to the next state (which makes cycles), is a copy of an earlier state's row and
    label (which makes bisimilar states), or has one to three successors with weights up to ``max_weight``. In
    half of the chains one or two states are not entered by others. With ``related`` the relation holds one to
    three pairs, and else none.
    """
    size = draw(st.integers(min_states, max_states))
    # Choices drawn one by one would be simple and alike most of the time, and give chains without distances.
    random = Random(draw(st.integers(0, 2**32)))
    entered = max(1, size - random.choice([0, 0, 1, 2]))
    palette = random.choice(["aab", "aab", "aaab", "aaaab", "aabc", "a"])
    names = [f"s{k}" for k in range(size)]
    states: dict[str, tuple[str, Row]] = {}
    for k, name in enumerate(names):
        # The state that is always entered has the rarest label, or else many chains would be trivial.
        label = random.choice(palette) if k else palette[-1]
        shape = random.choice(["spread"] * 7 + ["absorbing", "next", "copy"])
        if shape == "absorbing":
            states[name] = (label, {name: Fraction(1)})
        elif shape == "next":
            states[name] = (label, {names[(k + 1) % entered]: Fraction(1)})
        elif shape == "copy" and k:
            states[name] = states[random.choice(names[:k])]
        else:
            states[name] = (label, _row(names[:entered], max_weight, random))
    relation = [random.sample(names, 2) for _ in range(random.randint(1, 3))] if related and size > 1 else []
    return LabelledMarkovChain.of(states, [(s, t) for s, t in relation])


@st.composite
def absorbed_chains(draw: DrawFn, largest: int = 4) -> LabelledMarkovChain:
    """Two to `largest` states of labels a and c, and one or two sinks of labels of their own.

    Few labels make many pairs, and the sinks make them differ: where all labels are equal, so are all states.
    """
    inner = [f"s{k}" for k in range(draw(st.integers(2, largest)))]
    sinks = ["x", "y"][: draw(st.integers(1, 2))]
    states: dict[str, tuple[str, Row]] = {name: (name, {name: Fraction(1)}) for name in sinks}
    for name in inner:
        successors = st.sampled_from(inner + sinks)
        weights = draw(st.dictionaries(successors, st.integers(1, 4), min_size=1, max_size=3))
        row = {successor: Fraction(weight, sum(weights.values())) for successor, weight in weights.items()}
        states[name] = (draw(st.sampled_from("aac")), row)
    return LabelledMarkovChain.of(states)


def acyclic_chain(random: Random) -> LabelledMarkovChain:
    """Five to nine states, each of which leads to later ones only, until one of two sinks is entered."""
    size = random.randint(5, 9)
    names = [f"s{k}" for k in range(size)]
    states: dict[str, tuple[str, dict[str, Fraction]]] = {z: (z, {z: Fraction(1)}) for z in ("end", "stop")}
    for k, name in enumerate(names):
        later = [*names[k + 1 :], "end", "stop"]
        chosen = random.sample(later, min(len(later), random.randint(1, 3)))
        weights = [random.randint(1, 5) for _ in chosen]
        row = {t: Fraction(w, sum(weights)) for t, w in zip(chosen, weights, strict=True)}
        states[name] = (random.choice("aab"), row)
    return LabelledMarkovChain.of(states)


@st.composite
def outside_problems(draw: DrawFn) -> tuple[LabelledMarkovChain, Fraction]:
    """A chain of seven states and an α; every other time, a state in neither support changes a distance.

    s enters the first of three rungs i, k, j of one label, and t the last one, about α times as often. From
    rung to rung the probability of the first sink falls by a factor of about α, so that mass travels to the
    next one for little, but not further. Some rungs lead back to s, and s and t may have the rungs' label.
    """
    random = Random(draw(st.integers(0, 2**32)))
    alpha = draw(st.sampled_from([Fraction(21, 20), Fraction(6, 5), Fraction(3, 2), Fraction(3)]))
    states: dict[str, tuple[str, Row]] = {name: (name, {name: Fraction(1)}) for name in "Az"}
    height = Fraction(random.randint(6, 12), 20)
    for name in "ikj":
        back = random.choice(["z", "z", "z", "s"])
        states[name] = ("b", {"A": height, back: 1 - height})
        height /= alpha * random.choice([Fraction(1), Fraction(1), Fraction(19, 20)])
    label, weight = random.choice("aab"), Fraction(random.randint(1, 6), 20)
    states["s"] = (label, {"i": weight, "z": 1 - weight})
    weight *= alpha * random.choice([Fraction(1), Fraction(11, 10), Fraction(9, 10)])
    states["t"] = (label, {"j": weight, "z": 1 - weight})
    return LabelledMarkovChain.of(states), alpha


def alphas() -> SearchStrategy[Fraction]:
    """Values of α: 1, where all distances are classical, just above, and large."""
    return st.sampled_from([Fraction(1), Fraction(21, 20), Fraction(6, 5), Fraction(3, 2), Fraction(3)])


def _row(successors: list[str], max_weight: int, random: Random) -> Row:
    chosen = random.sample(successors, min(len(successors), random.choice([1, 2, 2, 3, 3])))
    weights = [random.randint(1, max_weight) for _ in chosen]
    return {t: Fraction(weight, sum(weights)) for t, weight in zip(chosen, weights, strict=True)}


@st.composite
def ending_chains(draw: DrawFn, layers: int = 2, width: int = 2) -> LabelledMarkovChain:
    """Two related states s and t of one label, then layers of states, then two sinks of different labels.

    Every run ends, after at most ``layers`` + 1 steps; a state goes to the next layer or to a sink.
    """
    random = Random(draw(st.integers(0, 2**32)))
    levels = [["s", "t"], *([f"{k}{place}" for place in range(width)] for k in range(layers)), ["x", "y"]]
    states: dict[str, tuple[str, Row]] = {name: (name, {name: Fraction(1)}) for name in levels[-1]}
    for level, after in pairwise(levels):
        for name in level:
            label = "secret" if level is levels[0] else random.choice("aab")
            states[name] = (label, _row(sorted({*after, *levels[-1]}), 4, random))
    return LabelledMarkovChain.of(states, [("s", "t")])


def planted(chain: LabelledMarkovChain, random: Random) -> LabelledMarkovChain:
    """The chain with states that run for ever, to which its absorbing states of labels of their own lead.

    Of them there are two forms that show the same words equally often, though they are not bisimilar: in one
    the next state is drawn on the way to it, and in the other one step before. It is random how often an
    absorbing state is left by which form, and depends on where it is entered from. lv of all other states
    stays what it was, and so does the relation between them.
    """
    labels = "de" + random.choice(["", "d", "e", "f"])
    tail: list[dict[int, Fraction]] = []
    for _ in labels:
        chosen = {labels[j]: j for j in random.sample(range(len(labels)), len(labels))}  # one of each label
        weights = {j: random.randint(1, 3) for j in chosen.values()}
        tail.append({j: Fraction(w, sum(weights.values())) for j, w in weights.items()})
    states: dict[str, tuple[str, Row]] = {}
    for i, following in enumerate(tail):
        states[f"late {i}"] = (labels[i], {f"late {j}": p for j, p in following.items()})
        for j in following:
            states[f"early {i}{j}"] = (labels[i], {f"early {j}{k}": p for k, p in tail[j].items()})
    sinks = {
        s
        for s, label in enumerate(chain.labels)
        if set(chain.rows[s]) == {s} and chain.labels.count(label) == 1
    }
    ways: list[Row] = [{"late 0": Fraction(1)}, {f"early 0{j}": p for j, p in tail[0].items()}]
    for s, (name, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        if s in sinks:
            states |= {f"{name} {way}": (label, entered) for way, entered in enumerate(ways)}
            continue
        after: Row = {}
        for t, p in chain.rows[s].items():
            late = Fraction(random.choice([0, 1, 2, 3, 3]), 3)
            split = {" 0": late, " 1": 1 - late} if t in sinks else {"": Fraction(1)}
            after |= {chain.states[t] + way: part * p for way, part in split.items() if part}
        states[name] = (label, after)
    kept = [pair for pair in chain.relation if not sinks & {*pair}]
    return LabelledMarkovChain.of(states, [(chain.states[s], chain.states[t]) for s, t in kept])
