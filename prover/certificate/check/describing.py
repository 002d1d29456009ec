"""The line that is printed about a claim that is proved (docs/certificates.md, *The line*)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import groupby

from .reading import Json, canonical
from .shown import abbreviate, above, listed

MOST_NAMED = 10_000  # characters about the parts of a composition, in a line


def named_parts(parts: Sequence[Mapping[str, Json]]) -> str:
    """The secrets and the observer of every part, once for equal ones in a row. Where that would be too long
    the last words say which parts are not named."""
    words, length, first = list[str](), 0, 0
    for text, alike in groupby(map(part_words, parts)):
        after = first + sum(1 for _ in alike)
        length += len(text)
        if length > MOST_NAMED:
            return " ".join([*words, f"{places(first, len(parts))} not-named"])
        words.append(f"{places(first, after)} {text}")
        first = after
    return " ".join(words)


def plain_parts(parts: Sequence[Mapping[str, Json]]) -> Sequence[Mapping[str, Json]]:
    """The mechanisms of a composition: its parts, and in place of one with options these."""
    return [own for part in parts for own in part.get("options", [part])]


def places(first: int, after: int) -> str:
    return f"part={first}" + (f"-{after - 1}" if after - 1 > first else "")


def part_words(part: Mapping[str, Json]) -> str:
    if "sampling" in part:
        whole = {key: value for key, value in part.items() if key != "sampling"}
        kind, rate = (part["sampling"][key] for key in ("kind", "rate"))
        return f"{part_words(whole)} sampling={kind} rate={abbreviate(rate)}"
    if "program" in part:
        steps = [f"steps={part['steps']}"] if "steps" in part else []
        return " ".join([f"adjacency={part['adjacency']}", *scale_words(part), *steps])
    if "options" in part:
        return f"one-of({'; '.join(map(part_words, part['options']))})"
    if "chain" not in part:
        return f"known={part['known']}" if "known" in part else "laws"
    return " ".join([*(end_words(part) or ["relation"]), *observer_words(part)])


def scale_words(fields: Mapping[str, Json]) -> Sequence[str]:
    names = (("at_epsilon", "at-epsilon"), ("q", "q"))
    return [f"{name}={abbreviate(fields[key])}" for key, name in names if key in fields]


def describe(claim: Mapping[str, Json], alike: int, table: Json | bytes) -> str:
    """The first words; the table of a claim about all pairs is a JSON value, or canonical bytes of one."""
    words = [claim["kind"]] + [f"alpha={abbreviate(claim['alpha'])}" for _ in range("alpha" in claim)]
    if "epsilon" in claim:
        sign = {"at-least": ">=", "at-most": "<="}[claim["epsilon"]["alpha"]]
        words += [f"{sign}exp({abbreviate(claim['epsilon']['value'])})"]
    if "quotient" in claim:
        words += [f"quotient={claim['quotient']}"]
    words += observer_words(claim)
    words += [f"lost={json.dumps(claim['lost'])}" for _ in range("lost" in claim)]
    if claim.get("scope") == "all-pairs":
        width = claim.get("width", "0")
        words += ["all-pairs", f"exact: {alike} pairs" if width == "0" else f"width={above(width)}"]
        known = table if isinstance(table, bytes) else canonical(table)
        return " ".join([*words, f"table={sha256(known).hexdigest()}"])
    words += ["relation maximum at"] if claim.get("scope") == "relation" and "from" in claim else []
    words += ["relation maximum"] if claim.get("scope") == "relation" and "from" not in claim else []
    if "adjacency" in claim:
        words += [f"adjacency={claim['adjacency']}"]
        words += scale_words(claim) or [f"loss={claim.get('loss', 'runs')}"]
    words += [f"steps={claim['steps']}"] if "steps" in claim else []
    words += [f"points={len(claim['points'])}"] if claim.keys() >= {"adjacency", "points"} else []
    words += end_words(claim)
    words += [f"{name}={listed(claim[name])}" for name in ("inputs", "neighbour", "values") if name in claim]
    numbers = {key: claim[key] for key in ("value", "lower", "upper") if key in claim}
    if "lower" in numbers and numbers.get("upper") == numbers["lower"]:
        numbers = {"value": min(numbers.values())}
    words += [f"{key}={(above if key == 'upper' else abbreviate)(n)}" for key, n in numbers.items()]
    return " ".join(words)


def moments_words(claim: Mapping[str, Json]) -> str:
    """Of every order its bounds."""
    return "".join(f" order={a} {bounds_text(low, high)}" for a, low, high in claim.get("moments", ()))


def bounds_text(lower: str, upper: str) -> str:
    """The bounds of a moment, either of which may be inf."""
    if lower == upper:
        return f"moment={abbreviate(lower)}"
    return f"lower={abbreviate(lower)} upper={above(upper)}"


def rho_words(claim: Mapping[str, Json]) -> str:
    """Of a claim about ρ, both bounds, and those of approximate zCDP."""
    if "rho" not in claim:
        return ""
    lower, upper = claim["rho"]["lower"], claim["rho"]["upper"]
    words = f" rho={abbreviate(lower)}" if lower == upper else f" rho={abbreviate(lower)},{above(upper)}"
    if "approximate" not in claim["rho"]:
        return words
    own = claim["rho"]["approximate"]
    return f"{words} approximate-rho={above(own['upper'])} delta={above(own['delta'])}"


def mu_words(claim: Mapping[str, Json]) -> str:
    """Of a trade-off function whose Gaussian parameter is claimed, too."""
    if "gaussian" not in claim:
        return ""
    lower, upper = claim["gaussian"]["lower"], claim["gaussian"]["upper"]
    return f" mu={abbreviate(lower)}" if lower == upper else f" mu={abbreviate(lower)},{above(upper)}"


def errors_words(claim: Mapping[str, Json]) -> str:
    """Of a claim about the errors of tests, how many vertices both functions have; and μ."""
    ends = claim.get("errors", {})
    words = [f" {name}-vertices={len(ends[name])}" for name in ("lower", "upper") if name in ends]
    return "".join(words) + (mu_words(claim) if ends else "")


def observer_words(fields: Mapping[str, Json]) -> list[str]:
    """The words about the observer of a claim, or of a part; none if the observer sees every step."""
    if "observer" not in fields:
        return []
    observer = fields["observer"]
    return [f"sees={observer['sees']}", *(f"silent={json.dumps(label)}" for label in observer["silent"])]


def end_words(fields: Mapping[str, Json]) -> list[str]:
    """Of a claim, or of a part, that names its secrets."""
    return [f"{end}={json.dumps(fields[end])}" for end in ("from", "to") if end in fields]
