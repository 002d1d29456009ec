"""The questions about mechanisms that commands about Markov chains also answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prover.cli.options import CommandQuery, adjacencies, positive

if TYPE_CHECKING:
    from prover.cli.answering import Emit
    from prover.program.profiles.delta import ProgramDelta
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
        "--adjacency",
        type=adjacencies,
        metavar="NAME",
        help="With --at-epsilon: how neighbouring inputs differ, as in prover privacy (default all-differ).",
    ),
    click.option(
        "--steps",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --at-epsilon: at most N private inputs are read.",
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
    for option, given in (("--adjacency", query.adjacency), ("--steps", query.steps)):
        if given is not None:
            raise click.UsageError(
                f"{option} is about neighbouring inputs of mechanisms; give --at-epsilon, too"
            )


def check_mechanism(query: CommandQuery) -> None:
    """Refuse options of chains."""
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
    from prover.report.program_delta import reply_of

    notes: list[str] = []
    progress("reading the program", 0, None)
    program = load_program(query.model, on_note=notes.append, const=query.reading.get("const"))
    digest = identity(program)

    def reply(answer: ProgramDelta) -> Reply:
        made = answered(query, reply_of, answer)
        return replace(made, notes=(*notes, *made.notes), model=digest)

    return reply(
        of_any(
            program,
            at_epsilon=query.at_epsilon,
            alpha=query.alpha,
            epsilon=query.epsilon,
            adjacency=query.adjacency or "all-differ",
            steps=query.steps,
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
    return nothing_proved(slope, adjacency, query.at_epsilon, query.steps, query.at_most)
