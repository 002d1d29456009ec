"""Whether a claim that is proved is the one that its user needs: of this model, about these secrets, for this
observer, within these bounds (docs/certificates.md, *Demands*)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..budget import Budget
from ..chains import exceeds_exponential
from ..describing import plain_parts
from ..reading import Json, Ratio, Rejected, at_most, demand, rational
from ..real_rates import bounds_of, positive_bounds
from .given import canonical_model

Secrets = tuple[str, str]

SEES_ALL: Mapping[str, Json] = {"sees": "labels", "silent": []}  # every step, with its label
SYMMETRIC = ("all-differ", "one-differ", "monotonic")  # of any two inputs, either may be the first
DIRECTED = ("ld", "lgd", "lv", "kernel")  # a pair of secrets is compared one way round


class NotDemanded(Rejected):
    """The claim is proved, but it is not the one that is asked for."""


class NoSecrets(Exception):
    """A bound is demanded, and neither the options nor the model say of which secrets."""


@dataclass(frozen=True, slots=True)
class Demands:
    """Canonical bytes of a model; bounds of the claimed number, and of ε; the pair of secrets, unless the
    whole relation is meant; the adjacency, unless any symmetric one is meant; the observer in the form of
    claims, unless the observer sees every step; the ε by which noise is scaled; how many inputs there are at
    most; and q = e^(−ε·unit) in place of ε."""

    model: bytes | None = None
    at_most: Ratio | None = None
    epsilon_at_most: Ratio | None = None
    secrets: Secrets | None = None
    adjacency: str | None = None
    observer: Mapping[str, Json] | None = None
    at_epsilon: Ratio | None = None
    steps: int | None = None
    q: Ratio | None = None


def observer_of(silent: Sequence[str], *, untimed: bool) -> Mapping[str, Json] | None:
    """The observer who does not see these labels and, untimed, only changes of the others; None: sees every
    step."""
    if not untimed and not silent:
        return None
    return {"sees": "changes" if untimed else "labels", "silent": sorted(set(silent))}


def secrets_of(source: str | None, target: str | None) -> Secrets | None:
    """The two secrets that are named, if any are; raises ValueError."""
    if source is None and target is None:
        return None
    if source is None or target is None:
        raise ValueError("--from and --to go together")
    if source == target:
        raise ValueError("--from and --to name the same secret")
    return source, target


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison by a claim, or by a part of a composition: `pairs` of secrets, in these orders; None for
    all pairs. `relation` are the pairs of its model."""

    scope: str
    pairs: Sequence[Sequence[str]] | None
    relation: Sequence[Sequence[str]]
    observer: Mapping[str, Json]


def meet(demands: Demands, claim: Mapping[str, Json], model: bytes) -> None:
    """The claim, which is proved, is the one that is demanded. Raises NotDemanded and NoSecrets."""
    if demands == Demands():
        return
    read = json.loads(model)
    if demands.model not in (None, model):
        models = models_of(claim, read)
        require(demands.model in models, "the claim is about another model (--model)")
        require(models == {demands.model}, "the claim is about other models, too (--model)")
    probability, epsilon = numbers_of(claim)
    require("nature" not in claim, "the claim bounds what nature leaves to the attacker, not all choices")
    require(demands.at_most is None or probability, "the claim bounds no single probability (--at-most)")
    require(demands.epsilon_at_most is None or epsilon, "the claim bounds no epsilon (--epsilon-at-most)")
    if "adjacency" in claim:
        program_rule(demands, claim)
    else:
        programs = [part for part in parts_of(claim, read) if "program" in part]
        for part in programs:
            neighbours_rule(demands, part)
        require(programs or demands.adjacency is None, "the claim has no adjacency (--adjacency)")
        scales = ((demands.at_epsilon, "--at-epsilon"), (demands.q, "--q"), (demands.steps, "--steps"))
        for scale, option in scales:
            require(programs or scale is None, f"the claim is about no program ({option})")
        found, others = comparisons(claim, read)
        observer_rule(demands, found, others)
        secrets_rule(demands, found, others)
    bounds_rule(demands, claim)


def require(condition: object, words: str) -> None:
    demand(bool(condition), NotDemanded, words)


