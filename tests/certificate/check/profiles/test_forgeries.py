"""Whatever is changed in a profile table, the checker accepts it only if a judge does that shares no code."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import Rejected, check
from tests.certificate.profile_judge import accepts_table
from tests.certificate.profile_samples import BY_HAND, ON_GRID, made
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import confirming
from tests.profiles import everything, thinned

Json = Any
ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")
NUMBERS = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(-1))
FEW = 60 if everything() else 10  # forgeries of a certificate of a random program


def forgeries(certificate: Json) -> Iterator[tuple[Path, Json]]:
    """Each change of one value, or of the order, number or keys of values; `...` drops one."""
    for path, value in walk(certificate, ()):
        if path[:1] not in (("claim",), ("evidence",), ("model",)):
            continue
        yield from ((path, other) for other in others(path, value) if other != value)


def walk(tree: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    yield path, tree
    places = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in places:
        yield from walk(value, (*path, key))


def others(path: Path, value: Json) -> Iterator[Json]:
    if len(path) > 1:
        yield ...
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (n for n in (value - 1, value + 1, 2 * value, value // 2, 0, 10**16) if n >= 0)
    elif isinstance(value, list):
        yield from (
            value[:k] + value[k + 1 : k + 2] + value[k : k + 1] + value[k + 2 :]
            for k in range(len(value) - 1)
        )
        yield [*value, *value[-1:]]
        yield []
    elif isinstance(value, dict):
        yield {}
    elif value in ADJACENCIES:
        yield from ADJACENCIES
    elif value in ("shift", "offset"):
        yield from ("shift", "offset")
    elif value in ("<", ">=", "<=", ">"):
        yield from ("<", ">=", "<=", ">", "=")
    elif isinstance(value, str):
        yield from ("inf", "end", "q0", "q1", "insample", "insampleprime", "unrounded")
        try:
            number = Fraction(value)
        except ValueError:
            return
        close = (number * Fraction(1001, 1000), number * Fraction(999, 1000), -number, number + 1, number / 2)
        yield from map(str, (*NUMBERS, *close))


def accepted(certificate: Json) -> bool:
    try:
        check(encode(certificate))
    except Rejected:
        return False
    return True


confirm = confirming(accepts_table)


@pytest.mark.parametrize("name", [*BY_HAND, *ON_GRID])
def test_every_forgery_of_certificates_by_hand(name: str) -> None:
    certificate = {**BY_HAND, **ON_GRID}[name]
    assert accepted(certificate)
    assert accepts_table(certificate)
    kept = [confirm(certificate, *change) for change in thinned([*forgeries(certificate)], 5)]
    assert sum(kept) < len(kept) / 3


@pytest.mark.parametrize("q", [None, "1/2"])
@pytest.mark.parametrize("seed", range(600) if everything() else range(12))
def test_forgeries_of_random_programs(seed: int, q: str | None) -> None:
    adjacency = ADJACENCIES[seed // 2 % len(ADJACENCIES)]
    certificate = made(seed, adjacency, most=seed % 4 or None, q=q, gaussian=q is None and seed % 4 == 1)
    assert accepted(certificate) <= accepts_table(certificate)
    random = Random(seed)
    changes = list(forgeries(certificate))
    for change in random.sample(changes, min(FEW, len(changes))):
        confirm(certificate, *change)


def test_stronger_claims_are_refused() -> None:
    """Without any other change: a smaller bound, and a smaller α."""
    for seed in range(0, 40, 2):
        certificate = made(seed, "all-differ")
        upper = Fraction(certificate["claim"]["upper"])
        if accepted(certificate) and upper > Fraction(1, 1000):
            assert not confirm(certificate, ("claim", "upper"), str(upper * Fraction(999, 1000)))
