"""All samples, and the second opinion on a certificate of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.judge import accepts
from tests.certificate.program_judge import accepts_program
from tests.certificate.program_samples import PROGRAM_SAMPLES
from tests.certificate.samples import SAMPLES
from tests.certificate.unrolling_judge import accepts_unrolling
from tests.certificate.unrolling_samples import UNROLLING_SAMPLES

Json = Any
ALL_SAMPLES: Mapping[str, Json] = {**SAMPLES, **UNROLLING_SAMPLES, **PROGRAM_SAMPLES}


def judged(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    claim = certificate["claim"]
    if "adjacency" in claim:
        return accepts_program(certificate)
    return accepts_unrolling(certificate) if claim["kind"] in ("lv", "tv") else accepts(certificate)
