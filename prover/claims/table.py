"""What was found of claims: a table for people, an object for machines, and JUnit's XML for servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from prover.claims.checking import HOLDS, OPEN, REFUTED, Checked
from prover.claims.claim import Claim
from prover.errors import shown
from prover.exact.rational import rational_or_null
from prover.report.reply import Reply
from prover.report.tables import aligned

_SHORT = 48


def reply_of(results: Sequence[Checked | None]) -> Reply:
    """The reply of ``prover check``, with a place for each claim, None for those that are not decided yet."""
    found, claims = [one for one in results if one is not None], len(results)
    statuses = Counter(one.status for one in found)
    done = len(found) == claims
    refuted = statuses[REFUTED] > 0
    notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
    return Reply(
        table_text(found, claims),
        {"claims": [_json(one) for one in found], "counts": {**_counts(statuses), "all": claims}},
        None,
        exact=done and statuses[OPEN] == 0,
        holds=False if refuted else True if done and statuses[OPEN] == 0 else None,
        obstacle=f"{statuses[OPEN] + claims - len(found)} of {claims} claims are open",
        notes=notes,
        so_far=f"{statuses[HOLDS]} proved, {statuses[REFUTED]} refuted, {statuses[OPEN]} open"
        if found
        else "",
    )


def table_text(found: Sequence[Checked], claims: int) -> str:
    """A line for each claim, then the answers about those that do not hold, and the counts."""
    rows = [("claim", "claimed", "status", "found")]
    for one in found:
        how = " (kept certificate)" if one.kept else ""
        rows.append((_cut(one.claim.name), _cut(one.claim.text), one.status, f"{one.found}{how}"))
    lines = aligned(rows)
    for one in found:
        if one.details:
            lines += [
                "",
                f"{one.claim.name}: {one.status}",
                *(f"  {line}" for line in one.details.split("\n")),
            ]
    counts = _counts(Counter(one.status for one in found))
    left = claims - len(found)
    said = [
        f"{counts[HOLDS]} hold{'s' * (counts[HOLDS] == 1)}",
        f"{counts[REFUTED]} refuted",
        f"{counts[OPEN]} open",
    ]
    said += [f"{left} not decided yet"] * (left > 0)
    return shown_lines([*lines, "", f"{claims} claim{'s' * (claims != 1)}: {', '.join(said)}."])


def shown_lines(lines: Sequence[str]) -> str:
    """Lines for a terminal, in which no name can forge another line."""
    return "\n".join(shown(line) for line in lines)


def junit(results: Sequence[Checked | None], claims: Sequence[Claim], suite: str) -> bytes:
    """A JUnit report: claims that are refuted have failed, and so have open ones; the rest was skipped."""
    counts = Counter(one.status for one in results if one is not None)
    failures, skipped = counts[REFUTED] + counts[OPEN], results.count(None)
    attributes = {
        "name": suite,
        "tests": str(len(claims)),
        "failures": str(failures),
        "errors": "0",
        "skipped": str(skipped),
    }
    root = Element("testsuite", attributes)
    for claim, one in zip(claims, results, strict=True):
        case = SubElement(
            root, "testcase", {"classname": "prover.check", "name": _legal(f"{claim.name}: {claim.text}")}
        )
        if one is None:
            SubElement(case, "skipped", {"message": "not decided yet"})
            continue
        if one.status != HOLDS:
            failure = SubElement(case, "failure", {"type": one.status, "message": _legal(one.found)})
            failure.text = _legal(one.details)
    indent(root)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _json(one: Checked) -> dict[str, Any]:
    claim = one.claim
    return {
        "name": claim.name,
        "model": claim.model,
        "claimed": claim.text,
        "from": claim.source,
        "to": claim.target,
        "alpha": claim.alpha,
        "epsilon": claim.epsilon,
        "delta_at_most": rational_or_null(claim.delta_at_most),
        "epsilon_at_most": rational_or_null(claim.epsilon_at_most),
        "adjacency": claim.adjacency if claim.epsilon_at_most is not None else None,
        "status": one.status,
        "found": one.found,
        "kept": one.kept,
        "certificate": one.digest,
        "details": one.details or None,
    }


def _counts(statuses: Counter[str]) -> dict[str, int]:
    return {status: statuses[status] for status in (HOLDS, REFUTED, OPEN)}


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _legal(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(c if c in "\t\n" or (c.isprintable() and c <= "\ufffd") else "\ufffd" for c in text)
