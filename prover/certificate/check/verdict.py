"""The whole file: its claim, the rules for this claim, and the line that is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from .accounts.composition import composition, profile
from .accounts.errors import errors
from .accounts.moments import composed_moments
from .accounts.tradeoff import tradeoff
from .accounts.zcdp import rho_of_chain
from .budget import Budget
from .chains import Chain, Claim, read_chain, read_claim
from .collapsing import observed
from .counted import loss_of_counts
from .demands import canonical_model
from .describing import describe, errors_words, moments_words, mu_words, named_parts, plain_parts, rho_words
from .facts import private
from .followed import growing_sums
from .growth import scaled
from .losses import epsilon
from .moments import of_chain, renyi
from .opened import open_loss, open_words, read_open
from .processes.distances import interactive_distance
from .processes.model import TYPE as PROCESS
from .processes.model import Process, quotient_of, read_nature, read_process
from .processes.relations import interactive_bisimilarity, merged, process_splitters_rule
from .processes.unrolling import interactive_unrolling
from .profiles.claims import BOUNDS, at_each_point, points_rule
from .profiles.lists import lists_rule
from .profiles.pair import best_event_rule, pair_rule
from .profiles.policy import policy_rule
from .profiles.table import profile_rule
from .programs import CORNERS, Program, read_program
from .reading import (
    BadClaim,
    Json,
    Malformed,
    TooLarge,
    at,
    canonical,
    constant,
    decode,
    demand,
    record,
    typed,
)
from .real_losses import has_reals, real_loss, with_ones
from .real_rates import in_units, unit_words
from .reals import rounded
from .registers import part_of_evidence, unfolded
from .relations import bisimilarity, kernel, quotient, splitters_rule
from .runs import not_private
from .shown import listed
from .unrollings import bounded, uncut, unrolling
from .variables.tokens import several_private
from .whose import loss_rule


def seen_chain(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> tuple[Chain, Json]:
    """The chain of the claim as far as it is seen, with rational probabilities; and the other evidence."""
    if "rounding" in typed(evidence, dict):
        with at("rounding"):
            return rounded(fields, model, evidence, budget)
    demand(not fields.keys() >= {"observer", "lost"}, Malformed, "a claim about lost runs has an observer")
    with at("model"):
        chain = read_chain(model, budget)
    if "observer" in fields:
        with at("collapsing"):
            return observed(chain, fields, evidence)
    return chain, evidence


def about_chain(
    rule: Callable[[Chain, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    grows = typed(evidence, dict).keys() >= {"growth", "rounding"}
    chain, evidence = seen_chain(fields, model, evidence, budget)
    if "quotient" in fields:
        constant(fields["quotient"], "bisimilarity")
        with at("quotient"):
            chain, evidence = merged(chain, evidence, quotient, splitters_rule)
    demand("nature" not in fields, Malformed, "a claim about a chain has actions of nature")
    with at("claim"):
        claim = read_claim(fields, chain)
    if "lost" in fields:
        claim, evidence = scaled(chain, claim, evidence) if grows else uncut(chain, claim, fields, evidence)
    with at("evidence"):
        table = rule(chain, claim, evidence)
    return describe(fields, chain.count_alike(), table)


def about_process(
    rule: Callable[[Process, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    with at("model"):
        process = read_process(model, budget)
    demand("observer" not in fields, Malformed, "a claim about a decision process has an observer")
    demand("lost" not in fields, Malformed, "a claim about a decision process has lost runs")
    if "quotient" in fields:
        constant(fields["quotient"], "bisimilarity")
        with at("quotient"):
            process, evidence = merged(process, evidence, quotient_of, process_splitters_rule)
    with at("claim"):
        claim = read_claim(fields, process)
        if "nature" in fields:
            process = replace(process, nature=read_nature(fields["nature"], process))
    with at("evidence"):
        table = rule(process, claim, evidence)
    alike = sum(many * (many - 1) for many in Counter(process.labels).values())
    named = [canonical(action).decode() for action in fields.get("nature", ())]
    return describe(fields, alike, table) + " attackers=all" + f" nature={listed(named)}" * bool(named)


def about_system(
    of_chain: Callable[[Chain, Claim, Json], Json],
    of_process: Callable[[Process, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """δ, or a distance, of a chain, or of a process against every attacker."""
    if typed(model, dict).get("type") == PROCESS:
        return about_process(of_process, fields, model, evidence, budget)
    return about_chain(of_chain, fields, model, evidence, budget)


def of_system(
    of_chain: Callable[..., Json], of_process: Callable[..., Json], *, symmetric: bool
) -> Callable[[Mapping[str, Json], Json, Json, Budget], str]:
    first, second = partial(of_chain, symmetric=symmetric), partial(of_process, symmetric=symmetric)
    return partial(about_system, first, second)


def about_program(
    claim_rule: Callable[[Program, Mapping[str, Json], Json], None],
    rule: Callable[[Program, Mapping[str, Json], Json], None],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
    *,
    gaussian: bool = False,
    registers: bool = False,
    opened: bool = False,
) -> str:
    with at("model"):
        if "unit" in fields:
            model = in_units(model, fields["unit"], budget)
        elif opened and has_reals(model):  # any positive rates will do
            demand("words" not in evidence, BadClaim, "evidence about outputs, and real rates")
            model = with_ones(model, budget)
    of_values = opened and "open" in typed(model, dict)
    with at("model"):
        if of_values:  # the loss grows with rates
            program = read_open(model, budget).blended(min)
        else:
            program = read_program(model, budget, gaussian=gaussian, registers=registers)
    demand(not (of_values and "words" in evidence), BadClaim, "evidence about outputs, and an open parameter")
    demand(typed(fields["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    with at("claim"):
        claim_rule(program, fields, evidence)
        followed = rule is not_private and evidence.get("sums") == "followed"
        most, evidence = (None, evidence) if followed else part_of_evidence(program, evidence)
    with at("model"):
        program = program if followed else unfolded(program, fields["adjacency"], most)
    with at("evidence"):
        (growing_sums if followed else rule)(program, fields, evidence)
    return describe(fields, 0, None) + (open_words(model) if of_values else "") + unit_words(fields)


def about_real_program(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = real_loss(fields, model, evidence, budget)
    numbers = ("lower", "upper")
    return describe({key: value for key, value in fields.items() if key not in numbers}, 0, None) + words


def about_open_program(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = open_loss(fields, model, evidence, budget)
    return describe(fields, 0, None) + words


def about_composition(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    rule = composed_moments if "moments" in fields else errors if "errors" in fields else composition
    rule(fields, model, evidence, budget)
    runs = sum(part["times"] for part in model["parts"])
    observers = sum("observer" in part for part in plain_parts(model["parts"]))
    seen = f" observers={observers}" if observers else ""
    named = named_parts(model["parts"])
    told = describe(fields, 0, None) + moments_words(fields) + rho_words(fields) + errors_words(fields)
    return f"{told} {named} parts={len(model['parts'])} runs={runs}{seen}"


def about_laws(
    rule: Callable[[Mapping[str, Json], Chain, Json], None],
    names: Sequence[str],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """A claim about laws of chains, with one of some lists, which the line counts."""
    chain, evidence = seen_chain(fields, model, evidence, budget)
    rule(fields, chain, evidence)
    name = next(name for name in names if name in fields)
    return describe(fields, 0, None) + f" of={fields['of']} {name}={len(fields[name])}{mu_words(fields)}"


def about_moments(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    attackers = typed(model, dict).get("type") == PROCESS
    if attackers:
        demand("observer" not in fields, Malformed, "a claim about a decision process has an observer")
        with at("model"):
            process = read_process(model, budget)
        demand("rho" not in fields, Malformed, "a claim about a decision process has rho")
    else:
        chain, evidence = seen_chain(fields, model, evidence, budget)
        process = of_chain(chain)
        evidence = rho_of_chain(chain, fields, evidence)
    renyi(process, fields, evidence)
    told = f"of={fields['of']}{moments_words(fields)}{rho_words(fields)}"
    return f"{describe(fields, 0, None)} {told}" + " attackers=all" * attackers


def about_counts(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = loss_of_counts(fields, model, evidence, budget)
    return describe(fields, 0, None) + words


def private_of_any(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A bounded loss, by facts where there is one variable, and by tokens where there are several."""
    rule = private if len(program.variables) == 1 else several_private
    rule(program, claim, evidence)


