"""Options that several commands have, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import click
from click.types import StringParamType

from prover.chain.kinds import DELTA_KINDS
from prover.errors import BadInput

if TYPE_CHECKING:
    from fractions import Fraction

    from click.shell_completion import CompletionItem

    from prover.program.model import Program

FORMAT = 1
"""The version of the JSON objects that are answers; docs/schemas/ describes them."""

LONGEST_TIMEOUT = 10**9

FASTER = "a larger --gap, or --at-most, may make it faster"
"""How a question about δ or ε may be answered sooner."""


class File(StringParamType):
    """The path of a file, which is read; or written, if it is said ``what`` it will be."""

    def __init__(self, what: str = "", *, kind: Literal["file", "dir"] = "file") -> None:
        self.what = what
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Files or folders, which the shell itself finds."""
        from click.shell_completion import CompletionItem

        del ctx, param
        return [CompletionItem(incomplete, type=self.kind)]


class CommandQuery(SimpleNamespace):
    """What a command is asked: what click has read of its options and arguments, by their names.

    ``reads`` are the files that are read, and ``writes`` those to be written, each with what it will be.
    """

    certificate: str | None = None
    html: str | None = None
    unchecked: bool = False
    all_pairs: bool = False
    mechanism: Program | None = None
    """The model, if it is a threshold program and read already."""
    notes: Sequence[str] = ()
    """What has to be said about the reading of it."""
    reads: Sequence[str] = ()
    writes: Sequence[tuple[str, str]] = ()
    go_on: str = "the same command starts again"
    """What to do if the work was ended before its time."""

    def beside(
        self, reads: Sequence[str] = (), writes: Sequence[tuple[str, str]] = (), **more: object
    ) -> CommandQuery:
        """The same, with more files, and with more that is known."""
        files = {"reads": [*self.reads, *reads], "writes": [*self.writes, *writes]}
        return CommandQuery(**vars(self) | files | more)

    def with_lower_end(self) -> CommandQuery:
        """The same, if both ends of the answer have certificates of their own."""
        if self.certificate is None:
            return self
        return self.beside(writes=[(lower_path(self.certificate), "the certificate of the lower end")])


def lower_path(certificate: str) -> str:
    """Where the proof of a lower end goes that is another one than that of the upper end."""
    return certificate if certificate == "-" else f"{certificate}.lower"


def as_query(hint: str) -> Callable[[Callable[[CommandQuery], int]], Callable[..., int]]:
    """The command gets all its options together; ``hint`` says how it may be answered sooner."""

    def decorate(command: Callable[[CommandQuery], int]) -> Callable[..., int]:
        @wraps(command)
        def with_query(**options: Any) -> int:
            context = click.get_current_context()
            files = [
                (context.params[str(parameter.name)], parameter.type.what)
                for parameter in context.command.params
                if isinstance(parameter.type, File)
            ]
            return command(
                CommandQuery(
                    **options,
                    reads=[path for path, what in files if path is not None and not what],
                    writes=[(path, what) for path, what in reversed(files) if path is not None and what],
                    go_on=f"{CommandQuery.go_on}; {hint}",
                )
            )

        return with_query

    return decorate


def number(
    *conditions: tuple[str, Callable[[Fraction], bool]],
) -> Callable[[click.Context, click.Parameter, str | None], Fraction | None]:
    """What reads the number that an option's text writes, and refuses what is not as the conditions say."""

    def read(context: click.Context, parameter: click.Parameter, text: str | None) -> Fraction | None:
        from prover.exact.rational import parse_rational

        try:
            value = None if text is None else parse_rational(text)
        except BadInput as error:
            error.path = parameter.opts[0]
            raise
        for wanted, holds in conditions:
            if value is not None and not holds(value):
                raise click.BadParameter(f"{text} is not a number {wanted}", context, parameter)
        return value

    return read


rational = number()
positive = number(("above 0", lambda value: value > 0))
not_negative = number(("of at least 0", lambda value: value >= 0))
share = number(("above 0", lambda value: value > 0), ("between 0 and 1", lambda value: value < 1))
probability = number(("of at least 0", lambda value: value >= 0), ("from 0 to 1", lambda value: value <= 1))


def rationals(context: click.Context, parameter: click.Parameter, text: str | None) -> list[Fraction] | None:
    """The numbers that an option's text lists with commas, or the file @FILE with one on each line."""
    del context
    from prover.errors import in_file
    from prover.exact.rational import parse_rational
    from prover.formats.files import content_of

    try:
        if text is None or not text.startswith("@"):
            return None if text is None else [parse_rational(number.strip()) for number in text.split(",")]
        with in_file(text[1:]):
            return [
                parse_rational(number) for number in content_of(text[1:]).decode("utf-8", "replace").split()
            ]
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


