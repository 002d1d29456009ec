"""The part of a page that proves it: the certificate, its digest, and how to check it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from prover.certificate.acceptance import accept
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate, model_bytes
from prover.report.document import PAGE, Download, Facts, Page, PageBlock, Section, Text

MOST_EMBEDDED = 2_000_000
"""Bytes of a certificate that is part of a page; larger ones are named only."""

EXTRACT = (
    "python3 -c 'import base64, re, sys; "
    '[open(name, "wb").write(base64.b64decode(data)) for name, data in '
    're.findall("download=\\"([a-z.]+)\\" href=\\"data:[^,]*,([^\\"]+)\\"", '
    'open(sys.argv[1], encoding="utf-8").read())]\' '
)
"""Saves the files in a page, whose name follows."""

NAME, LOWER_NAME = "answer.cert", "answer.lower.cert"


HEADING = "The proof"

Proof = tuple[str, Callable[[], Certificate | None]]
"""What a certificate proves, and the certificate; None where there is none."""


def proof_section(
    proofs: Iterable[Proof], missing: str = "", files: Sequence[str] = (NAME, LOWER_NAME)
) -> Section:
    """The certificates, each with what it proves, and how to check them.

    ``missing`` says why there is none, where there is none; ``files`` are names for the certificates.
    """
    try:
        there = [(what, proof) for what, make in proofs if (proof := make()) is not None]
    except TooMuchWork as why:
        there, missing = [], f"There is no certificate of this answer: {why}."
    if not there:
        return Section(HEADING, [Text(missing or "There is no certificate of this answer.")])
    from base64 import b64encode

    blocks: list[PageBlock] = [
        Text(
            "The certificate holds the claim, the whole model and the evidence. The checker is a separate, "
            "small program: it shares no code with the program that found the answer. Trust its output, not "
            "this page."
        )
    ]
    names = []
    for (what, proof), name in zip(there, files, strict=False):
        size = len(proof.data)
        facts = [("Certificate", f"{what}, {size:,} bytes"), ("Its SHA-256", proof.sha256)]
        if size <= MOST_EMBEDDED and (model := model_digest(proof)) is not None:
            facts.append(("SHA-256 of the model", model))
        blocks.append(Facts(facts))
        if size > MOST_EMBEDDED:
            blocks.append(
                Text(
                    f"It is longer than the {MOST_EMBEDDED:,} bytes that a page can hold. The option "
                    "--certificate writes it to a file."
                )
            )
        else:
            names.append(name)
            blocks.append(Download(name, b64encode(proof.data).decode("ascii")))
    return Section(HEADING, [*blocks, *_how_to_check(names)])


def embedded(page: Page) -> list[bytes]:
    """The certificates in a page."""
    from base64 import b64decode

    blocks = (block for section in page.sections for block in section.blocks)
    return [b64decode(block.data) for block in blocks if isinstance(block, Download)]


def unproved(page: Page, why: str) -> Page:
    """The page without its certificates, and why they are missing."""
    there = proof_section([], f"There is no certificate of this answer: {why}.")
    sections = [there if section.heading == HEADING else section for section in page.sections]
    return replace(page, sections=sections)


def accepted(page: Page) -> Page:
    """The page with its certificates if the stand-alone checker accepts them, or why there are none."""
    try:
        for proof in embedded(page):
            accept(proof)
    except TooMuchWork as why:
        return unproved(page, str(why))
    return page


def model_digest(proof: Certificate) -> str | None:
    """The digest of the model in a certificate, as verified claims name it; None without one model."""
    import hashlib

    model = json.loads(proof.data).get("model")
    return hashlib.sha256(model_bytes(model)).hexdigest() if isinstance(model, dict) else None


def _how_to_check(names: Sequence[str]) -> list[PageBlock]:
    if not names:
        return []
    lines = [f"{EXTRACT}{PAGE}", *(f"python3 -I -S checker.pyz {name}" for name in names)]
    return [
        Text(
            "To verify a certificate, save it with its button or with the first command below. Then run the "
            "checker on it, with any Python: it is one file, checker.pyz, which `make checker` builds from "
            "the source of prover. `prover verify`, given this page, does both. The checker prints VERIFIED "
            "with the claim and the digest of the model, or REJECTED with the reason."
        ),
        Text("\n".join(lines), "shell"),
    ]
