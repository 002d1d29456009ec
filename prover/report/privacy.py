"""Answers about threshold programs as text for people and as JSON objects for machines."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from prover.errors import short_name, shown
from prover.exact.rational import format_rational, rational_or_inf, rational_or_null
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy, listed_or
from prover.program.attack.attack import InputAttack
from prover.program.conditions import Conditions
from prover.program.decision.boundedness import VANISHING_RUN
from prover.program.model import Edge
from prover.program.noise import INFINITE, rates_text
from prover.program.optimum.budget import DEFAULT_EFFORT
from prover.program.optimum.witness import Witness
from prover.program.scope import has_own_sensitivities
from prover.program.shifts import Shift, price
from prover.report.attack import attack_json, attack_text
from prover.report.observer import observed_json, what_that_means
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.source import code_lines
from prover.report.steps import guard_text, tests_several
from prover.report.tables import aligned
from prover.report.verdict import with_verdict

MOST_NAMES = 12
"""How many states a list for people names."""


def reply_of(
    answer: Privacy,
    *,
    certified: bool,
    verbose: bool = False,
    at_most: Fraction | None = None,
    attack: InputAttack | None = None,
    effort: int = DEFAULT_EFFORT,
) -> Reply:
    """The reply of ``prover privacy``, with its certificate if that is wanted, and an attack if there is one.

    With ``at_most`` it is decided, and refuted or not, by whether the loss is at most that multiple of ε.
    """
    proof = answer.certificate if certified else None
    data = None if proof is None else proof.data
    text = privacy_text(answer, verbose=verbose)
    if attack is not None:
        text += f"\n\n{attack_text(attack, counts=answer.worst_run_counts)}"
    refuted = answer.private is False
    decided = refuted or (answer.private is not None and answer.epsilon is not None)
    known = answer.conditions.output_distinction or answer.runs.bounded is None
    obstacle = "the budget was used up" if known else "what runs lose bounds the observer from above only"
    if answer.spent:
        obstacle += f"; --effort {2 * effort} works twice as much before it gives up"
    reply = Reply(
        text, privacy_json(answer, attack), data, decided, refuted, obstacle, so_far=_so_far(answer)
    )
    return with_verdict(reply, at_most, None if at_most is None else is_at_most(answer, at_most), "ε·")


def _so_far(answer: Privacy) -> str:
    if answer.private is False:
        return "not private"
    proved = so_far("loss", answer.lower or Fraction(0), answer.upper, most=None, unit="·ε")
    return proved or ("private" if answer.private else "")


def is_at_most(answer: Privacy, multiple: Fraction) -> bool | None:
    """Whether the loss is at most this multiple of ε; None if the bounds do not tell."""
    if answer.private is False or (answer.lower is not None and answer.lower > multiple):
        return False
    return True if answer.upper is not None and answer.upper <= multiple else None


def nothing_known(adjacency: str, at_most: Fraction | None = None) -> Reply:
    """The reply when the time is up before anything is known."""
    values: dict[str, Any] = dict.fromkeys(
        (
            "private",
            "epsilon",
            "loss_of_runs",
            "observer",
            "reason",
            "conditions",
            "if_stopping_is_seen",
            "approx",
            "relaxed",
            "witness",
        )
    )
    values |= {
        "lower": "0",
        "upper": "inf",
        "states": [],
        "spent": [],
        "assumption": None,
        "adjacency": adjacency,
    }
    values["symmetric"] = Adjacency(adjacency).is_symmetric
    reply = Reply("undecided: nothing is proved so far", values, None, False)
    return with_verdict(reply, at_most, None, "ε·")


def privacy_json(answer: Privacy, attack: InputAttack | None = None) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    witness = answer.witness if attack is None else attack.run
    return {
        "private": answer.private,
        "epsilon": rational_or_null(answer.epsilon),
        "lower": rational_or_inf(answer.lower),
        "upper": rational_or_inf(answer.upper),
        "loss_of_runs": _loss_of_runs(answer),
        "observer": None if answer.observer is None else observed_json(answer.observer),
        "reason": answer.reason,
        "states": list(answer.states),
        "conditions": _conditions(answer.conditions),
        "assumption": answer.assumption,
        "adjacency": str(answer.adjacency),
        "symmetric": answer.adjacency.is_symmetric,
        "if_stopping_is_seen": _if_seen(answer.if_stopping_is_seen),
        "spent": list(answer.spent),
        "approx": rational_or_null(answer.approx),
        "relaxed": rational_or_null(answer.relaxed),
        "witness": None if witness is None else _witness(witness, attack),
    }


def _loss_of_runs(answer: Privacy) -> str | None:
    """The bound of what runs lose: "inf" if there is none, null if none was found."""
    return "inf" if answer.runs.bounded is False else rational_or_null(answer.runs.upper)


def _if_seen(seen: Privacy | None) -> dict[str, Any] | None:
    """The answer for observers who see that a run stops."""
    if seen is None:
        return None
    return {
        "private": seen.private,
        "epsilon": rational_or_null(seen.epsilon),
        "lower": rational_or_inf(seen.lower),
        "upper": rational_or_inf(seen.upper),
        "loss_of_runs": _loss_of_runs(seen),
    }


def _conditions(conditions: Conditions) -> dict[str, Any]:
    return {
        "determinism": conditions.determinism,
        "output_distinction": conditions.output_distinction,
        "coverage": conditions.coverage,
        "endings": conditions.endings,
        "nondeterministic_states": list(conditions.nondeterministic_states),
        "indistinct_states": list(conditions.indistinct_states),
        "gap_states": list(conditions.gap_states),
        "ending_states": list(conditions.ending_states),
    }


def _witness(witness: Witness, attack: InputAttack | None) -> dict[str, Any]:
    """The run as numbers of transitions; ``turns`` are pairs of the length of a stretch and how often it is
    taken. Inputs and a measured loss are there if an attack is.
    """
    missing = dict.fromkeys(("inputs", "t", "loss", "epsilon", "q", "unit", "probabilities"))
    measured = missing if attack is None else attack_json(attack)
    return {
        "path": [step.edge.number for step in witness.steps],
        "turns": [list(part) for part in witness.turns],
        "delta": [step.delta for step in witness.steps],
        "shifts": [shift if isinstance(shift, int) else format_rational(shift) for shift in witness.shifts],
        **measured,
    }


def privacy_text(answer: Privacy, *, verbose: bool = False) -> str:
    """The verdict in a line, then what it means, under which assumption, and with ``verbose`` the worst
    run.
    """
    lines = [shown(answer.headline), *map(shown, code_lines(answer)), *meaning(answer)]
    lines += [*comparisons(answer), assumption_text(answer)]
    lines += remarks(answer)
    if verbose and answer.witness is not None:
        lines += ["", *aligned(run_rows(answer.witness))]
    return "\n".join(lines)


def meaning(answer: Privacy) -> list[str]:
    """What is bounded for everybody, or what makes the loss grow and where."""
    if answer.runs.bounded is False and answer.private is not True:
        whose = "" if answer.private is False else " of runs"
        if answer.reason == VANISHING_RUN:
            grows = "A run that some input makes possible is impossible on a neighbour of that input."
        elif _may_vanish(answer):
            grows = f"The loss{whose} is infinite, or grows without bound with the turns of a cycle."
        else:
            grows = f"The loss{whose} grows without bound with the turns of a cycle."
        return [f"{grows} States of the {answer.reason or 'cycle'}: {_listed(answer.states)}."]
    return [] if answer.upper is None else _promise(answer, answer.upper).split("\n")


def comparisons(answer: Privacy) -> list[str]:
    """What strategies that do not look at the inputs prove, where that is known."""
    if answer.approx is None or answer.relaxed is None:
        return []
    bounds = f"relaxed {format_rational(answer.relaxed)}, approximate {format_rational(answer.approx)}"
    if answer.approx_bound is not None:
        bounds += f" (never more than {format_rational(answer.approx_bound)})"
    return [f"For comparison, the bounds of strategies that do not look at the inputs: {bounds}."]


def assumption_text(answer: Privacy) -> str:
    """What inputs and neighbours are."""
    return f"Assumption: {answer.assumption}; adjacency {answer.adjacency}."


def remarks(answer: Privacy) -> list[str]:
    """What has to be said of outputs that look alike, of gaps, and of guards that overlap."""
    lines = []
    if not answer.conditions.output_distinction:
        states = _listed(answer.conditions.indistinct_states)
        lines.append(f"Outputs do not tell the transitions of {states} apart. {what_that_means(answer)}")
    seen = answer.if_stopping_is_seen if answer.conditions.stopping_tells else None
    if seen is not None:
        lines.append("With --stuck the answer, and its certificate, is about observers who see it.")
        if seen.private is not False and seen.epsilon is None:
            lines[-1] += " It may be narrower, too: what was not asked gets a small number of steps."
    if answer.spent:
        budgets = listed_or(answer.spent, "and")
        lines.append(f"The search ended where its budget was spent ({budgets}): more effort may tell more.")
    if not answer.conditions.determinism:
        states = _listed(answer.conditions.nondeterministic_states)
        lines.append(f"Guards of {states} do not exclude each other; every run counts.")
    return lines


def _may_vanish(answer: Privacy) -> bool:
    """Whether a run of the family has a step without noise on a side: then it may lose everything at once."""
    edges = (step.edge for block in answer.family for step in block.steps)
    return any(INFINITE in (edge.left, edge.right) for edge in edges)


def _promise(answer: Privacy, upper: Fraction) -> str:
    """What the bound from above means; for one-way adjacencies that is no differential privacy."""
    number = format_rational(upper)
    multiple = "ε" if number == "1" else f"({number})·ε" if "/" in number else f"{number}·ε"
    close = "; some inputs come close to that" if answer.epsilon is not None else ""
    if answer.conditions.stopping_tells:
        close = " where stopping is not seen" + close
    if answer.adjacency.is_symmetric:
        return f"For every ε > 0 it is {multiple}-differentially private{close}."
    moved = "increased" if answer.adjacency == Adjacency.INCREASING else "decreased"
    return (
        f"For every ε > 0:  P[it | inputs]  <=  e^({multiple}) * "
        f"P[it | inputs, each {moved} by {_moves(answer)}]{close}.\n"
        "This is one direction, not differential privacy: adjacency monotonic asks for both."
    )


def _moves(answer: Privacy) -> str:
    """How far inputs move from one neighbour to the other."""
    program = answer.program
    if program is None or has_own_sensitivities(program):
        return "0 up to its sensitivity"
    return f"0 to {format_rational(program.noise.sensitivity)}"


def _listed(states: Sequence[str]) -> str:
    """Names of states for people: the first few, and how many more there are."""
    names = ", ".join(short_name(state) for state in states[:MOST_NAMES])
    more = len(states) - MOST_NAMES
    return names if more <= 0 else f"{names} and {more} more"


def run_rows(witness: Witness) -> list[tuple[str, ...]]:
    """A heading, and a row for each step of the worst run; the costs times the turns add up."""
    rows: list[tuple[str, ...]] = [("transition", "guard", "output", "rate", "Δ", "shift", "cost", "turns")]
    turns = [count for steps, count in witness.turns for _ in range(steps)]
    named = tests_several(step.edge for step in witness.steps)
    for step, shift, count in zip(witness.steps, witness.shifts, turns, strict=True):
        rows.append((*_run_row(step.edge, step.delta, shift, named=named), str(count)))
    return rows


def _run_row(edge: Edge, delta: int, shift: Shift, *, named: bool) -> tuple[str, ...]:
    return (
        f"{shown(edge.source)} -> {shown(edge.target)}",
        guard_text(edge, named=named),
        shown(edge.output),
        rates_text(edge.left, edge.right),
        format_rational(delta * edge.sensitivity),
        str(shift),
        format_rational(price(edge, delta, shift)),
    )
