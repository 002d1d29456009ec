"""Options that several commands have, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click

from prover.chain.kinds import DELTA_KINDS
from prover.cli.shell import candidates
from prover.errors import BadInput

if TYPE_CHECKING:
    from fractions import Fraction

    from prover.chain.model import LabelledMarkovChain
    from prover.interactive.model import LabelledMarkovDecisionProcess
    from prover.progress import Progress
    from prover.report.reply import Reply

FORMAT = 1
"""The version of the JSON objects that are answers; docs/schemas/ describes them."""

LONGEST_TIMEOUT = 10**9


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """How an answer is wanted; questions add what they ask."""

    sooner: ClassVar[str] = ""
    """How a question of this kind may be answered sooner."""

    as_json: bool
    timeout: float | None
    force: bool
    certificate: str | None = None
    unchecked: bool = False
    html: str | None = None

    def inputs(self) -> list[str]:
        """The files that are read."""
        return []

    def files(self) -> list[tuple[str, str]]:
        """The files that are to be written, and what they are."""
        return certificates(self.certificate, both_ends=False)

    def how_to_go_on(self) -> str:
        """What to do if the work was ended before its time."""
        return f"the same command begins anew{'; ' * bool(self.sooner)}{self.sooner}"

    def written(self) -> list[tuple[str, str]]:
        """These, and the page."""
        return [*self.files(), *([] if self.html is None else [(self.html, "the page")])]


@dataclass(frozen=True, kw_only=True, slots=True)
class OfSystem(Asked):
    """A question about two states of the chain, or the process, in a file; or about related ones, or all."""

    model: str
    reading: Mapping[str, Any]
    source: str | None
    target: str | None
    all_pairs: bool = False

    def inputs(self) -> list[str]:
        """The files that are read."""
        return [self.model, *filter(None, [self.reading.get("secret_pairs")])]


def rational(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number that an option's text writes."""
    del context
    from prover.exact.rational import parse_rational

    try:
        return None if text is None else parse_rational(text)
    except BadInput as error:
        error.path = parameter.opts[0]
        raise


