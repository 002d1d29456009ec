"""Mutations of a valid certificate, told apart by what a checker may make of them.

    for description, data, must_reject in mutations(certificate): ...

`must_reject` is true where the file is no longer a certificate of version 1, or says something false: a claim
or a shared table other than the true one. It is false where the claim may still be true and supported by what
is left of the evidence (a weaker bound, a spare row dropped, other potentials that do as well): a checker may
accept, and a second checker tells. Nothing here knows the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from tests.certificate import program_mutations
from tests.certificate.forms import (
    LONG,
    Change,
    Mutation,
    broken_numbers,
    near,
    of_bytes,
    of_top_level,
    sample,
    show,
    walk,
)
from tests.certificate.samples import Path, dropped, encode, found, replaced

Json = Any
COUPLINGS = ("coupling", "forward", "backward")
WORDS = ("from", "to", "forward", "backward")
SIDES = ("exact", "lower", "upper")
ENTRIES = ("next", "balanced")
EPSILON = ("claim", "epsilon")
NEEDED = ("exact", "related", "unrelated", "separators", "unrolling", "quotient", "lost")
SORTED_LISTS = (
    "relation",
    "rows",
    "related",
    "unrelated",
    "rank_potentials",
    "classes",
    "detours",
    "clusters",
    *ENTRIES,
    *COUPLINGS,
)


def mutations(data: bytes, per_place: int = 1_000_000, seed: int = 0) -> Iterator[Mutation]:
    """All mutations, or those of `per_place` objects, lists, integers, strings, table values, at random."""
    certificate = json.loads(data)
    yield from of_bytes(data)
    yield from of_top_level(certificate)
    if certificate["model"]["type"] == "threshold-program":
        yield from program_mutations.of_program_claim(certificate)
    else:
        yield from of_claim(certificate)
        yield from of_tables(certificate, per_place, seed)
        yield from of_classes(certificate)
    mutate = changes(certificate)
    for kind in mutate:
        paths = [path for path, value in walk(certificate) if type(value) is kind]
        for path in sample(paths, per_place, f"{kind} {seed}"):
            for what, value, must_reject in mutate[kind](path, found(certificate, path)):
                data = encode(replaced(certificate, path, value))
                yield Mutation(f"{show(path)}: {what}", data, must_reject)


def changes(certificate: Json) -> Mapping[type, Callable[[Path, Json], Iterator[Change]]]:
    """What can be put in place of a part of the certificate, by the part's type."""
    states = certificate["model"]["states"]
    if certificate["model"]["type"] == "threshold-program":
        of_transition = partial(
            program_mutations.of_integer, sum(len(state["transitions"]) for state in states.values())
        )
        return {
            dict: program_mutations.of_object,
            list: program_mutations.of_list,
            int: of_transition,
            str: program_mutations.of_string,
            bool: program_mutations.of_bool,
            type(None): partial(program_mutations.of_null, len(certificate["evidence"].get("nodes", []))),
        }
    evidence = certificate["evidence"]
    unrolled = evidence.get("unrolling") or evidence.get("lower", {}).get("unrolling", {"nodes": []})
    nodes = len(unrolled["nodes"])
    of_index = partial(of_integer, len(states), nodes)
    return {dict: of_object, list: of_list, int: of_index, str: of_string}


# Places: what stands at a path of a certificate ----------------------------------------------------------


def is_rational(path: Path, value: Json) -> bool:
    """Strings that the format reads as numbers, and not as names, labels or words."""
    if path[:2] == ("model", "states"):
        return len(path) == 5 and path[3] == "next"
    if path[0] == "claim":
        return path[1] in ("alpha", "lower", "upper", "width", "value") or path == (*EPSILON, "value")
    label_of_entry = len(path) > 2 and path[-3] in ENTRIES and path[-1] == 0
    label_of_entry = label_of_entry or "detours" in path
    return path[0] == "evidence" and value not in WORDS and not label_of_entry


