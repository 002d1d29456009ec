"""Questions about models as formulas in SMT-LIB 2, which people and solvers can read (docs/formulas.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from prover.errors import BadOptions, NotSupported, must_be
from prover.smt.template import unknown_problem

if TYPE_CHECKING:
    from prover.chain.model import LabelledMarkovChain
    from prover.chain.smt.formulas import GivenDistances
    from prover.exact.given import Given
    from prover.program.model import Program
    from prover.program.smt.formulas import RunPath

CHAIN, PROGRAM = "labelled Markov chain", "threshold program"


def problems(kind: str) -> Mapping[str, str]:
    """The problems about a kind of model (``CHAIN`` or ``PROGRAM``), each with what it asks."""
    from prover.chain.smt import formulas as of_chains
    from prover.program.smt import formulas as of_programs

    return of_programs.PROBLEMS if kind == PROGRAM else of_chains.PROBLEMS


def encode(
    model: LabelledMarkovChain | Program,
    problem: str,
    *,
    theta: Given | None = None,
    alpha: Given | None = None,
    epsilon: Given | None = None,
    source: str | None = None,
    target: str | None = None,
    strict: bool = False,
    table: GivenDistances | None = None,
    adjacency: str | None = None,
    paths: Sequence[RunPath] | None = None,
    status: str | None = None,
) -> str:
    """The formula of a problem about a model, as SMT-LIB 2 text; its head explains sat and unsat.

    Options of programs are ``theta``, ``adjacency`` and ``paths`` (prover.program.smt.formulas), those of
    chains ``alpha`` or ``epsilon``, ``source``, ``target``, ``theta``, ``strict``, ``table``
    (prover.chain.smt.formulas); ``status`` goes into the heading of either. Raises UnknownName,
    NotSupported, BadOptions, and what the two modules raise.

        >>> from prover.zoo import svt
        >>> encode(svt(), "opt-cost", theta="5/4", paths=[(0, 1, 2)]).splitlines()[0]
        '; sat: opt(run) >= theta; unsat: opt(run) < theta'

    Reference: docs/formulas.md.
    """
    must_be(str, problem=problem)
    from prover.chain.smt.formulas import encode as of_chain
    from prover.program.model import Program
    from prover.program.smt.formulas import encode as of_program

    kind = PROGRAM if isinstance(model, Program) else CHAIN
    known, others = problems(kind), problems(CHAIN if kind == PROGRAM else PROGRAM)
    if problem not in known:
        if problem in others:
            raise NotSupported(
                f"{problem} is not about a {kind}, but the model is one; choose from {', '.join(known)}",
                code="unfit-problem",
            )
        raise unknown_problem(problem, {**known, **others})
    if isinstance(model, Program):
        _refuse(kind, alpha=alpha, epsilon=epsilon, source=source, target=target, strict=strict, table=table)
        return of_program(model, problem, theta=theta, adjacency=adjacency, paths=paths or (), status=status)
    _refuse(kind, adjacency=adjacency, paths=paths)
    return of_chain(
        model,
        problem,
        alpha=alpha,
        epsilon=epsilon,
        source=source,
        target=target,
        theta=theta,
        strict=strict,
        table=table,
        status=status,
    )


def _refuse(kind: str, **options: object) -> None:
    """Raises BadOptions where an option is given that has no meaning for this kind of model."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise BadOptions(f"{name} has no meaning for a {kind}; leave it out", code="unfit-option")
