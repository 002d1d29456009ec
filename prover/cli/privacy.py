"""The command about threshold programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import click

from prover.cli.options import (
    Asked,
    adjacencies,
    asks,
    at_most_option,
    certificates,
    effort_option,
    jobs_option,
    paged,
    positive,
    share,
    simulate_options,
    with_options,
)
from prover.cli.output import complain
from prover.cli.shell import candidates
from prover.cli.status import Status

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.program.answer import Privacy
    from prover.program.attack.attack import InputAttack
    from prover.program.model import Program
    from prover.progress import Progress
    from prover.report.page.document import Page
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class PrivacyAsked(Asked):
    """What ``prover privacy`` is asked, as its options say."""

    sooner: ClassVar[str] = "asked --at-most E, the bounds that are proved by then may be enough"
    program: str
    const: str | None
    adjacency: str
    at_most: Fraction | None
    engine: str
    longest: int | None
    box: int
    words: int
    effort: int
    witness: bool
    at_epsilon: Fraction | None
    q: Fraction | None
    exceed: Fraction | None
    verbose: bool
    strategies: bool
    plot: str | None
    stuck: bool
    simulate: int | None
    seed: int
    jobs: int

    @property
    def attack(self) -> bool:
        """Whether two inputs are to be shown that lose nearly as much as can be."""
        asked = (self.at_epsilon, self.q, self.exceed, self.simulate)
        return self.witness or any(value is not None for value in asked)

    def inputs(self) -> list[str]:
        """The file that is read."""
        return [self.program]

    def files(self) -> list[tuple[str, str]]:
        """The certificate and the picture."""
        picture = [] if self.plot is None else [(self.plot, "the picture")]
        return [*certificates(self.certificate, both_ends=False), *picture]

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.longest is not None and self.engine != "smt":
            raise click.UsageError("--longest is for --engine smt")
        if self.simulate is not None and self.stuck:
            raise click.UsageError("--simulate is about the code itself; leave --stuck out")
        if self.q is not None and self.at_epsilon is not None:
            raise click.UsageError("--q and --at-epsilon say the same in two ways; give one of them")
        if self.strategies and self.adjacency != "all-differ":
            raise click.UsageError("--strategies is for adjacency all-differ")


@click.command(short_help="Is a threshold program private, and at which epsilon?")
@click.argument("program", shell_complete=candidates.models)
@click.option(
    "--const",
    metavar="N=3,p=1/2",
    shell_complete=candidates.constants,
    help="Values of public parameters, for mechanisms in Python code.",
)
@click.option(
    "--adjacency",
    type=adjacencies,
    default="all-differ",
    show_default=True,
    help="How neighbouring inputs differ: each by up to 1, only one of them, all in one direction (a bound "
    "one way only), or all in the same direction, either way.",
)
@at_most_option("E", "Is it E*epsilon-private?")
@click.option(
    "--engine",
    type=click.Choice(["auto", "smt"]),
    default="auto",
    show_default=True,
    help="smt: Z3 decides the formula privacy-horn, and finds the worst run by the formula opt-cost.",
)
@click.option(
    "--longest",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --engine smt: ask about runs of at most N steps (by default 6).",
)
@click.option(
    "--box",
    type=click.IntRange(0, 100),
    default=2,
    show_default=True,
    metavar="N",
    help="Where outputs hide the run: look for what an observer loses between inputs from -N to N.",
)
@click.option(
    "--words",
    type=click.IntRange(1, 40),
    default=5,
    show_default=True,
    metavar="N",
    help="Where outputs hide the run of a program with loops: look at output words of at most N steps.",
)
@effort_option
@click.option(
    "--witness", is_flag=True, help="Show two neighbouring inputs that lose nearly as much as can be."
)
@click.option(
    "--at-epsilon",
    callback=positive,
    metavar="E",
    help="The epsilon at which to measure the loss (default 1); implies --witness.",
)
@click.option(
    "--q",
    callback=share,
    metavar="Q",
    help="Discrete noise: measure the loss where e^(-epsilon*unit) = Q, a rational number, and so are all "
    "probabilities (docs/attacks.md); implies --witness.",
)
@click.option(
    "--exceed",
    callback=positive,
    metavar="X",
    help="The loss to exceed (default 10, where it has no bound); implies --witness.",
)
@click.option("--verbose", is_flag=True, help="Show the worst run, step by step.")
@click.option(
    "--strategies", is_flag=True, help="Show what named coupling strategies prove (adjacency all-differ)."
)
@click.option(
    "--stuck",
    is_flag=True,
    help="Let observers see that a run stops where guards leave a gap, or ends where others with the same "
    "outputs go on (as prover convert --stuck writes it).",
)
@click.option(
    "--plot",
    metavar="FILE",
    shell_complete=candidates.files,
    help="Draw the program as .dot or .svg, the reason highlighted.",
)
@jobs_option
@with_options(simulate_options)
@with_options(paged)
@asks(PrivacyAsked)
def privacy(asked: PrivacyAsked) -> int:
    """Is the threshold program in the file PROGRAM differentially private, and at which epsilon exactly?

    Rates in the file are multiples of epsilon, and so is the answer: no smaller multiple will do. If it is
    not private the answer names the structure that leaks. Exit status: 0 private, 1 not private.

    PROGRAM is a .dipa or .json file, FILE.py:NAME for a mechanism in Python code (docs/language.md), or - for
    standard input; prover zoo prints some to begin with.

    \b
    Examples:
      prover zoo svt > svt.json
      prover privacy svt.json --certificate svt.cert
      prover privacy svt.json --at-most 3/2
      prover privacy svt.json --witness --at-epsilon 1/10
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
    """
    from prover.cli.answering import answer_with
    from prover.program.decision.facts import SeveralVariables
    from prover.report.automaton import check_picture

    asked.check()
    if asked.plot is not None:
        check_picture(asked.plot)
    try:
        return answer_with(
            partial(_answer, asked),
            partial(_nothing, asked),
            asked,
            deliver=partial(_deliver, asked),
            note=complain,
        )
    except SeveralVariables as error:  # nothing is wrong with the program; it is beyond what can be decided
        complain(str(error))
        return Status.UNDECIDED


def _answer(asked: PrivacyAsked, progress: Progress, leave: Callable[[Reply], None]) -> Reply:
    """Read the program first; what is odd about it goes into every reply."""
    from prover.formats.identity import identity
    from prover.formats.load import load_program
    from prover.program.gaps import completed

    notes: list[str] = []
    progress("reading the program", 0, None)
    model = load_program(asked.program, on_note=notes.append, const=asked.const)

    def noted(reply: Reply) -> Reply:
        return replace(reply, notes=tuple(notes), model=asked_about)

    whole = completed(model) if asked.stuck else model
    asked_about = identity(whole)
    return noted(_about(whole, asked, progress, lambda reply: leave(noted(reply))))


def _about(model: Program, asked: PrivacyAsked, progress: Progress, leave: Callable[[Reply], None]) -> Reply:
    from prover.cli.answering import with_page
    from prover.cli.code.simulation import with_run_simulated
    from prover.program.attack.at_epsilon import given_place
    from prover.program.attack.attack import attack
    from prover.program.attack.errors import NotMeasured
    from prover.program.observer.observed import Search
    from prover.program.optimum.budget import Budget
    from prover.program.privacy import privacy as of_program
    from prover.program.smt.bisection import LONGEST
    from prover.program.strategies.costs import strategy_costs_within
    from prover.report.automaton import drawn
    from prover.report.strategies import before_strategies, with_strategies

    given_place(model, asked.at_epsilon, asked.q)  # refused before anything is computed
    answer = of_program(
        model,
        asked.adjacency,
        progress=progress,
        on_better=lambda better: leave(_reply(asked, model, better)),
        engine=asked.engine,
        longest=asked.longest or LONGEST,
        effort=asked.effort,
        budget=Budget(jobs=asked.jobs),
        search=Search(asked.box, asked.words),
    )
    picture = None if asked.plot is None else drawn(model, asked.plot, answer.states, answer.edges)
    if answer.conditions.stopping_tells:  # what is known, before another program is asked about
        known = _reply(asked, model, replace(answer, make_seen=lambda: None), picture=picture)
        leave(replace(known, complete=not (asked.attack or asked.strategies or asked.html)))
    final = _reply(asked, model, answer, picture=picture)
    if asked.attack:
        leave(final)
        try:
            found = attack(
                model,
                answer,
                epsilon=asked.at_epsilon,
                q=asked.q,
                exceed=asked.exceed,
                progress=progress,
                on_found=lambda better: leave(_reply(asked, model, answer, better, picture)),
            )
        except NotMeasured as why:  # the answer stands
            final = replace(final, text=f"{final.text}\n\n{why}")
        else:
            with_attack = _reply(asked, model, answer, found, picture)
            final = with_run_simulated(asked, model, found, with_attack, progress)
    if asked.strategies:
        leave(before_strategies(final))
        progress("comparing strategies", 0, None)
        final = with_strategies(final, strategy_costs_within(model))
    if asked.html is not None:
        leave(final)
        final = with_page(asked, final, partial(_page, asked, answer, progress))
    return final


def _page(asked: PrivacyAsked, answer: Privacy, progress: Progress) -> Page:
    """The page, with an attack, whether or not one is to be printed."""
    from prover.report.page.privacy import measured, privacy_page

    found = measured(answer, asked.exceed, progress, epsilon=asked.at_epsilon, q=asked.q)
    return privacy_page(answer, found, at_most=asked.at_most)


def _reply(
    asked: PrivacyAsked,
    model: Program,
    answer: Privacy,
    attack: InputAttack | None = None,
    picture: bytes | None = None,
) -> Reply:
    from prover.cli.answering import with_page
    from prover.report.privacy import reply_of
    from prover.report.reply import certified_reply
    from prover.report.source import with_source

    make = partial(
        reply_of,
        answer,
        verbose=asked.verbose,
        at_most=asked.at_most,
        attack=attack,
        effort=asked.effort,
    )
    reply = certified_reply(make, certified=asked.certificate is not None)
    if asked.engine == "smt" and answer.runs.upper is not None and answer.runs.lower != answer.runs.upper:
        reply = replace(
            reply, obstacle="Z3 was not asked about longer runs; --longest says how long they are"
        )
    described = replace(with_source(reply, model, answer), picture=picture)

    def page() -> Page:
        from prover.report.page.privacy import NOT_MEASURED, privacy_page

        return privacy_page(answer, NOT_MEASURED, at_most=asked.at_most)

    return with_page(asked, described, page)


def _deliver(asked: PrivacyAsked, reply: Reply) -> list[str]:
    """Write the picture; the path where it is."""
    from prover.cli.destination import write_file

    if asked.plot is None or reply.picture is None:
        return []
    write_file(asked.plot, reply.picture, "the picture", force=asked.force)
    return [asked.plot]


def _nothing(asked: PrivacyAsked) -> Reply:
    from prover.report.privacy import nothing_known

    return nothing_known(asked.adjacency, asked.at_most)