def seconds(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """The duration that an option's text writes, as rational numbers are written."""
    value = rational(context, parameter, text)
    if value is not None and value <= 0:
        raise click.BadParameter(f"{text} is not a number of seconds above 0", context, parameter)
    return None if value is None else float(value if value < LONGEST_TIMEOUT else LONGEST_TIMEOUT)


json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
force_option = click.option("--force", is_flag=True, help="Overwrite output files that exist already.")
timeout_option = click.option(
    "--timeout",
    callback=seconds,
    metavar="SECONDS",
    help="Stop after this many seconds, with what is proved by then (exit status 3 if undecided).",
)
alpha_option = click.option(
    "--alpha",
    callback=rational,
    metavar="A",
    help="The factor alpha = e^epsilon: a rational number, at least 1, such as 6/5 or 1.2.",
)
epsilon_option = click.option(
    "--epsilon",
    callback=exponent,
    metavar="E",
    help='epsilon, instead of alpha: a rational number such as 1/2 or 0.5, or a logarithm such as "ln 2".',
)
directions_option = click.option(
    "--kind",
    type=click.Choice(DELTA_KINDS),
    default="tv",
    show_default=True,
    help="tv: delta in both directions. lv: delta from S to T only.",
)
effort_option = click.option(
    "--effort",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Do up to N times as much work before answering with an interval. Work is counted in steps, not in "
    "seconds.",
)
simulate_options = [
    click.option(
        "--simulate",
        type=click.IntRange(min=1, max=100_000_000),
        metavar="N",
        help="For models in Python code: run the code N times on each side of the attack, and count how "
        "often the event of the attack occurs.",
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="The random seed of --simulate."),
]
adjacencies = click.Choice(["all-differ", "one-differ", "increasing", "decreasing", "monotonic"])

pair_options = [
    click.option("--from", "source", metavar="S", help="First state of the pair."),
    click.option("--to", "target", metavar="T", help="Second state of the pair."),
]
answering = [
    json_option,
    click.option(
        "--certificate",
        type=File("the certificate"),
        metavar="FILE",
        help="Write a certificate, the proof of the answer, to FILE. The stand-alone checker accepts it "
        "first; prover verify checks it again.",
    ),
    click.option(
        "--unchecked", is_flag=True, help="Write certificates without checking them first (for measurements)."
    ),
    force_option,
    timeout_option,
]
html_option = click.option(
    "--html",
    type=File("the page"),
    metavar="FILE",
    help="Write the answer as a web page to FILE. The page is a single file and loads nothing.",
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
    help="Work in N processes at once. The answer stays the same; each process needs memory.",
)

cluster_option = click.option(
    "--cluster",
    type=File(),
    metavar="ADDRESS",
    help="Work on a Dask cluster. ADDRESS is that of its scheduler, such as tcp://10.0.0.1:8786, or the file "
    "that the scheduler has written. The answer stays the same.",
)


def check_cluster(address: str | None, jobs: int) -> None:
    """A cluster knows itself how many jobs it takes."""
    if address is not None and jobs > 1:
        raise click.UsageError("a cluster runs as many jobs at once as it can; leave --jobs out")


def at_most_option(metavar: str, question: str) -> Callable[..., Any]:
    """What is asked of the answer: that it is at most a number."""
    return click.option(
        "--at-most",
        callback=not_negative,
        metavar=metavar,
        help=f"{question} Exit status 0: yes; 1: no; 3: not decided.",
    )


def with_options(options: list[Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds several options to a command."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _joined(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> str | None:
    return ",".join(values) or None


def list_option(name: str, metavar: str, text: str) -> Callable[..., Any]:
    """An option for a list with commas; if it is given several times, the lists are joined."""
    return click.option(name, multiple=True, callback=_joined, metavar=metavar, help=text)


_READING = [
    list_option("--observe", "X,Y", "The observer sees the values of these variables."),
    list_option("--labels", "A,B", "The observer sees these atomic propositions.  [default: all]"),
    list_option(
        "--secret",
        "X,Y",
        "The secrets: relate initial states that differ in these variables and agree in all others that "
        'are not observed. "x=[0,1],y=[0..3]" says the values, for code and for PRISM programs with one '
        "initial state.",
    ),
    click.option("--initial", is_flag=True, help="The secrets: relate all initial states."),
    click.option(
        "--secret-pairs",
        type=File(),
        metavar="FILE",
        help="The secrets: relate the pairs of states in FILE, two names a line. Of Python code, two secrets "
        "a line, such as a=0,b=1 a=0,b=2.",
    ),
    click.option(
        "--untimed",
        is_flag=True,
        help="The observer sees the sequence of different labels, not how long each lasts.",
    ),
    click.option(
        "--silent",
        multiple=True,
        metavar="LABEL",
        help="The observer does not see states of this label. May be given several times.",
    ),
    click.option(
        "--refuse",
        is_flag=True,
        help="A state refuses the actions that only other states of its label offer, and the attacker sees "
        "this.",
    ),
    click.option(
        "--normalise",
        is_flag=True,
        help="Divide each row of probabilities that does not sum to 1 by its sum.",
    ),
    list_option(
        "--const",
        "N=3,p=1/2",
        "Values of constants in PRISM and JANI models, or of parameters of Python code.",
    ),
]

_RELATED = click.option(
    "--related",
    metavar="RELATION",
    help='Of Python code: which secrets are neighbours. RELATION is "differ in one", "differ by 1 in one", '
    "or the name of a function near(one, other) in the same file.",
)


def with_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them together, as ``reading`` by their names, those given only."""
    return with_options([*_READING[:3], _RELATED, *_READING[3:]])(_collecting(command))


def with_reading_without_related(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a command with another option --related."""
    return with_options(_READING)(_collecting(command, ("related",)))


def _collecting(command: Callable[..., Any], own: Sequence[str] = ()) -> Callable[..., Any]:
    @wraps(command)
    def collecting(**options: Any) -> Any:
        from prover.formats.reading import Reading

        given = {name: options.pop(name) for name in Reading.names() if name not in own}
        reading = {name: value for name, value in given.items() if value not in (None, False, ())}
        return command(**options, reading=reading)

    return collecting
