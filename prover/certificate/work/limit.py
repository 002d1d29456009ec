"""The limit that certificates keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpz

from prover.certificate.schema import TooMuchWork
from prover.certificate.work.accounting import count_accounting
from prover.certificate.work.chains import count_bisimilarity, count_kernel, count_tables, rows_of
from prover.certificate.work.collapsing import count_collapsing
from prover.certificate.work.count import Count, denominator, parts
from prover.certificate.work.processes import (
    count_interactive,
    count_interactive_bisimilarity,
    count_interactive_tables,
)
from prover.certificate.work.programs import count_program
from prover.certificate.work.unrollings import count_unrolling, quotient

Json = Mapping[str, Any]


def check_work(claim: Json, model: Json, evidence: Json, size: int) -> None:
    """Raises TooMuchWork if to check a file of so many bytes may take more than checkers spend on it."""
    if work(claim, model, evidence).exceeds(size):
        raise TooMuchWork


def work(claim: Json, model: Json, evidence: Json) -> Count:
    """What it costs to check a certificate, or a bound of it."""
    count = Count()
    if claim["kind"] in ("composition", "profile"):
        if "epsilon" in claim:
            bits = fmpz(parts(claim["alpha"])[0]).bit_length()
            count_exponential(count, bits, parts(claim["epsilon"]["value"]))
        count_accounting(count, claim, model, evidence)
        return count
    if "adjacency" in claim:
        count_program(count, claim, model, evidence)
        return count
    alpha = claim.get("alpha", "1")
    if "epsilon" in claim:
        count_exponential(count, fmpz(parts(alpha)[0]).bit_length(), parts(claim["epsilon"]["value"]))
    pairs = len(model.get("relation", ())) if claim["scope"] == "relation" else 1
    if model["type"] == "labelled-markov-decision-process":
        if claim["kind"] in ("lv", "tv"):
            count_interactive(count, model, alpha, evidence)
        elif claim["kind"] == "bisimilarity":
            count_interactive_bisimilarity(count, model, evidence)
        else:
            count_interactive_tables(count, model, claim, pairs, evidence)
        return count
    rows = rows_of(count, model, alpha)
    if "observer" in claim:
        model = evidence["collapsing"]["model"]
        small = rows_of(count, model, alpha)
        count_collapsing(count, rows, small, claim["observer"], evidence["collapsing"])
        rows = small
    if "quotient" in claim:
        count_bisimilarity(count, rows, evidence["quotient"])
        rows = quotient(rows, evidence["quotient"]["classes"])
    if claim["kind"] == "kernel":
        count_kernel(count, rows, model, claim, evidence)
    elif claim["kind"] == "bisimilarity":
        count_bisimilarity(count, rows, evidence)
    elif claim["kind"] in ("lv", "tv"):
        count_unrolling(count, rows, fmpz(denominator(alpha)), evidence)
    else:
        count_tables(count, rows, claim, pairs, evidence)
    return count


def count_exponential(count: Count, alpha: int, exponent: tuple[str, str]) -> None:
    """α, of so many bits, compared with e^ε to as many bits as checkers try."""
    x, y = (fmpz(end).bit_length() for end in exponent)
    for power in range(7, 15):
        count.spend(6 * alpha + 2 * 2**power + 32, alpha + 2**power + x, x + y)
