"""Rényi divergences of many mechanisms together: as text for people, as JSON objects, and as pages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.divergences import AccountDivergences
from prover.exact.divergence import RenyiDivergence
from prover.report.account import (
    ASSUMED,
    MOST_DRAWN,
    about_runs,
    counted,
    mechanism_json,
    mechanisms_table,
    models_sections,
    named,
)
from prover.report.certificate import proof_section
from prover.report.document import Document, Listing, Section, Text
from prover.report.program_losses import UPPER, assumed, ends_lines, ends_section, program_sections
from prover.report.renyi import divergences_json, divergences_table, is_narrow, phrase, rho_lines, sign
from prover.report.reply import Reply
from prover.report.tables import aligned

_UPPER_ENDS, _LOWER_ENDS, _APPROXIMATE = "the upper ends", "the lower ends", "approximate zCDP"
_WAYS = "Each number is the largest over all secrets, in both directions."


def reply_of(answer: AccountDivergences, *, gap: Fraction, certified: bool) -> Reply:
    """The reply of ``prover account --order``, with its certificate if it is wanted."""
    obstacle = answer.obstacle
    proved = certified and obstacle is None
    apart = answer.has_programs or any(part.fixed for part in answer.mechanisms)
    reply = Reply(
        document(answer).text,
        account_divergences_json(answer),
        answer.certificate.data if proved else None,
        apart or all(is_narrow(one, gap) for one in answer.orders),
        obstacle="some divergences are wider intervals than gap, or have no upper bound",
        lower_certificate=answer.lower_certificate.data if proved and answer.lower_certificate else None,
        so_far=next((one.headline for one in answer.orders if one.says_something), ""),
    )
    return reply.without_proofs(obstacle) if certified and obstacle is not None else reply


def nothing_proved(orders: Sequence[Fraction | None]) -> Reply:
    """The reply if the time is up before anything is proved."""
    known = [RenyiDivergence(order, Fraction(1), None) for order in orders]
    json = {"kind": "account-divergences", "mechanisms": [], **divergences_json(known, None)}
    return Reply("Every divergence is at least 0. No other bound is proved yet.", json, None, exact=False)


def account_divergences_json(answer: AccountDivergences) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    listed = [mechanism_json(part) for part in answer.mechanisms]
    return {
        "kind": "account-divergences",
        "mechanisms": listed,
        **divergences_json(answer.orders, answer.rho),
    }


def document(answer: AccountDivergences) -> Document:
    """The mechanisms, the divergences in a table, and ρ in words."""
    parts = answer.mechanisms
    first, total = answer.orders[0], sum(part.times for part in parts)
    open_parts = [part for part in parts if part.losses is not None and part.losses.squared_shift is None]
    together = " of all runs together" if total > 1 else ""
    runs = (
        f"{total:,} runs of {counted(len(parts))} together" if total > 1 else f"one run of {named(parts[0])}"
    )
    upper = [UPPER] if answer.has_programs and not open_parts else []
    if answer.obstacle is not None:
        proof = proof_section([], f"There is no certificate: {answer.obstacle}.")
    elif answer.has_two_proofs:
        first_proof = (f"of {_UPPER_ENDS if answer.bounded else _LOWER_ENDS}", lambda: answer.certificate)
        proof = proof_section([first_proof, (f"of {_LOWER_ENDS}", lambda: answer.lower_certificate)])
    else:
        proof = proof_section([("of the divergences", lambda: answer.certificate)])
    return Document(
        lines=lambda: [
            *aligned([(f"{part.times:,} x", named(part)) for part in parts]),
            *about_runs(parts),
            "",
            f"Rényi divergences{together}, both directions",
            *(f"  {one.headline}" for one in answer.orders),
            *_rho(answer),
            *(line for found in upper for line in ("", found)),
            *ends_lines(open_parts),
        ],
        title=f"How large are the Rényi divergences{together}?",
        question=f"How large are the Rényi divergences of {runs}?",
        answer=f"of order {sign(first)} it is {phrase(first)}",
        meaning=_rho(answer, typeset=True),
        opening=lambda: [
            Section("The divergences", [divergences_table(answer.orders), Text(_WAYS, "quiet")]),
            Section("The mechanisms", [mechanisms_table(parts), *map(Text, [*about_runs(parts), *upper])]),
            *ends_section(open_parts),
        ],
        after=lambda: [
            *models_sections(parts),
            *program_sections(parts, MOST_DRAWN),
            Section("What is assumed", [Listing([*ASSUMED, *assumed(parts)])]),
            proof,
        ],
        systems=[part.secrets.chain for part in parts if part.secrets is not None],
    )


def _rho(answer: AccountDivergences, *, typeset: bool = False) -> list[str]:
    provable = answer.obstacle is None
    lines = rho_lines(answer.rho, typeset=typeset, certified=provable)
    if not provable or not answer.has_two_proofs:
        return lines
    finite = answer.rho.upper is not None or any(one.moment_upper is not None for one in answer.orders)
    above = [_UPPER_ENDS if finite else _APPROXIMATE] if answer.bounded else []
    proved = above + [_LOWER_ENDS] * answer.reveals
    if len(proved) == 2:
        return [*lines, f"One certificate is about {proved[0]}, another one about {proved[1]}."]
    return [*lines, *(f"A certificate is about {what}." for what in proved)]