def must_be_positive(path: Path) -> bool:
    """Where 0 and negative numbers are out of place."""
    weights = len(path) > 2 and path[-3] in ("rank_potentials", *ENTRIES, *COUPLINGS)
    kernel = {"unrelated", "separators"} & set(path) and path[-1] != "pair"
    return (
        weights
        or bool(kernel)
        or path == (*EPSILON, "value")
        or path[-1] in ("alpha", "denominator")
        or path[-2:-1] == ("next",)
    )


# Objects, lists, integers, strings -----------------------------------------------------------------------


def of_object(path: Path, value: Json) -> Iterator[Change]:
    yield "an unknown key", value | {"zz": "1"}, True
    yield "an unknown key that is empty", value | {"": "1"}, True
    yield "a list instead", sorted(value), True
    yield "null instead", None, True
    for key in value:
        spare = path == ("model", "states") or (path == ("model",) and key == "relation")
        spare = spare or (path == ("evidence",) and key not in NEEDED)
        spare = spare or (path[:1] == ("evidence",) and key in ("splitters", "detours", "clusters"))
        spare = spare or (path == ("claim",) and key == "epsilon")
        spare = spare and "quotient" not in path
        yield f"{key!r} dropped", dropped(value, (key,)), not spare or len(value) == 1
    if "rank" in value and "rank_potentials" in value:
        yield "rank dropped", dropped(dropped(value, ("rank",)), ("rank_potentials",)), False
    if path[-1:] == ("next",) and len(set(value.values())) > 1:
        yield "probabilities turned round", dict(zip(value, reversed(value.values()), strict=True)), False


def of_list(path: Path, value: Json) -> Iterator[Change]:
    yield "null instead", None, True
    yield "an object instead", {}, True
    yield "an empty list inside", [*value, []], True
    yield "a null inside", [*value, None], True
    if isinstance(path[-1], str) and path[-1] != "pair":
        yield from of_entries(path, value)
    elif path[-2] in ("classes", "splitters"):
        yield "its last state twice", [*value, value[-1]], True
        if len(value) > 1:
            yield "two states swapped", [value[1], value[0], *value[2:]], True
            yield "a state dropped", value[1:], path[-2] == "classes"
    else:
        named = path[-1] == "pair" or path[-2] in ("relation", "roots")
        yield "too long", [*value, value[-1]], True
        yield "too short", value[:-1], True
        yield (
            "turned",
            [value[1], value[0], *value[2:]],
            not named and path[-2] not in (*COUPLINGS, "symmetries"),
        )
        if named and value[0] != value[1]:
            yield "a state with itself", [value[0], value[0]], True


def of_entries(path: Path, value: Json) -> Iterator[Change]:
    """Lists of any length, of rows, pairs, weights, potentials or sets of states."""
    key = path[-1]
    in_order = key in SORTED_LISTS or (key == "potentials" and bool({"unrelated", "separators"} & set(path)))
    for n, entry in enumerate(value):
        doubled = [*value[: n + 1], *value[n:]]
        yield f"entry {n} doubled", doubled, in_order or key == "potentials"
        needed = key == "classes" or (key == "relation" and entry[0] != entry[1])
        yield f"entry {n} dropped", [*value[:n], *value[n + 1 :]], needed
        if n and value[n - 1] != entry:
            swapped = [*value[: n - 1], entry, value[n - 1], *value[n + 1 :]]
            yield f"entries {n - 1} and {n} swapped", swapped, in_order


def of_integer(states: int, nodes: int, path: Path, value: Json) -> Iterator[Change]:
    for other in (str(value), float(value), True, None, [value], -1, LONG, -value - 1):
        yield f"{other!r} instead of {value}", other, True
    if "version" in path:
        return
    if path[-1] == "rank":
        yield "rank 0", 0, True
        for other in {1, value + 1, value - 1} - {0, value}:
            yield f"rank {other} instead of {value}", other, False
        return
    what, count = ("node", nodes) if set(path) & set(ENTRIES) else ("state", states)
    yield f"{what} {count}, which is not there", count, True
    for other in {value + 1, value - 1, 0} & set(range(count)) - {value}:
        yield f"{what} {other} instead of {value}", other, False


