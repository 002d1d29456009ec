"""The command that prints questions about models as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from prover.cli.options import File, adjacencies, exponent, rational, with_reading
from prover.cli.output import complain, say
from prover.cli.status import Status
from prover.errors import NotSupported

if TYPE_CHECKING:
    from fractions import Fraction


@click.command(short_help="Print a question about a model as an SMT-LIB formula.")
@click.argument("model", required=False, type=File())
@click.option(
    "--problem",
    metavar="NAME",
    help="The question, by a name that --list prints.",
)
@click.option(
    "--list",
    "list_only",
    is_flag=True,
    help="List the questions (without a MODEL: for chains and for programs).",
)
@click.option(
    "--theta", callback=rational, metavar="Q", help="The number to compare the distance or the cost with."
)
@click.option("--alpha", callback=rational, metavar="A", help="Chains: alpha = e^epsilon, at least 1.")
@click.option(
    "--epsilon", callback=exponent, metavar="E", help='Chains: epsilon, instead of alpha, such as "ln 6/5".'
)
@click.option(
    "--from",
    "source",
    metavar="S",
    help="Chains: first state of the pair.",
)
@click.option(
    "--to",
    "target",
    metavar="T",
    help="Chains: second state of the pair.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="P",
    help="Programs: a run from the initial state, as numbers of transitions or names of states, separated by "
    "commas. Questions about looping branches use the branch along it.",
)
@click.option(
    "--adjacency",
    type=adjacencies,
    help="Programs, opt-cost: how neighbouring inputs differ  [default: all-differ].",
)
@with_reading
def encode(
    model: str | None,
    problem: str | None,
    list_only: bool,
    theta: Fraction | None,
    alpha: Fraction | None,
    epsilon: str | None,
    source: str | None,
    target: str | None,
    paths: tuple[str, ...],
    adjacency: str | None,
    reading: Mapping[str, Any],
) -> int:
    """Print a question about the model in the file MODEL as an SMT-LIB 2 formula, for any solver.

    The head of the formula explains its variables, and what sat and unsat mean. Transitions have the numbers
    0, 1, ... in the order of the names of their states and, within a state, in the order of the file.

    \b
    Examples:
      prover encode --list
      prover zoo svt > svt.json
      prover encode svt.json --problem privacy-horn
      prover encode svt.json --problem opt-cost --theta 5/4 --path 0,1,1,2
      prover encode svt.json --problem relaxed-cost --theta 5/4 > svt.smt2
      z3 svt.smt2
    """
    from prover.chain.process import LabelledMarkovDecisionProcess
    from prover.encoding import CHAIN, PROGRAM, problems
    from prover.encoding import encode as formula
    from prover.formats.load import load
    from prover.program.model import Program
    from prover.program.smt.paths import parse_path

    loaded = None if model is None else load(model, on_note=complain, **reading)
    if isinstance(loaded, LabelledMarkovDecisionProcess):
        raise NotSupported(
            "there are formulas for chains and threshold programs, not for models with actions to choose",
            file=model,
            code="not-interactive",
        )
    if list_only or problem is None:
        kinds = (CHAIN, PROGRAM) if loaded is None else (PROGRAM if isinstance(loaded, Program) else CHAIN,)
        for name, meaning in ((name, text) for kind in kinds for name, text in problems(kind).items()):
            say(f"{name}\n    {meaning}")
        return Status.HOLDS
    if loaded is None:
        raise click.UsageError("give the file of a MODEL, or --list")
    text = formula(
        loaded,
        problem,
        theta=theta,
        alpha=alpha,
        epsilon=epsilon,
        source=source,
        target=target,
        adjacency=adjacency,
        paths=[parse_path(path) for path in paths] or None,
    )
    say(text.removesuffix("\n"))
    return Status.HOLDS
