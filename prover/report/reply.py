"""What a command has to say, ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from prover.certificate.errors import TooMuchWork

if TYPE_CHECKING:
    from prover.report.document import Page

T = TypeVar("T")


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
    model: str | None = None
    """The SHA-256 of the model that was asked about; verified certificates name it, too."""
    notes: tuple[str, ...] = ()
    """What has to be said about the reading of the model, and about the question."""
    files: tuple[tuple[str, str, bytes], ...] = ()
    """What else is to be written: the path, what it is, such as "the picture", and its bytes."""
    aside: str = ""
    """What is said on standard error, where the text has no place for it."""
    page: Page | None = None
    """The page about the answer, where one is wanted."""
    so_far: str = ""
    """What is proved of the number that is asked for, in a few words, where more is still to come."""
    holds: bool | None = None
    """Whether what was asked for with --at-most holds; None if nothing was asked, or that is open."""
    complete: bool = False
    """Nothing that was asked for is missing: if the work is ended later, the answer is given all the same."""
    missing: str = ""
    """What is still to come of an answer whose other parts are all there, if the work is ended."""
    unproved: str | None = None
    """Why there is no certificate, or none of the whole answer, where one is wanted."""
    checked: float | None = None
    """How many seconds checking the certificate took, where the checker has accepted it already."""

    def without_proofs(self, why: str) -> Reply:
        """The reply, and why it has no certificate, on its page too."""
        from prover.report.certificate import unproved

        page = None if self.page is None else unproved(self.page, why)
        return replace(self, certificate=None, lower_certificate=None, page=page, unproved=why)


class MakeReply(Protocol):
    """What makes the reply to an answer, with its certificates or without."""

    def __call__(self, *, certified: bool) -> Reply: ...


def certified_reply(make: MakeReply, *, certified: bool) -> Reply:
    """The reply of ``make``, with certificates if they are wanted and checkers read files of their size."""
    try:
        return make(certified=certified)
    except TooMuchWork as why:
        return make(certified=False).without_proofs(str(why))


def narrowing(
    emit: Callable[[Reply], None], make: Callable[[T], Reply], width: Callable[[T], Fraction]
) -> Callable[[T], None]:
    """Where to emit one answer after the other: replies to those narrower than all before are passed on."""
    narrowest: Fraction | None = None

    def take(answer: T) -> None:
        nonlocal narrowest
        open_part = width(answer)
        if narrowest is None or open_part < narrowest:
            narrowest = open_part
            emit(make(answer))

    return take
