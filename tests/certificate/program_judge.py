"""The rules about threshold programs once more, word by word; families of runs are run, with N = 1, 2, 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from tests.certificate.judge import ZERO, Unsound, rising, rule
from tests.certificate.noise_judge import Side, cost, counted_shifts, possible_for_sure, spelt_out

Json = Any
SHIFTS = (-1, 0, 1)
NUMBERS = ("insample", "insampleprime")
DIFFERENCES = {
    "all-differ": (-1, 0, 1),
    "one-differ": (-1, 0, 1),
    "increasing": (0, 1),
    "decreasing": (-1, 0),
}
ONE_WAY = ("decreasing", "increasing")
"""Monotonic differences are either."""
CONTRADICTIONS = [{"lo1", "hi0"}, {"lo1", "hi1"}, {"lo0", "hi1"}]
Load = tuple[Fraction, Side, Side]
"""What multipliers put on a step, and the rates of its noise."""
INFINITE = Fraction(10**12)  # more than the tests' programs could cost


def accepts_program(certificate: Json, judge: type[ProgramJudge] | None = None) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        (judge or ProgramJudge)(certificate["model"], certificate["claim"]).decide(certificate["evidence"])
    except Unsound:
        return False
    return True


def reached_states(model: Json) -> set[str]:
    """The states of ``states`` that transitions lead to from the initial one, and that one."""
    found, states = {model["initial"]}, model["states"]
    for _ in states:
        found |= {t["to"] for name in found & set(states) for t in states[name]["transitions"]}
    return found & set(states)


def names_of(t: Json) -> set[str]:
    """The variables that a transition bounds or assigns."""
    return {*bounds(t), *t["assign"]}


def names_in(model: Json, reached: set[str]) -> set[str]:
    """The variables that transitions of reached states bound or assign."""
    return {v for name in reached for t in model["states"][name]["transitions"] for v in names_of(t)}


def outputs(t: Json) -> list[Json]:
    """What a transition outputs, one by one."""
    found: list[Json] = t["output"] if isinstance(t["output"], list) else [t["output"]]
    gaps = [part for part in found if isinstance(part, dict)]
    rule(all(set(gap) == {"gap"} and isinstance(gap["gap"], str) for gap in gaps))
    letters = [part for part in found if isinstance(part, str) and part not in NUMBERS]
    rule(len(letters) <= 1 and all(found.count(part) == 1 for part in found))
    rule(all(isinstance(part, str | dict) for part in found))
    rule(not isinstance(t["output"], list) or len(found) > 1)
    return found


def bounds(t: Json) -> dict[str, str]:
    """How the shift of insample is bound to that of each variable: as the guard says, or equal by a gap."""
    gaps = [part["gap"] for part in outputs(t) if isinstance(part, dict)]
    return {name: relation for relation, name in t["guard"]} | dict.fromkeys(gaps, "=")


def texts(t: Json) -> set[str]:
    """The outputs that are texts."""
    return {part for part in outputs(t) if isinstance(part, str)}


def lower(t: Json) -> set[str]:
    return {name for name, relation in bounds(t).items() if relation in (">=", "=")}


def upper(t: Json) -> set[str]:
    return {name for name, relation in bounds(t).items() if relation in ("<", "=")}


class ProgramJudge:
    """The program and the claim, spelt out."""

    def __init__(self, model: Json, claim: Json) -> None:
        self.claim, self.adjacency = claim, claim["adjacency"]
        self.model, self.initial = model, model["initial"]
        rule(self.adjacency in (*DIFFERENCES, "monotonic") and self.initial in model["states"])
        self.reached = reached_states(model)
        self.several = len(names_in(model, self.reached)) > 1
        self.states = spelt_out(model, self.several, self.reached)
        self.shifts = counted_shifts(self.states, self.reached)
        self.transitions: list[tuple[str, Json]] = []
        for name in sorted(self.states):
            state = self.states[name]
            rule(len(state["transitions"]) > 0)
            rule((state["rate_prime"] is None) == (state["mean_prime"] is None))
            rule(state["rate_prime"] is None or Fraction(state["rate_prime"]) > 0)
            for t in state["transitions"]:
                rule("insampleprime" not in outputs(t) or state["rate_prime"] is not None)
                self.transitions.append((name, t))
        self.one_variable()
        if "final" in model:
            rule(len(model["final"]) > 0 and rising(model["final"]))
            rule(not set(model["final"]) & set(self.states))
        self.observed()
        first = self.states[self.initial]["transitions"]
        rule(len(first) == 1 and len(first[0]["assign"]) >= 1 and not bounds(first[0]))

    def one_variable(self) -> None:
        reached = [t for q, t in self.transitions if q in self.reached]
        rule(all(len(bounds(t)) <= 1 and len(t["assign"]) <= 1 for t in reached))

    def observed(self) -> None:
        """Where an observer loses something, outputs tell the transitions apart."""
        loss = self.claim.get("loss", "runs")
        rule(loss in ("observer", "runs"))
        if loss == "runs" or self.claim["kind"] == "private" or self.claim.get("lower") == "0":
            return
        for name in self.reached:
            seen = []
            for t in self.states[name]["transitions"]:
                numbers = [part for part in outputs(t) if isinstance(part, dict) or part in NUMBERS]
                seen.append(([part for part in outputs(t) if part not in numbers], len(numbers)))
            rule(all(seen.count(one) == 1 for one in seen))

    def guard(self, t: Json) -> str:
        return next(iter(bounds(t).values()), "")

    def decide(self, evidence: Json) -> None:
        if self.claim["kind"] == "private":
            rule(self.adjacency == "all-differ" and set(evidence) == {"components", "facts"})
            self.private(evidence["components"], evidence["facts"])
        elif self.claim["kind"] == "not-private":
            rule(self.family(evidence["blocks"])[1] > 0)
        else:
            rule(set(evidence) <= {"blocks", "table"})
            lower = Fraction(self.claim["lower"])
            rule(lower >= 0)
            rule(self.claim["upper"] == "inf" or lower <= Fraction(self.claim["upper"]))
            rule(all(block["kind"] == "once" for block in evidence.get("blocks", [])))
            constant, growth = self.family(evidence["blocks"]) if "blocks" in evidence else (ZERO, ZERO)
            rule(lower <= constant and lower <= constant + growth)
            if "table" in evidence:
                self.each_way(self.table, evidence["table"])
            else:
                rule(self.claim["upper"] == "inf")

    def each_way(self, rules: Callable[[Json], None], evidence: Json) -> None:
        """The rules about evidence from above; of monotonic differences, for each of the two ways."""
        if self.adjacency != "monotonic" or evidence is None:
            rules(evidence)
            return
        rule(isinstance(evidence, dict) and set(evidence) == set(ONE_WAY))
        for way in ONE_WAY:
            self.adjacency = way
            rules(evidence[way])
        self.adjacency = "monotonic"

    def family(self, blocks: Json) -> tuple[Fraction, Fraction]:
        """k and g of the total k + g·N; loads only move, with N, towards a side without noise."""
        rule(possible_for_sure(self.states, self.reached, self.several, self.model))
        (one, first), (two, second), (three, third) = (self.total(blocks, n) for n in (1, 2, 3))
        rule(three - two == two - one)
        for (here, left, right), (there, _, _), (last, _, _) in zip(first, second, third, strict=True):
            rule(last - there == there - here)
            rule(there <= here or left is None)
            rule(there >= here or right is None)
        return 2 * one - two, two - one

    # A table of facts

    def private(self, component: Json, facts: Json) -> None:
        rule(self.initial in component and all(state in self.states for state in component))
        rule(all(number >= 0 for number in component.values()))
        for state, words in facts.items():
            rule(state in component and len(words) > 0 and rising(words))
            rule(set(words) <= {"hi0", "hi1", "lo0", "lo1"})
        reached = [(q, t) for q, t in self.transitions if q in component]
        for q, t in reached:
            if t["to"] in self.states:
                rule(t["to"] in component and component[q] <= component[t["to"]])
        inside = [(q, t) for q, t in reached if t["to"] in self.states and component[q] == component[t["to"]]]
        for q, t in inside:
            rule(not self.states[q]["input"] or not set(NUMBERS) & texts(t))
            if t["assign"]:
                rest = [other for p, other in inside if component[p] == component[q]]
                rule(all(not bounds(other) for other in rest))
        for q, t in reached:
            self.facts(set(facts.get(q, [])), q, t, (q, t) in inside, facts)

    def facts(self, old: set[str], q: str, t: Json, inside: bool, facts: Json) -> None:
        state = self.states[q]
        size = "1" if state["input"] else "0"
        endless = {word for word, side in (("lo", "left"), ("hi", "right")) if state[side] is None}
        rule(not (state["input"] and endless and "insample" in texts(t)))
        guard, added = self.guard(t), set()
        for word in {"<": ["lo"], ">=": ["hi"], "=": ["lo", "hi"], "": []}[guard]:
            follows = inside or word in endless or (guard == "=" and bool(endless))
            added |= {word + size} if follows else set()
            added |= {word + "0"} if "insample" in texts(t) else set()
        for pair in CONTRADICTIONS:
            rule(not (pair <= old | added and pair & added))
        if t["to"] in self.states:
            after = old | added
            if t["assign"]:
                kept = {">=": {"lo0", "lo1"}, "<": {"hi0", "hi1"}, "=": after, "": set()}[guard]
                after = (after & kept) | ({"lo0", "hi0"} if "insample" in texts(t) else set())
                after |= {word + size for word in endless}
            rule(after <= set(facts.get(t["to"], [])))

    # Families of runs

    def total(self, blocks: Json, n: int) -> tuple[Fraction, list[Load]]:
        """Runs the family with N = n and adds up what it must lose. Also the loads of the steps outside
        repeated blocks that have to stay within their rates."""
        runs = self.run(blocks, n)
        y = [ZERO] * len(runs)
        stored: list[int] = []
        for k, (q, t, step, _) in enumerate(runs):
            before = runs[k - 1][1]["to"] if k else self.initial
            rule(q == before)
            rule("multiplier" in step)
            multiplier = Fraction(step["multiplier"]) + n * Fraction(step.get("slope", "0"))
            slope = Fraction(step.get("slope", "0"))
            signed = self.guard(t) == "="
            rule(signed or (slope >= 0 and Fraction(step["multiplier"]) + slope >= 0))
            if step["multiplier"] != "0" or slope:
                guard = self.guard(t)
                rule(guard != "" and len(stored) > 0)
                self.same_turn(runs, stored[-1], k, blocks)
                sign = -1 if guard == ">=" else 1
                y[k] += sign * multiplier
                y[stored[-1]] -= sign * multiplier
            if t["assign"]:
                stored.append(k)
        return self.added_up(runs, y, blocks, n)

    def added_up(self, runs: Any, y: list[Fraction], blocks: Json, n: int) -> tuple[Fraction, list[Load]]:
        """What a run loses, and the loads of the steps that stay within their rates for every N."""
        answer, different = ZERO, 0
        deltas = {step["delta"] for _, _, step, _ in runs}
        rule(self.adjacency != "monotonic" or not {-1, 1} <= deltas)
        for k, (q, t, step, (b, _)) in enumerate(runs):
            state, delta = self.states[q], step["delta"]
            rule(delta in (DIFFERENCES.get(self.adjacency, (-1, 0, 1)) if state["input"] else (0,)))
            different += delta != 0
            if delta:
                rule(self.adjacency != "one-differ" or (different == 1 and blocks[b]["kind"] == "once"))
            if "insample" in texts(t):
                own = cost(state, delta, 0)
                answer += n if own is None else own
            else:
                rule(state["left"] is None or y[k] <= state["left"])
                rule(state["right"] is None or -y[k] <= state["right"])
                answer += y[k] * delta * state["reach"]
            if "insampleprime" in texts(t):
                answer += Fraction(state["rate_prime"]) * abs(delta) * state["reach"]
        once = [
            (y[k], self.states[q]["left"], self.states[q]["right"])
            for k, (q, t, _, (b, _)) in enumerate(runs)
            if blocks[b]["kind"] == "once"
            if "insample" not in texts(t)
        ]
        return answer, once

    def run(self, blocks: Json, n: int) -> list[tuple[str, Json, Json, tuple[int, int]]]:
        """The steps of the run: state, transition, step of the certificate, number of block and turn."""
        runs = []
        for b, block in enumerate(blocks):
            rule(block["kind"] in ("once", "repeat") and len(block["steps"]) > 0)
            for turn in range(n if block["kind"] == "repeat" else 1):
                for step in block["steps"]:
                    rule(0 <= step["transition"] < len(self.transitions))
                    rule(block["kind"] == "once" or "slope" not in step)
                    runs.append((*self.transitions[step["transition"]], step, (b, turn)))
        for b, block in enumerate(blocks):
            if block["kind"] == "repeat":
                ends = [self.transitions[block["steps"][k]["transition"]] for k in (0, -1)]
                rule(ends[0][0] == ends[1][1]["to"] and b >= 0)
        return runs

    def same_turn(self, runs: Any, at: int, k: int, blocks: Json) -> None:
        """at(k) is in the same turn, or in a block taken once; and then the block of k stores nothing at all
        before k in any turn, if it is repeated."""
        home, here = runs[at][3], runs[k][3]
        if home == here:
            return
        rule(blocks[home[0]]["kind"] == "once")
        block = blocks[here[0]]
        if block["kind"] == "repeat":
            rule(all(not self.transitions[step["transition"]][1]["assign"] for step in block["steps"]))

    # Closed tables

    def table(self, table: Json) -> None:
        one = self.adjacency == "one-differ"
        functions: dict[tuple[str, str], list[list[Fraction]]] = {}
        for state in table:
            rule(state in self.states and isinstance(table[state], dict if one else list))
            for mode in ("unused", "used") if one else ("",):
                lists = table[state][mode] if one else table[state]
                numbers = [[INFINITE if x == "inf" else Fraction(x) for x in triple] for triple in lists]
                rule(rising(numbers) and all(x >= 0 for triple in numbers for x in triple))
                rule(all(len(triple) == len(self.shifts) for triple in numbers))
                functions[state, mode] = numbers
        zero = [[ZERO] * len(self.shifts)]
        for q, t in self.transitions:
            if q not in self.reached:
                continue
            for delta, mode, then in self.moves(self.states[q]["input"]):
                for after in functions.get((t["to"], then), []) + zero:
                    before = [self.before(q, t, delta, after, x) for x in self.shifts]
                    rule(
                        any(
                            all(a <= b for a, b in zip(before, other, strict=True))
                            for other in functions.get((q, mode), []) + zero
                        )
                    )
        if self.claim["upper"] != "inf":
            worst = functions.get((self.initial, "unused" if one else ""), [])
            rule(all(min(function) <= Fraction(self.claim["upper"]) for function in worst))

    def moves(self, takes_input: bool) -> Iterator[tuple[int, str, str]]:
        if self.adjacency == "one-differ":
            yield from ((0, "unused", "unused"), (0, "used", "used"))
            if takes_input:
                yield from ((-1, "unused", "used"), (1, "unused", "used"))
            return
        for delta in DIFFERENCES[self.adjacency] if takes_input else (0,):
            if delta or not takes_input or self.adjacency != "all-differ":
                yield delta, "", ""

    def before(self, q: str, t: Json, delta: int, after: list[Fraction], x: Fraction) -> Fraction:
        state, guard = self.states[q], self.guard(t)
        best = INFINITE
        for shift, later in product(self.shifts, [dict(zip(self.shifts, after, strict=True))]):
            if (guard in ("<", "=") and shift > x) or (guard in (">=", "=") and shift < x):
                continue
            if "insample" in texts(t) and shift:
                continue
            own = cost(state, delta, shift)
            if own is None:
                continue
            total = own + later[shift if t["assign"] else x]
            if "insampleprime" in texts(t):
                total += Fraction(state["rate_prime"]) * abs(delta) * state["reach"]
            best = min(best, total)
        return best
