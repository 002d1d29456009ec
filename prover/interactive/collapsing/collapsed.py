"""Processes that remember what they were collapsed from, so that runs can begin at other states of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from prover.chain.model import LabelledMarkovChain
from prover.interactive.model import LabelledMarkovDecisionProcess


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class CollapsedProcess(LabelledMarkovDecisionProcess):
    """A process as it looks to an attacker who sees less than every step; made by ``prover.collapse``.

    He does not see the labels ``silent`` of the ``original``, and ``untimed`` only changes of the others.
    """

    original: LabelledMarkovDecisionProcess = field(kw_only=True)
    silent: tuple[str, ...] = field(kw_only=True)
    untimed: bool = field(kw_only=True)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _again, (dict(self.menus), dict(self.under), self.original, self.silent, self.untimed)


def _again(
    menus: dict[str, tuple[str, ...]],
    under: dict[str, LabelledMarkovChain],
    original: LabelledMarkovDecisionProcess,
    silent: tuple[str, ...],
    untimed: bool,
) -> CollapsedProcess:
    """A process in another process of the computer."""
    proxies = MappingProxyType(menus), MappingProxyType(under)
    return CollapsedProcess(*proxies, original=original, silent=silent, untimed=untimed)
