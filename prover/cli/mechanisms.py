"""The questions about mechanisms that commands about Markov chains also answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prover.cli.options import CommandQuery, adjacencies, positive, rationals, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from prover.cli.answering import Emit
    from prover.program.profiles.delta import ProgramDelta
    from prover.program.profiles.pair import PairDelta
    from prover.progress import Progress
    from prover.report.reply import Reply

noise_options = [
    click.option(
        "--at-epsilon",
        callback=positive,
        metavar="E",
        help="MODEL is a mechanism or a threshold program: the epsilon that its rates are multiples of.",
    ),
    click.option(
        "--q",
        callback=share,
        metavar="Q",
        help="In place of --at-epsilon, for discrete noise: e^(-epsilon*unit) = Q, a rational number "
        "(docs/attacks.md).",
    ),
    click.option(
        "--adjacency",
        type=adjacencies,
        metavar="NAME",
        help="With --at-epsilon or --q: how neighbouring inputs differ, as in prover privacy (default "
        "all-differ).",
    ),
    click.option(
        "--steps",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --at-epsilon: at most N private inputs are read.",
    ),
]
pair_of_inputs_options = [
    click.option(
        "--inputs",
        callback=rationals,
        metavar="X",
        help="With --at-epsilon and --neighbour: answer for these two inputs only. X are rational numbers "
        "with commas, such as 0,1/2,-1, or @FILE for a file with one on each line.",
    ),
    click.option(
        "--neighbour",
        callback=rationals,
        metavar="Y",
        help="The other input, written in the same way, with as many numbers.",
    ),
]
_OF_CHAINS = {
    "source": "--from",
    "target": "--to",
    "untimed": "--untimed",
    "silent": "--silent",
    "related": "--related",
    "open_loop": "--open-loop",
    "scheduler": "--scheduler",
    "simulate": "--simulate",
}
"""Options that say nothing about a mechanism."""


def check_system(query: CommandQuery) -> None:
    """Refuse options of mechanisms where no noise is given."""
    given = (query.adjacency, query.steps, vars(query).get("inputs"), vars(query).get("neighbour"))
    for option, value in zip(("--adjacency", "--steps", "--inputs", "--neighbour"), given, strict=True):
        if value is not None:
            raise click.UsageError(
                f"{option} is about neighbouring inputs of mechanisms; give --at-epsilon, too"
            )


def check_mechanism(query: CommandQuery) -> None:
    """Refuse options of chains."""
    if query.at_epsilon is not None and query.q is not None:
        raise click.UsageError("--q and --at-epsilon both choose an epsilon; give one of them")
    given = vars(query) | query.reading
    for name, option in _OF_CHAINS.items():
        if given.get(name):
            raise click.UsageError(f"{option} is for Markov chains; with --at-epsilon, MODEL is a mechanism")


def delta_of_mechanism(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    """δ at one α."""
    from prover.cli.answering import answered
    from prover.formats.identity import identity
    from prover.formats.load import load_program
    from prover.questions import delta as of_any
    from prover.report import pair_delta, program_delta

    notes: list[str] = []
    progress("reading the program", 0, None)
    program = load_program(query.model, on_note=notes.append, const=query.reading.get("const"))
    digest = identity(program)
    of_pair = query.inputs is not None

    def reply(answer: PairDelta | ProgramDelta) -> Reply:
        made = answered(query, (pair_delta if of_pair else program_delta).reply_of, answer)
        return replace(made, notes=(*notes, *made.notes), model=digest)

    ask: Callable[..., PairDelta | ProgramDelta] = of_any
    return reply(
        ask(
            program,
            at_epsilon=query.at_epsilon,
            q=query.q,
            alpha=query.alpha,
            epsilon=query.epsilon,
            adjacency=query.adjacency,
            steps=query.steps,
            inputs=query.inputs,
            neighbour=query.neighbour,
            progress=progress,
            on_interval=lambda answer: emit(reply(answer)),
        )
    )


def no_delta_of_mechanism(query: CommandQuery) -> Reply:
    """What is known before anything is proved."""
    from prover.chain.arguments import given_slope
    from prover.report.program_delta import nothing_proved

    slope = given_slope("delta", query.alpha, query.epsilon)
    adjacency = query.adjacency or "all-differ"
    return nothing_proved(slope, adjacency, query.at_epsilon, query.steps, query.at_most, query.q)