def of_string(path: Path, value: Json) -> Iterator[Change]:
    for no_string in (None, True, [value], {"": value}, 1):
        yield f"{no_string!r} instead of a string", no_string, True
    if not is_rational(path, value):
        yield from of_name(path, value)
        return
    probability = path[0] == "model"
    for what, text in broken_numbers(value):
        yield what, text, True
    if value != "0":
        yield "0", "0", must_be_positive(path) or probability
    for other in near(value):
        # The numbers of claims and of tables have functions of their own below.
        of_table = path[-1] in ("value", "denominator") or "clusters" in path
        if path[:2] != EPSILON and (path[0] == "claim" or of_table):
            continue
        yield f"{other} instead of {value}", other, probability or other.startswith("-")


def of_name(path: Path, value: str) -> Iterator[Change]:
    if path[:2] == ("model", "states"):
        yield "another label", value + "'", False
    elif path[:2] == ("model", "relation") or path in (("claim", "from"), ("claim", "to")):
        yield "an unknown state", value + "\u0000", True
    elif path in (("format",), ("model", "type"), *(("claim", key) for key in ("kind", "scope", "quotient"))):
        yield "another word", value + "s", True
    elif "detours" in path:
        yield "an unknown label", value + "\u0000", True
    elif path[:2] == EPSILON:
        yield "the other side", {"at-most": "at-least", "at-least": "at-most"}[value], True
        yield "no such side", "at", True
    elif path[0] == "evidence" and set(path) & set(ENTRIES):
        yield "another label", value + "\u0000", True
    elif path[0] == "evidence":
        yield "the other word", WORDS[WORDS.index(value) ^ 1], False
        yield "no such word", "via", True


# Claims, tables, classes: where the truth is known -------------------------------------------------------


def of_claim(certificate: Json) -> Iterator[Mutation]:
    claim = certificate["claim"]

    def claiming(what: str, must_reject: bool, **fields: str) -> Mutation:
        return Mutation(
            f"claim: {what}", encode(replaced(certificate, ("claim",), claim | fields)), must_reject
        )

    for alpha in ("99/100", "0", "-1"):
        if "alpha" in claim:
            yield claiming(f"alpha {alpha}", True, alpha=alpha)
    for alpha in ("1", "2", "1000001/1000000", "100"):
        if claim.get("alpha", alpha) != alpha:
            yield claiming(f"alpha {alpha}", False, alpha=alpha)
    if claim["kind"] in ("ld", "lgd", "bd"):
        some = any(certificate["evidence"].get(side, {}).get("rows") for side in SIDES)
        for kind in {"ld", "lgd", "bd"} - {claim["kind"]}:
            yield claiming(f"{kind} instead", some and "bd" in (kind, claim["kind"]), kind=kind)
        yield claiming("a relation instead", True, kind="kernel")
    if claim["kind"] in ("lv", "tv"):
        yield claiming("the other kind", False, kind="tv" if claim["kind"] == "lv" else "lv")
        yield claiming("a distance instead", True, kind="ld")
    if claim["scope"] == "all-pairs":
        if claim.get("width", "0") != "0":
            yield claiming("width 0", False, width="0")
        if "width" in claim:
            yield claiming("width 1", False, width="1")
            yield claiming("width above 1", True, width="1000000000001/1000000000000")
        yield claiming("a pair's scope", True, scope="pair")
        return
    yield claiming("the scope of all pairs", True, scope="all-pairs")
    yield claiming("the other scope", False, scope="pair" if claim["scope"] == "relation" else "relation")
    yield claiming("from and to swapped", False, **{"from": claim["to"], "to": claim["from"]})
    for name in certificate["model"]["states"]:
        yield claiming(f"from {name!r}", False, **{"from": name})
        yield claiming(f"to {name!r}", False, to=name)
    if "value" in claim:
        yield claiming("the other value", True, value="1" if claim["value"] == "0" else "0")
        yield claiming("half a value", True, value="1/2")
        return
    low, high = Fraction(claim["lower"]), Fraction(claim["upper"])
    for little in (Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**300)):
        # The true value lies between the two.
        yield claiming(f"raised by {little}", True, lower=str(high + little), upper=str(high + little))
        yield claiming(f"lowered by {little}", True, lower=str(low - little), upper=str(low - little))
        yield claiming(f"crossed by {little}", True, lower=str(high + little))
        yield claiming(f"crossed by -{little}", True, upper=str(low - little))
        yield claiming(f"weaker below by {little}", low < little, lower=str(low - little))
        yield claiming(f"weaker above by {little}", high + little > 1, upper=str(high + little))
        yield claiming(f"stronger below by {little}", low + little > high, lower=str(low + little))
        yield claiming(f"stronger above by {little}", high - little < low, upper=str(high - little))


