"""δ of two secrets by Storm, for chains whose runs end where the label says all that was seen.

What ends a run are states without a way out. δ from s to t at α then is Σ max(0, P_s(l) − α P_t(l)) over the
labels l of such ends. Storm is given the chain as a program, and computes these probabilities in exact
arithmetic. Needs stormpy; benchmarks/storm.toml calls this.

    python benchmarks/storm_delta.py MODEL.json FROM TO ALPHA
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import stormpy


def main(path: str, source: str, target: str, alpha: str) -> None:
    """Print δ between two states, the larger one of both directions."""
    states = json.loads(Path(path).read_text(encoding="utf-8"))["states"]
    ends: dict[str, list[str]] = {}
    for name, state in states.items():
        if set(state["next"]) == {name}:
            ends.setdefault(state["label"], []).append(name)
    chances = {secret: probabilities(states, secret, list(ends.values())) for secret in (source, target)}
    pairs = list(zip(chances[source], chances[target], strict=True))
    slope = Fraction(alpha)
    ways = (pairs, [(q, p) for p, q in pairs])
    delta = max(sum((max(Fraction(0), p - slope * q) for p, q in way), start=Fraction(0)) for way in ways)
    sys.stdout.write(f"delta = {delta}\n")


def probabilities(states: Mapping[str, Any], start: str, ends: list[list[str]]) -> list[Fraction]:
    """How likely it is to come to each of some sets of states."""
    index = {name: k for k, name in enumerate(states)}
    lines = ["dtmc", "module chain", f"  s : [0..{len(states) - 1}] init {index[start]};"]
    for name, state in states.items():
        ways = " + ".join(
            f"{chance} : (s'={index[following]})" for following, chance in state["next"].items()
        )
        lines.append(f"  [] s={index[name]} -> {ways};")
    lines.append("endmodule")
    reached = [" | ".join(f"s={index[name]}" for name in names) for names in ends]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "chain.prism")
        program.write_text("\n".join(lines), encoding="utf-8")
        parsed = stormpy.parse_prism_program(str(program))
    text = ";".join(f"P=? [F {states}]" for states in reached)
    formulas = stormpy.parse_properties(text, parsed)
    options = stormpy.BuilderOptions([formula.get_raw_formula() for formula in formulas])
    model = stormpy.build_model[stormpy.Rational](parsed, options=options)
    first = model.initial_states[0]
    return [Fraction(str(stormpy.model_checking(model, formula).get_value(first))) for formula in formulas]


if __name__ == "__main__":
    main(*sys.argv[1:])
