"""Verification from within Python, by the stand-alone checker."""

from __future__ import annotations

import os
from pathlib import Path

from prover.certificate import check
from prover.certificate.schema import Certificate
from prover.errors import BadDocument, must_be


def verify(certificate: Certificate | bytes | str | os.PathLike[str]) -> str:
    """The claim of a valid certificate, in words; a text or a path is the name of a file.

    Raises prover.Rejected with the reason if the certificate does not prove its claim, and
    BadDocument.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> verify(prover.distance(pin_checker(), "0", "1", "11/10").certificate).partition(" model=")[0]
        'ld alpha=11/10 from="0" to="1" value=412/7791'

    Reference: docs/certificates.md.
    """
    must_be((Certificate, bytes, str, os.PathLike), certificate=certificate)
    if isinstance(certificate, Certificate):
        return check.check(certificate.data)
    if isinstance(certificate, bytes):
        return check.check(certificate)
    try:
        with Path(certificate).open("rb") as file:
            data = file.read(check.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadDocument(
            f"cannot be read: {reason}", file=os.fspath(certificate), code="unreadable-certificate"
        ) from None
    return check.check(data)