def parts_of(claim: Mapping[str, Json], model: Json) -> Sequence[Mapping[str, Json]]:
    """The mechanisms of a composition."""
    parts: Sequence[Mapping[str, Json]] = model["parts"] if claim["kind"] == "composition" else ()
    return plain_parts(parts)


def models_of(claim: Mapping[str, Json], model: Json) -> set[bytes | None]:
    """The canonical bytes of the chains and programs of a composition; None for its other mechanisms, and on
    samples."""
    own = (
        None if "sampling" in part else part.get("chain", part.get("program"))
        for part in parts_of(claim, model)
    )
    return {None if system is None else canonical_model(system) for system in own}


def comparisons(claim: Mapping[str, Json], model: Json) -> tuple[list[Comparison], int]:
    """The comparisons of the claim, and the number of parts of a composition without states."""
    if claim["kind"] == "composition":
        parts = parts_of(claim, model)
        chains = [part for part in parts if "chain" in part]
        found = [comparison(part, part["chain"], directed=False) for part in chains]
        return found, len(parts) - len(chains)
    return [comparison(claim, model, directed=claim.get("of", claim["kind"]) in DIRECTED)], 0


def comparison(fields: Mapping[str, Json], system: Json, *, directed: bool) -> Comparison:
    """The comparison of a claim, or of a part of a composition, which has no scope."""
    scope = fields.get("scope", "pair" if "from" in fields else "relation")
    observer = fields.get("observer", SEES_ALL)
    relation = system.get("relation", [])
    pairs: Sequence[Sequence[str]] | None = relation
    if scope == "pair":
        ends = [fields["from"], fields["to"]]
        pairs = [ends] if directed else [ends, ends[::-1]]
    elif scope == "all-pairs":  # of a collapsed chain, which need not have all the states of the model
        pairs = None if observer == SEES_ALL else []
    return Comparison(scope, pairs, relation, observer)


def observer_rule(demands: Demands, found: Sequence[Comparison], others: int) -> None:
    """All comparisons are about the named observer or, if none is named, about one who sees every step."""
    wanted = demands.observer or SEES_ALL
    same = all(one.observer == wanted for one in found) and (wanted == SEES_ALL or others == 0)
    who = "who does not see every step" if wanted == SEES_ALL else "with another view"
    require(same, f"the claim is about an observer {who} (--untimed, --silent)")


def secrets_rule(demands: Demands, found: Sequence[Comparison], others: int) -> None:
    """Secrets differ; and those that are named, or that a bound is meant for, are among the claim's."""
    if demands.model is not None:
        differ = all(one.scope == "all-pairs" or different(one.pairs or []) for one in found)
        require(differ, "a secret is compared with itself (--model)")
    named = demands.secrets
    if named is None and demands.at_most is None and demands.epsilon_at_most is None:
        return
    require(named is None or others == 0, "a part of the composition has no named secrets (--from, --to)")
    for one in found:
        if one.pairs is not None:
            covering_rule(one.pairs, one.relation if named is None else [list(named)], named)
    orders = {tuple(one.pairs[0]) for one in found if one.scope == "pair" and one.pairs}
    require(len(orders) < 2, "the parts name several pairs, or one in both orders (--from, --to)")


def different(pairs: Sequence[Sequence[str]]) -> bool:
    return any(s != t for s, t in pairs)


def covering_rule(
    pairs: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], named: Secrets | None
) -> None:
    """The pairs of a claim include those that are wanted, which are a relation if none is named."""
    if not different(wanted):
        raise NoSecrets
    if pairs is wanted:
        return
    missing = [[s, t] for s, t in wanted if s != t and [s, t] not in pairs]
    one_way = missing and all([t, s] in pairs for s, t in missing)
    require(not one_way, "the claim is about one direction only (--from, --to)")
    words = "the whole relation" if named is None else "these secrets"
    require(not missing, f"the claim is not about {words} (--from, --to)")


