"""All claims of a file, on whatever does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import partial

from prover.claims.checking import OPEN, Checked, ClaimJob, examined, job_of, keep
from prover.claims.claim import Claim
from prover.errors import BadInput, Fault
from prover.executors import finished

CheckedSoFar = Sequence["Checked | None"]
"""What was found of each claim of a file; None of those that are not decided yet."""

ClaimWork = Callable[[ClaimJob], "tuple[Checked, bytes | None]"]


def check_all(
    claims: Sequence[Claim],
    file: str,
    executor: Executor,
    *,
    at_once: int | None = None,
    apart: Callable[[ClaimWork, ClaimJob], tuple[Checked, bytes | None]] | None = None,
    on_checked: Callable[[CheckedSoFar], None] | None = None,
) -> list[Checked]:
    """What is found of each claim of a file, the same on every executor.

    At most ``at_once`` claims are handed out at a time. ``apart`` does the work where the executor cannot do
    it as it is; a claim whose worker is lost stays open. Certificates are read and written here, each as soon
    as its claim is proved. ``on_checked`` is called whenever one more is decided. If something is wrong with
    several claims, the first one is complained about. Raises what ``check`` raises.
    """
    found: list[Checked | None] = [None] * len(claims)
    wrong: dict[int, BadInput] = {}
    examine = partial(examined, file)
    work = examine if apart is None else partial(apart, examine)

    def lane(place: int) -> Iterator[ClaimJob]:
        try:
            if not wrong or place < min(wrong):
                yield job_of(claims[place])
        except BadInput as error:
            wrong[place] = error

    with closing(finished(executor, work, [lane(place) for place in range(len(claims))], at_once)) as ended:
        for place, _, future in ended:
            try:
                found[place] = keep(future.result())
            except BadInput as error:
                wrong[place] = error
                continue
            except Exception as error:
                if apart is None or isinstance(error, Fault):
                    raise
                found[place] = keep((_lost(claims[place], error), None))
            if on_checked is not None:
                on_checked(found)
    if wrong:
        raise wrong[min(wrong)]
    return [one for one in found if one is not None]


def _lost(claim: Claim, error: Exception) -> Checked:
    """What is left of a claim where an executor has failed in its own way."""
    why = ": ".join(filter(None, (type(error).__name__, str(error))))
    return Checked(claim, OPEN, False, f"its worker is lost: {why}")
