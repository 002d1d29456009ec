"""The whole file: its claim, the rules for this claim, and the line that is printed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module

from .budget import Budget
from .demands import canonical_model
from .reading import Json, Malformed, TooLarge, at, constant, decode, demand, record, typed

BOUNDED = {
    "pair": "alpha from kind lower scope to upper",
    "relation": "alpha from kind lower scope to upper",
    "all-pairs": "alpha kind scope width",
}

UNROLLED = {scope: BOUNDED[scope] for scope in ("pair", "relation")}

RELATED = {
    "pair": "from kind scope to value",
    "relation": "from kind scope to value",
    "all-pairs": "kind scope",
}

PROFILED = {"pair": "from kind of scope to", "relation": "kind of scope"}

# kind: the file of `kinds/` that has its rule, and the keys of its claims by scope; some have no scope
KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "ld": ("systems", BOUNDED),
    "lgd": ("systems", BOUNDED),
    "bd": ("systems", BOUNDED),
    "kernel": ("systems", {scope: f"alpha {keys}" for scope, keys in RELATED.items()}),
    "bisimilarity": ("systems", RELATED),
    "lv": ("systems", UNROLLED),
    "tv": ("systems", UNROLLED),
    "private": ("programs", {"": "adjacency kind"}),
    "not-private": ("programs", {"": "adjacency kind"}),
    "epsilon": ("programs", {"": "adjacency kind lower upper"}),
    "epsilon-function": ("functions", {"": "adjacency kind pieces"}),
    "real-epsilon": ("functions", {"": "adjacency kind lower upper"}),
    "counted-epsilon": ("functions", {"": "adjacency constants each first kind"}),
    "composition": ("compositions", {"": "alpha kind lower upper"}),
    "profile": ("laws", PROFILED),
    "tradeoff": ("laws", {scope: f"{keys} vertices" for scope, keys in PROFILED.items()}),
    "renyi": ("laws", {scope: f"{keys} moments" for scope, keys in PROFILED.items()}),
    "profile-table": ("profiles", {"": "adjacency alpha at_epsilon kind upper"}),
    "inputs": ("profiles", {"": "adjacency alpha at_epsilon kind lower"}),
    "policy": ("profiles", {"": "adjacency alpha at_epsilon kind lower"}),
    "pair": ("profiles", {"": "adjacency alpha at_epsilon inputs kind lower neighbour upper"}),
    "lists": ("profiles", {"": "adjacency alpha at_epsilon kind lower steps upper values"}),
}

OPTIONAL = {
    "composition": "epsilon",
    "epsilon": "loss unit",
    "inputs": "epsilon steps",
    "lists": "epsilon",
    "not-private": "loss unit",
    "pair": "epsilon",
    "policy": "epsilon steps",
    "private": "loss unit",
    "profile": "lost observer",
    "profile-table": "epsilon steps",
    "renyi": "observer rho",
    "tradeoff": "above gaussian observer",
}

POINTED = ("inputs", "profile-table")  # whose claims may be about several α


@dataclass(frozen=True, slots=True)
class Verified:
    """A claim that is proved, in a line and as it stands, and the canonical bytes of its model."""

    line: str
    claim: Mapping[str, Json]
    model: bytes


def check(data: bytes) -> str:
    """The claim that the certificate establishes, one line of ASCII. Raises Rejected, and nothing else."""
    return verified(data).line


def verified(data: bytes) -> Verified:
    """The claim that the certificate establishes. Raises Rejected, and nothing else."""
    collecting = gc.isenabled()
    gc.disable()  # nothing that is read refers to itself, and of a large file all would be visited often
    try:
        return establish(*decode(data), Budget(len(data)))
    except RecursionError:
        raise TooLarge("the JSON is nested too deeply") from None
    except MemoryError:
        raise TooLarge("there is not enough memory") from None
    finally:
        if collecting:
            gc.enable()


def establish(certificate: Json, model: bytes, budget: Budget) -> Verified:
    top = record(certificate, "claim evidence format model version")
    constant(top["format"], "prover-certificate")
    constant(top["version"], 1)
    claim = typed(top["claim"], dict)
    kind, scope = typed(claim.get("kind"), str), typed(claim.get("scope", ""), str)
    demand(kind in KINDS, Malformed, "the kind of the claim is unknown")
    family, keys = KINDS[kind]
    demand(scope in keys, Malformed, "the scope of the claim is unknown")
    optional = "observer epsilon" if "alpha" in keys[scope].split() else "observer"
    optional = OPTIONAL.get(kind, optional if scope else "loss")
    optional += " quotient" * (keys is BOUNDED) + " lost nature" * (keys is UNROLLED)
    with at("claim"):
        wanted = keys[scope]
        if kind == "profile":
            wanted += " corners" if "corners" in claim else " points"
        if kind == "composition" and "moments" in claim:
            wanted, optional = "kind moments", "rho"
        if kind == "composition" and "errors" in claim:
            wanted, optional = "errors kind", "gaussian"
        if "points" in claim and kind in POINTED:
            wanted, optional = "adjacency at_epsilon kind points", "steps"
        if "q" in claim:
            wanted = wanted.replace("at_epsilon", "q")
        record(claim, wanted, optional)
    line = rules_of(family)[kind](claim, top["model"], top["evidence"], budget)
    if not top["model"].get("relation", True):
        model = canonical_model(top["model"])
    return Verified(f"{line} model={sha256(model).hexdigest()}", claim, model)


def rules_of(family: str) -> Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]]:
    """The rules of a file of `kinds/`, which is read now: nobody waits for those of other kinds."""
    rules: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]]
    rules = import_module(f".kinds.{family}", __package__).RULES
    return rules
