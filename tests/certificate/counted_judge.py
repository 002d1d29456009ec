"""Claims about every count once more: the programs of some counts are written out, and so is their evidence.

A certificate that holds proves, for each count, a claim `epsilon` whose nodes and run follow from it
(docs/certificates.md, 4.14). These are made here, and judged as such.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.certificate.judge import Unsound, rule
from tests.certificate.opened_judge import made
from tests.certificate.variables_judge import VariablesJudge

Json = Any


def accepts_counted(certificate: Json, counts: int = 4) -> bool:
    """Whether the claims of the first counts, and of a period more, follow."""
    claim, model = certificate["claim"], certificate["model"]
    first, period = claim["first"], len(claim["constants"])
    try:
        rule(first >= model["least"] and Fraction(claim["each"]) >= 0)
        for count in range(first, first + counts + period):
            judged(certificate, count)
    except Unsound:
        return False
    return True


def judged(certificate: Json, count: int) -> None:
    """Whether the claim of a count follows."""
    claim, evidence = certificate["claim"], certificate["evidence"]
    copies, period = count - certificate["model"]["least"], len(claim["constants"])
    value = Fraction(claim["constants"][count % period]) + Fraction(claim["each"]) * count
    told = {key: claim[key] for key in ("adjacency", "loss") if key in claim}
    model = at_count(certificate, count)
    judge = CountJudge(model, {**told, "kind": "epsilon", "lower": str(value), "upper": str(value)})
    rule(len(evidence["blocks"]) == period)
    family = evidence["blocks"][copies % period]
    steps = run(certificate, family, model, copies)
    constant, growth = judge.family([{"kind": "once", "steps": steps}])
    rule(value <= constant and value <= constant + growth)

    def nodes(table: Json) -> Json:
        rule(len(table["nodes"]) == period)
        return written_out(certificate, table, count)

    tables = evidence["table"]
    if claim["adjacency"] == "monotonic":
        judge.each_way(judge.functions, {way: nodes(table) for way, table in tables.items()})
    else:
        judge.each_way(judge.functions, nodes(tables))


class CountJudge(VariablesJudge):
    """A program with copies. Functions need no list of those that dominate."""

    fewest = 1

    def functions(self, nodes: Json) -> None:
        orders = self.nodes(nodes, {"functions"})
        modes = ("unused", "used") if self.adjacency == "one-differ" else ("",)
        lists = [
            {mode: own["functions"][mode] if mode else own["functions"] for mode in modes} for own in nodes
        ]
        zero = {"names": [], "points": [[[], "0"]]}
        for k, (node, order) in enumerate(zip(nodes, orders, strict=True)):
            for t, target, _ in self.ways(k, node):
                for delta, mode, then in self.in_order(self.states[node["state"]]["input"]):
                    for after in [*([] if target is None else lists[target][then]), zero]:
                        above = [zero, *lists[k][mode]]
                        rule(any(self.fits(node["state"], t, delta, after, own, order) for own in above))
        for function in lists[0][modes[0]]:
            rule(min(Fraction(value) for _, value in function["points"]) <= Fraction(self.claim["upper"]))

    def fits(self, *step: Any) -> bool:
        try:
            self.bounded(*step)
        except Unsound:
            return False
        return True


def copy_of(name: str, number: int) -> str:
    return f"{name}#{number}"


def at_count(certificate: Json, count: int) -> Json:
    """The program of a count: its rates, and copies of the block, of which 0 is the first one."""
    model = certificate["model"]
    block, copies = model["block"], count - model["least"]
    program = made(model["program"], lambda low, high: low + (high - low) * copies)

    def begin(number: int) -> str:
        return copy_of(block["entry"], number) if number < copies else block["after"]

    def moved(state: Json, number: int | None) -> Json:
        cases = []
        for t in state["transitions"]:
            to = t["to"]
            if to in block["states"]:
                to = begin(0) if number is None else copy_of(to, number)
            elif to == block["after"] and number is not None:
                to = begin(number + 1)
            cases.append({**t, "to": to})
        return {**state, "transitions": cases}

    states: dict[str, Any] = {}
    for name, state in program["states"].items():
        if name in block["states"]:
            states |= {copy_of(name, k): moved(state, k) for k in range(copies)}
        else:
            states[name] = moved(state, None)
    return {**program, "states": states}


Part = tuple[int, int]
"""How many copies are still to come, this one included, and a node of the list for so many; 0 copies and more
than there are, where no copy has begun."""


def written_out(certificate: Json, table: Json, count: int) -> Json:
    """The nodes of the program of a count: what more copies can follow is larger by whole periods."""
    model, first = certificate["model"], certificate["claim"]["first"]
    block, lists, copies = model["block"], table["nodes"], count - model["least"]
    period, states = len(lists), model["program"]["states"]

    def entry(number: int) -> int:
        found = [k for k, node in enumerate(lists[number % period]) if node["state"] == block["entry"]]
        rule(len(found) == 1)
        return found[0]

    def after(part: Part) -> list[Part | None]:
        """Where the transitions of a node lead."""
        begun, number = part
        node = nodes_of(begun)[number]
        found: list[Part | None] = []
        cases = states[node["state"]]["transitions"] if node["state"] in states else []
        rule(len(cases) == len(node["targets"]))
        for t, target in zip(cases, node["targets"], strict=True):
            inside = node["state"] in block["states"]
            arrives = t["to"] == block["after"] if inside else t["to"] in block["states"]
            left = begun - 1
            if target is not None and arrives and left > 0:
                found.append((left, entry(left - 1)))
            else:
                found.append(None if target is None else (begun, target))
        return found

    def nodes_of(begun: int) -> Json:
        return lists[(begun - 1) % period]

    start = (copies + 1, 0)
    order = [start]
    for part in order:
        for to in after(part):
            if to is not None and to not in order:
                order.append(to)
    number = {part: k for k, part in enumerate(order)}
    found = []
    for begun, k in order:
        node = nodes_of(begun)[k]
        inside = node["state"] in block["states"]
        name = copy_of(node["state"], copies - begun) if inside else node["state"]
        whole = (begun - 1) - (begun - 1) % period
        more = Fraction(table["raise"]) * whole

        def value(pair: Json, more: Fraction = more) -> str:
            return str(Fraction(pair[0]) + Fraction(pair[1]) * (count - first) + more)

        functions = mapped(node["functions"], value)
        targets = [None if to is None else number[to] for to in after((begun, k))]
        found.append({"functions": functions, "order": node["order"], "state": name, "targets": targets})
    return found


def mapped(functions: Json, value: Callable[[Json], str]) -> Json:
    if isinstance(functions, dict):
        return {mode: mapped(own, value) for mode, own in functions.items()}
    return [{**f, "points": [[vector, value(pair)] for vector, pair in f["points"]]} for f in functions]


def run(certificate: Json, blocks: Json, whole: Json, copies: int) -> list[Json]:
    """The run with so many copies, whose steps are transitions of the program with copies."""
    program, block = certificate["model"]["program"], certificate["model"]["block"]
    period = len(certificate["claim"]["constants"])
    own = [(s, k) for s in sorted(program["states"]) for k in range(len(program["states"][s]["transitions"]))]
    begun = [(s, k) for s, k in own if s == block["entry"]]
    every = [*own, *begun, *((s, k) for s, k in own if s == block["after"])]
    once = [step["transition"] for part in blocks if part["kind"] == "once" for step in part["steps"]]
    passed = sum(len(own) <= number < len(own) + len(begun) for number in once)
    rule(copies >= passed and (copies - passed) % period == 0)
    turns = (copies - passed) // period
    numbers: dict[tuple[str, int], int] = {}
    for name in sorted(whole["states"]):
        for k in range(len(whole["states"][name]["transitions"])):
            numbers[name, k] = len(numbers)
    steps, number = [], -1
    for part in blocks:
        for step in part["steps"] * (turns if part["kind"] == "repeat" else 1):
            state, k = every[step["transition"]]
            number += len(own) <= step["transition"] < len(own) + len(begun)
            name = copy_of(state, number) if state in block["states"] else state
            found = {"delta": step["delta"], "transition": numbers.get((name, k), -1)}
            if "multipliers" in step:
                slopes = step.get("slopes", ["0"] * len(step["multipliers"]))
                pairs = zip(step["multipliers"], slopes, strict=True)
                found["multipliers"] = [str(Fraction(c) + turns * Fraction(s)) for c, s in pairs]
            else:
                slope = Fraction(step.get("slope", "0"))
                found["multiplier"] = str(Fraction(step["multiplier"]) + turns * slope)
            steps.append(found)
    return steps
