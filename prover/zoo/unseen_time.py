"""Chains with steps that nobody sees: a protocol for anonymous messages, and large ones to measure with."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from prover.chain.model import LabelledMarkovChain, Number
from prover.zoo.parameters import BadParameter, ChainRow, check_size, number

_MOST_MEMBERS = 100
_MOST_ROUNDS = 100
_MOST_STATES = 200_000


def crowds(
    members: int = 6, rounds: int = 3, forward: Number = "4/5", corrupt: Number = "1/6"
) -> LabelledMarkovChain:
    """A message travels through a crowd, so that corrupt members do not learn which member wrote it.

    The initiator hands the message to a member of the crowd, drawn at random. A member who has it hands it on
    in the same way with probability ``forward``, and else delivers it. Whoever is drawn is corrupt with
    probability ``corrupt``: then the path ends, and it is seen which member handed the message over. Else it
    is one of the ``members`` honest members, each equally likely, the last holder included. The path is
    formed anew ``rounds`` times, for the same initiator, and everybody knows when. The protocol of Reiter and
    Rubin, "Crowds: Anonymity for Web Transactions" (1998).

    States are ``path(initiator,round)``, of which those of the first round are the secrets, all related;
    ``writes``, ``with`` and ``saw``, each with (initiator,round,member); and ``end``. Every hop takes a step,
    and nobody counts these: ask about ``prover.collapse`` of this chain.
    """
    check_size("members", members, _MOST_MEMBERS)
    check_size("rounds", rounds, _MOST_ROUNDS)
    check_size("members", members * members * rounds, _MOST_STATES)
    on, bad = (_below_one(name, value) for name, value in (("forward", forward), ("corrupt", corrupt)))
    states: dict[str, tuple[str, ChainRow]] = {"end": ("end", {"end": 1})}
    for initiator in range(members):
        for index in range(1, rounds + 1):

            def of(kind: str, member: int, run: str = f"{initiator},{index}") -> str:
                return f"{kind}({run},{member})"

            after = f"path({initiator},{index + 1})" if index < rounds else "end"
            hop: dict[str, Fraction] = {of("with", member): (1 - bad) / members for member in range(members)}
            states[f"path({initiator},{index})"] = ("new path", {of("writes", initiator): 1})
            states[of("writes", initiator)] = ("hidden", _handed(hop, bad, of("saw", initiator)))
            for member in range(members):
                onward = {t: on * p for t, p in _handed(hop, bad, of("saw", member)).items()}
                states[of("with", member)] = ("hidden", onward | {after: 1 - on})
                states[of("saw", member)] = (f"saw {member}", {after: 1})
    writers = [f"path({initiator},1)" for initiator in range(members)]
    return LabelledMarkovChain.of(states, [(s, t) for s in writers for t in writers if s != t])


def hidden_loops(
    groups: int = 3, size: int = 40, doors: int = 4, degree: int = 6, seed: int = 1
) -> LabelledMarkovChain:
    """Groups of ``size`` states of label ``hidden`` in which a run goes round until it finds a door.

    Every hidden state has ``degree`` successors, which are in its group but for every tenth state, which has
    one of the ``doors`` of the group among them. A door is visible and leads into the next group, the last
    one to the first; the doors of the first group that look the same are related. The chain is the same for
    the same parameters, with every version of Python.
    """
    check_size("groups", groups, _MOST_STATES)
    check_size("size", size, _MOST_STATES // groups)
    check_size("doors", doors, max(1, -(-size // 10)))
    check_size("degree", degree, size)
    if seed < 0:
        raise BadParameter("seed", seed, "at least 0")
    draw = Random(seed).randrange
    states: dict[str, tuple[str, ChainRow]] = {}
    for group in range(groups):
        for door in range(doors):
            following = {f"h{(group + 1) % groups}.{draw(size)}": 1 + draw(10) for _ in range(degree)}
            states[f"door{group}.{door}"] = (f"l{group % 5}.{door % 2}", _shares(following))
        for index in range(size):
            following = {f"h{group}.{(index + 1) % size}": 1 + draw(10)}
            if index % 10 == 0:
                following[f"door{group}.{index // 10 % doors}"] = 1 + draw(10)
            while len(following) < degree:
                following[f"h{group}.{draw(size)}"] = 1 + draw(10)
            states[f"h{group}.{index}"] = ("hidden", _shares(following))
    pairs = [(f"door0.{s}", f"door0.{t}") for t in range(doors) for s in range(t % 2, t, 2)]
    return LabelledMarkovChain.of(states, pairs)


def _handed(hop: Mapping[str, Fraction], bad: Fraction, seen: str) -> dict[str, Fraction]:
    """Where the message is next: with an honest member, or seen by a corrupt one."""
    return {**hop, seen: bad}


def _shares(weights: Mapping[str, int]) -> dict[str, Fraction]:
    total = sum(weights.values())
    return {name: Fraction(weight, total) for name, weight in weights.items()}


def _below_one(name: str, given: Number) -> Fraction:
    wanted = "a number of at least 0 and below 1"
    value = number(name, given, wanted)
    if not 0 <= value < 1:
        raise BadParameter(name, given, wanted)
    return value
