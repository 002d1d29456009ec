"""Whether a claim is true, by the slow oracles, whatever its evidence."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

from prover.chain.model import LabelledMarkovChain
from prover.program.model import Program, State, Transition, variables
from prover.program.noise import Noise, Rate
from prover.program.optimum.budget import Budget
from prover.program.outputs import Gap, Output, Outputs
from prover.program.privacy import privacy
from tests import oracle
from tests.certificate.judge import of_classes
from tests.certificate.made import true_values
from tests.certificate.samples import encode
from tests.program.automata import worst_cost
from tests.program.observer_oracle import loss_from_0, loss_of_runs, possible_runs

Json = Any
WORD_LENGTH = 6


@lru_cache(maxsize=1_000)
def values(model: bytes, alpha: Fraction, kind: str) -> tuple[LabelledMarkovChain, oracle.Table]:
    fields = json.loads(model)
    rows = {name: (state["label"], state["next"]) for name, state in fields["states"].items()}
    chain = LabelledMarkovChain.of(rows, [(s, t) for s, t in fields.get("relation", [])])
    return chain, true_values(chain, alpha, kind)


def named(text: str) -> str:
    """A name; the checker does not mind empty ones, which models may not have."""
    return text or "(nameless)"


def rate_of(text: str | None) -> Rate | None:
    return None if text is None else "inf" if text == "inf" else Fraction(text)


def outputs_of(written: Json) -> Outputs:
    """One output, or several."""
    if isinstance(written, list):
        return tuple(output_of(part) for part in written)
    return output_of(written)


def output_of(written: Json) -> Output:
    return Gap(named(written["gap"])) if isinstance(written, dict) else named(written)


def program_of(model: Json) -> Program:
    """The program, without its means, which do not matter."""
    states = {
        named(name): State(
            state["input"],
            None if state["rate"] is None else Fraction(state["rate"]),
            Fraction(0),
            None if state["rate_prime"] is None else Fraction(state["rate_prime"]),
            None if state["rate_prime"] is None else Fraction(0),
            tuple(
                dict.fromkeys(  # a mutation may give a state the same transition twice, which changes nothing
                    Transition(
                        tuple((relation, named(variable)) for relation, variable in t["guard"]),
                        tuple(map(named, t["assign"])),
                        outputs_of(t["output"]),
                        named(t["to"]),
                    )
                    for t in state["transitions"]
                )
            ),
            rate_of(state.get("rate_left")),
            rate_of(state.get("rate_right")),
            Fraction(state["sensitivity"]) if "sensitivity" in state else None,
        )
        for name, state in model["states"].items()
    }
    grid = Fraction(model["grid"]) if "grid" in model else None
    noise = Noise(model.get("noise", "laplace"), grid, Fraction(model.get("sensitivity", "1")))
    return Program(named(model["initial"]), states, noise=noise)


def is_true_of_program(certificate: Json) -> bool:
    """Adjacencies other than all-differ allow less: of these only what follows is known."""
    claim, program = certificate["claim"], program_of(certificate["model"])
    if "words" in certificate["evidence"]:  # an observer loses no more than runs do
        return privacy(program, claim["adjacency"], budget=Budget(values=300)).runs.bounded is False
    if {"block", "extremes", "groups", "last", "merged", "quotient", "word"} & certificate["evidence"].keys():
        return may_be_true_of_observers(certificate)
    if len(variables(program)) > 1:
        return is_true_of_several(program, claim)
    worst = worst_cost(program)
    if claim["kind"] == "private":
        return worst is not None
    if claim["kind"] == "not-private":
        return worst is None
    enough = worst is None or Fraction(claim["lower"]) <= worst
    if claim["adjacency"] != "all-differ" or claim["upper"] == "inf":
        return enough
    return enough and worst is not None and worst <= Fraction(claim["upper"])


def may_be_true_of_observers(certificate: Json) -> bool:
    """An observer loses no more than runs do, and no less than from inputs 0, by brute force."""
    claim = certificate["claim"]
    found = observed(encode(certificate["model"]), claim["adjacency"])
    if found is None:
        return True
    least, most = found
    return Fraction(claim["lower"]) <= most and (claim["upper"] == "inf" or least <= Fraction(claim["upper"]))


@lru_cache(maxsize=1_000)
def observed(data: bytes, adjacency: str) -> tuple[Fraction, Fraction] | None:
    """Bounds of an observer's loss by brute force; None where runs have no end."""
    model = json.loads(data)
    longest = len(model["states"])
    if any(len(run) > longest for run in possible_runs(model, longest + 1)):
        return None
    return loss_from_0(model, adjacency, longest), loss_of_runs(model, adjacency, longest)


