"""Every answer of a test is checked: its certificate verifies and says what the answer says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

from prover.certificate.check import check
from prover.certificate.schema import Certificate
from prover.chain.answer import Distance, DistanceTable
from prover.exact.rational import format_rational, parse_rational

Json = Any
Names = tuple[str, str]
Answer = TypeVar("Answer", Distance, DistanceTable)
LONG = 1_000_000
"""More digits than any number in a certificate has."""


def verified(answer: Answer) -> Answer:
    """The answer itself; its certificate verifies, and proves no less than what the answer says."""
    document = proved(answer.certificate)
    claim = document["claim"]
    assert claim["kind"] == answer.kind
    alpha = {} if answer.alpha is None else {"alpha": format_rational(answer.alpha)}
    assert {key: claim[key] for key in claim.keys() & {"alpha"}} == alpha
    if isinstance(answer, Distance):
        _pair_is_claimed(answer, claim)
    else:
        _table_is_claimed(answer, document)
    return answer


def proved(certificate: Certificate) -> Json:
    """The certificate's document; the stand-alone checker verifies it."""
    line = check(certificate.data)
    document = json.loads(certificate.data)
    assert line.startswith(document["claim"]["kind"] + " ")
    return document


def _pair_is_claimed(answer: Distance, claim: Mapping[str, str]) -> None:
    assert claim["scope"] == ("relation" if answer.over_relation else "pair")
    assert (claim["from"], claim["to"]) == (answer.source, answer.target)
    bounds = [claim["value"]] * 2 if "value" in claim else [claim["lower"], claim["upper"]]
    assert [parse_rational(bound, LONG) for bound in bounds] == [answer.lower, answer.upper]


def _table_is_claimed(answer: DistanceTable, document: Json) -> None:
    assert document["claim"]["scope"] == "all-pairs"
    width = max(answer.upper[names] - answer.lower[names] for names in answer.lower)
    if "width" in document["claim"]:
        assert parse_rational(document["claim"]["width"], LONG) == width
    else:
        assert width == 0
    lower, upper = certified_tables(document)
    assert answer.lower == lower
    assert answer.upper == upper


def certified_tables(document: Json) -> tuple[dict[Names, Fraction], dict[Names, Fraction]]:
    """What a certificate about all pairs says of every ordered pair of states: lower and upper bounds."""
    states, evidence = document["model"]["states"], document["evidence"]
    names = sorted(states)
    known = {(s, t): Fraction(0) for s in names for t in names if s == t}
    known |= {(s, t): Fraction(1) for s in names for t in names if states[s]["label"] != states[t]["label"]}
    symmetric = document["claim"]["kind"] == "bd"
    both = [(s, t) for s in names for t in names]

    def listed(side: str) -> dict[Names, Fraction]:
        table = evidence.get(side, evidence.get("exact", {"rows": []}))
        values: dict[Names, Fraction] = {}
        for row in table["rows"]:
            i, j = row["pair"]
            value = Fraction(_integer(row["value"]), _integer(table["denominator"]))
            values |= {(names[i], names[j]): value} | ({(names[j], names[i]): value} if symmetric else {})
        return values

    if document["claim"]["kind"] in ("kernel", "bisimilarity"):
        related = _related(evidence, names)
        table = {pair: known.get(pair, Fraction(pair not in related)) for pair in both}
        return table, table
    lower, upper = listed("lower"), listed("upper")
    return (
        {pair: known.get(pair, lower.get(pair, Fraction(0))) for pair in both},
        {pair: known.get(pair, upper.get(pair, Fraction(1))) for pair in both},
    )


def _related(evidence: Json, names: list[str]) -> set[Names]:
    if "classes" in evidence:
        return {(names[i], names[j]) for block in evidence["classes"] for i in block for j in block}
    return {(names[row["pair"][0]], names[row["pair"][1]]) for row in evidence["related"]}


def _integer(text: str) -> int:
    return parse_rational(text, LONG).numerator
