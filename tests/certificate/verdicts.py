"""What the checker says of a certificate that is given as a JSON value."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from prover.certificate.check import Rejected, check
from tests.certificate.samples import Path, dropped, encode, replaced

Json = Any


def accepted(certificate: Json) -> str:
    """The line of the claim without the identities at its end, of which that of the model is right."""
    data = encode(certificate)
    assert check(data).endswith(f" model={identity_of(certificate['model'])}")
    return claimed(data)


def claimed(data: bytes) -> str:
    """What the certificate is found to prove, without the identities of table and model."""
    return re.sub("( table=[0-9a-f]{64})? model=[0-9a-f]{64}$", "", check(data))


def identity_of(model: Json) -> str:
    """The SHA-256 of a model in the form of certificates."""
    kept = {key: value for key, value in model.items() if (key, value) != ("relation", [])}
    return hashlib.sha256(encode(kept)).hexdigest()


def refused(certificate: Json, failure: type[Rejected], words: str = "") -> None:
    """The certificate is rejected for the reason that is asked for, and not for another."""
    refused_bytes(encode(certificate), failure, words)


def refused_bytes(data: bytes, failure: type[Rejected], words: str = "") -> None:
    with pytest.raises(Rejected) as caught:
        check(data)
    assert type(caught.value) is failure, caught.value
    assert words in str(caught.value)


def edited(certificate: Json, edits: dict[Path, Json]) -> Json:
    """The certificate with the values at the paths replaced; `...` drops what is there."""
    for path, value in edits.items():
        certificate = dropped(certificate, path) if value is ... else replaced(certificate, path, value)
    return certificate


def confirming(judge: Callable[[Json], bool]) -> Callable[[Json, Path, Json], bool]:
    """A function that says whether the checker accepts a certificate with another value at a path; what it
    accepts has to be true by the judge.
    """

    def confirm(certificate: Json, path: Path, value: Json) -> bool:
        forged = edited(certificate, {path: value})
        try:
            check(encode(forged))
        except Rejected:
            return False
        assert judge(forged), f"{path}: {json.dumps(value) if value is not ... else 'dropped'}"
        return True

    return confirm
