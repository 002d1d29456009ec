"""What Z3 says about a formula in SMT-LIB 2 text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

SAT, UNSAT, UNKNOWN = "sat", "unsat", "unknown"


@dataclass(frozen=True, slots=True)
class Result:
    """``status`` is sat, unsat or unknown; ``reason`` says why it is unknown.

    ``model`` gives rational and Boolean constants their values. Constants whose value is algebraic but not
    rational are missing there and named in ``algebraic``. ``core`` are names of assertions that contradict
    each other, in no order and not the fewest; it is empty where assertions have no names.
    """

    status: str
    model: Mapping[str, Fraction | bool] = field(default_factory=dict)
    algebraic: tuple[str, ...] = ()
    reason: str = ""
    core: tuple[str, ...] = ()


def solve(script: str, timeout: float | None = None) -> Result:
    """Z3's answer to a script with one check-sat, within ``timeout`` seconds if that is given."""
    import z3

    solver = z3.Solver()
    if timeout is not None:
        solver.set("timeout", max(1, int(timeout * 1000)))
    solver.from_string(script)
    found = solver.check()
    if found == z3.unsat:
        return Result(UNSAT, core=tuple(str(name).strip("|") for name in solver.unsat_core()))
    if found == z3.unknown:
        return Result(UNKNOWN, reason=solver.reason_unknown())
    model = solver.model()
    values: dict[str, Fraction | bool] = {}
    algebraic = []
    for declaration in model.decls():
        value = model[declaration]
        if z3.is_rational_value(value):
            values[declaration.name()] = Fraction(value.numerator_as_long(), value.denominator_as_long())
        elif z3.is_bool(value):
            values[declaration.name()] = z3.is_true(value)
        elif z3.is_algebraic_value(value):
            algebraic.append(declaration.name())
    return Result(SAT, values, tuple(algebraic))