def exponent(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """The text of an ε: a rational number, or the logarithm of one."""
    del context
    from prover.chain.arguments import given_epsilon

    try:
        if text is not None:
            given_epsilon(text)
    except BadInput as error:
        error.path = parameter.opts[0]
        raise
    return text


def lower_path(certificate: str) -> str:
    """Where the proof of a lower end goes that is another one than that of the upper end."""
    return certificate if certificate == "-" else f"{certificate}.lower"


def certificates(path: str | None, *, both_ends: bool) -> list[tuple[str, str]]:
    """The certificates to be written, with one of their own for the lower end if both ends have one."""
    if path is None:
        return []
    lower = [(lower_path(path), "the certificate of the lower end")] if both_ends else []
    return [(path, "the certificate"), *lower]


def positive(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number above 0 that an option's text writes."""
    given = rational(context, parameter, text)
    if given is not None and given <= 0:
        raise click.BadParameter(f"this is a number above 0, not {text}", context, parameter)
    return given


def not_negative(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number of at least 0 that an option's text writes."""
    given = rational(context, parameter, text)
    if given is not None and given < 0:
        raise click.BadParameter(f"this is a number of at least 0, not {text}", context, parameter)
    return given


def share(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number between 0 and 1 that an option's text writes."""
    given = positive(context, parameter, text)
    if given is not None and given >= 1:
        raise click.BadParameter(f"this is a number between 0 and 1, not {text}", context, parameter)
    return given


def seconds(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """The duration that an option's text writes, as rational numbers are written."""
    given = rational(context, parameter, text)
    if given is not None and given <= 0:
        raise click.BadParameter("a timeout is more than 0 seconds", context, parameter)
    return None if given is None else float(given if given < LONGEST_TIMEOUT else LONGEST_TIMEOUT)


def probability(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
    """The number from 0 to 1 that an option's text writes."""
    given = not_negative(context, parameter, text)
    if given is not None and given > 1:
        raise click.BadParameter(f"this is a number from 0 to 1, not {text}", context, parameter)
    return given


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
force_option = click.option("--force", is_flag=True, help="Let files that are written replace others.")
timeout_option = click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="Stop after so many seconds with what is proved by then (exit status 3).",
)
alpha_option = click.option(
    "--alpha",
    callback=rational,
    metavar="A",
    help="alpha = e^epsilon, a rational of at least 1, such as 6/5 or 1.2.",
)
epsilon_option = click.option(
    "--epsilon",
    callback=exponent,
    metavar="E",
    help='epsilon itself, in place of alpha: a rational such as 1/2 or 0.5, or a logarithm such as "ln 2".',
)
directions_option = click.option(
    "--kind",
    type=click.Choice(DELTA_KINDS),
    default="tv",
    show_default=True,
    help="tv: delta, both ways round. lv: from S to T only.",
)
effort_option = click.option(
    "--effort",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Work N times as much before an interval is the answer. Work is counted in steps, not in seconds.",
)
simulate_options = [
    click.option(
        "--simulate",
        type=click.IntRange(min=1, max=100_000_000),
        metavar="N",
        help="Python code: run it N times from each side of the attack, and count how often that is seen.",
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="With --simulate: the random seed."),
]
adjacencies = click.Choice(["all-differ", "one-differ", "increasing", "decreasing", "monotonic"])

pair_options = [
    click.option(
        "--from",
        "source",
        metavar="S",
        shell_complete=candidates.states,
        help="First state of the pair.",
    ),
    click.option(
        "--to", "target", metavar="T", shell_complete=candidates.states, help="Second state of the pair."
    ),
]
answering = [
    json_option,
    click.option(
        "--certificate",
        metavar="FILE",
        shell_complete=candidates.files,
        help="Write the proof to FILE, for prover verify. The stand-alone checker has accepted it before.",
    ),
    click.option("--unchecked", is_flag=True, help="Write proofs that the checker has not read, to measure."),
    force_option,
    timeout_option,
]
html_option = click.option(
    "--html",
    metavar="FILE",
    shell_complete=candidates.files,
    help="Write a page about the answer to FILE: one file that loads nothing.",
)
paged = [html_option, *answering]
"""Of commands whose answers have pages."""


def gap_option(meaning: str) -> Callable[..., Any]:
    """How wide an interval may be that is an answer, 10⁻⁶ unless told."""
    return click.option(
        "--gap", callback=rational, metavar="G", default="0.000001", show_default=True, help=meaning
    )


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Work in N processes at the same time. The answer is the same; each takes memory.",
)

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    shell_complete=candidates.files,
    help="Work on a Dask cluster: the address of its scheduler, such as tcp://10.0.0.1:8786, or the file "
    "that it has written. The answer is the same.",
)


def check_cluster(address: str | None, jobs: int) -> None:
    """A cluster knows itself how many jobs it takes."""
    if address is not None and jobs > 1:
        raise click.UsageError("--cluster does as much at a time as it can; leave --jobs out")


def at_most_option(metavar: str, question: str) -> Callable[..., Any]:
    """What is asked of the answer: that it is at most a number."""
    return click.option(
        "--at-most",
        callback=not_negative,
        metavar=metavar,
        help=f"{question} Exit status 0 for yes, 1 for no, 3 where it is not decided.",
    )


def with_options(options: list[Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds several options to a command."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_READING = [
    click.option(
        "--observe",
        metavar="X,Y",
        shell_complete=candidates.variables,
        help="Observed: the values of these variables.",
    ),
    click.option(
        "--labels",
        metavar="A,B",
        shell_complete=candidates.propositions,
        help="Observed: these atomic propositions.  [default: all]",
    ),
    click.option(
        "--secret",
        metavar="X,Y",
        shell_complete=candidates.variables,
        help="Related: initial states that differ in these variables, and agree in all others that are not "
        "observed.",
    ),
    click.option("--initial", is_flag=True, help="Related: all initial states."),
    click.option(
        "--secret-pairs",
        metavar="FILE",
        shell_complete=candidates.files,
        help="Related: the pairs of states on the lines of FILE.",
    ),
    click.option("--untimed", is_flag=True, help="Seen: changes of the label only, nobody counts steps."),
    click.option(
        "--silent",
        multiple=True,
        metavar="LABEL",
        shell_complete=candidates.labels,
        help="Not seen at all: states of this label. May be given several times.",
    ),
    click.option("--normalise", is_flag=True, help="Divide rows that do not sum to 1 by their sums."),
    click.option(
        "--const",
        metavar="N=3,p=1/2",
        shell_complete=candidates.constants,
        help="Values of constants, for programs of the PRISM language and JANI, and for parameters of Python "
        "code.",
    ),
]
Leave = Callable[["Reply"], None]


Question = TypeVar("Question", bound=OfSystem)
Answered = TypeVar("Answered", bound=Asked)


def with_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them together, as ``reading`` by their names, those given only."""

    @wraps(command)
    def collecting(**options: Any) -> Any:
        from prover.formats.reading import Reading

        given = {name: options.pop(name) for name in Reading.names()}
        reading = {name: value for name, value in given.items() if value not in (None, False, ())}
        return command(**options, reading=reading)

    return with_options(_READING)(collecting)


def asks(question: Callable[..., Answered]) -> Callable[[Callable[[Answered], int]], Callable[..., int]]:
    """The command gets all its options together, as one question."""

    def decorate(command: Callable[[Answered], int]) -> Callable[..., int]:
        @wraps(command)
        def asking(**options: Any) -> int:
            return command(question(**options))

        return asking

    return decorate


def on_chain(
    work: Callable[[Question, LabelledMarkovChain, Progress, Leave], Reply],
    of_process: Callable[[Question, LabelledMarkovDecisionProcess, Progress, Leave], Reply],
) -> Callable[[Question, Progress, Leave], Reply]:
    """The work with the chain read before it; what is to be said about the reading goes into every reply.

    ``of_process`` is the work where an attacker chooses.
    """

    @wraps(work)
    def read_first(asked: Question, progress: Progress, leave: Leave) -> Reply:
        from prover.chain.model import LabelledMarkovChain
        from prover.formats.identity import identity
        from prover.formats.load import load_system
        from prover.formats.reading import Reading
        from prover.interactive.collapsing.collapse import begun_anywhere, begun_at

        notes: list[str] = []
        progress("reading the model", 0, None)
        model = load_system(asked.model, Reading.of(**asked.reading), notes.append)
        model = begun_anywhere(model) if asked.all_pairs else begun_at(model, asked.source, asked.target)
        asked_about = identity(model)

        def noted(reply: Reply) -> Reply:
            return replace(reply, notes=(*notes, *reply.notes), model=reply.model or asked_about)

        def leaving(reply: Reply) -> None:
            leave(noted(reply))

        if isinstance(model, LabelledMarkovChain):
            return noted(work(asked, model, progress, leaving))
        return noted(of_process(asked, model, progress, leaving))

    return read_first
