"""Certificates that checkers would not read to their end."""

from __future__ import annotations

from prover.errors import BadInput, BeyondLimit


class TooMuchWork(BeyondLimit):
    """Checking the certificate would take more work than checkers spend on a file of its size."""

    def __init__(self) -> None:
        super().__init__(
            "the certificate would take more work to check than checkers spend on a file of its size"
        )


class TooLarge(TooMuchWork):
    """The certificate would have more bytes, or more values, than checkers read."""

    def __init__(self) -> None:
        BadInput.__init__(self, "the certificate would be larger than the files that checkers read")
