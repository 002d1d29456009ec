"""The attacks with the largest advantage, beside other answers about a threshold program."""

from __future__ import annotations

from collections.abc import Sequence

from prover.errors import NotSupported, shown
from prover.exact.readable import between, brief
from prover.program.profiles.delta import ProgramDelta
from prover.report.document import PageBlock, Section, Text
from prover.report.program_attack import attack_blocks, attack_lines
from prover.report.program_delta import promise_of, why


def advantages_text(answers: Sequence[ProgramDelta]) -> str:
    """For each α the bounds of δ, what the upper one says, and the inputs behind the lower one."""
    return "\n\n".join(
        "\n".join([f"{_noise(answer)}, {shown(answer.headline)}", promise_of(answer), *attack_lines(answer)])
        for answer in answers
    )


def advantages_section(answers: Sequence[ProgramDelta]) -> Section:
    """The same on a page."""
    blocks: list[PageBlock] = []
    for answer in answers:
        delta = f"{_noise(answer)} and α = {answer.factor}, δ is {between((answer.lower, answer.upper))}."
        blocks += [
            Text(delta, "claim"),
            Text(promise_of(answer, typeset=True)),
            *attack_blocks(answer, why(answer)),
        ]
    return Section("The largest advantage found", blocks)


def no_advantages(why: NotSupported) -> str:
    """Why no table bounds δ."""
    return f"No table bounds delta: {why}."


def _noise(answer: ProgramDelta) -> str:
    return f"With the noise of ε = {brief(answer.at_epsilon)}"