BOUNDED = {
    "pair": "alpha from kind lower scope to upper",
    "relation": "alpha from kind lower scope to upper",
    "all-pairs": "alpha kind scope width",
}

UNROLLED = {scope: BOUNDED[scope] for scope in ("pair", "relation")}

PROFILED = {"pair": "from kind of scope to", "relation": "kind of scope"}


RELATED = {
    "pair": "from kind scope to value",
    "relation": "from kind scope to value",
    "all-pairs": "kind scope",
}

# kind: its rule, and the keys of its claims by scope; claims about programs have no scope
Establish = Callable[[Mapping[str, Json], Json, Json, Budget], str]
KINDS: Mapping[str, tuple[Establish, Mapping[str, str]]] = {
    "ld": (of_system(bounded, interactive_distance, symmetric=False), BOUNDED),
    "lgd": (partial(about_chain, bounded), BOUNDED),
    "bd": (of_system(bounded, interactive_distance, symmetric=True), BOUNDED),
    "kernel": (partial(about_chain, kernel), {scope: f"alpha {keys}" for scope, keys in RELATED.items()}),
    "bisimilarity": (partial(about_system, bisimilarity, interactive_bisimilarity), RELATED),
    "lv": (of_system(unrolling, interactive_unrolling, symmetric=False), UNROLLED),
    "tv": (of_system(unrolling, interactive_unrolling, symmetric=True), UNROLLED),
    "private": (partial(about_program, loss_rule, private_of_any, opened=True), {"": "adjacency kind"}),
    "not-private": (
        partial(about_program, loss_rule, not_private, registers=True, opened=True),
        {"": "adjacency kind"},
    ),
    "epsilon": (
        partial(about_program, loss_rule, epsilon, registers=True),
        {"": "adjacency kind lower upper"},
    ),
    "epsilon-function": (about_open_program, {"": "adjacency kind pieces"}),
    "real-epsilon": (about_real_program, {"": "adjacency kind lower upper"}),
    "counted-epsilon": (about_counts, {"": "adjacency constants each first kind"}),
    "composition": (about_composition, {"": "alpha kind lower upper"}),
    "profile": (partial(about_laws, profile, ("corners", "points")), PROFILED),
    "tradeoff": (
        partial(about_laws, tradeoff, ("vertices",)),
        {scope: f"{keys} vertices" for scope, keys in PROFILED.items()},
    ),
    "renyi": (about_moments, {scope: f"{keys} moments" for scope, keys in PROFILED.items()}),
    "profile-table": (
        partial(about_program, points_rule, profile_rule, gaussian=True),
        {"": "adjacency alpha at_epsilon kind upper"},
    ),
    "inputs": (
        partial(about_program, points_rule, partial(at_each_point, best_event_rule), gaussian=True),
        {"": "adjacency alpha at_epsilon kind lower"},
    ),
    "policy": (
        partial(about_program, points_rule, policy_rule, gaussian=True),
        {"": "adjacency alpha at_epsilon kind lower"},
    ),
    "pair": (
        partial(about_program, points_rule, pair_rule, gaussian=True),
        {"": "adjacency alpha at_epsilon inputs kind lower neighbour upper"},
    ),
    "lists": (
        partial(about_program, points_rule, lists_rule, gaussian=True),
        {"": "adjacency alpha at_epsilon kind lower steps upper values"},
    ),
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
    "tradeoff": "gaussian observer",
}


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
    try:
        return establish(decode(data), Budget(len(data)))
    except RecursionError:
        raise TooLarge("the JSON is nested too deeply") from None
    except MemoryError:
        raise TooLarge("there is not enough memory") from None


def establish(certificate: Json, budget: Budget) -> Verified:
    top = record(certificate, "claim evidence format model version")
    constant(top["format"], "prover-certificate")
    constant(top["version"], 1)
    claim = typed(top["claim"], dict)
    kind, scope = typed(claim.get("kind"), str), typed(claim.get("scope", ""), str)
    demand(kind in KINDS, Malformed, "the kind of the claim is unknown")
    establish_kind, keys = KINDS[kind]
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
        if "points" in claim and kind in BOUNDS:
            wanted, optional = "adjacency at_epsilon kind points", "steps"
        if "q" in claim:
            wanted = wanted.replace("at_epsilon", "q")
        record(claim, wanted, optional)
    line = establish_kind(claim, top["model"], top["evidence"], budget)
    model = canonical_model(top["model"])
    return Verified(f"{line} model={sha256(model).hexdigest()}", claim, model)
