"""Errors of tests of one of several mechanisms were accepted for one run; which has no rule."""

from __future__ import annotations

from prover.certificate.check import BadEvidence
from tests.certificate.errors_judge import accepts_errors
from tests.certificate.samples import certificate
from tests.certificate.verdicts import refused


def test_options_have_no_errors_of_tests() -> None:
    vertices = [["0", "1"], ["1/4", "1/4"], ["1", "0"]]
    options = [{"known": "randomised-response", "q": q, "times": 1, "values": 2} for q in ("1/2", "1/3")]
    forged = certificate(
        {"errors": {"lower": vertices, "upper": vertices}, "kind": "composition"},
        {"parts": [{"options": options, "times": 1}], "type": "composition", "version": 1},
        {"parts": [{"options": [{}, {}]}]},
    )
    refused(forged, BadEvidence, "options are allowed only with adaptive")
    assert not accepts_errors(forged)
