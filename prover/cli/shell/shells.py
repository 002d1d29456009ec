"""What shells need for completion beside click's mechanism.

Bash divides words at ``:`` and ``=``, which click does not know of: FILE.py:NAME and name=value arrive in
pieces, and only the last piece is replaced. And click's script for fish takes commas in names for ends.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

if TYPE_CHECKING:
    from collections.abc import MutableMapping

_DIVIDES = re.compile("[=:]+")
_NEEDS_CARE = re.compile(r"([^\w@%+=:,./\-])")


class Bash(BashComplete):
    """Bash, which divides words at = and : before it shows them to anybody."""

    name = "bash"

    def __init__(
        self, cli: click.Command, ctx_args: MutableMapping[str, Any], prog_name: str, complete_var: str
    ) -> None:
        super().__init__(cli, ctx_args, prog_name, complete_var)
        self._kept = ""
        self._is_quoted = False

    def source(self) -> str:
        """The script, whether or not this machine has bash."""
        return ShellComplete.source(self)

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one at the cursor, and what there is of that, as they were typed."""
        place = int(os.environ["COMP_CWORD"])
        line = os.environ["COMP_WORDS"]
        pieces = line.split("\n")
        if len(pieces) > 1:  # those of bash; the ones behind the cursor do not matter
            line = "\n".join(pieces[: place + 1])
        self._is_quoted = _is_open(line)
        words, kept = joined([*split_arg_string(line), ""][: place + 1])
        last = words[-1]
        option = last.startswith("--") and "=" in last
        self._kept = kept.partition("=")[2] if option else kept
        return words[1:-1], last

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The item without what bash leaves as it is, and with what bash has to take literally escaped."""
        if item.type != "plain":
            return super().format_completion(item)
        value = item.value
        if not self._is_quoted:
            value = _NEEDS_CARE.sub(r"\\\1", value.removeprefix(self._kept))
        return f"{item.type},{value}"


def joined(pieces: list[str]) -> tuple[list[str], str]:
    """The words that bash has divided into pieces, and how much of the last one it leaves as it is.

    >>> joined(["prover", "privacy", "svt.py", ":", "ab"])
    (['prover', 'privacy', 'svt.py:ab'], 'svt.py:')
    >>> joined(["prover", "zoo", "crowds", "n", "="])
    (['prover', 'zoo', 'crowds', 'n='], 'n=')
    """
    words: list[str] = []
    kept, goes_on = "", False
    for piece in pieces:
        divides = _DIVIDES.fullmatch(piece) is not None
        if words and (divides or goes_on):
            kept = words[-1] + (piece if divides else "")
            words[-1] += piece
        else:
            words.append(piece)
            kept = ""
        goes_on = divides
    return words, kept


def _is_open(line: str) -> bool:
    """Whether a quotation has begun and not ended."""
    try:
        shlex.split(line)
    except ValueError as error:
        return "quotation" in str(error)
    return False


class Fish(FishComplete):
    """Fish, where only the first comma ends the kind of a candidate: names of states have commas, too."""

    name = "fish"

    def source(self) -> str:
        """The script."""
        return super().source().replace('string split ","', 'string split --max 1 ","')


COMPLETING = (Bash, ZshComplete, Fish)
"""How each shell asks, and is answered."""
