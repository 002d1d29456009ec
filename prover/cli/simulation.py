"""--simulate: runs of the code, counted beside an attack."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from prover.cli.options import CommandQuery

if TYPE_CHECKING:
    from prover.chain.unrolling.answer import Delta, InteractiveDelta
    from prover.program.attack.attack import InputAttack
    from prover.program.model import Program
    from prover.progress import Progress
    from prover.report.reply import Reply


def with_attack_simulated(
    query: CommandQuery, answer: Delta | InteractiveDelta, reply: Reply, progress: Progress
) -> Reply:
    """The reply with how often the attack succeeds in runs of the code, if that is asked for."""
    from prover.chain.unrolling.answer import InteractiveDelta

    attack = answer.strategy if isinstance(answer, InteractiveDelta) else answer.attack
    if query.simulate is None or attack is None:
        return reply
    from prover.formats.code import function_of, not_in_code
    from prover.language.written import Protocol as Coded
    from prover.report.source import with_guesses

    function = function_of(query.model)
    if not isinstance(function, Coded) or {"untimed", "silent"} & query.reading.keys():
        raise not_in_code(query.model)
    progress("running the code", 0, None)
    const = query.reading.get("const", "")
    return with_guesses(reply, function, const, attack, query.simulate, query.seed)


def with_run_simulated(
    query: CommandQuery, model: Program, attack: InputAttack | None, reply: Reply, progress: Progress
) -> Reply:
    """The reply with how often runs of the code show the attack, if that is asked for."""
    if attack is None:
        return reply
    if attack.outputs_numbers:
        moved, based = (getattr(model, name, False) for name in ("moved", "based"))
        text = "The program leaves out signs and public numbers of what the code outputs." if moved else ""
        if based:
            text = "The program leaves out numbers that were seen before and are added to what is seen."
        if based and query.simulate is not None:
            text += "\nNothing is simulated: the code outputs other numbers than the program."
        reply = replace(reply, text=f"{reply.text}\n{text}") if text else reply
        if based:
            return reply
    if query.simulate is None:
        return reply
    if attack.measured is None:
        text = f"{reply.text}\nNothing is simulated: the probabilities of this run take too long to compute."
        return replace(reply, text=text)
    from prover.formats.code import function_of, not_in_code
    from prover.language.files import constants_of
    from prover.language.frequencies import of_run
    from prover.language.written import Mechanism
    from prover.program.optimum.witness import written_out
    from prover.program.origin import WrittenProgram
    from prover.report.source import with_frequencies

    function = function_of(query.program)
    if not isinstance(function, Mechanism) or not isinstance(model, WrittenProgram):
        raise not_in_code(query.program)
    progress("running the code", 0, None)
    path = [step.edge for step in written_out(attack.run)]
    counted = of_run(
        function, constants_of(query.const or ""), model, path, attack.sides,
        attack.epsilon, attack.window, query.simulate, query.seed,
    )  # fmt: skip
    exact = (attack.measured.probability[0], attack.measured.other_probability[0])
    return with_frequencies(reply, counted, exact, ("input", "neighbour"))
