"""Models as users write them: numbers as they like, relations by name, defaults left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations

from ..reading import Json, Malformed, Ratio, canonical, from_digits, typed

MAX_DIGITS = 10_000  # of a number of a model, as it is written or without its exponent
NUMBER = re.compile(r"(-?)([0-9]+)(?:/([0-9]+)|(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,6}))?)", re.ASCII)


class UnreadableModel(Exception):
    """A model file is not one that this program reads."""


def canonical_model(model: Mapping[str, Json]) -> bytes:
    """The bytes that stand for a model: those of certificates, where an empty relation is left out."""
    return canonical({key: value for key, value in model.items() if key != "relation" or value})


def written_number(text: str) -> Ratio:
    """An integer, a fraction or a decimal, exactly. Raises UnreadableModel."""
    match = NUMBER.fullmatch(text)
    if match is None:
        raise UnreadableModel(f"{json.dumps(text[:60])} is not a number")
    sign, whole, below, decimals, power = match.groups("")
    shift = int(power or "0") - len(decimals)
    if max(len(whole) + len(decimals) + abs(shift), len(below)) > MAX_DIGITS:
        raise UnreadableModel("a number is too long")
    denominator = from_digits(below or "1") * 10 ** max(0, -shift)
    if denominator == 0:
        raise UnreadableModel("a denominator is 0")
    value = Fraction(from_digits(whole + decimals) * 10 ** max(0, shift), denominator)
    return (-value if sign else value).as_integer_ratio()


class Number(str):
    """The text of a JSON number."""


def given_model(data: bytes) -> bytes:
    """The canonical bytes of a model as users write it: numbers as they like, pairs in any order, zeros, and
    relations by name. Raises UnreadableModel."""
    try:
        model = json.loads(data, parse_int=Number, parse_float=Number, object_pairs_hook=members)
        kind = typed(model["type"], str)
        versions = ("1", Number("1"))
        if model["version"] not in versions or not isinstance(model["version"], Number):
            raise UnreadableModel("the version of the model is not 1")
        readers = {
            "labelled-markov-chain": given_system,
            "labelled-markov-decision-process": given_system,
            "threshold-program": given_program,
        }
        if kind not in readers:
            raise UnreadableModel("the type of the model is unknown")
        return canonical(readers[kind](model))
    except (Malformed, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise UnreadableModel("the file is not a model in JSON") from None


def members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise UnreadableModel("a key is given twice")
    return dict(pairs)


def given_states(model: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """The type, which is a chain where no label leaves a choice, and the states. A state has `next`, one row,
    or `actions`; where others of its label have actions, `next` is its row for each of these."""
    menus: dict[str, set[str]] = {}
    for state in model["states"].values():
        if state.keys() not in ({"label", "next"}, {"label", "actions"}) or "" in state.get("actions", ()):
            raise UnreadableModel("a state needs a label, and either next or actions, which have names")
        menus.setdefault(state["label"], set()).update(state.get("actions", ()))
    is_chain = all(len(menu) < 2 for menu in menus.values())
    states = {}
    for name, state in model["states"].items():
        menu = sorted(menus[state["label"]])
        rows = state["actions"] if "actions" in state else dict.fromkeys(menu, state["next"])
        if is_chain or not menu:
            (row,) = rows.values() if rows else (state["next"],)
            moves = {"next": given_row(row)}
        else:
            moves = {"actions": {action: given_row(row) for action, row in rows.items()}}
        states[name] = {"label": state["label"], **moves}
    return "labelled-markov-chain" if is_chain else "labelled-markov-decision-process", states


def given_row(row: Mapping[str, Json]) -> Json:
    numbers = {t: written_number(x) for t, x in row.items()}
    return {t: text_of(x) for t, x in numbers.items() if x[0]}


def given_system(model: Mapping[str, Json]) -> Json:
    if not model.keys() <= {"type", "version", "states", "initial", "relation"}:
        raise UnreadableModel("the model has an unknown key")
    kind, states = given_states(model)
    initial = model.get("initial", [])
    pairs = model.get("relation", "initial" if initial else [])
    if pairs == "initial":
        pairs = permutations(sorted(set(initial)), 2)
    elif pairs == "same-label":
        alike: dict[str, list[str]] = {}
        for name, state in states.items():
            alike.setdefault(state["label"], []).append(name)
        pairs = [pair for names in alike.values() for pair in permutations(names, 2)]
    related = sorted({tuple(order) for s, t in pairs for order in ((s, t), (t, s))})
    found = {"states": states, "type": kind, "version": 1}
    return found | ({"relation": [list(pair) for pair in related]} if related else {})


def given_program(model: Mapping[str, Json]) -> Json:
    """The program; rates that an open parameter changes are lists of those at both ends of its interval."""
    numbers = ("mean", "mean_prime", "rate_prime")
    states = {
        name: {
            **state,
            **{key: text_or_null(state.get(key)) for key in numbers},
            **given_rates(state),
            "transitions": [given_transition(t) for t in state["transitions"]],
        }
        for name, state in model["states"].items()
    }
    usual = text_or_null(model.get("sensitivity") or "1")
    for state in states.values():
        for key in (*SIDES, *GAUSSIAN, "center"):
            if state.get(key, "") is None:
                del state[key]
            elif key in GAUSSIAN and key in state:
                state[key] = text_or_null(state[key])
        if "sensitivity" in state:
            state["sensitivity"] = text_or_null(state["sensitivity"])
            if state["sensitivity"] in (None, usual):
                del state["sensitivity"]
    final = sorted(set(model.get("final", [])))
    opened = model.get("open")
    if opened is not None:
        ends = {key: text_of(written_number(opened[key])) for key in ("from", "to")}
        model = {**model, "open": {**opened, **ends}}
    kept = {key: value for key, value in model.items() if key != "final"}
    if kept.get("noise") == "laplace":
        del kept["noise"]
    if kept.get("inputs", "") is None:
        del kept["inputs"]
    for key in ("grid", "sensitivity"):
        if key in kept:
            kept[key] = text_or_null(kept[key])
            if kept[key] in (None, "1"):
                del kept[key]
    return {**kept, "states": states, "version": 1, **({"final": final} if final else {})}


def given_transition(t: Mapping[str, Json]) -> Json:
    """The transition; signs of registers are whole numbers, and what is seen as it is has no key `seen`."""
    signs = {
        r: {x: written_number(sign) for x, sign in own.items()} for r, own in t.get("registers", {}).items()
    }
    if any(d != 1 for own in signs.values() for _, d in own.values()):
        raise UnreadableModel("a sign of a register is no whole number")
    kept = {r: {x: n for x, (n, _) in own.items()} for r, own in signs.items()}
    told = [written_number(number) for number in t.get("seen") or ()]
    own: dict[str, Json] = {"registers": kept} if kept else {}
    if t.get("seen") is not None and told != [(0, 1)]:
        own["seen"] = [text_of(number) for number in told]
    return {key: value for key, value in t.items() if key not in ("registers", "seen")} | own


SIDES = ("rate_left", "rate_right")
GAUSSIAN = ("sigma", "sigma_prime")


def given_rates(state: Mapping[str, Json]) -> dict[str, Json]:
    """One rate, or two, of which one may be given as the rate."""
    rate, *sides = (rate_or_null(state.get(key)) for key in ("rate", *SIDES))
    left, right = (rate if side is None else side for side in sides)
    both_given = rate is not None and None not in sides
    if left == right != "inf" and not both_given:
        return {"rate": left, **dict.fromkeys(SIDES)}
    return {"rate": rate if both_given else None, "rate_left": left, "rate_right": right}


def rate_or_null(value: Json) -> Json:
    return "inf" if value == "inf" else text_or_null(value)


def text_or_null(value: Json) -> Json:
    if isinstance(value, list):
        if any(isinstance(term, list) for term in value):  # a real number, as certificates have it
            return value
        return [text_of(written_number(end)) for end in value]
    return None if value is None else text_of(written_number(value))


def text_of(number: Ratio) -> str:
    """Lowest terms, as certificates write it."""
    return digits_of(number[0]) + (f"/{digits_of(number[1])}" if number[1] > 1 else "")


def digits_of(n: int) -> str:
    """In halves, as Python may refuse to write long numbers at once."""
    if n < 0:
        return f"-{digits_of(-n)}"
    if n.bit_length() < 2000:
        return str(n)
    half = n.bit_length() * 3 // 20
    high, low = divmod(n, 10**half)
    return digits_of(high) + digits_of(low).rjust(half, "0")
