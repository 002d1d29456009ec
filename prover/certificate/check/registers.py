"""Programs that use inputs more than once: the program whose states know the differences of registers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .programs import CORNERS, Program, Transition
from .reading import BadClaim, BadModel, Json, TooLarge, demand, natural, typed

MOST = 20_000  # states

Differences = tuple[tuple[str, int], ...]  # of the registers that are not 0, in the order of their names


def part_of_evidence(program: Program, evidence: Json) -> tuple[int | None, Json]:
    """The most that registers may differ by along the runs of the evidence, None for any; and the rest of it.

    Runs of a part of the unfolded program bound the loss from below only.
    """
    if "sums" not in typed(evidence, dict):
        return None, evidence
    demand(program.registers, BadClaim, "sums of a program without registers")
    known = evidence.keys() <= {"blocks", "samples", "sums"}
    demand(known, BadClaim, "a bound from above for a part of the unfolded program")
    return natural(evidence["sums"]), {key: own for key, own in evidence.items() if key != "sums"}


def unfolded(program: Program, adjacency: str, most: int | None = None) -> Program:
    """The same runs, each with extreme differences of its inputs, none of a register above `most`.

    A state is one of the program with the differences of the registers, and is named by both. Its transitions
    are those of the program, each once for every difference of a new input that is kept.
    """
    if not program.registers:
        return program
    demand(adjacency != "monotonic", BadClaim, "registers, and the adjacency monotonic")
    names = {*program.states, *(t.to for t in program.transitions)}
    demand(not any(": " in name for name in names), BadModel, 'the name of a state has ": " in it')
    first: tuple[str, Differences] = program.initial, ()
    waiting, known = [first], {first}
    found: dict[str, list[Transition]] = {}
    while waiting:
        state, before = waiting.pop()
        source = named(state, before)
        found[source] = []
        for t in program.leaving(state):
            for fixed, after in choices(t, dict(before), adjacency):
                if most is not None and any(abs(difference) > most for _, difference in after):
                    continue
                to = named(t.to, after) if t.to in program.states else t.to
                found[source].append(t._replace(source=source, to=to, fixed=fixed))
                if t.to in program.states and (t.to, after) not in known:
                    known.add((t.to, after))
                    waiting.append((t.to, after))
            program.budget.spend(sum(map(len, (t.sums or {}).values())) + len(before) + 1)
        demand(len(known) <= MOST, TooLarge, "registers differ in too many ways")
    by_state, transitions = dict[str, list[Transition]](), list[Transition]()
    for source, own in sorted(found.items()):
        by_state[source] = [t._replace(number=len(transitions) + n) for n, t in enumerate(own)]
        transitions += by_state[source]
    sizes = sorted({1, *(abs(t.fixed) for t in transitions if t.fixed)})
    demand(len(sizes) == 1 or len(program.variables) < 2, BadModel, "several variables, and larger sums")
    shifts, states = [*(-n for n in reversed(sizes)), 0, *sizes], by_state.keys()
    return replace(
        program,
        initial=named(*first),
        states=states,
        reached=states,
        transitions=transitions,
        by_state=by_state,
        shifts=shifts,
        even=len(sizes) == 1,
        registers=False,
        whole=program,
    )


def named(state: str, differences: Differences) -> str:
    """No two are named alike: names of registers are identifiers, and names of states have no ": "."""
    known = ",".join(f"{register}{d:+}" for register, d in differences)
    return f"{known}: {state}" if known else state


def choices(
    t: Transition, before: dict[str, int], adjacency: str
) -> Iterator[tuple[int | None, Differences]]:
    """The only difference of each copy of the transition, None if it may be any, and registers after it.

    With one-differ no new input differs where a register does.
    """
    spent = adjacency == "one-differ" and len(before) > 0
    if t.center is None and not t.sums and not (spent and t.takes_input):
        yield None, ()
        return
    for new in CORNERS[adjacency] if t.takes_input and not spent else (0,):
        known = {**before, "input": new}
        after = list[tuple[str, int]]()
        for register, own in sorted((t.sums or {}).items()):
            total = sum(sign * known.get(name, 0) for name, sign in own.items())
            after += [(register, total)] if total else []
        yield new if t.center is None else before.get(t.center, 0), tuple(after)
