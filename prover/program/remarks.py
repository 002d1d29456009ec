"""What is odd about a program that can be read: where it ends, what cannot be reached, a letter "gap"."""

from __future__ import annotations

from collections.abc import Iterable

from prover.errors import quoted
from prover.program.model import Program, forgetful, reachable

MOST_REMARKS = 8
"""How many states a remark is made about; the others are counted."""

_MOST_COMPARED = 2_000
_LONGEST_COMPARED = 80


def remarks(program: Program) -> tuple[str, ...]:
    """Sentences about a program: where runs end though nothing says so, and entries that no run comes to."""
    program = forgetful(program) if program.is_unfolded_first else program
    undeclared = program.undeclared
    found = [_undeclared(program, name) for name in undeclared[:MOST_REMARKS]]
    if len(undeclared) > MOST_REMARKS:
        found.append(f"{len(undeclared) - MOST_REMARKS} more states without an entry are not declared final")
    unreached = sorted(program.states.keys() - reachable(program))
    if unreached:
        names = ", ".join(quoted(name) for name in unreached[:MOST_REMARKS])
        more = len(unreached) - MOST_REMARKS
        found.append(f"no run reaches {names}" + (f" and {more} more" if more > 0 else ""))
    if any("gap" in edge.outputs for edge in program.edges):
        found.append('the output "gap" is a letter; for the number, write insample - x, in JSON {"gap": "x"}')
    return tuple(found)


def _undeclared(program: Program, name: str) -> str:
    near = _near(name, [*program.states, *program.final])
    hint = "" if near is None else f"; did you mean {quoted(near)}?"
    return f"{quoted(name)} has no entry and is not declared final; runs end there{hint}"


def _near(name: str, names: Iterable[str]) -> str | None:
    """The name that is most like a given one, if one is, whatever the case of letters."""
    if len(name) > _LONGEST_COMPARED:
        return None
    from difflib import get_close_matches

    compared = [known for known in names if len(known) <= _LONGEST_COMPARED][:_MOST_COMPARED]
    folded = {known.casefold(): known for known in reversed(compared)}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.66)
    return folded[close[0]] if close else None
