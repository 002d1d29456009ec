"""The rules about observers who do not see the run once more, word by word, from docs/certificates.md, 4.5.

Words are looked at run by run and shift by shift, and unions of runs by listing all orders of their samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

from tests.certificate.blocks_judge import ordered_models
from tests.certificate.judge import Unsound, rule
from tests.certificate.ladders_judge import ladder
from tests.certificate.last_judge import LastJudge
from tests.certificate.noise_judge import cost as step_cost
from tests.certificate.program_judge import (
    DIFFERENCES,
    INFINITE,
    ProgramJudge,
    bounds,
    names_in,
    reached_states,
)
from tests.certificate.quotients_judge import Images
from tests.certificate.variables_judge import VariablesJudge
from tests.certificate.words_judge import accepts_words
from tests.program.observer_oracle import (
    Step,
    Symbol,
    arcs_of,
    cost,
    has_cycle,
    least_cost,
    orders,
    outputs,
    possible_runs,
    seen,
    ties_of,
)

Json = Any
KEYS = {"block", "last", "word", "words", "groups", "merged", "quotient", "extremes"}


def accepts_observer(certificate: Json, judge: type[ProgramJudge]) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    try:
        if "words" in evidence:
            accepts_words(certificate, judge)
            return True
        rule(claim["kind"] == "epsilon" and claim.get("loss") == "observer")
        rule(not {"blocks", "word"} <= set(evidence))
        rule(not {"groups", "block"} & set(evidence) or not {"table", "nodes", "parts"} & set(evidence))
        rule(len({"block", "groups", "merged", "quotient"} & set(evidence)) <= 1 or "block" not in evidence)
        rule("last" not in evidence or set(evidence) <= {"last", "word", "blocks"})
        rest = {key: value for key, value in evidence.items() if key not in KEYS}
        lower, upper = claim["lower"], claim["upper"]
        rule(Fraction(lower) >= 0 and (upper == "inf" or Fraction(lower) <= Fraction(upper)))
        left = claim | ({"lower": "0"} if "word" in evidence else {})
        left |= {"upper": "inf"} if {"block", "groups", "last"} & set(evidence) else {}
        base = judge(model, left)
        rule(all("sensitivity" not in state for state in model["states"].values()))
        if "word" in evidence:
            rule(ObserverJudge(base).rise(evidence["word"]) >= Fraction(lower))
        rule(not {"merged", "quotient"} <= set(evidence))
        if {"merged", "quotient"} & set(evidence):
            rule("blocks" not in evidence)  # which are about the model itself; the samples have none
            if "merged" in evidence:
                model = merged(model, evidence["merged"], as_written(model))
            else:
                small = evidence["quotient"]["model"]
                several = len(names_in(small, reached_states(small))) > 1
                other = (VariablesJudge if several else ProgramJudge)(small, {**left, "lower": "0"})
                Images(base, other, model, small).decide(evidence["quotient"])
                model = small
            base = judge_of(model, {**left, "lower": "0"})
        for own, proof in (
            ordered_models(base, model, claim, evidence["block"]) if "block" in evidence else ()
        ):
            judge_of(own, {**claim, "lower": "0"}).decide(proof)
        if "extremes" in evidence:
            rule("blocks" not in evidence and "table" in evidence and type(base) is ProgramJudge)
            base = ExtremesJudge(model, {**left, "lower": "0"}, evidence["extremes"])
        if rest:
            base.decide(rest)
        else:
            rule(left["upper"] == "inf")
        if "last" in evidence:
            rule(all(sign in ("<", ">=") for _, t in as_written(model) for sign, _ in t["guard"]))
            rule("inputs" not in model)
            judge_of_ends = LastJudge(model, {**claim, "lower": "0"})
            judge_of_ends.each_way(judge_of_ends.last, evidence["last"])
        if "groups" in evidence:
            ObserverJudge(base).groups(evidence["groups"], upper, as_written(model))
    except Unsound:
        return False
    return True


def judge_of(model: Json, claim: Json) -> ProgramJudge:
    """The judge of the loss of runs, by the number of variables."""
    names = {
        name
        for q in reached_states(model)
        for t in model["states"][q]["transitions"]
        for name in [*bounds(t), *t["assign"]]
    }
    return (VariablesJudge if len(names) > 1 else ProgramJudge)(model, claim)


class ExtremesJudge(ProgramJudge):
    """Pairs of transitions make the stored value the larger one, or the smaller one, unseen."""

    def __init__(self, model: Json, claim: Json, pairs: Json) -> None:
        super().__init__(model, claim)
        rule("inputs" not in model and not self.several)
        rule("noise" not in model or model.get("sensitivity", "1") == model.get("grid", "1"))
        self.on_grid = "noise" in model
        cases = [t for state in model["states"].values() for t in state["transitions"]]
        rule({relation for t in cases for relation, _ in t["guard"]} <= {"<", ">="})
        rule(isinstance(pairs, list) and len(pairs) > 0 and all(len(pair) == 2 for pair in pairs))
        rule(all(tuple(a) < tuple(b) for a, b in pairwise(pairs)))
        named = [n for pair in pairs for n in pair]
        rule(len(set(named)) == len(named) and all(0 <= n < len(self.transitions) for n in named))
        self.hidden = [self.transitions[n][1] for n in named]
        for a, b in pairs:
            (q, one), (p, two) = self.transitions[a], self.transitions[b]
            rule(q == p and one["to"] == two["to"])
            letters = [outputs((q, one)), outputs((p, two))]
            rule(letters[0] == letters[1] and len(letters[0]) == 1)
            rule(isinstance(letters[0][0], str) and letters[0][0] not in ("insample", "insampleprime"))
            rule(len(one["guard"]) == len(two["guard"]) == 1)
            rule({one["guard"][0][0], two["guard"][0][0]} == {"<", ">="})
            rule(sorted([len(one["assign"]), len(two["assign"])]) == [0, 1])

    def before(self, q: str, t: Json, delta: int, after: list[Fraction], x: Fraction) -> Fraction:
        if not any(t is other for other in self.hidden):
            return super().before(q, t, delta, after, x)
        found = dict(zip(self.shifts, after, strict=True))
        best = INFINITE
        for shift in self.shifts:
            own = step_cost(self.states[q], delta, shift)
            if own is not None:
                between = [found[y] for y in self.shifts if min(x, shift) <= y <= max(x, shift)]
                best = min(best, own + max(between))
        return best

    def moves(self, takes_input: bool) -> Iterator[tuple[int, str, str]]:
        yield from super().moves(takes_input)
        if self.on_grid and takes_input and self.adjacency == "all-differ":
            yield 0, "", ""


def as_written(model: Json) -> list[Step]:
    """The transitions by their numbers, with the relations of the model."""
    states = model["states"]
    return [(name, t) for name in sorted(states) for t in states[name]["transitions"]]


def merged(model: Json, pairs: Json, transitions: list[tuple[str, Json]]) -> Json:
    """The merged model."""
    rule(isinstance(pairs, list) and len(pairs) > 0 and all(len(pair) == 2 for pair in pairs))
    rule(all(tuple(a) < tuple(b) for a, b in pairwise(pairs)))
    named = [n for pair in pairs for n in pair]
    rule(len(set(named)) == len(named) and all(0 <= n < len(transitions) for n in named))
    changed: dict[int, Json] = {}
    for n, m in pairs:
        (q, one), (p, two) = transitions[n], transitions[m]
        rule(q == p and all(one[key] == two[key] for key in ("assign", "output", "to")))
        rule(not any(isinstance(part, dict) for part in outputs((q, one))))
        rule(len(one["guard"]) == len(two["guard"]) == 1 and one["guard"][0][1] == two["guard"][0][1])
        rule({one["guard"][0][0], two["guard"][0][0]} in ({"<", ">="}, {">", "<="}))
        changed |= {n: one | {"guard": []}, m: None}
    states: Json = {name: model["states"][name] | {"transitions": []} for name in model["states"]}
    for k, (name, t) in enumerate(transitions):
        if (kept := changed.get(k, t)) is not None:
            states[name]["transitions"].append(kept)
    return model | {"states": states}


def without_equality(states: Json) -> Json:
    """The states with other tests in place of =, of the same variables."""
    found: Json = {}
    for name, state in states.items():
        guards = [
            [[">=" if sign == "=" else sign, v] for sign, v in t["guard"]] for t in state["transitions"]
        ]
        steps = [t | {"guard": own} for t, own in zip(state["transitions"], guards, strict=True)]
        found[name] = state | {"transitions": steps}
    return found


class SingleJudge(VariablesJudge):
    """The program of a group, which may have one variable."""

    fewest = 1


class ObserverJudge:
    """A program of which all tests are of variables that have been assigned."""

    def __init__(self, base: ProgramJudge) -> None:
        self.base, self.claim = base, base.claim
        self.model = {"states": base.states, "initial": base.initial}
        tested = {"states": without_equality(base.states), "initial": base.initial}
        self.names = SingleJudge(tested, {**base.claim, "lower": "0"})  # live and assigned variables

    def run(self, numbers: Json) -> list[Step]:
        rule(isinstance(numbers, list) and len(numbers) > 0)
        rule(all(0 <= number < len(self.base.transitions) for number in numbers))
        steps = [self.base.transitions[number] for number in numbers]
        here = self.base.initial
        for name, t in steps:
            rule(name == here)
            here = t["to"]
        rule(not has_cycle(arcs_of(steps)))
        return steps

    # From below

    def rise(self, word: Json) -> Fraction:
        rule(set(word) == {"delta", "inputs", "places", "run", "shifts"})
        run = self.run(word["run"])
        inputs, shifts = ([Fraction(x) for x in word[key]] for key in ("inputs", "shifts"))
        rule(len(inputs) == len(shifts) == len(word["delta"]) == len(run))
        rule(all(x.denominator == 1 for x in (*inputs, *shifts)))
        delta = word["delta"]
        rule(all(d in DIFFERENCES.get(self.base.adjacency, (-1, 0, 1)) for d in delta))
        rule(self.base.adjacency != "one-differ" or sum(map(abs, delta)) <= 1)
        rule(self.base.adjacency != "monotonic" or not {-1, 1} <= set(delta))
        here = cost(self.model, run, [int(x) for x in shifts], [int(x) for x in inputs])
        if here is None:
            raise Unsound
        moved = [int(b) + d for b, d in zip(inputs, delta, strict=True)]
        symbols = [seen(step) for step in run]
        alike = [r for r in possible_runs(self.model, len(run)) if [seen(step) for step in r] == symbols]
        rule(word["places"] >= sum(map(len, self.places(symbols, moved))))
        return least_cost(self.model, alike, moved) - here

    def places(self, symbols: list[Symbol], moved: list[int]) -> list[set[Json]]:
        """The places before each step."""
        span = range(min(0, *moved), max(0, *moved) + 1)
        found: list[set[Json]] = [{(self.base.initial, frozenset(), ())}]
        for length in range(1, len(symbols)):
            layer = set()
            for run in possible_runs(self.model, length):
                if [seen(step) for step in run] == symbols[:length]:
                    for shifts in product(span, repeat=length):
                        if cost(self.model, run, shifts, [0] * length) is not None:
                            layer.add(self.place(run, shifts))
            found.append(layer)
        return found

    def place(self, run: list[Step], shifts: tuple[int, ...]) -> Json:
        target = run[-1][1]["to"]
        live = sorted(self.names.live.get(target, ()))
        stored: dict[str, int] = {}
        for k, (_, t) in enumerate(run):
            stored |= dict.fromkeys(t["assign"], k)
        below = {(k, k) for k in range(len(run))} | set(arcs_of(run))
        for via, a, b in product(range(len(run)), repeat=3):
            if (a, via) in below and (via, b) in below:
                below.add((a, b))
        known = frozenset((v, w) for v in live for w in live if v != w and (stored[v], stored[w]) in below)
        return target, known, tuple(shifts[stored[v]] for v in live)

    # From above

    def groups(self, groups: Json, upper: str, written: list[Step]) -> None:
        rule(isinstance(groups, list))
        rule(all(sign != "=" for _, t in written for sign, _ in t["guard"]))
        rule(not any(isinstance(part, dict) for step in self.base.transitions for part in outputs(step)))
        listed = []
        for group in groups:
            keys = {"cones", "rungs"} if "cones" in group else {"nodes", "order", "sequence"}
            rule(set(group) == keys | {"runs"} and len(group["runs"]) > 0)
            runs = [self.run(numbers) for numbers in group["runs"]]
            rule(not has_cycle(ties_of([[written[n] for n in numbers] for numbers in group["runs"]])))
            listed += [tuple(numbers) for numbers in group["runs"]]
            steps = len(runs[0])
            if "cones" in group:
                self.aligned(runs)
                ladder(self.base.model, self.base.states, self.base.adjacency, runs, group, upper)
                continue
            order = [tuple(pair) for pair in group["order"]]
            rule(all(len(pair) == 2 and pair[0] != pair[1] for pair in order))
            rule(all(a < b for a, b in pairwise(order)))
            rule(all(0 <= k < steps for pair in order for k in pair))
            if len(runs) == 1:
                rule(set(order) == set(arcs_of(runs[0])))
            else:
                self.union(runs, order)
            rule(sorted(group["sequence"]) == list(range(steps)))
            single = SingleJudge(
                self.program(runs[0], order, group["sequence"]), {**self.claim, "lower": "0", "upper": upper}
            )
            single.each_way(single.functions, group["nodes"])
        rule(len(set(listed)) == len(listed))
        longest = max(map(len, listed), default=0)
        number = {id(t): n for n, (_, t) in enumerate(self.base.transitions)}
        every = {tuple(number[id(t)] for _, t in run) for run in possible_runs(self.model, longest + 1)}
        rule(every == set(listed))

    def union(self, runs: list[list[Step]], order: list[tuple[int, ...]]) -> None:
        self.aligned(runs)
        steps = len(runs[0])
        rule(steps <= 7)  # as many as this judge can do
        union = set()
        for run in runs:
            own = orders(steps, arcs_of(run))
            rule(own <= orders(steps, [(a, b) for a, b in order]))
            union |= own
        rule(union == orders(steps, [(a, b) for a, b in order]))

    def aligned(self, runs: list[list[Step]]) -> None:
        steps = len(runs[0])
        rule(all(len(run) == steps for run in runs))
        for column in zip(*runs, strict=True):
            rule(len({seen(step) for step in column}) == 1)
            states = [self.model["states"][name] for name, _ in column]
            alike = {(state["input"], state["left"], state["right"], state["mean"]) for state in states}
            rule(len(alike) == 1)
            rule(all("insample" not in outputs(step) for step in column))
            primes = {"insampleprime" in outputs(step) for step in column}
            rule(len(primes) == 1)
            rule(primes == {False} or len({(s["rate_prime"], s["mean_prime"]) for s in states}) == 1)
        for first, second in combinations(runs, 2):
            part = next((k for k in range(steps) if first[k][1] is not second[k][1]), None)
            if part is None:
                raise Unsound
            both = [*arcs_of(first[: part + 1]), *arcs_of(second[: part + 1])]
            rule(has_cycle(both))

    def program(self, run: list[Step], order: Json, sequence: list[int]) -> Json:
        states = {}
        for k, step in enumerate(sequence):
            name, t = run[step]
            before = sequence[:k]
            guard = [[">=", f"x{before.index(a)}"] for a, b in order if b == step and a in before]
            guard += [["<", f"x{before.index(b)}"] for a, b in order if a == step and b in before]
            only = {"assign": [f"x{k}"], "guard": guard, "output": t["output"], "to": str(k + 1)}
            states[str(k)] = {**self.model["states"][name], "transitions": [only]}
        return {"initial": "0", "states": states}
