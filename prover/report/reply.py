"""What a command has to say, ready to be printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as text, as a JSON object and with its certificate, if one is wanted.

    It travels between processes, so it holds texts only: no rational number is too long for it.
    """

    text: str
    json: Mapping[str, Any]
    certificate: bytes | None
    exact: bool
    refuted: bool = False
    """What was asked to hold does not."""
    obstacle: str = "exact numbers are longer than certificates or --max-bits allow"
    """Why an answer that is not exact is not."""
    lower_certificate: bytes | None = None
    """The proof of the lower end, where it is another one than that of the upper end."""