def of_tables(certificate: Json, per_place: int, seed: int) -> Iterator[Mutation]:
    """Values and denominators. A shared table holds true distances, and no other number is one."""
    evidence = certificate["evidence"]
    sides = [side for side in ("exact", "lower", "upper", "distance") if "rows" in evidence.get(side, ())]
    for side in sides:
        path: Path = ("evidence", side, "denominator")
        denominator, rows = int(found(certificate, path)), evidence[side]["rows"]
        some = any(row["value"] != "0" for row in rows)
        for other in (denominator + 1, denominator - 1, 10 * denominator):
            data = encode(replaced(certificate, path, str(other)))
            yield Mutation(f"{side}: denominator {other}", data, other == 0 or (side == "exact" and some))
        paths: list[Path] = [("evidence", side, "rows", n, "value") for n in range(len(rows))]
        paths += [
            ("evidence", side, "clusters", n, 1) for n in range(len(evidence[side].get("clusters", [])))
        ]
        for path in sample(paths, per_place, f"{side} {seed}"):
            value = int(found(certificate, path))
            for other in {0, value + 1, value - 1, value // 2, value * 10, denominator} - {value}:
                out_of_range = not 0 <= other <= denominator
                data = encode(replaced(certificate, path, str(other)))
                description = f"{show(path)}: {other} of {denominator} instead of {value}"
                yield Mutation(description, data, out_of_range or side == "exact")
    if {"lower", "upper"} <= set(sides):
        yield from of_crossed_tables(certificate)


def of_crossed_tables(certificate: Json) -> Iterator[Mutation]:
    """A lower bound on a distance above its upper bound, or the other way round, is false."""
    lower, upper = (certificate["evidence"][side] for side in ("lower", "upper"))
    places = {tuple(row["pair"]): n for n, row in enumerate(upper["rows"])}
    for n, row in enumerate(lower["rows"]):
        if tuple(row["pair"]) not in places:
            continue
        above = Fraction(int(upper["rows"][places[tuple(row["pair"])]]["value"]), int(upper["denominator"]))
        value = int(above * int(lower["denominator"])) + 1
        if value <= int(lower["denominator"]):
            path = ("evidence", "lower", "rows", n, "value")
            yield Mutation(
                f"{show(path)}: above the upper table", encode(replaced(certificate, path, str(value))), True
            )
        below = Fraction(int(row["value"]), int(lower["denominator"]))
        value = -int(-below * int(upper["denominator"])) - 1
        if value >= 0 and Fraction(value, int(upper["denominator"])) < below:
            path = ("evidence", "upper", "rows", places[tuple(row["pair"])], "value")
            yield Mutation(
                f"{show(path)}: below the lower table", encode(replaced(certificate, path, str(value))), True
            )


def of_classes(certificate: Json) -> Iterator[Mutation]:
    """Where all pairs are claimed, the classes are those of bisimilarity, and there are no others."""
    classes = certificate["evidence"].get("classes", [])
    certain = certificate["claim"]["scope"] == "all-pairs"
    for n, block in enumerate(classes):
        if len(block) > 1:
            parted = sorted([*classes[:n], block[:1], block[1:], *classes[n + 1 :]])
            yield Mutation(
                f"class {n} parted", encode(replaced(certificate, ("evidence", "classes"), parted)), certain
            )
        if n:
            merged = [*classes[: n - 1], sorted(classes[n - 1] + block), *classes[n + 1 :]]
            merged.sort()
            data = encode(replaced(certificate, ("evidence", "classes"), merged))
            yield Mutation(f"classes {n - 1} and {n} merged", data, certain)
