"""Mutations of certificates about programs, in the manner of `mutations.py`, which hands them out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.certificate.forms import LONG, Change, Mutation, broken_numbers, near
from tests.certificate.samples import Path, dropped, encode, replaced

Json = Any
VARIABLES = ("l1", "u1", "min", "max", "v", "w", "x0", "x1")
"""Of the samples."""
FACTS = ("hi0", "hi1", "lo0", "lo1")
SIDES = ("rate_left", "rate_right")
BOUNDS = ("blocks", "table", "nodes", "parts", "word", "groups", "merged", "quotient", "extremes", "last")
MAPS = ("states", "components", "facts", "table", "kept")  # objects with keys of the writer's choice


def in_model(path: Path) -> Path:
    """The same place in the model, of one in the smaller model of a quotient."""
    return path[2:] if path[:3] == ("evidence", "quotient", "model") else path


def is_rational(path: Path) -> bool:
    if path[0] == "model":
        return path[-1] in ("rate", "mean", "rate_prime", "mean_prime", *SIDES, "grid", "sensitivity")
    of_point = len(path) > 2 and path[-3] == "points" and path[-1] == 1
    of_tests = len(path) > 1 and path[-2] in ("multipliers", "slopes")
    of_word = len(path) > 1 and path[-2] in ("inputs", "shifts")
    of_place = path[:2] == ("evidence", "words") and path[-1] in ("start", "end", "constant")
    numbers = of_point or of_tests or of_word or of_place
    return path[-1] in ("multiplier", "slope", "lower", "upper") or "table" in path or numbers


def of_program_claim(certificate: Json) -> Iterator[Mutation]:
    claim = certificate["claim"]

    def claiming(what: str, must_reject: bool, **fields: str) -> Mutation:
        data = encode(replaced(certificate, ("claim",), claim | fields))
        return Mutation(f"claim: {what}", data, must_reject)

    for other in ("all-differ", "one-differ", "increasing", "decreasing", "monotonic", "none", ""):
        if other != claim["adjacency"]:
            # The tables of one-differ and monotonic are of other shapes.
            evidence = certificate["evidence"]
            tables = evidence.get("table") or evidence.get("nodes") or evidence.get("parts")
            shape = bool(tables) and bool({"one-differ", "monotonic"} & {other, claim["adjacency"]})
            unknown = other in ("none", "")
            must_reject = claim["kind"] == "private" or shape or unknown
            yield claiming(f"adjacency {other}", must_reject, adjacency=other)
    for other in ("private", "not-private", "epsilon", "ld", ""):
        if other != claim["kind"]:
            yield claiming(f"kind {other!r}", True, kind=other)
    if claim["kind"] == "epsilon":
        low, high = Fraction(claim["lower"]), claim["upper"]
        yield claiming("no upper bound", False, upper="inf")
        yield claiming("no lower bound", False, lower="0")
        yield claiming("a negative lower bound", True, lower="-1")
        for little in (Fraction(1, 10), Fraction(1, 10**300)):
            if high != "inf":
                above = str(Fraction(high) + little)
                yield claiming(f"raised by {little}", True, lower=above, upper=above)
                yield claiming(f"weaker above by {little}", False, upper=above)
            below = str(low - little)
            yield claiming(f"lowered by {little}", True, lower=below if low > little else "0", upper=below)
            yield claiming(f"weaker below by {little}", low < little, lower=below)


def of_object(path: Path, value: Json) -> Iterator[Change]:
    path = in_model(path)
    yield "an unknown key", value | {"zz": "1"}, True
    yield "a list instead", sorted(value), True
    yield "null instead", None, True
    if value.keys() == {"gap"}:
        yield "a letter in place of a gap", "p", False
        yield "a number in place of a gap", "insample", False
    if "tokens" in value:  # a node of a private certificate
        for links in ([["v", "w"]], [["w", "v"]], [["v", "w"], ["w", "v"]]):
            if links != value.get("links"):
                yield f"links {links}", value | {"links": links}, False
    for key in value:
        spare = path in (("claim",), ("model",)) and key in ("loss", "final", "noise", "sensitivity", "grid")
        spare = spare or (path[:2] == ("model", "states") and key == "sensitivity")
        spare = spare or path[-1:] in [(name,) for name in MAPS]
        spare = spare or key in ("slope", "slopes")
        bounds = path == ("evidence",) and "kept" not in value
        spare = spare or (bounds and key in BOUNDS)
        yield (
            f"{key!r} dropped",
            dropped(value, (key,)),
            not spare or (path == ("evidence",) and len(value) == 1),
        )


def of_list(path: Path, value: Json) -> Iterator[Change]:
    path = in_model(path)
    token = "nodes" in path and "tokens" in path and len(path) > 5
    yield "null instead", None, not token
    yield "an object instead", {}, True
    yield "an empty list inside", [*value, []], True
    yield "a null inside", [*value, None], True
    if len(path) > 1 and path[-2] == "guard":
        yield "turned", value[::-1], True
        yield "too short", value[:1], True
        yield "too long", [*value, "x"], True
        return
    triple = "table" in path and isinstance(path[-1], int)
    for n, entry in enumerate(value):
        doubled = [*value[: n + 1], *value[n:]]
        bare = path[-1] in ("guard", "assign") or triple or path[1] in ("facts", "table")
        yield f"entry {n} doubled", doubled, bare
        emptied = (len(value) == 1 and path[-1] in ("transitions", "steps")) or (
            path[1] == "facts" and len(value) == 1
        )
        yield f"entry {n} dropped", [*value[:n], *value[n + 1 :]], triple or emptied
        if n and value[n - 1] != entry:
            swapped = [*value[: n - 1], entry, value[n - 1], *value[n + 1 :]]
            yield f"entries {n - 1} and {n} swapped", swapped, path[1] in ("facts", "table") and not triple


def of_integer(transitions: int, path: Path, value: Json) -> Iterator[Change]:
    path = in_model(path)
    for no_integer in (str(value), float(value), True, None, [value], LONG, -2):
        yield f"{no_integer!r} instead of {value}", no_integer, True
    if path[-1] == "delta":
        yield "a difference of 2", 2, True
        for other in {-1, 0, 1} - {value}:
            yield f"a difference of {other}", other, False
    elif path[-2:-1] == ("delta",):
        for other in {-1, 0, 1} - {value}:
            yield f"a difference of {other}", other, False
    elif path[-1] == "transition" or path[-2:-1] == ("run",) or {"runs", "merged", "extremes"} & {*path}:
        yield "no such transition", transitions, True
        yield "a negative transition", -1, True
        for other in set(range(transitions)) - {value}:
            yield f"transition {other}", other, False
    elif ("nodes" in path and "functions" in path) or "rungs" in path:
        for other in {-1, 0, 1} - {value}:
            yield f"a shift of {other}", other, False
    elif "nodes" in path and "by" in path:
        for other in {-1, 0, 1, value - 1, value + 1} - {value, -2}:
            yield f"function {other}", other, False
    elif "version" not in path:
        yield "a negative component", -1, True
        for other in {value - 1, value + 1} - {-1}:
            yield f"component {other}", other, False


def of_null(nodes: int, path: Path, _: Json) -> Iterator[Change]:
    """No target, or no token; elsewhere null is a matter of the model."""
    path = in_model(path)
    if path[0] == "evidence" and "targets" in path:
        for target in (-1, *range(nodes + 1)):
            yield f"target {target}", target, not 0 <= target < nodes
    elif path[0] == "evidence":
        for size in (0, 1):
            for name in VARIABLES:
                yield f"a token of size {size} on {name}", [size, name], False


def of_bool(path: Path, value: Json) -> Iterator[Change]:
    path = in_model(path)
    if path[0] == "evidence":
        yield "the opposite", not value, False
        yield "an integer", int(value), True


def of_string(path: Path, value: Json) -> Iterator[Change]:
    path = in_model(path)
    for no_string in (True, [value], {"": value}, 1, None):
        yield f"{no_string!r} instead of a string", no_string, True
    if is_rational(path):
        if value == "inf":
            for text in ("Inf", "infinity", "-inf", "inf ", "1/0"):
                yield text, text, True
            yield "a number", "7" if path[-1] in SIDES else "1000000", False
            return
        # A negative mean, or a multiplier that its slope makes up for, is in order.
        signed = path[-1] in ("mean", "mean_prime", "multiplier", "slope", "start", "end", "constant")
        signed = signed or path[-2] in ("multipliers", "slopes", "inputs", "shifts")
        for what, text in broken_numbers(value, signed):
            may_be = "table" in path or path[-1] in ("upper", *SIDES)
            yield what, text, not (what == "infinity" and may_be)
        if path[0] != "claim":
            for text in near(value):
                yield f"{text} instead of {value}", text, text.startswith("-") and not signed
    elif path == ("claim", "loss"):
        yield "another word", value + "s", True
        yield "the other loss", "runs" if value == "observer" else "observer", False
    elif path[:2] == ("evidence", "facts"):
        yield "no fact", "lo2", True
        for other in set(FACTS) - {value}:
            yield f"{other} instead of {value}", other, False
    elif path[-1] in ("type", "format") or (path[0] == "evidence" and path[-1] == "kind"):
        yield "another word", value + "s", True
        if path[-1] == "kind":
            yield "the other kind", "repeat" if value == "once" else "once", False
    elif path[0] == "evidence" and {"nodes", "parts", "words"} & {*path}:
        for word in (*VARIABLES, value + "'", "q2", "q3", ""):
            if word != value:
                yield f"{word} instead of {value}", word, word == ""
    elif path[0] == "model":
        operator = "guard" in path and path[-1] == 0
        yield "another name", value + "'", operator
        for word in ("=", "<=", ">"):  # in order with discrete noise only, which the judge knows of
            if word != value:
                yield f"{word} instead of {value}", word, False
        for word in ("insample", "insampleprime", "q0", "<", ">=", "end", ""):
            if word != value:
                yield f"{word} instead of {value}", word, operator and word not in ("<", ">=")
