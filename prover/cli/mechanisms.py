"""The questions about mechanisms that commands about Markov chains also answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prover.cli.options import CommandQuery, adjacencies, positive, rationals, share
from prover.errors import BadOptions, BeyondLimit

if TYPE_CHECKING:
    from collections.abc import Callable

    from prover.cli.answering import Emit
    from prover.progress import Progress
    from prover.report.reply import Reply

noise_options = [
    click.option(
        "--at-epsilon",
        callback=positive,
        metavar="E",
        help="MODEL is a mechanism or a threshold program: the epsilon that its rates are multiples of. "
        "Needless if all its noise is Gaussian. Of a mechanism or a protocol whose code names epsilon, as in "
        'scale="epsilon", the only epsilon that the answer is about.',
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
        help="Of a mechanism: how neighbouring inputs differ, as in prover privacy (default all-differ).",
    ),
    click.option(
        "--steps",
        type=click.IntRange(min=1),
        metavar="N",
        help="Of a mechanism: at most N private inputs are read.",
    ),
]
pair_of_inputs_options = [
    click.option(
        "--inputs",
        callback=rationals,
        metavar="X",
        help="Of a mechanism, with --neighbour: answer for these two inputs only. X are rational numbers "
        "with commas, such as 0,1/2,-1, or @FILE for a file with one on each line.",
    ),
    click.option(
        "--neighbour",
        callback=rationals,
        metavar="Y",
        help="The other input, written in the same way, with as many numbers.",
    ),
    click.option(
        "--values",
        callback=rationals,
        metavar="V",
        help="Of a mechanism, with --steps N: answer for all inputs of exactly N of these numbers, written "
        "in the same way.",
    ),
]
_OF_CHAINS = {
    "source": "--from",
    "target": "--to",
    "observe": "--observe",
    "labels": "--labels",
    "secret": "--secret",
    "initial": "--initial",
    "secret_pairs": "--secret-pairs",
    "normalise": "--normalise",
    "no_bounds": "--no-bounds",
    "untimed": "--untimed",
    "silent": "--silent",
    "refuse": "--refuse",
    "related": "--related",
    "open_loop": "--open-loop",
    "scheduler": "--scheduler",
    "nature": "--nature",
    "simulate": "--simulate",
}
"""Options that say nothing about a mechanism."""
_DEFAULTS = {"gap": "--gap", "kind": "--kind", "limit": "--limit", "times": "--times", "jobs": "--jobs"}
"""The same, of options that have a default."""


def is_about_mechanism(query: CommandQuery) -> bool:
    """Whether noise is given, or another option that only mechanisms have: they may have absolute noise.

    An ε may be given for a protocol, too, whose code names it.
    """
    from prover.formats.files import named_in_code

    options = ("at_epsilon", "q", "adjacency", "steps", "inputs", "neighbour", "values")
    given = [name for name in options if vars(query).get(name) is not None]
    if given == ["at_epsilon"] and named_in_code(query.model) is not None:
        from prover.formats.code import is_protocol

        return not is_protocol(query.model)
    return bool(given)


def check_mechanism(query: CommandQuery, why: str = "other options say that MODEL is a mechanism") -> None:
    """Refuse options of chains."""
    if query.at_epsilon is not None and query.q is not None:
        raise BadOptions("--q and --at-epsilon both choose an epsilon; give one of them")
    given = vars(query) | query.reading
    changed = (name for name in _DEFAULTS if _was_given(name) and (name, _command()) != ("gap", "delta"))
    for name in (*(name for name in _OF_CHAINS if given.get(name)), *changed):
        option = (_OF_CHAINS | _DEFAULTS)[name]
        raise BadOptions(f"{option} is for Markov chains; {why}", code="not-a-system")


def _command() -> str | None:
    return click.get_current_context().command.name


def _was_given(name: str) -> bool:
    """Whether an option that has a default was given."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, click.core.ParameterSource.DEFAULT)


def asked_of_mechanism(
    query: CommandQuery,
    progress: Progress,
    emit: Emit,
    ask: Callable[..., Any],
    make: Callable[[Any], Reply],
    on_the_way: str = "on_interval",
) -> Reply:
    """The reply that ``make`` makes of the answer about the mechanism, emitted ``on_the_way``, too."""
    from prover.cli.answering import identity_for
    from prover.formats.load import load_program, read_at

    notes, program = [*query.notes], query.mechanism
    if program is not None:
        check_mechanism(query, "MODEL is a mechanism")
    else:
        progress("reading the program", 0, None)
        read = partial(load_program, query.model, on_note=notes.append)
        given = query.reading.get("const")
        program = read_at(lambda const: read(const=const), given, query.at_epsilon)[0]
    digest = identity_for(query, program)

    def reply(answer: object) -> Reply:
        made = make(answer)
        return replace(made, notes=(*notes, *made.notes), model=digest)

    def emit_some(answer: object) -> None:
        with suppress(BeyondLimit):  # which a later answer may keep
            emit(reply(answer))

    emitted = {on_the_way: emit_some}
    return reply(
        ask(
            program,
            at_epsilon=query.at_epsilon,
            q=query.q,
            adjacency=query.adjacency,
            steps=query.steps,
            progress=progress,
            **emitted,
        )
    )


def of_mechanism(
    query: CommandQuery,
    progress: Progress,
    emit: Emit,
    ask: Callable[..., Any],
    reply_of: Callable[..., Reply],
    **about: object,
) -> Reply:
    """The same, with certificates and a page where they are wanted; ``about`` is what else is asked."""
    from prover.cli.answering import decided

    return asked_of_mechanism(query, progress, emit, partial(ask, **about), partial(decided, query, reply_of))


def delta_of_mechanism(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    """δ at one α."""
    from prover.questions import delta as of_any
    from prover.report import pair_delta, program_delta

    return of_mechanism(
        query,
        progress,
        emit,
        of_any,
        (program_delta if query.inputs is None and query.values is None else pair_delta).reply_of,
        alpha=query.alpha,
        epsilon=query.epsilon,
        gap=query.gap if _was_given("gap") else None,
        inputs=query.inputs,
        neighbour=query.neighbour,
        values=query.values,
    )


def no_delta_of_mechanism(query: CommandQuery) -> Reply:
    """What is known before anything is proved."""
    from prover.chain.arguments import given_slope
    from prover.report.program_delta import nothing_proved

    slope = given_slope("delta", query.alpha, query.epsilon)
    adjacency = query.adjacency or "all-differ"
    return nothing_proved(slope, adjacency, query.at_epsilon, query.steps, query.at_most, query.q)


def epsilon_of_mechanism(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    """The least ε for a δ."""
    from prover.curves import epsilon_for
    from prover.report.program_epsilon import reply_of

    return of_mechanism(query, progress, emit, epsilon_for, reply_of, delta=query.delta)


def no_epsilon_of_mechanism(query: CommandQuery) -> Reply:
    """What is known before anything is proved."""
    from prover.report.program_epsilon import nothing_proved

    adjacency = query.adjacency or "all-differ"
    return nothing_proved(query.delta, adjacency, (query.at_epsilon, query.q), query.steps, query.at_most)
