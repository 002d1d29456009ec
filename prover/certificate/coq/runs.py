"""The steps of runs with multipliers, which bound the loss from below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.certificate.coq.ways import numbers_of, rates_of

LOWER, HIGHER = ("<", "<="), (">", ">=")


@dataclass(frozen=True, slots=True)
class CoqStep:
    """A step: its state, the number of its transition there, the difference of its input in steps of the
    grid, and the multipliers of its tests and of the numbers that it outputs, for one step of the grid."""

    name: str
    state: Mapping[str, Any]
    number: int
    difference: int
    tests: Sequence[Fraction]
    shows: Sequence[Fraction]

    @property
    def way(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.state["transitions"][self.number]
        return found


def run_of(model: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], turns: int = 1) -> list[CoqStep]:
    """The steps of blocks, those that repeat with so many turns (Sections 4.2 and 4.4 of
    docs/certificates.md).

    A number that is output has a multiplier, too: it makes the load as large as the rates allow, where a load
    counts for nothing in a certificate."""
    grid, sensitivity = (Fraction(model.get(key, "1")) for key in ("grid", "sensitivity"))
    ways = [(name, i) for name in sorted(model["states"]) for i, _ in enumerate(_ways(model, name))]
    written = [step for block in blocks for step in block["steps"] * _times(block, turns)]
    found, loads = list[tuple[CoqStep, dict[str, Fraction]]](), list[Fraction]()
    stored = dict[str, int]()
    for entry in written:
        name, number = ways[entry["transition"]]
        way, state = model["states"][name]["transitions"][number], model["states"][name]
        reach = Fraction(state.get("sensitivity", sensitivity)) / grid
        signed = _signed(way, entry, turns, grid / sensitivity)
        loads.append(sum(signed.values(), Fraction(0)))
        for variable, multiplier in signed.items():
            if multiplier:
                loads[stored[variable]] -= multiplier
        stored.update(dict.fromkeys(way["assign"], len(loads) - 1))
        step = CoqStep(name, state, number, int(entry["delta"] * reach), (), ())
        found.append((step, signed))
    return [_completed(step, signed, load, grid) for (step, signed), load in zip(found, loads, strict=True)]


def _ways(model: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    ways: Sequence[Mapping[str, Any]] = model["states"][name]["transitions"]
    return ways


def _times(block: Mapping[str, Any], turns: int) -> int:
    return turns if block["kind"] == "repeat" else 1


def _signed(
    way: Mapping[str, Any], entry: Mapping[str, Any], turns: int, scale: Fraction
) -> dict[str, Fraction]:
    """What each variable adds to the load of the sample, and takes from that of the sample it holds."""
    bounds = {variable: -1 if test in HIGHER else 1 for test, variable in way["guard"]}
    bounds.update({output["gap"]: 1 for output in numbers_of(way) if isinstance(output, dict)})
    written = entry.get("multipliers", [entry.get("multiplier")])
    slopes = entry.get("slopes", [entry.get("slope", "0")] * len(written))
    return {
        v: sign * (Fraction(x) + turns * Fraction(slope)) * scale
        for (v, sign), x, slope in zip(bounds.items(), written, slopes, strict=False)
    }


def _completed(step: CoqStep, signed: Mapping[str, Fraction], load: Fraction, grid: Fraction) -> CoqStep:
    """With the multipliers. A gap has that of its variable, in place of the test."""
    outputs = numbers_of(step.way)
    gaps = {output["gap"] for output in outputs if isinstance(output, dict)}
    tests = [Fraction(0) if v in gaps else signed[v] for _, v in step.way["guard"]]
    left, right, *prime = ("0" if rate == "inf" else rate for rate in rates_of(step.state))
    sign = (step.difference > 0) - (step.difference < 0)
    own = {"insample": sign * Fraction(left if sign > 0 else right) * grid - load}
    if prime:
        own["insampleprime"] = sign * Fraction(prime[0]) * grid
    shows = [signed[o["gap"]] if isinstance(o, dict) else own[o] for o in outputs]
    return CoqStep(step.name, step.state, step.number, step.difference, tests, shows)


def multipliers(steps: Sequence[CoqStep]) -> Iterator[Fraction]:
    for step in steps:
        yield from (*step.tests, *step.shows)
