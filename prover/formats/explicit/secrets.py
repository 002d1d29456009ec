"""Which states of a chain are secrets that nobody should be able to tell apart: its relation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

from prover.errors import BadOptions, BadValue, BeyondLimit, in_file, quoted
from prover.formats.explicit.chain import ExplicitStates, not_in_model
from prover.formats.explicit.lines import BadLine, lines_of
from prover.formats.files import content_of
from prover.formats.reading import Reading
from prover.formats.strict_json import decoded

MAX_PAIRS = 1_000_000
"""The most pairs of states that are related at once."""

StateOrName = TypeVar("StateOrName")

_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]\S*')


def related_states(chain: ExplicitStates, reading: Reading, names: Sequence[str]) -> list[tuple[int, int]]:
    """The related states by their numbers, each pair in one order.

    ``secret``: initial states that differ in one of these variables and agree in all others that are not
    observed. ``secret_pairs``: the pairs of a file. ``initial``, and where nothing is asked for and the file
    relates nothing itself: all initial states. Raises BadOptions, BeyondLimit, BadLine.
    """
    if reading.secret_pairs is not None:
        places = {name: state for state, name in enumerate(names)}
        return [(places[s], places[t]) for s, t in pairs_in_file(reading.secret_pairs, places)]
    if reading.secret is not None:
        return _differing(chain, tuple(reading.secret), reading.observe or ())
    if reading.initial and len(chain.initial) < 2:
        raise _too_few(chain)
    if chain.relation is not None and not reading.initial:
        return list(chain.relation)
    return all_pairs(chain.initial)


def _too_few(chain: ExplicitStates) -> BadOptions:
    there = "one initial state" if chain.initial else "no initial state"
    return BadOptions(
        f"there is {there}, but there must be at least two secrets; let several states be initial (in the "
        'PRISM language by init … endinit, or by --secret "x=[0,1]"; in files of states and transitions by '
        "the label init)",
        code="no-secrets",
    )


def all_pairs(states: Sequence[StateOrName]) -> list[tuple[StateOrName, StateOrName]]:
    """All pairs of different states, each in one order; raises BeyondLimit."""
    check_pair_count(len(states) * (len(states) - 1) // 2)
    return list(combinations(states, 2))


def check_pair_count(count: int) -> None:
    """Raises BeyondLimit."""
    if count > MAX_PAIRS:
        raise BeyondLimit(
            f"{count:,} pairs of states would be related, but at most {MAX_PAIRS:,} can be; name the pairs "
            "that matter in a file (--secret-pairs)",
            code="too-many-pairs",
        )


def pairs_in_file(
    path: str, known: Iterable[str], meant: Callable[[str], str] = str
) -> list[tuple[str, str]]:
    """The pairs of a text file: two names of states on a line, JSON strings where they hold white space.

    Empty lines and lines that begin with # are skipped. ``meant`` is the state that a name means; it may
    raise BadValue. Raises BadLine, BeyondLimit, and what reading a file raises.
    """
    names = set(known)
    pairs: list[tuple[str, str]] = []
    with in_file(path):
        for number, line in lines_of(decoded(content_of(path))):
            if line.startswith("#"):
                continue
            words = [_unquoted(word, number) for word in _NAME.findall(line)]
            if len(words) != 2:
                raise BadLine("a line must have two names of states", number)
            for index, name in enumerate(words):
                try:
                    words[index] = name = name if name in names else meant(name)
                except BadValue as error:
                    raise BadLine(error.message, number) from None
                if name not in names:
                    raise BadLine(f"there is no state {quoted(name)}", number)
            pairs.append((words[0], words[1]))
            check_pair_count(len(pairs))
    return pairs


def _unquoted(word: str, line: int) -> str:
    if not word.startswith('"'):
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        raise BadLine(f"{quoted(word)} is not a name between quotation marks", line) from None


def _differing(
    chain: ExplicitStates, secret: Sequence[str], observed: Sequence[str]
) -> list[tuple[int, int]]:
    for name in secret:
        if name not in chain.variables:
            raise not_in_model("variable", name, chain.variables)
    hidden = [
        place for place, name in enumerate(chain.variables) if name not in secret and name not in observed
    ]
    columns = [chain.variables.index(name) for name in secret]
    alike: dict[tuple[str, ...], list[int]] = {}
    for state in chain.initial:
        alike.setdefault(tuple(chain.values[state][place] for place in hidden), []).append(state)
    pairs: list[tuple[int, int]] = []
    for states in alike.values():
        for s, t in all_pairs(states):
            if any(chain.values[s][column] != chain.values[t][column] for column in columns):
                pairs.append((s, t))
        check_pair_count(len(pairs))
    if not pairs:
        if len(chain.initial) < 2:
            raise _too_few(chain)
        raise BadOptions(
            f"no two of the {len(chain.initial)} initial states differ in {', '.join(secret)} and agree in "
            "all other variables that are not observed",
            code="no-secrets",
        )
    return pairs
