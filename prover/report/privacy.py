"""Answers about threshold programs as text for people and as JSON objects for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from prover.errors import short_name, shown
from prover.exact.rational import format_rational, rational_or_inf, rational_or_null
from prover.exact.readable import multiple
from prover.program.adjacency import Adjacency
from prover.program.answer import NOTHING_PROVED, Privacy, hidden_transitions, listed_or
from prover.program.attack.attack import InputAttack
from prover.program.conditions import Conditions
from prover.program.decision.boundedness import VANISHING_RUN
from prover.program.model import Edge
from prover.program.noise import INFINITE, noise_text
from prover.program.optimum.budget import DEFAULT_EFFORT
from prover.program.optimum.witness import Witness
from prover.program.profiles.scope import has_tables
from prover.program.scope import has_own_sensitivities
from prover.program.shifts import Shift, price
from prover.report.attack import attack_json, attack_text, guard_text, tests_several
from prover.report.lines import code_lines, postponed_draws
from prover.report.observer import OTHER_RUNS, SINGLE_RUNS, observed_json, observer_text
from prover.report.promise import scaled
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.verdict import with_verdict

if TYPE_CHECKING:
    from prover.program.pieces.answer import OpenPrivacy
    from prover.program.real_privacy import RealPrivacy

MOST_NAMES = 12
"""How many states a list for people names."""

_OFFERED = "With --advantage, the answer also has intervals of delta, which say how bad this is."

ONE_DIRECTION = (
    "This bounds one direction only and is not differential privacy; adjacency monotonic bounds both."
)

NEIGHBOUR = "x'"
"""How bounds write a neighbour of the input x."""

MOVES: Mapping[Adjacency, str] = {
    Adjacency.ALL_DIFFER: "every number may differ",
    Adjacency.ONE_DIFFER: "one number may differ",
    Adjacency.INCREASING: "every number may increase",
    Adjacency.DECREASING: "every number may decrease",
    Adjacency.MONOTONIC: "every number may increase, or every number may decrease",
}
"""How the numbers of neighbouring inputs differ."""


def reply_of(
    answer: Privacy,
    *,
    certified: bool,
    verbose: bool = False,
    at_most: Fraction | None = None,
    attack: InputAttack | None = None,
    effort: int = DEFAULT_EFFORT,
    offered: bool = True,
) -> Reply:
    """The reply of ``prover privacy``, with its certificate if that is wanted, and an attack if there is one.

    With ``at_most`` it is decided, and refuted or not, by whether the loss is at most that multiple of ε.
    """
    proof = answer.certificate if certified else None
    data = None if proof is None else proof.data
    text = privacy_text(answer, verbose=verbose, offered=offered)
    if attack is not None:
        text += f"\n\n{attack_text(attack, counts=answer.worst_run_counts)}"
    refuted = answer.private is False
    decided = refuted or (answer.private is not None and answer.epsilon is not None)
    known = answer.conditions.output_distinction or answer.runs.bounded is None
    obstacle = "the search used up its budget" if known else SINGLE_RUNS
    if answer.sums is not None:
        obstacle = "sums of inputs differ by ever more"
    if answer.spent:
        obstacle += f"; --effort {2 * effort} allows twice the work"
    reply = Reply(
        text, privacy_json(answer, attack), data, decided, refuted, obstacle, so_far=loss_so_far(answer)
    )
    return with_verdict(reply, at_most, is_at_most(answer, at_most), multiple)


def loss_so_far(answer: Privacy | RealPrivacy) -> str:
    """What is proved of the loss, in a few words."""
    if answer.private is False:
        return "not private"
    proved = so_far("loss", answer.lower or Fraction(0), answer.upper, most=None, unit="ε")
    return proved or ("private" if answer.private else "")


def is_at_most(answer: Privacy | RealPrivacy, multiple: Fraction | None) -> bool | None:
    """Whether the loss is at most this multiple of ε; None if the bounds do not tell, or nothing is asked."""
    if multiple is None:
        return None
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
            "advantages",
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
    return with_verdict(Reply(NOTHING_PROVED, values, None, False), at_most, None, multiple)


def privacy_json(answer: Privacy, attack: InputAttack | None = None) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    witness = answer.witness if attack is None else attack.run
    only = answer.at_epsilon
    return {
        **({} if only is None else {"at_epsilon": format_rational(only)}),
        "private": answer.private,
        "epsilon": rational_or_null(answer.epsilon),
        "lower": rational_or_inf(answer.lower),
        "upper": rational_or_inf(answer.upper),
        "loss_of_runs": _loss_of_runs(answer),
        "observer": None if answer.observer is None else observed_json(answer.observer),
        "reason": answer.reason,
        "states": list(answer.states),
        "conditions": conditions_json(answer.conditions),
        "assumption": answer.assumption,
        "adjacency": str(answer.adjacency),
        "symmetric": answer.adjacency.is_symmetric,
        "if_stopping_is_seen": _if_seen(answer.if_stopping_is_seen),
        "spent": list(answer.spent),
        "approx": rational_or_null(answer.approx),
        "relaxed": rational_or_null(answer.relaxed),
        "witness": None if witness is None else _witness(witness, attack),
        "advantages": None,
    }


def _loss_of_runs(answer: Privacy) -> str | None:
    """The bound on the loss of single runs: "inf" if there is none, null if none was found."""
    return "inf" if answer.runs.bounded is False else rational_or_null(answer.runs.upper)


def _if_seen(seen: Privacy | None) -> dict[str, Any] | None:
    """The answer for an observer who sees that a run stops."""
    if seen is None:
        return None
    return {
        "private": seen.private,
        "epsilon": rational_or_null(seen.epsilon),
        "lower": rational_or_inf(seen.lower),
        "upper": rational_or_inf(seen.upper),
        "loss_of_runs": _loss_of_runs(seen),
    }


def conditions_json(conditions: Conditions) -> dict[str, Any]:
    """The conditions that a program meets, and the states that break them."""
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


def privacy_text(answer: Privacy, *, verbose: bool = False, offered: bool = True) -> str:
    """The verdict in a line, then what it means, under which assumption, and with ``verbose`` the worst
    run. Where the program is not private, and ``offered``, what else can be asked is named.
    """
    meant = [line for text in meaning(answer) for line in text.split("\n")]
    lines = [answer.headline, *code_lines(answer), *meant, *comparisons(answer), assumption_text(answer)]
    lines = [shown(line) for line in lines] + remarks(answer)
    program = answer.program
    measured = program is not None and not program.is_unfolded_first and has_tables(program)
    if offered and answer.private is False and measured:
        lines.append(_OFFERED)
    if verbose and answer.witness is not None:
        lines += ["", worst_run_text(answer), *aligned(run_rows(answer.witness))]
    return "\n".join(lines)


def meaning(answer: Privacy, *, typeset: bool = False) -> list[str]:
    """The bound for every event, or what makes the loss grow and where; ``typeset`` as on pages."""
    if answer.runs.bounded is False and answer.private is not True:
        whose = "" if answer.private is False else " of single runs"
        grows = "grows without bound as runs repeat a cycle"
        if answer.reason == VANISHING_RUN:
            text = "Some run is possible on one input and impossible on a neighbouring input."
        elif _may_vanish(answer):
            text = f"The loss{whose} is infinite, or it {grows}."
        else:
            text = f"The loss{whose} {grows}."
        return [f"{text} States of the {answer.reason or 'cycle'}: {_listed(answer.states)}."]
    return [] if answer.upper is None else _promise(answer, answer.upper, typeset=typeset)


def comparisons(answer: Privacy) -> list[str]:
    """What coupling strategies prove that do not depend on the inputs, where that is known."""
    if answer.approx is None or answer.relaxed is None:
        return []
    most = "" if answer.approx_bound is None else f"; by a theorem at most {multiple(answer.approx_bound)}"
    relaxed, approximate = multiple(answer.relaxed), multiple(answer.approx)
    return [
        "For comparison, coupling strategies that ignore the inputs prove the bounds "
        f"{relaxed} (relaxed) and {approximate} (approximate{most})."
    ]


def assumption_text(answer: Privacy | OpenPrivacy) -> str:
    """What inputs and neighbours are."""
    return f"Assumption: {answer.assumption}. Adjacency {answer.adjacency}: {MOVES[answer.adjacency]}."


def remarks(answer: Privacy) -> list[str]:
    """What has to be said of draws that are moved, of equal outputs, of gaps, and of guards that overlap."""
    lines = postponed_draws(answer)
    if hidden := hidden_transitions(answer):
        lines.append(f"{hidden[:1].upper()}{hidden[1:]}. {observer_text(answer)}")
    seen = answer.if_stopping_is_seen if answer.conditions.stopping_tells else None
    if seen is not None:
        text = "With --stuck, the answer and its certificate are for an observer who sees that a run stops."
        if seen.private is not False and seen.epsilon is None:
            text += " It may find narrower bounds then, as here the search for this observer is short."
        lines.append(text)
    if answer.sums is not None and answer.private is None:
        lines.append(
            "Sums of inputs differ by ever more. Only runs were looked at along which they differ by at most "
            f"as much as {answer.sums} input{'s' if answer.sums > 1 else ''}, so no upper bound is proved."
        )
    if answer.spent:
        budgets = listed_or(answer.spent, "and")
        lines.append(f"The search used up its budget ({budgets}); more effort may give better bounds.")
    if not answer.conditions.determinism:
        states = listed_or(answer.conditions.nondeterministic_states, "and")
        lines.append(f"At {states}, several guards can hold at once; every run that they allow counts.")
    return lines


def _may_vanish(answer: Privacy) -> bool:
    """Whether a run of the family has a step without noise on a side: then it may lose everything at once."""
    edges = (step.edge for block in answer.family for step in block.steps)
    return any(INFINITE in (edge.left, edge.right) for edge in edges)


def _promise(answer: Privacy, upper: Fraction, *, typeset: bool) -> list[str]:
    """What the upper bound means; for one-way adjacencies that is no differential privacy."""
    loss = multiple(upper)
    close = answer.epsilon is not None and upper > 0
    who = "" if not answer.conditions.stopping_tells else " for an observer who does not see that a run stops"
    if answer.adjacency.is_symmetric:
        tight = "; some inputs come arbitrarily close to this loss" if close else ""
        return [f"{_which(answer)}, the program is {loss}-differentially private{who}{tight}."]
    moved = "increased" if answer.adjacency == Adjacency.INCREASING else "decreased"
    tight = " Some inputs come arbitrarily close to this bound." if close else ""
    factor = "1" if loss == "0" else f"e^({loss})" if "·" in loss else f"e^{loss}"
    at_most, times = ("≤", "·") if typeset else ("<=", "*")
    bound = f"P[E | x]  {at_most}  {scaled(factor, NEIGHBOUR, times)}"
    return [
        f"{_which(answer)}, every event E and every input x:  {bound}{who},\n"
        f"where x' is x with each number {moved} by {_moves(answer)}.{tight}",
        ONE_DIRECTION,
    ]


def _which(answer: Privacy) -> str:
    """For which ε the bound holds."""
    only = answer.at_epsilon
    return "For every ε > 0" if only is None else f"For ε = {format_rational(only)}"


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


def worst_run_text(answer: Privacy) -> str:
    """The heading of the worst run."""
    text = "The worst run found: its costs (multiples of ε), each times its turns, add up to its loss."
    return text if answer.worst_run_counts else f"{text} {OTHER_RUNS}"


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
        noise_text(edge.noise),
        format_rational(delta * edge.sensitivity),
        str(shift),
        format_rational(price(edge, delta, shift)),
    )
