"""A transition that no run can take brings no tokens together: the table of single tokens was rejected.

At q4 a run may know that v1 is at most v2. Then one of the two loops there, above v2 and below v1, is
blocked; a low token on v2 and a high one on v1 would meet at its sample.
"""

from fractions import Fraction

from prover.certificate.check import check
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.model import Program, State, Test, Transition

LOW0: Test = ("<", "v0")
LOW1: Test = ("<", "v1")
HIGH1: Test = (">=", "v1")
HIGH2: Test = (">=", "v2")


def state(*cases: Transition) -> State:
    return State(True, Fraction(1), Fraction(0), None, None, cases)


def test_the_table_is_accepted() -> None:
    model = Program(
        "q0",
        {
            "q0": state(Transition((), ("v0", "v1", "v2"), "o", "q1")),
            "q1": state(Transition((HIGH2,), (), "o", "q2")),
            "q2": state(Transition((LOW0,), ("v1",), "o", "q2"), Transition((HIGH2,), (), "p", "q4")),
            "q4": state(Transition((LOW0, HIGH1), (), "o", "q4"), Transition((LOW1, HIGH2), (), "p", "q4")),
        },
    )
    found = decide(model)
    assert found.table is not None
    assert any(
        len(arrows) < len(model.states[name].transitions)
        for name, arrows in zip(found.graph.states, found.graph.arrows, strict=True)
    )
    assert check(boundedness_certificate(model, found).data).startswith("private")
