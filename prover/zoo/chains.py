"""Labelled Markov chains of the papers, and random ones.

Each has the relation whose states the paper compares; a random chain has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from types import MappingProxyType

from prover.chain.model import LabelledMarkovChain, Number
from prover.zoo.parameters import BadParameter, ChainRow, check_size, number, probability

_MOST_ANSWERS = 8
_MOST_DINERS = 100
_RINGS = (3, 5, 7, 9)
_MOST_STATES = 100_000
_MOST_TRANSITIONS = 1_000_000


def fig1() -> LabelledMarkovChain:
    """Two states that are not bisimilar, but at skewed distance 0 for α = 3/2.

    Fig. 1 of *Bisimilarity Distances for Approximate Differential Privacy* (ATVA 2018).
    """
    return LabelledMarkovChain.of(
        {
            "s0": ("a", {"s2": "3/5", "s3": "2/5"}),
            "s1": ("a", {"s2": "2/5", "s3": "3/5"}),
            "s2": ("b", {"s2": 1}),
            "s3": ("c", {"s3": 1}),
        },
        [("s0", "s1")],
    )


def pin_checker(p: Number = "53/100") -> LabelledMarkovChain:
    """A checker that accepts the right PIN with probability ``p`` and the wrong one with 1 − p.

    From state 0 the right PIN is a, from state 1 it is b; a and b are tried in turn until one is accepted.
    Example 31 of *Asymmetric Distances for Approximate Differential Privacy* (CONCUR 2019).
    """
    right = probability("p", p)
    wrong = 1 - right
    return LabelledMarkovChain.of(
        {
            "0": ("a", {"end": right, "2": wrong}),
            "1": ("a", {"end": wrong, "3": right}),
            "2": ("b", {"end": wrong, "0": right}),
            "3": ("b", {"end": right, "1": wrong}),
            "end": ("end", {"end": 1}),
        },
        [("0", "1")],
    )


def randomised_response(beta: Number = "2", answers: int = 1, respondents: int = 1) -> LabelledMarkovChain:
    """Respondents answer with the truth, a or b, with probability β/(1 + β), and else with the other one.

    There are ``respondents`` of them and each gives ``answers`` answers. A state named by a word over a and
    b, label ``sk``, still has these answers to give; the words of full length are the databases. Two of them
    are related where they differ in the data of exactly one respondent. Example 32 of *Asymmetric Distances
    for Approximate Differential Privacy* (CONCUR 2019) gives two answers by two respondents, or by one (there
    the paper's relation leaves out the pair ab, ba).
    """
    odds = number("beta", beta, "a number that is at least 1")
    if odds < 1:
        raise BadParameter("beta", beta, "a number that is at least 1")
    wanted = f"at least 1, and answers × respondents at most {_MOST_ANSWERS}"
    for name, value in (("answers", answers), ("respondents", respondents)):
        if not 1 <= value <= _MOST_ANSWERS:
            raise BadParameter(name, value, wanted)
    size = answers * respondents
    if size > _MOST_ANSWERS:
        raise BadParameter("respondents", respondents, wanted)

    truth = odds / (1 + odds)
    states: dict[str, tuple[str, ChainRow]] = {"end": ("end", {"end": 1})}
    for length in range(1, size + 1):
        for word in _words(length):
            given, rest = word[0], word[1:]
            probabilities = {answer: truth if answer == given else 1 - truth for answer in "ab"}
            states[word] = ("sk", {_said(answer, rest): p for answer, p in probabilities.items()})
            states.update({_said(answer, rest): (answer, {rest or "end": 1}) for answer in "ab"})
    databases = list(_words(size))
    relation = [(s, t) for s in databases for t in databases if _differing(s, t, answers) == 1]
    return LabelledMarkovChain.of(states, relation)


def dining_cryptographers(n: int = 2, p: Number = "49/100") -> LabelledMarkovChain:
    """``n`` diners learn that one of them paid, but not which one; coins show 1 with probability ``p``.

    ``start(payer)`` are the secrets, all related. The other states are (payer, next diner to announce, first
    flip, previous flip), with the last announcement as their label, ``flipped`` before the first one. After
    the last announcement only its value is kept, and the run ends. The protocol of Fig. 2 of *Bisimilarity
    Distances for Approximate Differential Privacy* (ATVA 2018); 8n(n − 2) + 7n + 3 states for 0 < p < 1.
    """
    if not 2 <= n <= _MOST_DINERS:
        raise BadParameter("n", n, f"between 2 and {_MOST_DINERS}")
    heads = probability("p", p)
    coin = {side: chance for side, chance in ((0, 1 - heads), (1, heads)) if chance > 0}

    states: dict[str, tuple[str, ChainRow]] = {"end": ("end", {"end": 1})}
    states.update({f"said{bit}": (str(bit), {"end": 1}) for bit in (0, 1)})
    for payer in range(n):
        states[f"start({payer})"] = (
            "start",
            {_diner("flipped", payer, 0, side, side): chance for side, chance in coin.items()},
        )
        waiting = [("flipped", 0, side, side) for side in coin]
        seen = set(waiting)
        while waiting:
            announced, diner, first, previous = waiting.pop()
            row: dict[str, Number] = {}
            for flip, chance in coin.items() if diner < n - 1 else [(first, Fraction(1))]:
                bit = previous ^ flip ^ (diner == payer)
                if diner == n - 1:
                    row[f"said{bit}"] = chance
                    continue
                new = (f"said{bit}", diner + 1, first, flip)
                row[_diner(new[0], payer, *new[1:])] = chance
                if new not in seen:
                    seen.add(new)
                    waiting.append(new)
            label = announced.removeprefix("said")
            states[_diner(announced, payer, diner, first, previous)] = (label, row)
    payers = [f"start({payer})" for payer in range(n)]
    return LabelledMarkovChain.of(states, [(s, t) for s in payers for t in payers if s != t])


def herman_ring(processes: int = 5, p: Number = "1/2", drift: Number = "0") -> LabelledMarkovChain:
    """Herman's ring: an odd number of ``processes``, each with a bit, lose tokens until one is left.

    Whose bit equals that of the left neighbour has a token and flips a coin for the next bit; the others take
    the neighbour's bit; all at once. The coin of process k = 0, 1, … falls on 1 with probability ``p`` +
    k ``drift``. An observer sees whether the ring is ``stable``, with one token. States are the bits, and two
    unstable ones are related where they differ in one bit. The self-stabilising protocol of *Probabilistic
    Self-Stabilization* (T. Herman, Information Processing Letters 35, 1990).
    """
    if processes not in _RINGS:
        raise BadParameter("processes", processes, "an odd number between 3 and 9")
    first, step = probability("p", p), number("drift", drift, "a number")
    coins = [first + k * step for k in range(processes)]
    if not all(0 <= coin <= 1 for coin in coins):
        raise BadParameter("drift", drift, "a number that keeps the coins of all processes between 0 and 1")
    states: dict[str, tuple[str, ChainRow]] = {}
    for bits in product("01", repeat=processes):
        free = [bit == bits[k - 1] for k, bit in enumerate(bits)]
        row = {"": Fraction(1)}
        for k, coin in enumerate(coins):
            chances = {"0": 1 - coin, "1": coin} if free[k] else {bits[k - 1]: Fraction(1)}
            row = {word + bit: q * p for word, q in row.items() for bit, p in chances.items() if p}
        states["".join(bits)] = ("stable" if sum(free) == 1 else "unstable", row)
    unstable = [s for s, (label, _) in states.items() if label == "unstable"]
    relation = [(s, t) for s in unstable for t in unstable if _differing(s, t, 1) == 1]
    return LabelledMarkovChain.of(states, relation)


def random_chain(
    states: int = 20, degree: int = 3, labels: int = 3, weights: int = 10, seed: int = 1
) -> LabelledMarkovChain:
    """A chain whose states have ``degree`` different successors, with integer weights from 1 to ``weights``.

    Every one of the ``labels`` labels occurs, and they occur equally often, up to one. The chain is the same
    for the same parameters, with every version of Python.
    """
    check_size("states", states, _MOST_STATES)
    check_size("degree", degree, min(states, _MOST_TRANSITIONS // states))
    check_size("labels", labels, states)
    check_size("weights", weights, 10**9)
    if seed < 0:
        raise BadParameter("seed", seed, "at least 0")
    random = Random(seed)
    names = [f"s{state:0{len(str(states - 1))}}" for state in range(states)]
    label_of = [f"l{state % labels}" for state in range(states)]
    _shuffle(label_of, random)
    rows: list[Mapping[int, Fraction]] = []
    share = cache(Fraction)  # equal ones of a large chain are one object
    for _ in range(states):
        weight_of = {t: 1 + _below(weights, random) for t in _distinct(degree, states, random)}
        total = sum(weight_of.values())
        rows.append(MappingProxyType({t: share(weight_of[t], total) for t in sorted(weight_of)}))
    return LabelledMarkovChain(tuple(names), tuple(label_of), tuple(rows))


def _words(length: int) -> Iterator[str]:
    return map("".join, product("ab", repeat=length))


def _said(answer: str, rest: str) -> str:
    return f"said-{answer}:{rest}" if rest else f"said-{answer}"


def _differing(first: str, second: str, answers: int) -> int:
    """The number of respondents whose data differ between two databases."""
    starts = range(0, len(first), answers)
    return sum(first[k : k + answers] != second[k : k + answers] for k in starts)


def _diner(announced: str, payer: int, diner: int, first: int, previous: int) -> str:
    return f"{announced}({payer},{diner},{first},{previous})"


def _below(count: int, random: Random) -> int:
    """A number below ``count``. Other functions of ``random`` may change with the version of Python."""
    bits = count.bit_length()
    found = random.getrandbits(bits)
    while found >= count:
        found = random.getrandbits(bits)
    return found


def _shuffle(items: list[str], random: Random) -> None:
    for index in range(len(items) - 1, 0, -1):
        other = _below(index + 1, random)
        items[index], items[other] = items[other], items[index]


def _distinct(count: int, below: int, random: Random) -> list[int]:
    """``count`` different numbers below ``below``, every set of them equally likely (Floyd's algorithm)."""
    found: dict[int, None] = {}
    for top in range(below - count, below):
        number = _below(top + 1, random)
        found[top if number in found else number] = None
    return list(found)