def program_rule(demands: Demands, claim: Mapping[str, Json]) -> None:
    """The adjacency is the one that is named, or, if none is and a bound is demanded, a symmetric one. No
    secrets are named, and the observer sees every step."""
    require(
        demands.secrets is None, "the claim is about a program, which has no named secrets (--from, --to)"
    )
    plain = demands.observer in (None, SEES_ALL)
    require(
        plain,
        "the claim is about a program, where time and silent labels have no meaning (--untimed, --silent)",
    )
    neighbours_rule(demands, claim)


def neighbours_rule(demands: Demands, claim: Mapping[str, Json]) -> None:
    """Of a claim about a program, or of such a part of a composition."""
    bounded = demands.epsilon_at_most is not None or demands.at_most is not None
    some = {"lists": "inputs of some values", "pair": "one pair of inputs"}.get(claim.get("kind", ""))
    few = bounded and some is not None
    require(not few, f"the claim is about {some} only (--at-most, --epsilon-at-most)")
    scale_rule(demands.at_epsilon, claim, "at_epsilon", "--at-epsilon", bounded=bounded)
    scale_rule(demands.q, claim, "q", "--q", bounded=bounded)
    steps_rule(demands.steps, claim, bounded=bounded)
    if demands.adjacency is not None:
        require(claim["adjacency"] == demands.adjacency, "the claim has another adjacency (--adjacency)")
    elif bounded:
        both = claim["adjacency"] in SYMMETRIC
        require(both, "the claim is about inputs that differ in one direction only (--adjacency)")


def scale_rule(
    wanted: Ratio | None, claim: Mapping[str, Json], key: str, option: str, *, bounded: bool
) -> None:
    """The noise is scaled by the ε that is named; a bound at one ε says nothing about another one."""
    found = rational(claim[key]) if key in claim else None
    missing = found is not None and wanted is None and bounded
    require(not missing, f"the bound is about one epsilon of the noise, which is not named ({option})")
    require(wanted in (None, found), f"the claim is not about noise at this epsilon ({option})")


def steps_rule(wanted: int | None, claim: Mapping[str, Json], *, bounded: bool) -> None:
    """Inputs are as long as is named; a bound for short ones says nothing about longer ones."""
    found = claim.get("steps")
    missing = found is not None and wanted is None and bounded
    require(not missing, "the bound is about a number of inputs, which is not named (--steps)")
    require(wanted in (None, found), "the claim is not about at most so many inputs (--steps)")


def numbers_of(claim: Mapping[str, Json]) -> tuple[Json, Json]:
    """The bound of one probability, and that of ε or the α it is about; None where there is none."""
    if "pieces" in claim:
        return None, largest([piece["upper"] for piece in claim["pieces"]])
    if "adjacency" in claim and "alpha" not in claim:
        return None, claim.get("upper")
    if "lower" in claim and "upper" not in claim:
        return None, None
    return claim.get("upper", claim.get("value")), claim.get("alpha")


def largest(uppers: Sequence[Json]) -> Json:
    """The largest of upper bounds at the ends of pieces, which are affine between."""
    if "inf" in uppers:
        return "inf"
    numbers = [number for pair in uppers for number in pair]
    return max(numbers, key=lambda number: Fraction(*rational(number)))


def in_full(claim: Mapping[str, Json], number: Json) -> Ratio:
    """What a number of the claim is at most, which may be real, or counted in units that are real numbers."""
    if isinstance(number, list):
        return bounds_of(number, Budget(0))[1].as_integer_ratio()
    n, d = rational(number)
    if "unit" not in claim:
        return n, d
    above = positive_bounds(claim["unit"], Budget(0))[1]
    return n * above.numerator, d * above.denominator


def bounds_rule(demands: Demands, claim: Mapping[str, Json]) -> None:
    probability, epsilon = numbers_of(claim)
    if demands.at_most is not None:
        low = at_most(rational(probability), demands.at_most)
        require(low, "the bound of the claim is above the demanded one (--at-most)")
    if demands.epsilon_at_most is not None:
        if "alpha" not in claim:
            low = epsilon != "inf" and at_most(in_full(claim, epsilon), demands.epsilon_at_most)
        else:
            low = not exceeds_exponential(rational(epsilon), demands.epsilon_at_most)
        require(low, "the epsilon of the claim is above the demanded one (--epsilon-at-most)")
