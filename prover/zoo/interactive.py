"""Systems that an attacker interacts with: what somebody finds out who asks cleverly.

Reference: docs/theory_interactive.md, *Examples*.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from prover.chain.model import Number
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.zoo.parameters import check_choice, check_size, probability

_HALF = Fraction(1, 2)
YES_OR_NO = ("yes", "no")

RowsByAction = dict[str, Mapping[str, Fraction | int]]
StatesByName = dict[str, tuple[str, RowsByAction]]


def ends(*labels: str) -> StatesByName:
    """Ends, with labels of their own: nothing happens any more, and nothing is chosen."""
    return {label: (label, {"": {label: 1}}) for label in labels}


def process(states: StatesByName, relation: list[tuple[str, str]]) -> LabelledMarkovDecisionProcess:
    """The process of the states; the action "" is that of states where nothing is chosen."""
    plain = {s: (label, rows.get("", rows)) for s, (label, rows) in states.items()}
    return LabelledMarkovDecisionProcess.of(plain, relation)


def wait() -> LabelledMarkovDecisionProcess:
    """Cashing in wins half of the time from s, and never from t; waiting changes nothing.

    Every number from δ on solves the equation of the distance here.
    """
    states: StatesByName = {
        "s": ("play", {"wait": {"s": 1}, "cash": {"win": _HALF, "lose": _HALF}}),
        "t": ("play", {"wait": {"t": 1}, "cash": {"lose": 1}}),
    }
    return process(states | ends("win", "lose"), [("s", "t")])


def grow() -> LabelledMarkovDecisionProcess:
    """The longer the attacker waits before cashing in, the better; waiting for ever reveals nothing."""
    states: StatesByName = {
        "s": ("play", {"wait": {"s": _HALF, "S": _HALF}, "cash": {"lose": 1}}),
        "S": ("play", {"wait": {"S": 1}, "cash": {"win": 1}}),
        "t": ("play", {"wait": {"t": 1}, "cash": {"lose": 1}}),
    }
    return process(states | ends("win", "lose"), [("s", "t")])


def doors() -> LabelledMarkovDecisionProcess:
    """Behind one of two doors is gold with probability 3/4 (s) or 1/4 (t); looking shows which door it is.

    A coin picks the door; the other room is empty.
    """
    states: StatesByName = {}
    for secret, gold in (("s", Fraction(3, 4)), ("t", Fraction(1, 4))):
        states[secret] = "begin", {"": {f"{secret}L": _HALF, f"{secret}R": _HALF}}
        behind: Mapping[str, Fraction | int] = {"gold": gold, "goat": 1 - gold}
        for coin, other in (("L", "R"), ("R", "L")):
            rooms: RowsByAction = {f"open {coin}": behind, f"open {other}": {"empty": 1}}
            states[f"{secret}{coin}"] = "closed", rooms | {"look": {f"{secret}{coin} seen": 1}}
            states[f"{secret}{coin} seen"] = coin, rooms
    return process(states | ends("gold", "goat", "empty"), [("s", "t")])


def adaptive_response(memoised: str = "yes", keep: Number = Fraction(3, 4)) -> LabelledMarkovDecisionProcess:
    """Two questions about one bit, 0 (s) or 1 (t), by randomised response, as often as the attacker likes.

    An answer is the truth with probability ``keep``; ``memoised``: what was answered once is answered again.
    """
    given = probability("keep", keep)
    check_choice("memoised", memoised, YES_OR_NO)
    states: StatesByName = {}
    for bit, secret in enumerate("st"):
        replies = {str(bit): given, str(1 - bit): 1 - given}
        if memoised == "no":
            row = {f"{secret}{answer}": p for answer, p in replies.items()}
            for name, label in ((secret, "begin"), (f"{secret}0", "0"), (f"{secret}1", "1")):
                states[name] = label, {"q1": row, "q2": row}
            continue
        for first, second, last in product(("", "0", "1"), ("", "0", "1"), ("", "0", "1")):
            if (last == "") != (first == second == "") or last not in (first, second):
                continue
            whose = secret if not (first and second) else ""  # the bit has no influence any more
            rows: RowsByAction = {}
            for query, known, other in (("q1", first, second), ("q2", second, first)):
                row = {}
                for answer, p in ({known: Fraction(1)} if known else replies).items():
                    both = (answer, other) if query == "q1" else (other, answer)
                    owner = "" if all(both) else secret
                    row[_stored(owner, *both, answer)] = p
                rows[query] = row
            states[_stored(whose, first, second, last)] = last or "begin", rows
    return process(states, [("s", "t")])


def _stored(secret: str, first: str, second: str, last: str) -> str:
    return f"{secret}{f' {first}|{second} {last}' if last else ''}"


def pin_guessing(
    highest: int = 6, guesses: int = 2, honest: Number = Fraction(1)
) -> LabelledMarkovDecisionProcess:
    """An attacker guesses a PIN from 0 to ``highest``, which is even (s) or odd (t).

    All PINs are equally likely. Of a wrong guess it is said whether it is too high or too low, the truth with
    probability ``honest``.
    """
    truth = probability("honest", honest)
    check_size("highest", highest, 99)
    check_size("guesses", guesses, 9)
    pins, many = range(highest + 1), guesses
    states: StatesByName = {}
    for parity, secret in enumerate("st"):
        fitting = [pin for pin in pins if pin % 2 == parity]
        states[secret] = "begin", {"": {f"{pin} ready": Fraction(1, len(fitting)) for pin in fitting}}
    for pin in pins:
        for left in range(many, 0, -1):
            rows: RowsByAction = {}
            for guess in pins:
                after = "end" if left == 1 else str(left - 1)
                replies = ("high", "low") if guess > pin else ("low", "high")
                hints = {f"{pin} {replies[0]} {after}": truth, f"{pin} {replies[1]} {after}": 1 - truth}
                if left == 1:
                    hints = {f"{replies[0]} end": truth, f"{replies[1]} end": 1 - truth}
                rows[f"guess {guess}"] = {"ok": 1} if guess == pin else hints
            seen = ("ready",) if left == many else ("high", "low")
            for label in seen:
                name = f"{pin} ready" if left == many else f"{pin} {label} {left}"
                states[name] = label if left == many else f"{label} {left}", rows
    return process(states | ends("ok", "high end", "low end"), [("s", "t")])
