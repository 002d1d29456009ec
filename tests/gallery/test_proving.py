"""What is proved of the gallery: known numbers, a rejected proof, and inputs that are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, product
from math import comb, prod

import pytest

import prover
from prover.certificate.check import Rejected
from prover.errors import BadValue, Fault
from prover.gallery import proving
from prover.gallery.index import EveryCount, GalleryEntry, ListedStep, gallery
from prover.gallery.inputs import measured
from prover.gallery.proving import Proved, prove
from prover.gallery.table import reply_of
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.model import Program
from prover.zoo import lyu_1, lyu_2, lyu_4, noisy_max
from tests.certified import proved
from tests.refusals import refuses

# d₀ + 2cd with a public threshold that is drawn once, d₀ + d with c = 1 and monotonic queries, 2d and d for
# noisy max. With a private threshold that moves in the direction of the queries: d₀ + d. A query that is
# shown with noise of its own adds its rate. None: the loss is infinite.
KNOWN: Mapping[str, str | None] = {
    "sampcert-above-threshold": "1",
    "sampcert-sparse": "3",
    "sampcert-unbounded-max": "3/4",
    "tumult-prefix-sums": "3",
    "opendp-noisy-max": "2",
    "opendp-noisy-max-monotonic": "1",
    "relm-above-threshold": "1",
    "relm-above-threshold-monotonic": "1",
    "relm-sparse-indicator": "1",
    "relm-sparse-indicator-monotonic": "1",
    "relm-sparse-numeric": "1",
    "relm-permute-and-flip": "1",
    "dp-auditorium-svt1": "1",
    "dp-auditorium-svt2": "2/3",
    "dp-auditorium-svt4": "19/4",
    "dp-auditorium-svt3": None,
    "dp-auditorium-svt5": None,
    "dp-auditorium-svt6": "7/2",
    "hands-on-above-threshold": "2",
    "hands-on-above-threshold-monotonic": "3/2",
    "hands-on-sparse-vector": "6",
    "hands-on-sparse-vector-monotonic": "9/2",
    "hands-on-noisy-max": "2",
    "hands-on-noisy-max-monotonic": "2",
    "autodp-laplace-svt": "4",
    "libprio-histogram": "1",
    "libprio-sum-vector": "1",
}
HALF = Fraction(1, 2)


def geometric_tail(k: int) -> Fraction:
    """P[noise ≥ k], k ≥ 1, of noise on both sides with ratio 1/2."""
    return HALF**k / (1 + HALF)


def best_of(runs: Callable[[Fraction], Fraction]) -> Fraction:
    """The largest ratio of probabilities of the best score, by the generating function of the runs."""
    laws = [[Fraction(n, d) for n in row] for d, row in ((60, (37, 3, 20)), (120, (37, 3, 80)))]
    sums = [list(accumulate(law)) for law in laws]
    one, two = ([runs(s[0]), *(runs(s[k]) - runs(s[k - 1]) for k in (1, 2))] for s in sums)
    return max(ratio for p, q in zip(one, two, strict=True) for ratio in (p / q, q / p))


def largest_gain(p: Sequence[Fraction], q: Sequence[Fraction], alpha: int) -> Fraction:
    pairs = list(zip(p, q, strict=True))
    return max(
        sum((max(Fraction(), a - alpha * b) for a, b in order), Fraction())
        for order in (pairs, [(b, a) for a, b in pairs])
    )


def yes_answers(own: Fraction, others: int) -> list[Fraction]:
    """The law of the number of people who say yes: one with probability ``own``, the others with 1/4."""
    rest = [comb(others, k) * Fraction(3) ** (others - k) / 4**others for k in range(others + 1)]
    return [own * a + (1 - own) * b for a, b in zip([Fraction(), *rest], [*rest, Fraction()], strict=True)]


def reported(count: int) -> Fraction:
    """e^ε of reports of one bit of RAPPOR, squared twice: two bits set and two not."""
    one, zero = Fraction(3, 4), Fraction(1, 4)  # the permanent bit is 1
    bits = [(Fraction(3, 4) ** k * Fraction(1, 4) ** (count - k), HALF**count) for k in range(count + 1)]
    ratios = [(one * high + (1 - one) * low) / (zero * high + (1 - zero) * low) for high, low in bits]
    return (max(ratios) / min(ratios)) ** 2


def stopping(chance: Fraction, stop: Fraction) -> Fraction:
    """The probability that a measurement is above before the mechanism stops."""
    return chance / (1 - (1 - chance) * (1 - stop))


def shown(*doubled: int) -> list[Fraction]:
    """Which of some items are shown: their doubled weights, the threshold 4, and noise of rate ln 4."""
    laws = [(HALF ** (9 - weight), 1 - HALF ** (9 - weight)) for weight in doubled]
    return [prod(chances, start=Fraction(1)) for chances in product(*laws)]


def frequent(count: int) -> Fraction:
    """The probability that five or more of 10 words out of 105 are among ``count`` ones."""
    ways = sum(comb(count, k) * comb(WORDS - count, 10 - k) for k in range(5, count + 1))
    return Fraction(ways, comb(WORDS, 10))


TENTH, WORDS = Fraction(1, 10), 105
CHAINS: Mapping[str, Fraction] = {
    "opendp-laplace-threshold": geometric_tail(1),
    "opendp-select-private-candidate": Fraction(2, 6) / Fraction(1, 9),
    "opendp-select-private-candidate-as-meant": max(
        stopping(Fraction(2, 3), TENTH) / stopping(Fraction(1, 3), TENTH),
        (1 - stopping(Fraction(1, 3), TENTH)) / (1 - stopping(Fraction(2, 3), TENTH)),
    ),
    "opendp-bit-vector-before-0.15": Fraction(1),
    "opendp-randomised-response-bool": Fraction(3, 4) / Fraction(1, 4),
    "opendp-randomised-response": HALF / Fraction(1, 4),
    "opendp-bit-vector": (Fraction(3, 4) / Fraction(1, 4)) ** 2,
    "go-select-partition": Fraction(15 - 2 * 7, 1000),
    "go-select-partition-two": 1 - (1 - Fraction(1, 1000)) ** 2,
    "hands-on-randomised-response": HALF / Fraction(1, 4),
    "hands-on-private-selection": best_of(lambda x: TENTH * x**2 / (1 - (1 - TENTH) * x)),
    "hands-on-private-selection-as-meant": best_of(lambda x: TENTH * x / (1 - (1 - TENTH) * x)),
    "diffprivlib-binary": Fraction(2),
    "diffprivlib-geometric": Fraction(2),
    "diffprivlib-geometric-truncated": Fraction(2),
    "rappor-one-report": reported(1),
    "rappor-two-reports": reported(2),
    "apple-shuffling": largest_gain(yes_answers(Fraction(3, 4), 9), yes_answers(Fraction(1, 4), 9), 1),
    "autodp-randomised-response": Fraction(3, 4) - 2 * Fraction(1, 4),
    "smartnoise-threshold": TENTH,
    "smartnoise-threshold-two": 1 - (1 - TENTH / 2 * Fraction(3, 4)) ** 2,
    "smartnoise-set-union": largest_gain(shown(8, 0), shown(5, 1), 4),
    "fedml-triehh": frequent(8) - 2 * frequent(7),
    "crowds": (1 - TENTH * 7 * Fraction(143, 200)) / (TENTH * 7 / 200),
}
ENTRIES: Mapping[str, GalleryEntry] = {entry.name: entry for entry in gallery()}


def test_losses_are_the_known_ones(rows: Mapping[str, Proved]) -> None:
    found = {name: row.value for name, row in rows.items() if row.entry.question == "epsilon"}
    assert {name: None if value is None else str(value) for name, value in found.items()} == KNOWN
    infinite = {name for name, row in rows.items() if row.lower is None}
    assert infinite == {name for name, value in KNOWN.items() if value is None}


def test_numbers_of_chains_are_those_of_sums_by_hand(rows: Mapping[str, Proved]) -> None:
    assert {name: row.value for name, row in rows.items() if row.entry.question != "epsilon"} == CHAINS


def test_certificates_are_verified(rows: Mapping[str, Proved]) -> None:
    for name, row in rows.items():
        for certificate in row.certificates:
            proved(certificate)
        claim = row.verified[0]
        if row.entry.question == "delta":
            assert claim.startswith(f"tv alpha={row.entry.alpha} relation maximum ")
            assert f" value={row.value} " in claim
        elif row.entry.question == "alpha":
            assert claim.startswith(f"tv alpha={row.value} relation maximum ")
            assert " value=0 " in claim
            assert len(row.verified) == 2
        elif row.value is None:
            assert claim.startswith("not-private ")
        else:
            start = f"epsilon adjacency={row.entry.adjacency} loss=observer value={KNOWN[name]} "
            assert claim.startswith(start)


FORMULAS = {
    "relm-sparse-indicator": ("ε for every count >= 1", "same"),
    "relm-sparse-indicator-monotonic": ("ε for every count >= 1", "same"),
    "relm-sparse-numeric": ("ε for every count >= 1", "same"),
    "dp-auditorium-svt1": ("ε for every count >= 1", "same"),
    "dp-auditorium-svt2": ("(1/2 + (1/2)·count)/count·ε for every count >= 1", "same-or-less"),
    "dp-auditorium-svt4": ("(1/4 + (3/2)·count)·ε for every count >= 1", "same"),
    "dp-auditorium-svt6": ("(1/2 + count)·ε for every count >= 1", "less"),
    "hands-on-sparse-vector": ("2·count·(1/s) for every count >= 2", "same"),
    "hands-on-sparse-vector-monotonic": ("(3/2)·count·(1/s) for every count >= 2", "more"),
    "autodp-laplace-svt": ("(1 + count)·(1/b) for every count >= 1", "same"),
}


def test_formulas_for_every_count_are_the_known_ones(rows: Mapping[str, Proved]) -> None:
    found = {}
    for name, row in rows.items():
        listed, every = row.entry.every, row.every
        assert (listed is None) == (every is None)
        if listed is None or every is None:
            continue
        assert every.formula is not None
        found[name] = every.losses(every.formula, row.entry.unit), row.compared_for_every
        assert every.values[3] == row.value  # the count of the row
        if listed.constant is not None and listed.each is not None:
            assert listed.constant + 3 * listed.each == row.entry.declared
        assert every.certificate is not None
        proved(every.certificate)
        adjacency = row.entry.adjacency
        assert str(row.verified_every).startswith(f"counted-epsilon adjacency={adjacency} loss=observer ")
    assert found == FORMULAS


@pytest.mark.parametrize(
    ("name", "constant", "each", "expected"),
    [
        ("hands-on-sparse-vector", 1, 2, "less"),
        ("hands-on-sparse-vector", 0, 3, "less"),
        ("hands-on-sparse-vector", 0, 1, "more"),
        ("hands-on-sparse-vector", 3, 0, "more"),  # from 2 on; not at 1
        ("hands-on-sparse-vector", 2, 1, "differs"),  # as much at 2, more from 3 on
        ("hands-on-sparse-vector", 3, 1, "differs"),  # less at 2, as much at 3, more from 4 on
        ("relm-sparse-indicator", 2, 0, "less"),
        ("relm-sparse-indicator", 1, 1, "less"),  # the loss of the program with rates times count is count
        ("relm-sparse-indicator", 0, 1, "same-or-less"),  # as much at 1
        ("dp-auditorium-svt2", 0, 1, "same-or-less"),
        ("dp-auditorium-svt2", 2, 0, "less"),
        ("relm-sparse-indicator", 0, 0, "more"),
    ],
)
def test_formulas_are_compared_for_every_count(
    name: str, constant: int, each: int, expected: str, rows: Mapping[str, Proved]
) -> None:
    listed = EveryCount("count", Fraction(constant), Fraction(each))
    entry = replace(rows[name].entry, every=listed)
    assert replace(rows[name], entry=entry).compared_for_every == expected


@pytest.mark.parametrize(("constant", "expected"), [(-1, "more"), (0, "same-or-less"), (1, "less")])
def test_formulas_with_a_period_are_compared(
    constant: int, expected: str, rows: Mapping[str, Proved]
) -> None:
    row = rows["hands-on-sparse-vector"]
    assert row.every is not None
    assert row.every.formula is not None
    every = replace(row.every, formula=replace(row.every.formula, constants=(Fraction(0), -HALF)))
    entry = replace(row.entry, every=EveryCount("count", Fraction(constant), Fraction(2)))
    assert replace(row, entry=entry, every=every).compared_for_every == expected
    without = replace(row, every=replace(every, formula=None, reason="none"))
    assert without.compared_for_every == "open"
    reply = reply_of([without], 1, full=True, certified=False)
    assert not reply.exact
    assert "proved no formula (not decided)" in reply.text
    assert "Nothing is claimed for count above 4." in reply.text


def test_every_difference_has_inputs_that_show_it(rows: Mapping[str, Proved]) -> None:
    compared = {name: row.compared for name, row in rows.items() if row.compared != "same"}
    assert compared == {
        "sampcert-unbounded-max": "less",
        "tumult-prefix-sums": "less",
        "opendp-laplace-threshold": "more",
        "opendp-select-private-candidate": "less",
        "opendp-select-private-candidate-as-meant": "less",
        "opendp-bit-vector-before-0.15": "more",
        "dp-auditorium-svt2": "less",
        "dp-auditorium-svt6": "less",
        "go-select-partition-two": "less",
        "hands-on-above-threshold-monotonic": "more",
        "hands-on-sparse-vector-monotonic": "more",
        "hands-on-noisy-max-monotonic": "more",
        "hands-on-private-selection": "more",
        "hands-on-private-selection-as-meant": "less",
        "rappor-two-reports": "less",
        "apple-shuffling": "more",
        "smartnoise-threshold-two": "less",
        "smartnoise-set-union": "more",
        "fedml-triehh": "less",
        "crowds": "less",
    }
    for name, row in rows.items():
        declared = row.entry.declared
        if compared.get(name) == "more":
            assert declared is not None
            assert row.entry.reported  # docs/reports.md has a report
            if row.measured is not None:
                assert declared < row.measured.loss[0]
                assert row.upper is not None
                assert row.measured.loss[0] <= row.upper
            else:
                assert row.attack is not None
                alpha = declared if row.entry.alpha is None else row.entry.alpha
                gain = row.attack.from_probability - alpha * row.attack.to_probability
                assert gain > (0 if row.entry.alpha is None else declared)


def test_other_programs_of_the_same_mechanisms_say_the_same() -> None:
    """dp_auditorium's are those of Lyu, Su and Li, but for the second; noisy max goes through all in turn."""
    assert prover.privacy(lyu_1(3)).epsilon == 1
    assert prover.privacy(lyu_4(3)).epsilon == Fraction("19/4")
    assert prover.privacy(lyu_2(3)).epsilon == 1
    for n in (2, 3, 4):
        for name in ("opendp-noisy-max", "opendp-noisy-max-monotonic"):
            adjacency = ENTRIES[name].adjacency
            assert adjacency is not None
            assert str(prover.privacy(noisy_max(n=n, rate="1"), adjacency).epsilon) == KNOWN[name]


