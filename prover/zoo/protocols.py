"""Protocols as model checkers have them, step by step: chains of some hundred states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

from prover.chain.model import LabelledMarkovChain, Number
from prover.graphs import search
from prover.zoo.parameters import BadParameter, check_size, probability

_ProtocolRun = tuple[Any, ...]
"""A place, and what is remembered there."""

_MOST_SIZE = 1_000_000
_MOST_DINERS = 8
_MOST_FRAMES = 10_000
_SURE = Fraction(1)


def counted_crowds(
    members: int = 5,
    paths: int = 2,
    initiators: int = 1,
    forward: Number = "4/5",
    corrupt: Number = "167/1000",
) -> LabelledMarkovChain:
    """Corrupt members of a crowd count, over several paths, from which honest member they got the message.

    The first ``initiators`` of ``members`` honest members may be the one who writes, and are related. On each
    of ``paths`` paths the message goes to a member drawn at random, corrupt with probability ``corrupt``, who
    delivers it and counts who handed it over; an honest one, each equally likely, hands it on with
    probability ``forward``, and else delivers it. Seen are ``saw K`` and ``done``; all else is ``hidden``,
    but takes its steps. V. Shmatikov, "Probabilistic Model Checking of an Anonymity System" (2002), has such
    chains; with 5 members, 2 paths and one initiator there are 311 states.
    """
    for name, given in (("members", members), ("paths", paths)):
        check_size(name, given, 100)
    check_size("initiators", initiators, members)
    if 10 * members * initiators * comb(members + paths, paths) > _MOST_SIZE:
        raise BadParameter("paths", paths, "smaller, or that of members: there are too many ways to count")
    onward, bad = probability("forward", forward), probability("corrupt", corrupt)

    def step(state: _ProtocolRun) -> Mapping[_ProtocolRun, Fraction]:
        place, initiator, left, last, counts = state
        drawn = {("drawn", initiator, left, k, counts): Fraction(1, members) for k in range(members)}
        more = tuple(n + (k == last) for k, n in enumerate(counts))
        following: dict[str, Mapping[_ProtocolRun, Fraction]] = {
            "launch": {("new", initiator, left, None, counts): _SURE},
            "new": {("start", initiator, left - 1, None, counts) if left else state: _SURE},
            "start": {("run", initiator, left, initiator, counts): _SURE},
            "run": {("good", initiator, left, last, counts): 1 - bad, ("bad", *state[1:]): bad},
            "good": drawn,
            "drawn": {("run", *state[1:]): onward, ("delivered", *state[1:]): 1 - onward},
            "bad": {("counted", initiator, left, last, more): _SURE},
            "counted": {("done", *state[1:]): _SURE},
            "delivered": {("done", *state[1:]): _SURE},
            "done": {("new", initiator, left, None, counts): _SURE},
        }
        return _possible(following[place])

    def label(state: _ProtocolRun) -> str:
        return {"bad": f"saw {state[3]}", "done": "done"}.get(state[0], "hidden")

    starts = [("launch", initiator, paths, None, (0,) * members) for initiator in range(initiators)]
    return _reached(starts, step, label)


def announced_diners(n: int = 4, p: Number = "1/2") -> LabelledMarkovChain:
    """``n`` dining cryptographers whose announcements stay where all can see them.

    Coins fall in turn, on 1 with probability ``p``; then every diner announces in turn whether his coin and
    the next one's are equal, and who paid says the opposite. The label has what was said so far, and 0 for
    what was not. In ``start(k)``, all related, diner k paid, or for k = 0 nobody at the table. D. Chaum,
    "The Dining Cryptographers Problem" (1988); (n + 1)((n + 2) 2ⁿ − 1) states where coins may fall either
    way.
    """
    if not 2 <= n <= _MOST_DINERS:
        raise BadParameter("n", n, f"between 2 and {_MOST_DINERS}")
    heads = probability("p", p)

    def step(state: _ProtocolRun) -> Mapping[_ProtocolRun, Fraction]:
        _, payer, coins, said = state
        if len(coins) < n:
            sides = (("0", 1 - heads), ("1", heads))
            return _possible({("flipped", payer, coins + side, said): chance for side, chance in sides})
        if len(said) < n:
            k = len(said)
            alike = coins[k] == coins[(k + 1) % n]
            return {("said", payer, coins, said + str(int(alike != (payer == k + 1)))): _SURE}
        return {state: _SURE}

    def label(state: _ProtocolRun) -> str:
        return str(state[3]).ljust(n, "0")

    return _reached([("start", payer, "", "") for payer in range(n + 1)], step, label)


def retransmission(
    frames: int = 16, tries: int = 2, loss: Number = "1/50", answer_loss: Number = "1/100"
) -> LabelledMarkovChain:
    """A file is sent frame by frame over a channel that loses some of them; its length is the secret.

    A frame is lost with probability ``loss``, and the answer to it with probability ``answer_loss``; the
    sender sees neither, and sends the frame again, ``tries`` times at most. Then it gives up: ``broken off``,
    or, at the last frame, which may have arrived, ``unknown``. Who taps the channel sees frames with an
    alternating bit, what is lost, and how it ends. The secrets, ``start(frames)`` and
    ``start(frames − 1)``, are related. In the manner of the bounded retransmission protocol: L. Helmink, M.
    Sellink and F. Vaandrager, "Proof-Checking a Data Link Protocol" (1993).
    """
    if not 2 <= frames <= _MOST_FRAMES:
        raise BadParameter("frames", frames, f"between 2 and {_MOST_FRAMES:,}")
    if not 0 <= tries <= _MOST_FRAMES // frames:
        raise BadParameter("tries", tries, f"between 0 and {_MOST_FRAMES // frames:,}")
    gone, unanswered = probability("loss", loss), probability("answer_loss", answer_loss)

    def step(state: _ProtocolRun) -> Mapping[_ProtocolRun, Fraction]:
        if len(state) == 1:
            return {state: _SURE}
        if len(state) == 2:
            return {("frame", state[1], 1, 0, ""): _SURE}
        place, length, frame, again, known = state
        given_up = ("broken off",) if frame < length else ("unknown",)
        repeated = ("frame", length, frame, again + 1, known) if again < tries else given_up
        arrived = ("again" if known else "arrived", *state[1:4], "known")
        onward = ("frame", length, frame + 1, 0, "") if frame < length else ("ok",)
        following: dict[str, Mapping[_ProtocolRun, Fraction]] = {
            "frame": {("lost", *state[1:]): gone, arrived: 1 - gone},
            "arrived": {("silent", *state[1:]): unanswered, ("answered", *state[1:]): 1 - unanswered},
            "lost": {repeated: _SURE},
            "silent": {repeated: _SURE},
            "answered": {onward: _SURE},
        }
        return _possible(following["arrived" if place == "again" else place])

    def label(state: _ProtocolRun) -> str:
        place = str(state[0])
        seen = {"silent": "answer lost", "again": "arrived again"}.get(place, place)
        return f"frame {state[2] % 2}" if place == "frame" else seen

    return _reached([("start", length) for length in (frames - 1, frames)], step, label)


def _possible(row: Mapping[_ProtocolRun, Fraction]) -> Mapping[_ProtocolRun, Fraction]:
    return {state: chance for state, chance in row.items() if chance}


def _reached(
    starts: Iterable[_ProtocolRun],
    step: Callable[[_ProtocolRun], Mapping[_ProtocolRun, Fraction]],
    label: Callable[[_ProtocolRun], str],
) -> LabelledMarkovChain:
    """The chain of what the starts reach, in which these are related."""
    first = list(starts)
    states = {
        _named(state): (
            label(state),
            {_named(following): chance for following, chance in step(state).items()},
        )
        for state in search(first, step)
    }
    return LabelledMarkovChain.of(states, permutations(map(_named, first), 2))


def _named(state: _ProtocolRun) -> str:
    """Such as run(0,1,2,0.1.0): what is remembered, without what is not there."""
    there = [part for part in state[1:] if part not in (None, "")]
    texts = [".".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in there]
    return f"{state[0]}({','.join(texts)})" if texts else str(state[0])
