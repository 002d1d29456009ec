"""Claims about δ of threshold programs at several α, judged one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.judges import epsilon_holds

Json = Any


def at_points(certificate: Json) -> Iterator[Json]:
    """A certificate for each α, whose α is on the claimed side of e^ε."""
    claim, evidence = certificate["claim"], certificate["evidence"]
    points, pairs = claim.get("points", [claim]), evidence.get("pairs")
    rule(len(points) > 0 and len(points) == (len(points) if pairs is None else len(pairs)))
    rest = {key: value for key, value in claim.items() if key != "points"}
    for number, point in enumerate(points):
        own = rest | point
        rule("epsilon" not in own or epsilon_holds(own))
        yield certificate | {"claim": own, "evidence": evidence if pairs is None else pairs[number]}