def is_true_of_several(program: Program, claim: Json) -> bool:
    """By the prover: its own bounds are those of its certificates."""
    answer = privacy(program, claim["adjacency"], budget=Budget(values=300))
    if claim["kind"] != "epsilon":
        return answer.private is (claim["kind"] == "private")
    lower = answer.private is False or answer.upper is None or Fraction(claim["lower"]) <= answer.upper
    return lower and (
        claim["upper"] == "inf"
        or (answer.private is True and answer.lower is not None and answer.lower <= Fraction(claim["upper"]))
    )


def is_true(certificate: Json) -> bool:
    """The claim about the model. One about all pairs is about the evidence, which must be right all over."""
    claim = certificate["claim"]
    if "adjacency" in claim:
        return is_true_of_program(certificate)
    if claim["kind"] in ("lv", "tv"):
        return may_be_true(certificate)
    kind = "ld" if claim["kind"] == "lgd" else claim["kind"]
    if "quotient" in claim:  # the evidence may have no other classes than those of bisimilarity
        certificate = of_classes(certificate)
        claim = certificate["claim"]
    chain, table = values(encode(certificate["model"]), Fraction(claim.get("alpha", "1")), kind)
    if claim["scope"] == "all-pairs":
        return encloses(certificate["evidence"], table, claim["kind"] == "bd")
    s, t = chain.index(claim["from"]), chain.index(claim["to"])
    pairs = chain.relation if claim["scope"] == "relation" else [(s, t)]
    largest = max(table[i][j] for i, j in pairs)
    if "value" in claim:
        return largest == Fraction(claim["value"]) and table[s][t] == largest
    return Fraction(claim["lower"]) <= table[s][t] and largest <= Fraction(claim["upper"])


def may_be_true(certificate: Json) -> bool:
    """A claim about lv or tv, by words of bounded length: exact where by then all is settled."""
    claim, fields = certificate["claim"], certificate["model"]
    rows = {name: (state["label"], state["next"]) for name, state in fields["states"].items()}
    chain = LabelledMarkovChain.of(rows, [(s, t) for s, t in fields.get("relation", [])])
    s, t = chain.index(claim["from"]), chain.index(claim["to"])
    ends = [(s, t), (t, s)][: 1 + (claim["kind"] == "tv")]
    asked = chain.relation if claim["scope"] == "relation" else ends
    alpha = Fraction(claim["alpha"])
    most = max(within(chain, alpha, end)[1] for end in ends)
    least = max(within(chain, alpha, pair)[0] for pair in asked)
    return Fraction(claim["lower"]) <= most and least <= Fraction(claim["upper"])


@lru_cache(maxsize=1_000)
def within(chain: LabelledMarkovChain, alpha: Fraction, pair: tuple[int, int]) -> tuple[Fraction, Fraction]:
    return oracle.lv_within(chain, alpha, *pair, WORD_LENGTH)


def encloses(evidence: Json, table: oracle.Table, symmetric: bool) -> bool:
    """Whether the rows of the evidence are right about the distance, the kernel or bisimilarity."""
    if "related" in evidence:
        signs = [(row["pair"], "related") for row in evidence["related"]]
        signs += [(row["pair"], "unrelated") for row in evidence.get("unrelated", [])]
        return all(table[i][j] == (side == "unrelated") for (i, j), side in signs)
    if "classes" in evidence:
        block = {s: n for n, members in enumerate(evidence["classes"]) for s in members}
        return all(table[s][t] == (block[s] != block[t]) for s in block for t in block)
    for side, rows in evidence.items():
        for row in rows["rows"] if side != "symmetries" else ():
            value = Fraction(int(row["value"]), int(rows["denominator"]))
            for i, j in [row["pair"], row["pair"][::-1]][: 2 if symmetric else 1]:
                if (side != "upper" and value > table[i][j]) or (side != "lower" and value < table[i][j]):
                    return False
    return True
