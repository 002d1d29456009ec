"""A password is guessed, and the time of the comparison tells something.

Reference: docs/theory_interactive.md, *Examples*, and *Guesses up to symmetry* for ``merged``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from prover.chain.model import Number
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.zoo.interactive import YES_OR_NO, RowsByAction, StatesByName, ends, process
from prover.zoo.parameters import BadParameter, check_choice, check_size, probability

LARGEST = 2_000_000
"""The most transitions of the process in which every password and every guess counts for itself."""

FIRST = "01"
"""The letters that a password may begin with: which of them, is the secret."""


def password_timing(
    letters: int = 2,
    symbols: int = 3,
    guesses: int = 1,
    blur: Number = Fraction(1, 4),
    early_exit: str = "yes",
    merged: str = "no",
) -> LabelledMarkovDecisionProcess:
    """An attacker guesses a password whose first letter is 0 (s) or 1 (t); the time may reveal something.

    The other ``letters`` are any of the ``symbols``, all equally likely. A guess is compared letter by
    letter. With ``early_exit`` the time tells where the first difference is, but with probability ``blur`` it
    seems to be at another place, each as likely. ``merged``: guesses are one that differ by names of symbols
    only, and the password is drawn letter by letter, as it is compared; δ is the same, and the process small.
    """
    for name, given, most in (("letters", letters, 8), ("symbols", symbols, 10), ("guesses", guesses, 9)):
        check_size(name, given, most)
    if letters < 2 or symbols < 2:
        raise BadParameter("letters" if letters < 2 else "symbols", min(letters, symbols), "at least 2")
    check_choice("early_exit", early_exit, YES_OR_NO)
    check_choice("merged", merged, YES_OR_NO)
    game = _Game(letters, symbols, guesses, probability("blur", blur), early_exit == "yes")
    states = _merged(game) if merged == "yes" else _one_by_one(game)
    return process(states | ends("in", *(f"{time} end" for time in game.times)), [("s", "t")])


@dataclass(frozen=True, slots=True)
class _Game:
    """What is guessed, how often, and what is emitted."""

    letters: int
    symbols: int
    guesses: int
    blur: Fraction
    early_exit: bool

    @property
    def times(self) -> list[str]:
        """What may be seen of a wrong guess."""
        return [f"t{index + 1}" for index in range(self.letters)] if self.early_exit else ["no"]

    def emitted(self, place: int) -> Iterator[tuple[str, Fraction]]:
        """What is seen where the first difference is in this place, with probabilities."""
        if not self.early_exit:
            yield "no", Fraction(1)
            return
        for k, time in enumerate(self.times):
            yield time, 1 - self.blur if k == place else self.blur / (self.letters - 1)


def _one_by_one(game: _Game) -> StatesByName:
    """Every password and every guess counts for itself."""
    size = 2 * game.symbols ** (game.letters - 1)
    if size**2 * len(game.times) * (1 + len(game.times) * (game.guesses - 1)) > LARGEST:
        raise BadParameter("merged", "no", f"yes where {size:,} passwords are guessed {game.guesses} times")
    rests = [
        "".join(rest) for rest in product([str(k) for k in range(game.symbols)], repeat=game.letters - 1)
    ]
    words = [first + rest for first in FIRST for rest in rests]
    states: StatesByName = {}
    for first, secret in zip(FIRST, "st", strict=True):
        states[secret] = "begin", {"": {f"{first}{rest} ready": Fraction(1, len(rests)) for rest in rests}}
    for word in words:
        for left in range(game.guesses, 0, -1):
            rows: RowsByAction = {}
            for guess in words:
                if guess == word:
                    rows[guess] = {"in": 1}
                    continue
                emitted = game.emitted(_agree(guess, word))
                rows[guess] = {
                    f"{time} end" if left == 1 else f"{word} {time} {left - 1}": p for time, p in emitted
                }
            if left == game.guesses:
                states[f"{word} ready"] = "ready", rows
                continue
            for time in game.times:
                states[f"{word} {time} {left}"] = f"{time} {left}", rows
    return states


@dataclass(frozen=True, slots=True)
class _KnownDigits:
    """After the ``guesses``, of which the last one's ``time`` was seen: the password begins with ``first``,
    and the longest beginning that it has in common with a guess is ``common``.
    """

    secret: str
    first: str
    guesses: tuple[str, ...] = ()
    common: str = ""
    time: str = ""

    @property
    def name(self) -> str:
        parts = (self.secret, " ".join(self.guesses), self.common or "-", self.time)
        return " ".join(parts) if self.guesses else self.secret

    @property
    def label(self) -> str:
        return f"{' '.join(self.guesses)} {self.time}" if self.guesses else "begin"


def _merged(game: _Game) -> StatesByName:
    """Guesses up to symmetry: what counts is which beginnings guesses have in common."""
    states: StatesByName = {}
    waiting = [_KnownDigits(secret, first) for first, secret in zip(FIRST, "st", strict=True)]
    while waiting:
        known = waiting.pop()
        if known.name in states:
            continue
        rows: RowsByAction = {}
        for guess in _new_guesses(known.guesses, game):
            rows[guess] = _after(known, guess, game, waiting.append)
        states[known.name] = known.label, rows
    return states


def _after(
    known: _KnownDigits, guess: str, game: _Game, on_state: Callable[[_KnownDigits], None]
) -> Mapping[str, Fraction]:
    """The row of a guess; states in which there is more to be guessed go to ``on_state``."""
    row: dict[str, Fraction] = {}
    guesses = (*known.guesses, guess)
    for common, chance in _common(known, guess, game):
        if common == guess:
            row["in"] = chance
            continue
        for time, p in game.emitted(_agree(common, guess)):
            name = f"{time} end"
            if len(guesses) < game.guesses:
                after = _KnownDigits(known.secret, known.first, guesses, common, time)
                name = after.name
                on_state(after)
            row[name] = row.get(name, Fraction(0)) + chance * p
    return row


def _new_guesses(guesses: Sequence[str], game: _Game) -> list[str]:
    """One guess of every orbit: it leaves what was guessed before anywhere, goes on with the first symbol
    that was not guessed there, and then with zeros; or it is an old one.
    """
    beginnings = {guess[:length] for guess in guesses for length in range(1, game.letters)}
    found = [first for first in FIRST if first not in beginnings]
    for beginning in beginnings:
        used = len(_next_letters(guesses, beginning))
        if used < game.symbols:
            found.append(f"{beginning}{used}")
    return sorted({*guesses, *(begun.ljust(game.letters, "0") for begun in found)})


def _common(known: _KnownDigits, guess: str, game: _Game) -> Iterator[tuple[str, Fraction]]:
    """The longest beginning that the password has in common with a guess, when there is one guess more."""
    at = len(known.common)
    begun = guess[: at + 1]
    leaves = begun == known.first if at == 0 else begun[:at] == known.common
    if guess in known.guesses or not leaves or begun in (old[: at + 1] for old in known.guesses):
        yield known.common, Fraction(1)
        return
    # The password leaves the old guesses where this guess does: its next letter is one of those left.
    chance = Fraction(1)
    if at > 0:
        chance = Fraction(1, game.symbols - len(_next_letters(known.guesses, known.common)))
        if chance < 1:
            yield known.common, 1 - chance
    for length in range(at + 1, game.letters):
        yield guess[:length], chance * (1 - Fraction(1, game.symbols))
        chance /= game.symbols
    yield guess, chance


def _next_letters(guesses: Sequence[str], beginning: str) -> set[str]:
    """What follows a beginning in the guesses."""
    return {guess[len(beginning)] for guess in guesses if guess.startswith(beginning)}


def _agree(one: str, other: str) -> int:
    """In how many letters at the beginning two words agree."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
