"""The rules about rates that are real numbers once more, with decimals (docs/certificates.md, 2 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from tests.certificate.judge import Unsound, rule
from tests.certificate.opened_judge import accepts_open
from tests.certificate.samples import encode

Json = Any
RATES = ("rate", "rate_prime", "rate_left", "rate_right")
SMALL = Decimal(10) ** -100


def accepts_units(certificate: Json, accepts: Callable[[Json], bool]) -> bool:
    """Whether the rules hold; ``accepts`` judges the certificate of the program of multiples."""
    claim = {key: value for key, value in certificate["claim"].items() if key != "unit"}
    try:
        rule(claim["kind"] in ("private", "not-private", "epsilon"))
        model = divided(certificate["model"], certificate["claim"]["unit"])
    except Unsound:
        return False
    return accepts({**certificate, "claim": claim, "model": model})


def divided(model: Json, unit: Json) -> Json:
    """The program whose rates are those of the model divided by the unit."""
    rule(number(unit) > SMALL)
    states = {}
    for name, state in model["states"].items():
        rates = {key: state[key] for key in RATES if state.get(key) not in (None, "inf")}
        shares = {}
        for key, rate in rates.items():
            rule([parts for _, parts in rate] == [parts for _, parts in unit])
            quotients = {Fraction(c) / Fraction(d) for (c, _), (d, _) in zip(rate, unit, strict=True)}
            rule(len(quotients) == 1 and min(quotients) > 0)
            shares[key] = str(min(quotients))
        states[name] = {**state, **shares}
    return {**model, "states": states}


def number(terms: Json, depth: int = 1) -> Decimal:
    """The number, to more digits than the samples need."""
    rule(depth <= 5 and 1 <= len(terms) <= 20)
    order = [encode(parts) for _, parts in terms]
    rule(order == sorted(set(order)))
    with localcontext(prec=200):
        total = Decimal(0)
        for c, parts in terms:
            rule(Fraction(c) != 0 and len(parts) <= 20)
            found = decimal(c)
            for kind, of in parts:
                rule(kind in ("exp", "ln", "sqrt", "inverse"))
                if kind == "inverse":
                    inner = number(of, depth + 1)
                    rule(abs(inner) > SMALL)
                    found /= inner
                    continue
                rule(abs(Fraction(of)) <= 100 if kind == "exp" else Fraction(of) > 0)
                found *= {"exp": Decimal.exp, "ln": Decimal.ln, "sqrt": Decimal.sqrt}[kind](decimal(of))
            total += found
        return total


def decimal(text: str) -> Decimal:
    q = Fraction(text)
    return Decimal(q.numerator) / q.denominator


def accepts_real_epsilon(certificate: Json) -> bool:
    """Section 4.15: what the judge of one piece says of the programs around."""
    model, claim, evidence = (certificate[key] for key in ("model", "claim", "evidence"))
    try:
        reals = evidence["reals"]
        order = [encode(x) for x, _, _ in reals]
        rule(len(reals) > 0 and order == sorted(set(order)))
        around = {encode(x): (Fraction(a), Fraction(b)) for x, a, b in reals}
        for x, a, b in reals:
            rule(decimal(a) < number(x) < decimal(b))
        states = {
            name: {key: pair(own, around) if key in RATES else own for key, own in state.items()}
            for name, state in model["states"].items()
        }
        bounds = {key: bound(claim[key], around) for key in ("lower", "upper")}
    except Unsound:
        return False
    piece = {"from": "0", "to": "1", **bounds}
    rest = {key: value for key, value in claim.items() if key not in bounds}
    return accepts_open(
        {
            **certificate,
            "claim": {**rest, "kind": "epsilon-function", "pieces": [piece]},
            "evidence": {"pieces": [{key: own for key, own in evidence.items() if key != "reals"}]},
            "model": {**model, "states": states, "open": {"from": "0", "name": "t", "to": "1"}},
        }
    )


def pair(rate: Json, around: dict[bytes, tuple[Fraction, Fraction]]) -> Json:
    if not isinstance(rate, list):
        return rate
    rule(not any(isinstance(term, str) for term in rate))
    ends = made(rate, around)
    return [str(end) for end in (ends if len(around) == 1 else sorted(ends))]


def bound(value: Json, around: dict[bytes, tuple[Fraction, Fraction]]) -> Json:
    if not isinstance(value, list):
        return value if value == "inf" else [value, value]
    rule(len(around) == 1)
    return [str(end) for end in made(value, around)]


def made(value: Json, around: dict[bytes, tuple[Fraction, Fraction]]) -> list[Fraction]:
    constant = sum((Fraction(c) for c, parts in value if not parts), Fraction(0))
    rest = [(Fraction(c), parts) for c, parts in value if parts]
    rule(len(rest) > 0)
    x = encode([[str(c / rest[0][0]), parts] for c, parts in rest])
    rule(x in around)
    return [constant + rest[0][0] * end for end in around[x]]