def test_a_rejected_certificate_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> str:
        raise Rejected("no")

    monkeypatch.setattr(proving, "verify", refuse)
    with pytest.raises(Fault, match="rejects the certificate of sampcert-sparse: no"):
        prove(ENTRIES["sampcert-sparse"])


def test_bounds_that_do_not_tell_are_open() -> None:
    row = prove(ENTRIES["hands-on-above-threshold"])
    assert row.compared == "same"
    assert isinstance(row.answer, Privacy)
    wide = replace(row.answer, runs=replace(row.answer.runs, lower=Fraction(1), upper=Fraction(3)))
    assert replace(row, answer=wide).compared == "open"
    assert replace(row, entry=replace(row.entry, declared=Fraction(1, 2)), answer=wide).compared == "more"
    assert replace(row, entry=replace(row.entry, declared=Fraction(4)), answer=wide).compared == "less"
    assert replace(row, entry=replace(row.entry, declared=None), answer=wide).compared == "less"
    without = replace(row.answer, runs=replace(row.answer.runs, lower=Fraction(1), upper=None))
    assert replace(row, entry=replace(row.entry, declared=None), answer=without).compared == "open"
    assert replace(row, entry=replace(row.entry, declared=Fraction(1)), answer=without).compared == "open"


@pytest.mark.parametrize(
    ("name", "other"),
    [("rappor-one-report", "dp-auditorium-svt1"), ("dp-auditorium-svt1", "rappor-one-report")],
)
def test_a_question_of_the_wrong_kind_of_model_is_refused(name: str, other: str) -> None:
    with pytest.raises(BadValue, match="question"):
        prove(replace(ENTRIES[name], program=ENTRIES[other].program))


