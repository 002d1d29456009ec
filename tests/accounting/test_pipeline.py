"""The pipeline of examples/pipeline.toml: as it is written, and a part of it with its certificates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.accounting.certificates import certifiable, proofs_of
from prover.accounting.mechanism import Mechanism
from prover.formats.account_file import read_account
from prover.report.program_losses import program_sections
from tests.certificate.verdicts import claimed
from tests.commands import ROOT

READ = read_account(ROOT / "examples" / "pipeline.toml")


def test_seven_mechanisms_run_142_times() -> None:
    assert [part.times for part in READ.parts] == [5, 12, 20, 3, 1, 1, 100]
    assert [part.known or "program" for part in READ.parts] == [
        *["gaussian"] * 2,
        "laplace",
        "randomised-response",
        *["program"] * 2,
        "gaussian",
    ]


def test_counts_a_survey_a_short_sparse_vector_and_noisy_max() -> None:
    """Bounds from the exact ε of one run of each: 1/20 + ln(10/9) + 1/8 + 1/10 is .38."""
    few = [
        replace(part, times=1, steps=1 if part.is_program else None).mechanism()
        for part in READ.parts
        if part.known != "gaussian"
    ]
    found = certifiable(few, READ.questions, gap="1/100")
    least = found.account.epsilon("1e-6")
    assert least.lower is not None
    assert least.upper is not None
    assert Fraction("0.178") < least.lower < least.upper < Fraction("0.22")
    upper, lower = proofs_of(found.account, READ.questions)
    assert upper is not None
    assert lower is not None
    assert all(" parts=4 runs=4 " in f"{claimed(proof.data)} " for proof in (upper, lower))


def test_pages_draw_programs_first_that_do_more_than_show_a_number() -> None:
    sums = Mechanism.of_known("gaussian", {"sigma": 2})
    alarm = replace(READ.parts[4], steps=1).mechanism()
    (first,) = program_sections([sums, alarm], 1)
    assert "above_threshold" in first.heading
