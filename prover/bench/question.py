"""The questions that a benchmark can ask, each about one model, with its options and engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import UnionType
from typing import Any

from prover.accounting.repeated import epsilon_of_runs
from prover.bench.result import (
    JobResult,
    interval,
    of_attack,
    of_boundedness,
    of_curve,
    of_delta,
    of_distance,
    of_epsilon,
    of_privacy,
    of_program_delta,
    of_table,
    of_truth,
)
from prover.chain.answer import Distance, DistanceTable
from prover.chain.arguments import alpha_or_epsilon
from prover.chain.delta import DEFAULT_GAP, delta
from prover.chain.distance import distance, distances
from prover.chain.epsilon import DEFAULT_LIMIT, DEFAULT_WIDTH, Epsilon, epsilon_for
from prover.chain.kinds import AUTO, DELTA_KINDS, ENGINES, KINDS
from prover.chain.model import LabelledMarkovChain, restrict
from prover.chain.privacy_profile import Curve, curve, grid
from prover.chain.process import System
from prover.chain.secrets import query_pairs
from prover.chain.unrolling.answer import EnclosedDelta
from prover.errors import BadValue, Fault, quoted
from prover.exact.rational import format_rational, parse_rational
from prover.formats.load import Model
from prover.program.adjacency import ADJACENCIES
from prover.program.answer import Privacy
from prover.program.attack.attack import InputAttack, attack
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.program.profiles.delta import ProgramDelta
from prover.questions import delta as delta_of_system

OnProved = Callable[[Any], None]
"""Where to leave answers that are proved on the way."""

Options = Mapping[str, str]

HORN = "horn"
TABLE_ENGINES = (AUTO, "lp")
QUANTITIES = ("epsilon", "approx", "relaxed")


def bad_option(name: str, found: str, wanted: str) -> BadValue:
    """The value of an option is not one that the question can be asked with."""
    return BadValue(f"option {name} is {quoted(found)}; it must be {wanted}", code="bad-option")


def _nothing_to_check(model: Model, options: Options) -> None:
    """Every model can be asked this."""


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """``options`` are the checks of their texts; ``ask`` gives the prover's answer,
    ``result`` what is kept of it.

    ``check`` raises BadInput if the question makes no sense for a model of ``kind``. ``is_table`` says that
    the answer is not a single number. ``libraries`` are loaded beforehand, so that loading them is not
    measured.
    """

    name: str
    kind: type[LabelledMarkovChain] | type[Program] | UnionType
    options: Mapping[str, Callable[[str, str], None]]
    ask: Callable[[Any, Options, str, OnProved], Any]
    result: Callable[[Any, Options], JobResult]
    check: Callable[[Any, Options], None] = _nothing_to_check
    engines: tuple[str, ...] = (AUTO,)
    is_table: bool = False
    libraries: tuple[str, ...] = ("flint", "networkx", "numpy", "scipy.sparse.linalg")


def one_of(*choices: str) -> Callable[[str, str], None]:
    """The check of an option that is one of these texts."""

    def check(name: str, text: str) -> None:
        if text not in choices:
            raise bad_option(name, text, " or ".join(choices))

    return check


def _number(name: str, text: str) -> None:
    del name
    parse_rational(text)


def _whole(name: str, text: str) -> None:
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise bad_option(name, text, "a whole number of at least 1")


def _name(name: str, text: str) -> None:
    """Any text names a state; whether the model has it is asked of the model."""


def _check_distance(chain: LabelledMarkovChain, options: Options) -> None:
    query_pairs(chain, options.get("from"), options.get("to"))
    _check_alpha(chain, options)


def _check_alpha(chain: System, options: Options) -> None:
    del chain
    needed = options.get("kind") != "bisimilarity"
    if needed is not ("alpha" in options) or (needed and parse_rational(options["alpha"]) < 1):
        wanted = "a rational of at least 1" if needed else "left out, as bisimilarity has none"
        raise bad_option("alpha", options.get("alpha", ""), wanted)


def _arguments(options: Options) -> dict[str, Any]:
    bits = options.get("max_bits")
    return {
        "kind": options.get("kind", "ld"),
        "bounds": options.get("bounds", "both"),
        "max_bits": None if bits is None else int(bits),
    }


# Intervals on the way to a distance are not asked for: they can take as long as the distance itself.


def _ask_distance(chain: LabelledMarkovChain, options: Options, engine: str, on_proved: OnProved) -> Distance:
    del on_proved
    source, target = options.get("from"), options.get("to")
    if options.get("reachable_only") == "yes":
        chain, pairs = query_pairs(chain, source, target)
        chain = restrict(chain, {s for pair in pairs for s in pair})
    return distance(chain, source, target, options.get("alpha"), engine=engine, **_arguments(options))


def _ask_distances(
    chain: LabelledMarkovChain, options: Options, engine: str, on_proved: OnProved
) -> DistanceTable:
    del engine, on_proved
    return distances(chain, options.get("alpha"), **_arguments(options))


def _check_delta(system: System, options: Options) -> None:
    query_pairs(system, options.get("from"), options.get("to"))
    _check_slope(system, options)
    if "alpha" in options:
        _check_alpha(system, options)


def _ask_delta(system: System, options: Options, engine: str, on_proved: OnProved) -> EnclosedDelta:
    del engine
    return delta(
        system,
        options.get("from"),
        options.get("to"),
        options.get("alpha"),
        epsilon=options.get("epsilon"),
        gap=options.get("gap", format_rational(DEFAULT_GAP)),
        kind=options.get("kind", "tv"),
        on_interval=on_proved,
    )


def _check_slope(model: Model, options: Options) -> None:
    del model
    if ("alpha" in options) == ("epsilon" in options):
        raise alpha_or_epsilon()


def _ask_delta_over_inputs(
    program: Program, options: Options, engine: str, on_proved: OnProved
) -> ProgramDelta:
    del engine
    steps = options.get("steps")
    return delta_of_system(
        program,
        alpha=options.get("alpha"),
        epsilon=options.get("epsilon"),
        at_epsilon=options.get("at_epsilon", "1"),
        adjacency=options.get("adjacency", ADJACENCIES[0]),
        steps=None if steps is None else int(steps),
        on_interval=on_proved,
    )


def _check_pair(chain: LabelledMarkovChain, options: Options) -> None:
    query_pairs(chain, options.get("from"), options.get("to"))


def _ask_epsilon(chain: LabelledMarkovChain, options: Options, engine: str, on_proved: OnProved) -> Epsilon:
    del engine
    ends, bound = (options.get("from"), options.get("to")), parse_rational(options.get("delta", "0"))
    kind, gap = options.get("kind", "tv"), options.get("gap", DEFAULT_WIDTH)
    times = int(options.get("times", "1"))
    if times > 1:
        return epsilon_of_runs(chain, *ends, bound, times, kind=kind, gap=gap, limit=DEFAULT_LIMIT)
    return epsilon_for(chain, *ends, bound, kind=kind, gap=gap, on_interval=on_proved)


def _check_curve(chain: LabelledMarkovChain, options: Options) -> None:
    _check_pair(chain, options)
    _grid(options)


def _grid(options: Options) -> tuple[Fraction, ...]:
    first, last = (parse_rational(options.get(name, "1")) for name in ("first", "last"))
    return grid(first, last, int(options.get("points", "1")))


def _ask_curve(chain: LabelledMarkovChain, options: Options, engine: str, on_proved: OnProved) -> Curve:
    del engine, on_proved
    ends = options.get("from"), options.get("to")
    return curve(chain, *ends, _grid(options), kind=options.get("kind", "tv"), bounds=False)


def _ask_attack(program: Program, options: Options, engine: str, on_proved: OnProved) -> InputAttack | None:
    del engine
    return attack(
        program,
        epsilon=options.get("epsilon", "1"),
        adjacency=options.get("adjacency", ADJACENCIES[0]),
        on_found=on_proved,
    )


def _ask_privacy(program: Program, options: Options, engine: str, on_proved: OnProved) -> Privacy:
    del engine
    return privacy(program, options.get("adjacency", ADJACENCIES[0]), on_better=on_proved)


def _ask_decide(program: Program, options: Options, engine: str, on_proved: OnProved) -> JobResult:
    del options, on_proved
    if engine != HORN:
        known = decide(program)
        if known.bounded or known.reason is not None:
            return of_boundedness(program, known)
        answer = privacy(program)
        if answer.private is None:
            return interval(Fraction(0), Fraction(1))
        return of_truth(answer.private, answer.reason, answer.make_certificate)
    from prover.encoding import encode
    from prover.smt.solver import SAT, UNKNOWN, solve

    found = solve(encode(program, "privacy-horn"))
    if found.status == UNKNOWN:
        raise Fault(f"Z3 does not know: {found.reason}")
    return of_truth(found.status == SAT)


_DISTANCE_OPTIONS = {
    "alpha": _number,
    "kind": one_of(*KINDS),
    "bounds": one_of("both", "upper"),
    "max_bits": _whole,
}
_PAIR = {"from": _name, "to": _name}

QUESTIONS: Mapping[str, JobQuestion] = {
    question.name: question
    for question in (
        JobQuestion(
            "distance",
            LabelledMarkovChain,
            {**_DISTANCE_OPTIONS, **_PAIR, "reachable_only": one_of("yes", "no")},
            _ask_distance,
            lambda answer, _: of_distance(answer),
            _check_distance,
            ENGINES,
        ),
        JobQuestion(
            "distances",
            LabelledMarkovChain,
            _DISTANCE_OPTIONS,
            _ask_distances,
            lambda answer, _: of_table(answer),
            _check_alpha,
            TABLE_ENGINES,
            is_table=True,
        ),
        JobQuestion(
            "delta",
            System,
            {"alpha": _number, "epsilon": _number, **_PAIR, "gap": _number, "kind": one_of(*DELTA_KINDS)},
            _ask_delta,
            lambda answer, _: of_delta(answer),
            _check_delta,
        ),
        JobQuestion(
            "delta_over_inputs",
            Program,
            {
                **dict.fromkeys(("alpha", "epsilon", "at_epsilon"), _number),
                "adjacency": one_of(*ADJACENCIES),
                "steps": _whole,
            },
            _ask_delta_over_inputs,
            lambda answer, _: of_program_delta(answer),
            _check_slope,
            libraries=("flint", "networkx", "numpy", "scipy.sparse"),
        ),
        JobQuestion(
            "epsilon",
            LabelledMarkovChain,
            {"delta": _number, **_PAIR, "gap": _number, "kind": one_of(*DELTA_KINDS), "times": _whole},
            _ask_epsilon,
            lambda answer, _: of_epsilon(answer),
            _check_pair,
        ),
        JobQuestion(
            "curve",
            LabelledMarkovChain,
            {"first": _number, "last": _number, "points": _whole, **_PAIR, "kind": one_of(*DELTA_KINDS)},
            _ask_curve,
            lambda answer, _: of_curve(answer),
            _check_curve,
            is_table=True,
        ),
        JobQuestion(
            "attack",
            Program,
            {"adjacency": one_of(*ADJACENCIES), "epsilon": _number},
            _ask_attack,
            lambda answer, _: of_attack(answer),
            libraries=("flint", "networkx"),
        ),
        JobQuestion(
            "privacy",
            Program,
            {"adjacency": one_of(*ADJACENCIES), "quantity": one_of(*QUANTITIES)},
            _ask_privacy,
            lambda answer, options: of_privacy(answer, options.get("quantity", QUANTITIES[0])),
            libraries=("networkx",),
        ),
        JobQuestion(
            "decide",
            Program,
            {},
            _ask_decide,
            lambda answer, _: answer,
            engines=(AUTO, HORN),
            libraries=("jinja2", "networkx", "z3"),
        ),
    )
}
"""The questions by their names."""