def step(output: str, one: int, other: int, turns: int = 1) -> ListedStep:
    return ListedStep(output, Fraction(one), Fraction(other), turns)


BOOK = ENTRIES["hands-on-above-threshold-monotonic"]


def book() -> Program:
    program = BOOK.read()
    assert isinstance(program, Program)
    return program


@pytest.mark.parametrize(
    ("steps", "refusal"),
    [
        ([step("begin", 0, 1)], "not-neighbours"),
        ([step("begin", 0, 0), step("below", 0, 2)], "not-neighbours"),
        ([step("begin", 0, 0), step("below", 0, 1), step("above", 0, -1)], "not-neighbours"),
        ([step("begin", 0, 0), step("beyond", 0, 1)], "no-such-run"),
        ([step("begin", 0, 0), step("above", 0, 1, 2)], "no-such-run"),
    ],
)
def test_inputs_that_are_none_are_refused(steps: list[ListedStep], refusal: str) -> None:
    with refuses(refusal):
        measured(book(), replace(BOOK, steps=tuple(steps)))


def test_any_adjacency_has_its_neighbours() -> None:
    def loses(adjacency: Adjacency, *steps: ListedStep) -> bool:
        asked = replace(BOOK, adjacency=adjacency, steps=(step("begin", 0, 0), *steps))
        try:
            return measured(book(), asked) is not None
        except BadValue as error:
            if error.code != "not-neighbours":
                raise
            return False

    up, down = (step("below", 0, 1), step("below", 0, 0)), (step("below", 1, 0), step("below", 0, 0))
    both, twice = (step("below", 0, 1), step("below", 1, 0)), (step("below", 0, 1, 2),)
    found = {
        adjacency: [loses(adjacency, *steps) for steps in (up, down, both, twice)] for adjacency in Adjacency
    }
    assert found == {
        Adjacency.ALL_DIFFER: [True, True, True, True],
        Adjacency.ONE_DIFFER: [True, True, False, False],
        Adjacency.INCREASING: [True, False, False, True],
        Adjacency.DECREASING: [False, True, False, False],
        Adjacency.MONOTONIC: [True, True, False, True],
    }
