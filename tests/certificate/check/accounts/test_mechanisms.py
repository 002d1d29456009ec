"""Compositions with threshold programs: every rule broken by hand; of forgeries, what the checker accepts is
right by a judge that shares no code with it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from operator import getitem
from random import Random
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    NotDemanded,
    Rejected,
    RuleBroken,
)
from prover.certificate.check.accounts.endings import Law
from prover.certificate.check.accounts.mechanisms import law_below
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import Demands, meet
from prover.certificate.check.verdict import verified
from prover.program.adjacency import Adjacency
from tests.certificate.check.profiles.test_forgeries import forgeries
from tests.certificate.mechanisms_judge import accepts_composition
from tests.certificate.mechanisms_samples import (
    ADJACENCIES,
    GRID_TWICE,
    NAMES,
    SEEDS,
    SHOWN_TWICE,
    all_answers,
    below,
    made,
    of_pair,
)
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, confirming, edited, refused
from tests.profiles import everything, thinned

Json = Any
Sample = Callable[[], Json]
F = Fraction
FEW = 12  # forgeries of each certificate that is made
PART: Path = ("model", "parts", 0)
PROOF: Path = ("evidence", "parts", 0)
OUTCOMES: Path = (*PROOF, "inputs", "outcomes")
FIRST: Path = (*OUTCOMES, 0)
SVT = partial(made, "svt", "all-differ", listed=True)
WORDS = partial(made, "svt", "all-differ")
FOLLOWED: Path = (*PROOF, "inputs", "followed")
RATIONAL = partial(made, "svt-discrete", "all-differ", q="1/2")
ALONE: dict[Path, Json] = {(*PROOF, "tables"): ..., ("claim", "upper"): "1"}
VARIED = range(400) if everything() else range(20, 36)
ONE_WAY = partial(made, "svt", "increasing")
NUMBER = partial(made, "one-gaussian", "all-differ")
ENDS: Path = (*PROOF, "inputs", "chances")
START: Path = (*PART, "program", "states", "a")
LIMITED = partial(made, "svt", "monotonic", 2)


def but(sample: Sample, edits: dict[Path, Json]) -> Sample:
    """The sample with the values at the paths replaced."""
    return lambda: edited(sample(), edits)


def of(sample: Sample, path: Path) -> Sample:
    """What the sample has at a path."""
    return lambda: reduce(getitem, path, sample())


def gaussian() -> Json:
    return of(SVT, (*PART, "program", "states", "q2"))() | {"rate": None, "sigma": "2"}


def with_basis() -> Json:
    return {"basis": ["2"], "parts": SVT()["evidence"]["parts"], "work": 10**6}


NORMAL = but(partial(made, "gaussian", "all-differ", 2), ALONE)


confirm = confirming(accepts_composition)


def test_one_by_hand() -> None:
    assert accepted(SHOWN_TWICE).endswith(" part=0 adjacency=all-differ at-epsilon=1 parts=1 runs=2")
    assert accepts_composition(SHOWN_TWICE)
    refused(edited(SHOWN_TWICE, {("claim", "upper"): "7499/10000"}), ClaimOpen)
    kept = [confirm(SHOWN_TWICE, *change) for change in thinned([*forgeries(SHOWN_TWICE)], 5)]
    assert sum(kept) < len(kept) / 3


@pytest.mark.parametrize(("name", "adjacency"), thinned(list(product([*NAMES, *SEEDS], ADJACENCIES)), 16))
def test_what_is_made(name: str | int, adjacency: str) -> None:
    is_right(made(name, adjacency, listed=adjacency == "one-differ"))


def is_right(certificate: Json) -> None:
    """It is accepted, and what it claims is true, sharp, and proved as forgeries are not."""
    accepted(certificate)
    assert accepts_composition(certificate)
    lower, upper = (F(certificate["claim"][end]) for end in ("lower", "upper"))
    if lower > 0:
        assert not confirm(certificate, ("claim", "lower"), str(min(upper, lower * F(11, 10))))
    if upper < 1:
        assert not confirm(certificate, ("claim", "upper"), str(max(lower, upper * F(9, 10))))
    changes = list(forgeries(certificate))
    random = Random(encode(certificate))
    proofs = [change for change in changes if change[0][:3] == PROOF]
    for some in (changes, proofs):
        for change in random.sample(some, min(FEW, len(some))):
            confirm(certificate, *change)


@pytest.mark.parametrize(
    "sample", [NORMAL, RATIONAL, partial(made, "svt-discrete", "increasing", q="3/4", listed=True)]
)
def test_gaussian_noise_and_q(sample: Sample) -> None:
    certificate = sample()
    is_right(certificate)
    part = certificate["model"]["parts"][0]
    assert (" q=" in accepted(certificate)) == ("q" in part)
    changes = [change for change in forgeries(certificate) if change[0][: len(FOLLOWED)] == FOLLOWED]
    for change in thinned(changes, 3):
        confirm(certificate, *change)


def test_words_that_are_equally_likely() -> None:
    """Of four equal queries there are 16 words, and five numbers of hits; a number of them stands for all."""
    certificate = of_pair(all_answers(), Adjacency.ALL_DIFFER, [F(0)] * 4, [F(1)] * 4)
    listed = certificate["evidence"]["parts"][0]["inputs"]["outcomes"]
    assert sum(len(one["words"]) for one in listed) == 5
    is_right(certificate)


@pytest.mark.parametrize("seed", VARIED)
def test_words_of_random_programs(seed: int) -> None:
    """Outputs need not show which transition is taken, and samples are compared and stored."""
    certificate = below(seed)
    if certificate is None:
        return
    accepted(certificate)
    assert accepts_composition(certificate)
    lower = F(certificate["claim"]["lower"])
    more = edited(certificate, {("claim", "lower"): str(lower * F(11, 10))})
    listed = certificate["evidence"]["parts"][0]["inputs"]["outcomes"]
    all_listed = sum(one["chances"][1] for one in listed) >= 10**16  # no run ends unseen
    if lower > 0:
        refused(more, ClaimOpen if lower * F(11, 10) <= 1 else BadClaim)
        assert not (all_listed and accepts_composition(more))
    if lower < F(9, 10):
        assert not accepts_composition(edited(certificate, {("claim", "lower"): "1"}))
    changes = [change for change in forgeries(certificate) if change[0][:3] != (*PROOF[:3], "tables")]
    for change in Random(seed).sample(changes, min(FEW, len(changes))):
        confirm(certificate, *change)


@pytest.mark.parametrize(
    "sample",
    [NUMBER, partial(made, "one-laplace", "increasing"), partial(made, "one-gaussian", "monotonic", 1)],
)
def test_a_number_that_is_shown(sample: Sample) -> None:
    certificate = sample()
    accepted(certificate)
    assert accepts_composition(certificate)
    changes = [change for change in forgeries(certificate) if change[0][:4] == (*PROOF, "inputs")]
    for change in Random(0).sample(changes, FEW):
        confirm(certificate, *change)


def test_the_number_of_a_grid() -> None:
    assert accepts_composition(GRID_TWICE)
    accepted(GRID_TWICE)
    refused(edited(GRID_TWICE, {("claim", "lower"): "167/500"}), ClaimOpen)


@pytest.mark.parametrize(
    ("sample", "path", "value", "failure", "words"),
    [
        (SVT, (*PART, "more"), 1, Malformed, 'unknown key "more"'),
        (SVT, (*PART, "adjacency"), "some-differ", Malformed, "the adjacency is unknown"),
        (SVT, (*PART, "adjacency"), "one-differ", Malformed, "one-differ"),
        (SVT, (*PART, "adjacency"), "monotonic", Malformed, "decreasing"),
        (SVT, (*PART, "at_epsilon"), "0", Malformed, "not positive"),
        (but(SVT, {PROOF: {}, ("claim", "lower"): "0", ("claim", "upper"): "1"}), (*PART, "at_epsilon"), 1,
         Malformed, "not of type str"),
        (SVT, (*PART, "at_epsilon"), "2", RuleBroken, "exceed the exponential"),
        (SVT, (*PART, "steps"), 0, BadClaim, "steps"),
        (SVT, (*PART, "steps"), 3, Malformed, "left"),
        (LIMITED, (*PART, "steps"), 1, BadEvidence, ""),
        (LIMITED, (*PART, "steps"), ..., Malformed, "left"),
        (SVT, (*PART, "program", "noise"), "discrete-laplace", BadEvidence, "off the grid"),
        (SVT, (*PART, "program", "states", "q2"), gaussian, BadModel, "Gaussian noise"),
        (SVT, (*PART, "q"), "1/2", Malformed, 'unknown key "at_epsilon"'),
        (but(SVT, {PROOF: {}, (*PART, "at_epsilon"): ...}), (*PART, "q"), "1/2", BadClaim,
         "q without a grid"),
        (RATIONAL, (*PART, "q"), "1", Malformed, "q is not below 1"),
        (RATIONAL, (*PART, "q"), "0", Malformed, "not positive"),
        (RATIONAL, (*PART, "q"), "1/3", RuleBroken, ""),
        (RATIONAL, (*FOLLOWED, "bits"), 3, BadEvidence, "not those of the outcome"),
        (NORMAL, (*FOLLOWED, "step"), ..., Malformed, "a strip or a step, not both"),
        (NORMAL, (*FOLLOWED, "step"), "16", BadEvidence, "not those of the outcome"),
        (NORMAL, (*FOLLOWED, "bits"), ..., Malformed, "no bits, and no q"),
        (NORMAL, FOLLOWED, ..., BadModel, "Gaussian noise"),
        (but(WORDS, ALONE), (*PART, "program", "states", "q2"), gaussian, BadModel,
         "rates beside Gaussian noise"),
        (WORDS, (*FOLLOWED, "more"), 1, Malformed, 'unknown key "more"'),
        (WORDS, FOLLOWED, ..., Malformed, "bits"),
        (WORDS, (*PROOF, "inputs", "bits"), 200, Malformed, 'unknown key "bits"'),
        (WORDS, (*FIRST, "runs"), [], Malformed, 'unknown key "runs"'),
        (WORDS, (*FIRST, "words"), [], BadEvidence, "not those of the outcome"),
        (WORDS, (*FIRST, "words", 0), [], BadEvidence, "a word that has not ended"),
        (WORDS, (*FIRST, "words", 0), [0, 0], BadEvidence, "a word that no run has"),
        (WORDS, (*FIRST, "words", 0), [99], BadEvidence, "no such transition"),
        (WORDS, (*FIRST, "words", 0), [-1], BadEvidence, "no such transition"),
        (WORDS, (*OUTCOMES, 1, "words"), of(WORDS, (*FIRST, "words")),
         BadEvidence, "as likely as others"),
        (WORDS, (*PROOF, "inputs", "neighbour", 0), "100", BadClaim, "too far apart"),
        (SVT, (*PROOF, "more"), 1, Malformed, 'unknown key "more"'),
        (SVT, (*PROOF, "tables"), {}, Malformed, "all-differ"),
        (SVT, (*PROOF, "tables"), ..., ClaimOpen, "upper"),
        (SVT, (*PROOF, "inputs"), ..., ClaimOpen, "lower"),
        (SVT, (*PROOF, "tables", "all-differ", "nodes"), [], BadEvidence, "no node of the initial state"),
        (SVT, (*PROOF, "inputs", "inputs"), [], BadEvidence, "different length"),
        (SVT, (*PROOF, "inputs", "bits"), 8, BadEvidence, "not those of the outcome"),
        (SVT, OUTCOMES, [], ClaimOpen, "lower"),
        (SVT, (*OUTCOMES, 0, "runs"), [], BadEvidence, "not those of the outcome"),
        (SVT, (*OUTCOMES, 0, "runs", 0), [], BadEvidence, "begins another"),
        (SVT, (*OUTCOMES, 0, "runs"), of(SVT, (*OUTCOMES, 1, "runs")),
         BadEvidence, "repeated"),
        (ONE_WAY, (*PART, "adjacency"), "decreasing", BadClaim, "differ otherwise"),
        (ONE_WAY, (*PROOF, "tables", "decreasing"), ..., Malformed, "decreasing"),
        (NUMBER, (*PROOF, "inputs", "cut"), True, BadEvidence, "does not show its number"),
        (NUMBER, (*PROOF, "inputs", "more"), 1, Malformed, 'unknown key "more"'),
        (NUMBER, (*PROOF, "inputs", "cuts"), ["0"], Malformed, ""),
        (NUMBER, (*PROOF, "inputs", "cuts"), [], Malformed, "not from 1 to 1,000 cuts"),
        (NUMBER, (*PROOF, "inputs", "cuts", 0), "100", BadEvidence, "cuts that do not rise"),
        (NUMBER, (*PROOF, "inputs", "cuts", 0), "-100", BadEvidence, "not those of the outcome"),
        (NUMBER, (*PROOF, "inputs", "inputs"), ["2"], BadClaim, "too far apart"),
        (but(NUMBER, {(*PROOF, "inputs", "inputs"): ["1", "0"]}), (*PROOF, "inputs", "neighbour"),
         ["0", "0"], BadEvidence, "not one input"),
        (NUMBER, (*PROOF, "inputs", "inputs"), ["0"], BadEvidence, "not those of the outcome"),
        (but(NUMBER, ALONE), (*START, "mean"), "1", BadEvidence, "not those of the outcome"),
        (but(NUMBER, ALONE), (*START, "sigma"), "5", BadEvidence, "not those of the outcome"),
        (but(NUMBER, ALONE), (*START, "input"), False, BadEvidence, "does not show its number"),
        (but(NUMBER, ALONE), (*START, "transitions", 0, "output"), "a", BadEvidence,
         "does not show its number"),
        (but(NUMBER, ALONE), (*PART, "adjacency"), "increasing", BadClaim, "differ otherwise"),
        (lambda: GRID_TWICE, (*PROOF, "inputs", "cuts"), ["1/2"], BadEvidence, "off the grid"),
        (but(NUMBER, {**ALONE, (*START, "sigma"): ..., (*START, "rate_left"): "1"}),
         (*START, "rate_right"), "2", BadEvidence, "two rates"),
        (SVT, ("evidence",), with_basis, BadEvidence, "not a product of powers"),
    ],
)  # fmt: skip
def test_why_it_is_rejected(
    sample: Sample, path: Path, value: Json, failure: type[Rejected], words: str
) -> None:
    refused(edited(sample(), {path: value() if callable(value) else value}), failure, words)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("outcome", range(2))
@pytest.mark.parametrize("sample", [SVT, WORDS, NORMAL, RATIONAL])
def test_each_of_the_four_bounds(place: int, outcome: int, sample: Sample) -> None:
    path = (*OUTCOMES, outcome, "chances", place)
    certificate = sample()
    own = certificate["evidence"]["parts"][0]["inputs"]["outcomes"][outcome]["chances"][place]
    wrong = own + 2 if place in (0, 2) else own - 2
    refused(edited(certificate, {path: wrong}), BadEvidence, "not those of the outcome")


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("outcome", [0, 3])
def test_each_of_the_bounds_of_a_segment(place: int, outcome: int) -> None:
    own = NUMBER()["evidence"]["parts"][0]["inputs"]["chances"][outcome][place]
    wrong = own + 2 if place in (0, 2) else own - 2
    refused(edited(NUMBER(), {(*ENDS, outcome, place): wrong}), BadEvidence, "not those of the outcome")


def test_what_is_rounded_off_may_not_count() -> None:
    """Two outcomes of the same probability 1/2 under both laws: one is rounded, the rest is likelier then."""
    half = 10**16 // 2
    exact: Law = law_below(Budget(0), [(half, half)])
    assert list(exact) == [(F(1), F(1))]
    with pytest.raises(BadEvidence, match="not the least ratio"):
        law_below(Budget(0), [(half - 1, half)])
    with pytest.raises(BadEvidence, match="not the least ratio"):
        law_below(Budget(0), [(half, 2 * half)])


def test_a_larger_part_of_the_first_law_may_be_nowhere_else() -> None:
    """An outcome that the second law has not is at ∞."""
    half = 10**16 // 2
    assert list(law_below(Budget(0), [(half, 0)])) == [(F(1, 2), F(1, 2))]


def asked(certificate: Json, **demands: Any) -> None:
    found = verified(encode(certificate))
    meet(Demands(**demands), found.claim, found.model)


def test_demands() -> None:
    upper = F(SVT()["claim"]["upper"]).as_integer_ratio()
    program = encode(SVT()["model"]["parts"][0]["program"])
    asked(SVT(), at_epsilon=(1, 1), adjacency="all-differ", at_most=upper)
    asked(SVT(), at_epsilon=(1, 1), at_most=upper)
    asked(edited(SVT(), {("model", "parts", 1): ..., ("evidence", "parts", 1): ..., ("claim", "lower"): "0"}),
          model=program)  # fmt: skip
    for sample, words, demands in (
        (SVT, "other models, too", {"model": program}),
        (SVT, "is not named", {"at_most": upper}),
        (SVT, "not about noise at this epsilon", {"at_epsilon": (1, 2)}),
        (SVT, "another adjacency", {"adjacency": "one-differ", "at_epsilon": (1, 1)}),
        (ONE_WAY, "one direction only", {"at_epsilon": (1, 1), "at_most": (1, 1)}),
        (LIMITED, "number of inputs", {"at_epsilon": (1, 1), "at_most": (1, 1)}),
        (SVT, "at most so many inputs", {"steps": 2}),
    ):
        with pytest.raises(NotDemanded, match=words):
            asked(sample(), **demands)
    asked(LIMITED(), at_epsilon=(1, 1), at_most=(1, 1), steps=2)
