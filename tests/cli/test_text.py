"""`prover distance` for people: lines that say what was found and what it means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import FORKS, Run, prover, saved, zoo

pytestmark = pytest.mark.filterwarnings(FORKS)


def lines(run: Run, status: int = 0) -> list[str]:
    assert run.status == status, run.err
    return run.out.splitlines()


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


@pytest.fixture
def fig1(tmp_path: Path) -> Path:
    return zoo(tmp_path, "fig1")


def test_a_pair(pin: Path) -> None:
    assert lines(prover("distance", pin, "--from", "0", "--to", "1", "--alpha", "11/10")) == [
        "ld_11/10(0, 1) = 412/7791 (0.052881…)",
        "For every event E:  P[E | 0]  <=  11/10 * P[E | 1]  +  412/7791",
    ]


def test_a_pair_both_ways(pin: Path) -> None:
    assert lines(prover("distance", pin, "--from", "0", "--to", "1", "--alpha", "6/5", "--kind", "bd")) == [
        "bd_6/5(0, 1) = 6/53 (0.113207…)",
        "For every event E:  P[E | 0]  <=  6/5 * P[E | 1]  +  6/53, and with 0 and 1 swapped",
    ]


def test_the_relation(pin: Path) -> None:
    assert lines(prover("distance", pin, "--alpha", "11/10")) == [
        "max ld_11/10 = ld_11/10(1, 0) = 6611/77910 (0.084854…)",
        "For every event E and all related secrets s, t:  P[E | s]  <=  11/10 * P[E | t]  +  6611/77910",
    ]


def test_distance_0_needs_no_term(fig1: Path) -> None:
    assert lines(prover("distance", fig1, "--alpha", "3/2")) == [
        "max ld_3/2 = ld_3/2(s0, s1) = 0",
        "For every event E and all related secrets s, t:  P[E | s]  <=  3/2 * P[E | t]",
    ]


def test_distance_1_promises_nothing(fig1: Path) -> None:
    assert lines(prover("distance", fig1, "--alpha", "3/2", "--from", "s0", "--to", "s2")) == [
        "ld_3/2(s0, s2) = 1",
        "This bound is trivial: δ is at most 1 in any case. `prover delta` may prove a smaller bound.",
    ]


def test_an_interval_is_short_and_holds_the_number(pin: Path) -> None:
    # 412/7791 is 0.0528815299704…
    question = (pin, "--from", "0", "--to", "1", "--alpha", "11/10")
    first, second = lines(prover("distance", *question, "--max-bits", "3"), status=3)
    lower, subject, upper = first.split(" <= ")
    assert subject == "ld_11/10(0, 1)"
    assert 0.05288 < float(lower) < 412 / 7791 < float(upper) < 0.05289
    assert len(upper) < 20
    assert second == "For every event E:  P[E | 0]  <=  11/10 * P[E | 1]  +  0.052882"


def test_an_upper_bound(pin: Path) -> None:
    run = prover("distance", pin, "--alpha", "11/10", "--bounds", "upper")
    first, second = lines(run)
    lower, subject, largest, upper = first.split(" <= ")
    assert subject in ("ld_11/10(0, 1)", "ld_11/10(1, 0)")
    assert largest == "max ld_11/10"
    assert float(lower) <= 6611 / 77910 < float(upper)
    assert second.endswith("+  0.084855")
    assert run.err == ""


@pytest.mark.parametrize(
    ("pair", "meaning"),
    [
        (("s0", "s1"), "s0 and s1, in this order, are skew bisimilar (ld = 0)."),
        (("s0", "s2"), "s0 and s2, in this order, are not skew bisimilar (ld > 0)."),
        (None, "All related states are skew bisimilar (ld = 0)."),
    ],
)
def test_the_kernel(fig1: Path, pair: tuple[str, str] | None, meaning: str) -> None:
    question = [] if pair is None else ["--from", pair[0], "--to", pair[1]]
    run = prover("distance", fig1, "--alpha", "3/2", "--kind", "kernel", *question)
    assert lines(run)[1:] == [meaning]


@pytest.mark.parametrize(
    ("pair", "meaning"),
    [
        (("u", "v"), "u and v are bisimilar: no observer can distinguish them."),
        (("u", "w"), "u and w are not bisimilar."),
        (None, "All related states are bisimilar: no observer can distinguish them."),
    ],
)
def test_bisimilarity(tmp_path: Path, pair: tuple[str, str] | None, meaning: str) -> None:
    alike = {name: ("a", {name: "1"}) for name in "uv"}
    model = saved(tmp_path, {**alike, "w": ("b", {"w": "1"})}, [("u", "v")])
    question = [] if pair is None else ["--from", pair[0], "--to", pair[1]]
    run = prover("distance", model, "--kind", "bisimilarity", *question)
    assert lines(run)[1:] == [meaning]


def test_all_pairs(pin: Path) -> None:
    assert lines(prover("distance", pin, "--alpha", "11/10", "--all-pairs")) == [
        "ld_11/10 of all 25 ordered pairs of 5 states, exact",
        "Not listed: pairs of a state with itself (5, at distance 0), pairs at distance 1 (16)",
        "from  to  distance",
        "0     1   412/7791 (0.052881…)",
        "1     0   6611/77910 (0.084854…)",
        "2     3   6611/77910 (0.084854…)",
        "3     2   412/7791 (0.052881…)",
    ]


def test_all_pairs_of_which_none_is_worth_a_line(pin: Path) -> None:
    assert lines(prover("distance", pin, "--kind", "bisimilarity", "--all-pairs")) == [
        "bisimilarity of all 25 ordered pairs of 5 states, exact",
        "Not listed: pairs of a state with itself (5, at distance 0), pairs at distance 1 (20)",
    ]


@pytest.mark.thorough
def test_all_pairs_with_long_numbers(tmp_path: Path) -> None:
    model = zoo(tmp_path, "random-chain")
    exact = lines(prover("distance", model, "--alpha", "6/5", "--all-pairs"))
    assert max(map(len, exact[2:])) < 60
    assert any(line.endswith("…") for line in exact)
    enclosed = lines(prover("distance", model, "--alpha", "6/5", "--all-pairs", "--max-bits", "5"), status=3)
    assert enclosed[0] == "ld_6/5 of all 400 ordered pairs of 20 states, each between two bounds"
    assert max(map(len, enclosed[2:])) < 60
    for line in enclosed[3:]:
        lower, upper = line.split("  ")[-1].split(" .. ")
        assert 0 <= float(lower) < float(upper) <= 1


def test_a_long_number_is_cut_and_says_so(tmp_path: Path) -> None:
    model = zoo(tmp_path, "random-chain")
    question = ("--from", "s00", "--to", "s01", "--alpha", "11/10")
    first, second = lines(prover("distance", model, *question))
    assert first == "ld_11/10(s00, s01) = 0.90988375242084557831… (exact rational of 173 characters)"
    assert second.endswith("+  0.909884")


def test_a_small_bound_is_not_rounded_away(tmp_path: Path) -> None:
    small = "1" + "0" * 30
    state = {"x": "1/2", "y": "1/2"}
    other = {"x": f"{5 * 10**29 + 7}/{small}", "y": f"{5 * 10**29 - 7}/{small}"}
    ends = {name: (name, {name: "1"}) for name in "xy"}
    model = saved(tmp_path, {"s": ("a", other), "t": ("a", state), **ends})
    first, second = lines(prover("distance", model, "--from", "s", "--to", "t", "--alpha", "1"))
    assert first.startswith("ld_1(s, t) = 7/1000")
    assert second.endswith("+  0." + "0" * 29 + "7")


def test_long_texts_are_abbreviated(tmp_path: Path) -> None:
    name = "n" * 10_000
    model = saved(tmp_path, {name: ("a", {name: "1"}), "t": ("a", {"t": "1"})}, [(name, "t")])
    alpha = "7" * 9_999
    for question in ([], ["--from", "t", "--to", name], ["--all-pairs"]):
        run = prover("distance", model, "--alpha", alpha, *question)
        assert run.status == 0
        assert len(run.out) < 700
        assert "(10000 characters)" in run.out
        assert "(9999 characters)" in run.out


def test_alpha_close_to_1_does_not_look_large(pin: Path) -> None:
    run = prover("distance", pin, "--from", "0", "--to", "1", "--alpha", "1." + "0" * 60 + "1")
    assert lines(run)[0].startswith("ld_1.00000000000000000000…(0, 1) = 0.113207")


def test_names_cannot_forge_lines(tmp_path: Path) -> None:
    forged = "x\nld_2(s, t) = 0\x1b[2J\u202e"
    model = saved(tmp_path, {forged: ("a", {forged: "1"}), "😀": ("a", {"😀": "1"})}, [(forged, "😀")])
    for question in ([], ["--all-pairs"], ["--kind", "kernel"], ["--kind", "bd"]):
        run = prover("distance", model, "--alpha", "2", *question)
        assert run.status == 0
        assert all(line.isprintable() for line in run.out.splitlines())
        assert r"x\nld_2(s, t) = 0\u001b[2J\u202e" in run.out
        assert "😀" in run.out


def test_the_certificate_is_named(pin: Path, tmp_path: Path) -> None:
    path = tmp_path / "pin\n.cert"
    printed = lines(prover("distance", pin, "--alpha", "2", "--certificate", path))
    assert len(printed) == 3
    assert printed[2].startswith(f"Certificate: {tmp_path}/pin\\n.cert (sha256 ")
