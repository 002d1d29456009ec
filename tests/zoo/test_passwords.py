"""Guessing passwords: every word by itself, and guesses up to symmetry."""

from fractions import Fraction
from itertools import product

import pytest

from prover.certificate.verification import verify
from prover.questions import delta
from prover.zoo import BadParameter, build
from prover.zoo.passwords import password_timing


@pytest.mark.parametrize("early_exit", ["yes", "no"])
@pytest.mark.parametrize(("letters", "symbols", "guesses"), [(2, 2, 2), (2, 3, 1), (2, 3, 2)])
def test_merging_loses_nothing(letters: int, symbols: int, guesses: int, early_exit: str) -> None:
    """docs/theory_interactive.md, *Guesses up to symmetry*."""
    size = (letters, symbols, guesses, "1/5", early_exit)
    merged, plain = password_timing(*size, merged="yes"), password_timing(*size)
    for alpha in ("1", "3/2"):
        found = delta(merged, "s", "t", alpha)
        assert found.value == delta(plain, "s", "t", alpha).value
        assert found.value is not None


@pytest.mark.slow
@pytest.mark.parametrize("early_exit", ["yes", "no"])
@pytest.mark.parametrize("size", [(2, 3, 3), (3, 2, 2), (3, 2, 3), (3, 3, 2), (2, 4, 3)])
def test_merging_loses_nothing_with_more_guesses(size: tuple[int, int, int], early_exit: str) -> None:
    merged = password_timing(*size, early_exit=early_exit, merged="yes")
    plain = password_timing(*size, early_exit=early_exit)
    for alpha in ("1", "6/5", "2"):
        assert delta(merged, "s", "t", alpha).value == delta(plain, "s", "t", alpha).value


def test_two_guesses_of_the_game_itself() -> None:
    """By brute force over the answers to both guesses, with no process at all."""
    letters, symbols, blur = 3, 2, Fraction(1, 4)
    words = ["".join(word) for word in product("01", repeat=letters)]

    def law(word: str, guess: str) -> dict[str, Fraction]:
        if word == guess:
            return {"in": Fraction(1)}
        place = next(k for k in range(letters) if word[k] != guess[k])
        return {f"t{k}": 1 - blur if k == place else blur / (letters - 1) for k in range(letters)}

    def gain(weights: dict[str, Fraction], left: int) -> Fraction:
        """With ``left`` guesses; weights of words that begin with 1 are negative."""
        stop = max(Fraction(0), sum(weights.values(), Fraction(0)))
        if left == 0:
            return stop
        best = stop
        for guess in words:
            after: dict[str, dict[str, Fraction]] = {}
            for word, weight in weights.items():
                for answer, p in law(word, guess).items():
                    after.setdefault(answer, {})[word] = weight * p
            gains = (gain(shown, left - 1 if answer != "in" else 0) for answer, shown in after.items())
            best = max(best, sum(gains, Fraction(0)))
        return best

    part = Fraction(2, len(words))
    for alpha in (Fraction(1), Fraction(6, 5)):
        start = {word: part * (1 if word[0] == "0" else -alpha) for word in words}
        process = password_timing(letters, symbols, 2, merged="yes")
        assert delta(process, "s", "t", alpha, kind="lv").value == gain(start, 2)


def test_six_letters_of_ten_symbols() -> None:
    process = password_timing(6, 10, 2, merged="yes")
    assert len(process) == 81
    answer = delta(process, "s", "t", 1)
    assert answer.value == Fraction(16800067, 20000000)
    assert "attackers=all" in verify(answer.certificate)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "value"),
    [("1", "735997863/800000000"), ("6/5", "457567671/500000000"), ("2", "90165233/100000000")],
)
def test_three_guesses(alpha: str, value: str) -> None:
    process = password_timing(6, 10, 3, merged="yes")
    answer = delta(process, "s", "t", alpha)
    assert str(answer.value) == value
    assert verify(answer.certificate)


def test_so_many_words_are_merged() -> None:
    with pytest.raises(BadParameter, match="it must be yes where 200,000 passwords are guessed 3 times"):
        build("password-timing", letters="6", symbols="10", guesses="3")
