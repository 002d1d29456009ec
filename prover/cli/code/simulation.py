"""--simulate: runs of the code, counted beside an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from prover.chain.delta import Delta
    from prover.program.attack.attack import InputAttack
    from prover.program.model import Program
    from prover.progress import Progress
    from prover.report.reply import Reply


class OfWords(Protocol):
    """What is asked about a protocol."""

    @property
    def model(self) -> str: ...

    @property
    def reading(self) -> Mapping[str, Any]: ...

    @property
    def simulate(self) -> int | None: ...

    @property
    def seed(self) -> int: ...


class OfRun(Protocol):
    """What is asked about a mechanism."""

    @property
    def program(self) -> str: ...

    @property
    def const(self) -> str | None: ...

    @property
    def simulate(self) -> int | None: ...

    @property
    def seed(self) -> int: ...


def with_words_simulated(asked: OfWords, answer: Delta, reply: Reply, progress: Progress) -> Reply:
    """The reply with how often runs of the code show the attack's words, if that is asked for."""
    if asked.simulate is None or answer.attack is None:
        return reply
    from prover.formats.load import function_of, not_in_code
    from prover.language.written import Protocol as Coded
    from prover.report.source import with_words

    function = function_of(asked.model)
    if not isinstance(function, Coded) or {"untimed", "silent"} & asked.reading.keys():
        raise not_in_code(asked.model)
    progress("running the code", 0, None)
    const = asked.reading.get("const", "")
    return with_words(reply, function, const, answer.attack, asked.simulate, asked.seed)


def with_run_simulated(
    asked: OfRun, model: Program, found: InputAttack | None, reply: Reply, progress: Progress
) -> Reply:
    """The reply with how often runs of the code show the attack, if that is asked for."""
    if asked.simulate is None or found is None:
        return reply
    if found.measured is None:
        text = f"{reply.text}\nNothing is simulated: the probabilities of this run take too long to compute."
        return replace(reply, text=text)
    from prover.formats.load import function_of, not_in_code
    from prover.language.files import constants_of
    from prover.language.frequencies import of_run
    from prover.language.mechanism.origin import WrittenProgram
    from prover.language.written import Mechanism
    from prover.program.optimum.optimum import written_out
    from prover.report.source import with_frequencies

    function = function_of(asked.program)
    if not isinstance(function, Mechanism) or not isinstance(model, WrittenProgram):
        raise not_in_code(asked.program)
    progress("running the code", 0, None)
    path = [step.edge for step in written_out(found.run)]
    counted = of_run(
        function, constants_of(asked.const or ""), model, path, found.sides,
        found.epsilon, found.window, asked.simulate, asked.seed,
    )  # fmt: skip
    exact = (found.measured.probability[0], found.measured.other_probability[0])
    return with_frequencies(reply, counted, exact, ("input", "neighbour"))
