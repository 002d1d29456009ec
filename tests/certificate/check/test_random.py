"""Certificates of random chains verify; and the checker and the judge agree on them."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis.strategies import integers

from prover.certificate.check import check
from tests.certificate.judge import accepts
from tests.certificate.made import certificates
from tests.certificate.made_programs import program_certificates
from tests.certificate.program_judge import accepts_program
from tests.certificate.samples import encode
from tests.certificate.truth import is_true
from tests.certificate.unrolled import events_below, unrolled_certificates
from tests.certificate.unrolling_judge import accepts_events_below, accepts_unrolling
from tests.profiles import everything


@given(certificates())
@settings(max_examples=settings().max_examples // 6)
def test_certificates_of_true_claims_verify(made: Any) -> None:
    claim = check(encode(made))
    assert claim.startswith(made["claim"]["kind"] + " ")
    assert accepts(made)
    assert is_true(made)


@given(program_certificates())
@settings(max_examples=settings().max_examples // 3)
def test_certificates_of_true_claims_about_programs_verify(made: Any) -> None:
    claim = check(encode(made))
    assert claim.startswith(made["claim"]["kind"] + " ")
    assert accepts_program(made)
    assert is_true(made)


@given(unrolled_certificates())
@settings(max_examples=settings().max_examples // 2)
def test_certificates_of_true_claims_about_events_verify(made: Any) -> None:
    claim = check(encode(made))
    assert claim.startswith(made["claim"]["kind"] + " ")
    assert accepts_unrolling(made)
    assert is_true(made)


@given(integers(0, 2**32 - 1).map(events_below))
@settings(max_examples=settings().max_examples // 3)
def test_events_bound_distances_from_below(made: Any) -> None:
    assert check(encode(made)).startswith(made["claim"]["kind"] + " ")
    assert accepts_events_below(made)
    if everything() or len(made["model"]["states"]) <= 12:  # by brute force larger ones take many seconds
        assert is_true(made)
