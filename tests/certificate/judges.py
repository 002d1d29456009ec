"""All samples, and the second opinion on a certificate of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.judge import accepts
from tests.certificate.program_judge import ProgramJudge, accepts_program, reached_states
from tests.certificate.program_samples import PROGRAM_SAMPLES
from tests.certificate.samples import SAMPLES
from tests.certificate.unrolling_judge import accepts_unrolling
from tests.certificate.unrolling_samples import UNROLLING_SAMPLES
from tests.certificate.variables_judge import VariablesJudge
from tests.certificate.variables_samples import VARIABLES_SAMPLES

Json = Any
ALL_SAMPLES: Mapping[str, Json] = {**SAMPLES, **UNROLLING_SAMPLES, **PROGRAM_SAMPLES, **VARIABLES_SAMPLES}


def judged(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    claim = certificate["claim"]
    if "adjacency" in claim:
        return accepts_program(certificate, VariablesJudge if of_several(certificate) else ProgramJudge)
    return accepts_unrolling(certificate) if claim["kind"] in ("lv", "tv") else accepts(certificate)


def of_several(certificate: Json) -> bool:
    """Whether the guards and assignments of reached states name two or more variables."""
    model = certificate["model"]
    cases = [t for name in reached_states(model) for t in model["states"][name]["transitions"]]
    return len({name for t in cases for name in [*(test[1] for test in t["guard"]), *t["assign"]]}) > 1
