"""Threshold programs written in the text format of the field, ``.dipa``; ``dipa.py`` has its grammar."""

from __future__ import annotations

from prover.errors import Unwritable, quoted
from prover.exact.rational import format_rational
from prover.formats.dipa import IDENTIFIER, RESERVED, UNROUNDED
from prover.program.errors import inputs_used_again, program_path, steps_not_seen
from prover.program.model import Program, State, Transition
from prover.program.noise import Noise, noise_text
from prover.program.outputs import REAL_OUTPUTS, Gap, outputs_text, parts_of

_INDENT = "    "


def write_dipa(program: Program) -> str:
    """The program in the text format, the initial state first and the others sorted.

    Raises Unwritable: JSON can hold programs that the text format cannot.
    """
    order = [program.initial, *(name for name in program.states if name != program.initial)]
    if program.has_registers:
        raise inputs_used_again()
    if program.hides_steps:
        raise steps_not_seen()
    entries = [_entry(name, program.states[name]) for name in order]
    if declared := sorted(program.final):
        names = ", ".join(_checked(name, program_path(part="final")) for name in declared)
        entries.append(f"final {names};\n")
    return "\n".join([*_header(program.noise), *entries])


def _header(noise: Noise) -> list[str]:
    """What is said before the first entry, if anything."""
    said: list[tuple[str, str]] = [] if noise.grid is None else [("noise", noise.kind)]
    numbers = (("grid", noise.grid), ("sensitivity", noise.sensitivity))
    said += [(key, format_rational(number)) for key, number in numbers if number is not None and number != 1]
    said += [("inputs", UNROUNDED)] if noise.unrounded else []
    return ["".join(f"{key} {value};\n" for key, value in said)] if said else []


def _entry(name: str, state: State) -> str:
    head = _checked(name, program_path(name)) + ("" if state.input else ": non-input")
    parts = [head, noise_text(state.noise), format_rational(state.mean)]
    if state.rate_prime is not None and state.mean_prime is not None:
        parts += [noise_text(state.rate_prime), format_rational(state.mean_prime)]
    parts += [] if state.sensitivity is None else [f"sensitivity {format_rational(state.sensitivity)}"]
    actions = [_action(name, index, transition) for index, transition in enumerate(state.transitions)]
    if len(actions) == 1 and not state.transitions[0].guard:
        return f"({', '.join(parts)}): {actions[0]}\n"
    lines = [f"({', '.join(parts)}):"]
    for index, (transition, action) in enumerate(zip(state.transitions, actions, strict=True)):
        path = program_path(name, index, "guard")
        if not transition.guard:
            raise Unwritable(
                "the text format has no guard that is always true beside other cases of the same state",
                path=path,
                code="true-among-cases",
            )
        tests = " && ".join(f"insample {relation} {_checked(v, path)}" for relation, v in transition.guard)
        lines.append(f"{_INDENT}{'elseif' if index else 'if'} ({tests}) then {action}")
    return "\n".join(lines) + "\n"


def _action(state: str, place: int, transition: Transition) -> str:
    path = program_path(state, place, "assign")
    stored = ", ".join(f"{_checked(variable, path)} := insample" for variable in transition.assign)
    for output in parts_of(transition.output):
        if output not in REAL_OUTPUTS:
            name = output.variable if isinstance(output, Gap) else output
            _checked(name, program_path(state, place, "output"))
    target = _checked(transition.target, program_path(state, place, "to"))
    return f"{stored + '; ' if stored else ''}output {outputs_text(transition.output)}; goto {target}"


def _checked(name: str, path: str) -> str:
    if IDENTIFIER.fullmatch(name) is None or name in RESERVED:
        raise Unwritable(
            f"the text format cannot write the name {quoted(name)}; its names are letters, digits and _, "
            "not beginning with a digit, and no reserved words",
            path=path,
            code="not-a-name",
        )
    return name
