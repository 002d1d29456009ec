"""Sweeps: the same numbers as single questions, and claims about a bound that hold for any numbers at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover.chain.model import LabelledMarkovChain
from prover.formats.load import load
from prover.sweeps.ranges import MOST, ranges_of, split
from prover.zoo import svt
from tests.refusals import refuses

TALLY = Path(__file__).resolve().parents[2] / "examples" / "sweeps" / "tally.py"


def coin(p: Fraction) -> LabelledMarkovChain:
    """A chain of two secrets whose total variation distance is p."""
    return LabelledMarkovChain.of(
        {
            "s": ("a", {"yes": p, "no": 1 - p}),
            "t": ("a", {"no": 1}),
            "yes": ("yes", {"yes": 1}),
            "no": ("no", {"no": 1}),
        },
        [("s", "t")],
    )


def family(heights: Sequence[int]) -> prover.Sweep:
    """The bound 1/2, searched in chains of these heights, in tenths."""
    return prover.sweep(
        lambda n: coin(Fraction(heights[n], 10)), {"n": range(len(heights))}, alpha=1, at_most="1/2"
    )


@given(st.lists(st.integers(0, 10), min_size=1, max_size=9))
def test_what_is_said_of_a_bound_is_true_however_the_number_moves(heights: list[int]) -> None:
    holds = [height <= 5 for height in heights]
    found = family(heights)
    if found.crossing is not None:
        inside, outside = map(int, found.crossing)
        assert abs(inside - outside) == 1
        assert (holds[inside], holds[outside]) == (True, False)
    else:
        assert holds[0] == holds[-1] or len(heights) == 1
    if found.least is not None:
        assert found.least == holds.index(True)
    if found.never:
        assert not any(holds)
    assert len(found.points) <= 2 + len(heights).bit_length()
    for point in found.points:
        assert (point.value, point.holds) == (
            Fraction(heights[int(point.at[0])], 10),
            holds[int(point.at[0])],
        )
    every = prover.sweep(
        lambda n: coin(Fraction(heights[n], 10)),
        {"n": range(len(heights))},
        alpha=1,
        at_most="1/2",
        every=True,
    )
    assert every.least == (holds.index(True) if any(holds) else None)
    assert every.never is not any(holds)
    assert every.answered


def test_a_search_that_is_interrupted_says_where_the_bound_is_crossed() -> None:
    heard: list[str] = []
    prover.sweep(
        lambda n: coin(Fraction(10 - n, 10)),
        {"n": "0:9"},
        alpha=1,
        at_most="1/2",
        on_sweep=lambda s: heard.append(str(s)),
    )
    assert heard[1].startswith(
        "Between n = 0 and n = 9 two neighbouring values have delta <= 1/2 at one, delta > 1/2 at the other."
    )
    assert heard[-1].startswith("delta <= 1/2 at n = 5, and delta > 1/2 at n = 4.")


def test_numbers_are_those_of_single_questions() -> None:
    models = {n: load(f"{TALLY}:tally", const={"others": n}) for n in range(5)}
    deltas = prover.sweep(lambda others: models[others], {"others": "0:4"}, alpha=2)
    assert [point.value for point in deltas.points] == [
        prover.delta(model, alpha=2).value for model in models.values()
    ]
    epsilons = prover.sweep(lambda others: models[others], {"others": "0:4"}, delta="1/10")
    singles = [prover.epsilon_for(model, delta="1/10") for model in models.values()]
    assert [point.upper for point in epsilons.points] == [single.upper for single in singles]
    assert "none" in str(epsilons)
    assert [point.met for point in epsilons.points] == [True] * 5


def test_programs_have_sweeps_too() -> None:
    found = prover.sweep(lambda **_: svt(), {"n": "1:2"}, alpha=1, at_epsilon=1, steps=1)
    (one, other) = found.points
    assert 0 < one.lower < (one.upper or 0) < 1
    assert (one.lower, one.upper) == (other.lower, other.upper)
    found = prover.sweep(lambda **_: svt(), {"n": "1:2"}, alpha=1, at_epsilon=1, steps=1, at_most=1)
    assert found.least == 1


def test_ranges() -> None:
    assert list(ranges_of({"n": "0:3"})["n"]) == [0, 1, 2, 3]
    assert list(ranges_of({"n": "-1:1"})["n"]) == [-1, 0, 1]
    both = ranges_of({"p": "0:1:5", "n": [2]})
    assert [list(values) for values in both.values()] == [[Fraction(k, 4) for k in range(5)], [2]]
    assert split("a=0:1,b=[1,2],c='x,d=0:1:2'") == ({"a": "0:1"}, "b=[1,2],c='x,d=0:1:2'")
    assert split("s=(1,2), n=0:1:3 ,p=1/2") == ({"n": "0:1:3"}, "s=(1,2),p=1/2")


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "not 0"),
        ({"a": "0:1", "b": "0:1", "c": "0:1"}, "not 3"),
        ({"n": "3:1"}, "is empty"),
        ({"n": []}, "at least one"),
        ({"n": [2, 1]}, "increasing"),
        ({"n": "0:1/2"}, "not a range"),
        ({"n": "0:1:1"}, "not a range"),
        ({"n": "0:1:3/2"}, "not a range"),
        ({"n": "1"}, "not a range"),
        ({"n": ":1"}, "not a range"),
        ({"n": f"0:{MOST}"}, "at most 10,000"),
        ({"n": "0:1000000000"}, "at most 10,000"),
        ({"n": range(10**9)}, "at most 10,000"),
        ({"n": "0:1:1000000000"}, "at most 10,000"),
        ({"m": "1:101", "n": "1:101"}, "at most 10,000, not 10,201"),
    ],
)
def test_wrong_ranges_are_refused(over: dict[str, str], words: str) -> None:
    with refuses("bad-range", words.replace("at most 10,000", "at most 10,000 models")):
        ranges_of(over)


def test_wrong_questions_are_refused() -> None:
    with refuses("no-question"):
        prover.sweep(coin, {"p": "0:1:3"})
    with refuses("no-question"):
        prover.sweep(coin, {"p": "0:1:3"}, alpha=2, delta="1/2")
    with refuses("bad-range"):
        prover.sweep(coin, {"p": "0:1:3", "q": "0:1"}, alpha=1, at_most=0)
    with pytest.raises(prover.BadInput, match=r"at p=2"):
        prover.sweep(coin, {"p": "1:2"}, alpha=1)


def test_what_is_kept_is_used_again_unless_the_model_has_changed(tmp_path: Path) -> None:
    file, notes, made = tmp_path / "kept.jsonl", list[str](), list[int]()

    def swept(last: int, height: int = 10) -> prover.Sweep:
        return prover.sweep(
            lambda n: coin(Fraction(n, height)),
            {"n": f"0:{last}"},
            alpha=1,
            results=file,
            on_note=notes.append,
            on_sweep=lambda found: made.append(len([1 for point in found.points if not point.kept])),
        )

    swept(2)
    assert made[-1] == 3
    longer = swept(4)
    assert made[-1] == 2
    assert [point.value for point in longer.points] == [Fraction(n, 10) for n in range(5)]
    with file.open("a") as rest:
        rest.write('{"question": half a li')
    assert swept(4) == longer
    assert made[-1] == 0
    assert notes == []
    changed = swept(4, height=20)
    assert [point.value for point in changed.points] == [Fraction(n, 20) for n in range(5)]
    assert len(notes) == 4  # at n = 0 the chains are equal
    assert all("has changed" in note for note in notes)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["type"] == "prover-sweep"
    file.write_text("other\n")
    with refuses("not-results"):
        swept(2)


def test_files_that_hold_nothing_whole_are_begun_or_refused(tmp_path: Path) -> None:
    """They ended the sweep with a fault; an empty one is what a machine leaves that stops at once."""
    file = tmp_path / "kept.jsonl"

    def swept() -> prover.Sweep:
        return prover.sweep(lambda n: coin(Fraction(n, 10)), {"n": "0:1"}, alpha=1, results=file)

    whole = swept()
    written = file.read_bytes()
    for begun in (b"", written[:10], written[:-10]):
        file.write_bytes(begun)
        assert swept() == whole
        assert file.read_bytes() == written
    file.write_bytes(b"other")
    with refuses("not-results"):
        swept()
    assert file.read_bytes() == b"other"


def test_other_questions_are_not_mixed_up(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    first = prover.sweep(coin, {"p": "0:1:3"}, alpha=1, results=file)
    second = prover.sweep(coin, {"p": "0:1:3"}, alpha=2, results=file)
    assert [point.kept for point in second.points] == [False] * 3
    assert first.points[1].value == second.points[1].value == Fraction(1, 2)


def test_certificates_are_written_and_kept(tmp_path: Path) -> None:
    file, folder = tmp_path / "kept.jsonl", tmp_path / "proofs"

    def known() -> list[bool]:
        found = prover.sweep(coin, {"p": "0:1:3"}, alpha=1, certificates=folder, results=file)
        return [point.kept for point in found.points]

    assert known() == [False] * 3
    names = ["p=0.cert", "p=1.cert", "p=1_2.cert"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert "value=1/2" in prover.verify(folder / "p=1_2.cert")
    assert known() == [True] * 3
    (folder / "p=1.cert").write_bytes(b"{}")
    assert known() == [True, True, False]
    assert "value=1 " in prover.verify(folder / "p=1.cert")


def test_pictures_have_words() -> None:
    one = prover.sweep(coin, {"p": "0:1:3"}, alpha=1)
    assert one.show().words == ("At p = 0, δ is 0.", "At p = 1/2, δ is 1/2 (0.5).", "At p = 1, δ is 1.")
    two = prover.sweep(lambda p, n: coin(p / n), {"p": "0:1:3", "n": "1:2"}, alpha=1)
    assert str(two.show()).count("<rect") == 6
    assert str(two.show()) == str(two.show())


def test_long_small_numbers_are_written_with_a_power_of_ten() -> None:
    found = prover.sweep(lambda n: coin(Fraction(1, 3**n)), {"n": [1, 100]}, alpha=1)
    assert [line.split(maxsplit=1)[1] for line in str(found).splitlines()[2:]] == [
        "1/3 (0.333333…)",
        "1.940325… * 10^-48",
    ]
