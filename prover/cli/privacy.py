"""The command about threshold programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.options import (
    CommandQuery,
    File,
    adjacencies,
    as_query,
    at_most_option,
    effort_option,
    jobs_option,
    list_option,
    paged,
    positive,
    share,
    simulate_options,
    with_options,
)
from prover.cli.output import complain

if TYPE_CHECKING:
    from prover.program.answer import Privacy
    from prover.program.attack.attack import InputAttack
    from prover.program.model import Program
    from prover.program.profiles.delta import ProgramDelta
    from prover.progress import Progress
    from prover.report.reply import Reply


@click.command(short_help="Decide whether a program is private, and at which epsilon.")
@click.argument("program", type=File())
@list_option(
    "--const",
    "N=3,p=1/2",
    "Values of the public parameters of a mechanism in Python code.",
)
@click.option(
    "--open",
    "opened",
    metavar="NAME[=A:B]",
    help='Leave a parameter open. T=A:B is one of rates such as "(1 - t)/6", or of sensitivities, between A '
    "and B: the answer is the loss as a function of T (docs/open_rates.md). COUNT is a whole number of a "
    "mechanism in Python: the answer is a formula in it (docs/mechanisms.md); COUNT=A:B looks at counts from "
    "A to B, or else 1 to 6.",
)
@click.option(
    "--adjacency",
    type=adjacencies,
    default="all-differ",
    show_default=True,
    help="How neighbouring inputs differ. all-differ: each answer by at most 1. one-differ: only one of "
    "them. increasing, decreasing: all in this direction (a bound in one direction only). monotonic: all in "
    "the same direction, either one.",
)
@at_most_option("E", "Is it E*epsilon-private?")
@click.option(
    "--engine",
    type=click.Choice(["auto", "smt"]),
    default="auto",
    show_default=True,
    help="smt: Z3 decides the formula privacy-horn, and finds the worst run with the formula opt-cost.",
)
@click.option(
    "--longest",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --engine smt: ask about runs of at most N steps (default 6).",
)
@click.option(
    "--box",
    type=click.IntRange(0, 100),
    default=2,
    show_default=True,
    metavar="N",
    help="If outputs do not determine the run: search inputs from -N to N for the loss of an observer.",
)
@click.option(
    "--words",
    type=click.IntRange(1, 40),
    default=5,
    show_default=True,
    metavar="N",
    help="If outputs do not determine the run of a program with cycles: search outputs of at most N steps.",
)
@effort_option
@click.option(
    "--witness", is_flag=True, help="Show two neighbouring inputs whose loss is close to the largest."
)
@click.option(
    "--at-epsilon",
    callback=positive,
    metavar="E",
    help="Measure the loss at this epsilon (default 1). Without --advantage it implies --witness. If the "
    'code names epsilon, as in scale="epsilon", the answer is for this epsilon only, and implies no witness.',
)
@click.option(
    "--q",
    callback=share,
    metavar="Q",
    help="Discrete noise: measure the loss where e^(-epsilon*unit) = Q, a rational number, so that all "
    "probabilities are rational (docs/attacks.md). Implies --witness.",
)
@click.option(
    "--exceed",
    callback=positive,
    metavar="X",
    help="Show inputs whose loss exceeds X (default, where the loss is unbounded: 10). Implies --witness.",
)
@click.option(
    "--advantage",
    is_flag=True,
    help="Bound delta at --at-epsilon (default 1), for alpha = 1 and for half of the exact epsilon. Show the "
    "two inputs that an attacker distinguishes best, of those found (docs/attacks.md).",
)
@click.option("--verbose", is_flag=True, help="Show the worst run step by step.")
@click.option(
    "--strategies", is_flag=True, help="Show the bounds that named coupling strategies prove (all-differ)."
)
@click.option(
    "--stuck",
    is_flag=True,
    help="Let the observer see that a run stops in a gap between guards, or ends where others with the same "
    "outputs go on (as in the programs that prover convert --stuck writes).",
)
@click.option(
    "--plot",
    type=File("the picture"),
    metavar="FILE",
    help="Draw the program into FILE, .dot or .svg, with the reason for the answer highlighted. With --open: "
    "the loss as a function, into an .svg file.",
)
@jobs_option
@with_options(simulate_options)
@with_options(paged)
@as_query("with --at-most E, the bounds proved by then may be enough")
def privacy(query: CommandQuery) -> int:
    """Decide whether the threshold program in the file PROGRAM is private, and at which epsilon.

    Private with E*epsilon means: for every event, the probabilities under two neighbouring inputs differ by a
    factor of at most e^(E*epsilon). The command finds the least such E that holds for all epsilon > 0, or an
    interval that contains it. Rates in the file are multiples of epsilon, too. If the program is not private,
    the answer names the structure that leaks. Exit status without --at-most: 0 private, and E is found; 1 not
    private; 3 not decided, or E is only enclosed in an interval.

    PROGRAM is a .dipa or .json file, FILE.py:NAME for a mechanism in Python code (docs/language.md), or - for
    standard input. prover zoo prints examples.

    \b
    Examples:
      prover zoo svt > svt.json
      prover privacy svt.json --certificate svt.cert
      prover privacy svt.json --at-most 3/2
      prover privacy svt.json --witness --at-epsilon 1/10
      prover privacy svt.json --advantage
      prover privacy svt.json --strategies
      prover privacy svt.json --effort 2
      prover privacy svt.json --engine smt --longest 4
      prover zoo m-range m=5 > ranges.json
      prover privacy ranges.json --certificate ranges.cert
      prover zoo leaking-pair > leak.json
      prover privacy leak.json --plot leak.dot
      prover privacy leak.json --witness --exceed 50
      prover zoo svt-discrete > grid.json
      prover privacy grid.json --q 1/2
      prover privacy examples/open/split.json --open t=1/10:9/10 --plot split.svg
      prover privacy examples/open/counts_and_sums.dipa --open t=1/2:3
      prover privacy examples/mechanisms/sparse_vector.py:lyu_4 --open c
      prover privacy examples/real/svt.dipa
    """
    from prover.cli.answering import answer_with

    _check(query)
    from prover.cli.other_rates import answer_counted, answer_opened, count_of
    from prover.formats.opened import says_open

    count = None if query.opened is None else count_of(query.program, query.opened)
    if count is not None:
        return answer_counted(query, count)
    if query.opened is not None or says_open(query.program):
        return answer_opened(query)
    if query.plot is not None:
        from prover.report.automaton import check_picture

        check_picture(query.plot)
    return answer_with(query, _answer, _nothing, note=complain)


def _check(query: CommandQuery) -> None:
    """Refuse options that do not go together."""
    if query.longest is not None and query.engine != "smt":
        raise click.UsageError("--longest needs --engine smt")
    if query.simulate is not None and query.stuck:
        raise click.UsageError("--simulate runs the code as it is written; leave out --stuck")
    if query.q is not None and query.at_epsilon is not None:
        raise click.UsageError("--q and --at-epsilon both choose an epsilon; give one of them")
    if query.q is not None and query.advantage:
        raise click.UsageError("--advantage needs a rational epsilon; give --at-epsilon in place of --q")
    if query.strategies and query.adjacency != "all-differ":
        raise click.UsageError("--strategies needs --adjacency all-differ")


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    """Read the program first; what is odd about it goes into every reply."""
    from prover.cli.answering import identity_for
    from prover.cli.other_rates import answer_real
    from prover.errors import BadInput
    from prover.exact.real_text import NEEDS_REAL_RATES
    from prover.formats.load import load_program, read_at
    from prover.program.gaps import completed

    notes: list[str] = []
    progress("reading the program", 0, None)
    try:
        model, const = read_at(
            lambda const: load_program(query.program, on_note=notes.append, const=const),
            query.const,
            query.at_epsilon,
        )
    except BadInput as error:
        if error.code != NEEDS_REAL_RATES:
            raise
        return answer_real(query, progress, emit)
    query = query.beside(const=const)

    def noted(reply: Reply) -> Reply:
        return replace(reply, notes=tuple(notes), model=digest)

    whole = completed(model) if query.stuck else model
    digest = identity_for(query, whole)
    return noted(_about(whole, query, progress, lambda reply: emit(noted(reply))))


def _about(model: Program, query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.cli.answering import with_page
    from prover.cli.simulation import with_run_simulated
    from prover.program.attack.at_epsilon import given_place
    from prover.program.attack.attack import attack
    from prover.program.attack.errors import NotMeasured
    from prover.program.observer.observed import Search
    from prover.program.optimum.budget import Budget
    from prover.program.privacy import privacy as of_program
    from prover.program.smt.bisection import LONGEST
    from prover.program.strategies.costs import strategy_costs_within
    from prover.report.strategies import before_strategies, with_strategies

    given_place(model, query.at_epsilon, query.q)  # refused before anything is computed
    answer = of_program(
        model,
        query.adjacency,
        progress=progress,
        on_better=lambda better: emit(_reply(query, model, better)),
        engine=query.engine,
        longest=query.longest or LONGEST,
        effort=query.effort,
        budget=Budget(jobs=query.jobs),
        search=Search(query.box, query.words),
    )
    files: tuple[tuple[str, str, bytes], ...] = ()
    if query.plot is not None:
        from prover.report.automaton import drawn

        picture = drawn(answer.unfolded or model, query.plot, answer.states, answer.edges)
        files = ((query.plot, "the picture", picture),)

    def reply(answer: Privacy, attack: InputAttack | None = None) -> Reply:
        return replace(_reply(query, model, answer, attack), files=files)

    measures = query.at_epsilon is not None and model.at_epsilon is None and not query.advantage
    attacked = query.witness or any((measures, query.q, query.exceed, query.simulate))
    if answer.conditions.stopping_tells:  # what is known, before another program is asked about
        known = reply(replace(answer, make_seen=lambda: None))
        emit(replace(known, complete=not (attacked or query.strategies or query.html)))
    final = reply(answer)
    if attacked:
        emit(final)
        ask = partial(attack, model, answer, epsilon=query.at_epsilon, q=query.q, exceed=query.exceed)
        try:
            best = ask(progress=progress, on_found=lambda better: emit(reply(answer, better)))
        except NotMeasured as why:  # the answer stands
            final = replace(final, text=f"{final.text}\n\n{why}")
        else:
            final = with_run_simulated(query, model, best, reply(answer, best), progress)
    if query.strategies:
        emit(before_strategies(final))
        progress("comparing strategies", 0, None)
        final = with_strategies(final, strategy_costs_within(model))
    bounded: tuple[ProgramDelta, ...] = ()
    if query.advantage:
        final, bounded = _with_advantages(query, model, answer, final, progress, emit)
    if query.html is not None:
        from prover.report.privacy_page import measured

        emit(final)
        attacks = measured(answer, query.exceed, progress, epsilon=query.at_epsilon, q=query.q)
        final = with_page(query, final, answer, at_most=query.at_most, attacks=attacks, advantages=bounded)
    return final


def _with_advantages(
    query: CommandQuery,
    model: Program,
    answer: Privacy,
    reply: Reply,
    progress: Progress,
    emit: Callable[[Reply], None],
) -> tuple[Reply, tuple[ProgramDelta, ...]]:
    """The reply, and the best attacks that were found with fixed inputs; or why there are none."""
    from prover.errors import NotSupported
    from prover.questions import advantages
    from prover.report.advantage import advantages_text, no_advantages
    from prover.report.program_delta import delta_json

    def with_these(found: tuple[ProgramDelta, ...]) -> Reply:
        known = {**reply.json, "advantages": [delta_json(one) for one in found]}
        return replace(reply, text=f"{reply.text}\n\n{advantages_text(found)}", json=known)

    emit(reply)
    try:
        found = advantages(
            model,
            answer,
            epsilon=query.at_epsilon,
            progress=progress,
            on_found=lambda some: emit(with_these(some)),
        )
    except NotSupported as why:  # the answer stands
        return replace(reply, text=f"{reply.text}\n\n{no_advantages(why)}"), ()
    return with_these(found), found


def _reply(query: CommandQuery, model: Program, answer: Privacy, attack: InputAttack | None = None) -> Reply:
    from prover.cli.answering import decided
    from prover.report.privacy import reply_of

    of_page = {}
    if query.html is not None:
        from prover.report.privacy_page import NOT_MEASURED

        of_page["attacks"] = NOT_MEASURED
    make = partial(
        reply_of,
        verbose=query.verbose,
        attack=attack,
        effort=query.effort,
        offered=not query.advantage,
    )
    reply = decided(query, make, answer, **of_page)
    if query.engine == "smt" and answer.runs.upper is not None and answer.runs.lower != answer.runs.upper:
        reply = replace(reply, obstacle="Z3 was not asked about longer runs; --longest sets their length")
    if not query.as_json:
        return reply
    from prover.report.source import with_source

    return with_source(reply, model, answer)


def _nothing(query: CommandQuery) -> Reply:
    from prover.report.privacy import nothing_known

    return nothing_known(query.adjacency, query.at_most)
