"""Systems that an attacker interacts with: what somebody finds out who asks cleverly.

Reference: docs/theory_interactive.md, *Examples*.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from prover.chain.model import Number
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.zoo.parameters import BadParameter, check_choice, check_size, probability

_HALF = Fraction(1, 2)
YES_OR_NO = ("yes", "no")

Rows = dict[str, Mapping[str, Fraction | int]]
States = dict[str, tuple[str, Rows]]


def _ends(*labels: str) -> States:
    """Ends, with labels of their own: nothing happens any more, and nothing is chosen."""
    return {label: (label, {"": {label: 1}}) for label in labels}


def _process(states: States, relation: list[tuple[str, str]]) -> LabelledMarkovDecisionProcess:
    plain = {s: (label, rows.get("", rows)) for s, (label, rows) in states.items()}
    return LabelledMarkovDecisionProcess.of(plain, relation)


def wait() -> LabelledMarkovDecisionProcess:
    """Cashing in wins half of the time from s, and never from t; waiting changes nothing.

    Every number from δ on solves the equation of the distance here.
    """
    states: States = {
        "s": ("play", {"wait": {"s": 1}, "cash": {"win": _HALF, "lose": _HALF}}),
        "t": ("play", {"wait": {"t": 1}, "cash": {"lose": 1}}),
    }
    return _process(states | _ends("win", "lose"), [("s", "t")])


def grow() -> LabelledMarkovDecisionProcess:
    """The longer one waits before one cashes in, the better; who waits for ever learns nothing."""
    states: States = {
        "s": ("play", {"wait": {"s": _HALF, "S": _HALF}, "cash": {"lose": 1}}),
        "S": ("play", {"wait": {"S": 1}, "cash": {"win": 1}}),
        "t": ("play", {"wait": {"t": 1}, "cash": {"lose": 1}}),
    }
    return _process(states | _ends("win", "lose"), [("s", "t")])


def doors() -> LabelledMarkovDecisionProcess:
    """Behind one of two doors is gold with probability 3/4 (s) or 1/4 (t); looking shows which door it is.

    A coin picks the door; the other room is empty.
    """
    states: States = {}
    for secret, gold in (("s", Fraction(3, 4)), ("t", Fraction(1, 4))):
        states[secret] = "begin", {"": {f"{secret}L": _HALF, f"{secret}R": _HALF}}
        behind: Mapping[str, Fraction | int] = {"gold": gold, "goat": 1 - gold}
        for coin, other in (("L", "R"), ("R", "L")):
            rooms: Rows = {f"open {coin}": behind, f"open {other}": {"empty": 1}}
            states[f"{secret}{coin}"] = "closed", rooms | {"look": {f"{secret}{coin} seen": 1}}
            states[f"{secret}{coin} seen"] = coin, rooms
    return _process(states | _ends("gold", "goat", "empty"), [("s", "t")])


def adaptive_response(memoised: str = "yes", keep: Number = Fraction(3, 4)) -> LabelledMarkovDecisionProcess:
    """Two questions about one bit, 0 (s) or 1 (t), by randomised response, as often as one likes.

    An answer is the truth with probability ``keep``; ``memoised``: what was answered once is answered again.
    """
    given = probability("keep", keep)
    check_choice("memoised", memoised, YES_OR_NO)
    states: States = {}
    for bit, secret in enumerate("st"):
        told = {str(bit): given, str(1 - bit): 1 - given}
        if memoised == "no":
            row = {f"{secret}{answer}": p for answer, p in told.items()}
            for name, label in ((secret, "begin"), (f"{secret}0", "0"), (f"{secret}1", "1")):
                states[name] = label, {"q1": row, "q2": row}
            continue
        for first, second, last in product(("", "0", "1"), ("", "0", "1"), ("", "0", "1")):
            if (last == "") != (first == second == "") or last not in (first, second):
                continue
            whose = secret if not (first and second) else ""  # the bit has no influence any more
            rows: Rows = {}
            for query, known, other in (("q1", first, second), ("q2", second, first)):
                row = {}
                for answer, p in ({known: Fraction(1)} if known else told).items():
                    both = (answer, other) if query == "q1" else (other, answer)
                    owner = "" if all(both) else secret
                    row[_stored(owner, *both, answer)] = p
                rows[query] = row
            states[_stored(whose, first, second, last)] = last or "begin", rows
    return _process(states, [("s", "t")])


def _stored(secret: str, first: str, second: str, last: str) -> str:
    return f"{secret}{f' {first}|{second} {last}' if last else ''}"


def pin_guessing(
    highest: int = 6, guesses: int = 2, honest: Number = Fraction(1)
) -> LabelledMarkovDecisionProcess:
    """A PIN from 0 to ``highest``, even (s) or odd (t), is guessed.

    All PINs are equally likely. Of a wrong guess it is said whether it is too high or too low, the truth with
    probability ``honest``.
    """
    truth = probability("honest", honest)
    check_size("highest", highest, 99)
    check_size("guesses", guesses, 9)
    pins, many = range(highest + 1), guesses
    states: States = {}
    for parity, secret in enumerate("st"):
        fitting = [pin for pin in pins if pin % 2 == parity]
        states[secret] = "begin", {"": {f"{pin} ready": Fraction(1, len(fitting)) for pin in fitting}}
    for pin in pins:
        for left in range(many, 0, -1):
            rows: Rows = {}
            for guess in pins:
                after = "end" if left == 1 else str(left - 1)
                told = ("high", "low") if guess > pin else ("low", "high")
                hints = {f"{pin} {told[0]} {after}": truth, f"{pin} {told[1]} {after}": 1 - truth}
                if left == 1:
                    hints = {f"{told[0]} end": truth, f"{told[1]} end": 1 - truth}
                rows[f"guess {guess}"] = {"ok": 1} if guess == pin else hints
            seen = ("ready",) if left == many else ("high", "low")
            for label in seen:
                name = f"{pin} ready" if left == many else f"{pin} {label} {left}"
                states[name] = label if left == many else f"{label} {left}", rows
    return _process(states | _ends("ok", "high end", "low end"), [("s", "t")])


def password_timing(
    letters: int = 2,
    symbols: int = 3,
    guesses: int = 1,
    blur: Number = Fraction(1, 4),
    early_exit: str = "yes",
) -> LabelledMarkovDecisionProcess:
    """A password is guessed, of which the first letter is 0 (s) or 1 (t), and time tells something.

    The other ``letters`` are any of the ``symbols``, all equally likely. A guess is compared letter by
    letter. With ``early_exit`` the time tells where the first difference is, but with probability ``blur`` it
    seems to be at another place, each as likely.
    """
    for name, given, most in (("letters", letters, 8), ("symbols", symbols, 10), ("guesses", guesses, 9)):
        check_size(name, given, most)
    if letters < 2 or symbols < 2:
        raise BadParameter("letters" if letters < 2 else "symbols", min(letters, symbols), "at least 2")
    check_choice("early_exit", early_exit, YES_OR_NO)
    length, size, many, early = letters, symbols, guesses, early_exit == "yes"
    noise = probability("blur", blur)
    rests = ["".join(rest) for rest in product([str(k) for k in range(size)], repeat=length - 1)]
    words = [first + rest for first in "01" for rest in rests]
    states: States = {}
    for first, secret in enumerate("st"):
        states[secret] = "begin", {"": {f"{first}{rest} ready": Fraction(1, len(rests)) for rest in rests}}
    times = [f"t{place + 1}" for place in range(length)] if early else ["no"]
    for word in words:
        for left in range(many, 0, -1):
            rows: Rows = {}
            for guess in words:
                if guess == word:
                    rows[guess] = {"in": 1}
                    continue
                place = next(k for k in range(length) if guess[k] != word[k]) if early else 0
                row = {}
                for k, time in enumerate(times):
                    name = f"{time} end" if left == 1 else f"{word} {time} {left - 1}"
                    chance = 1 - noise if k == place else noise / (len(times) - 1)
                    row[name] = chance if early else Fraction(1)
                rows[guess] = row
            if left == many:
                states[f"{word} ready"] = "ready", rows
                continue
            for time in times:
                states[f"{word} {time} {left}"] = f"{time} {left}", rows
    return _process(states | _ends("in", *(f"{time} end" for time in times)), [("s", "t")])
