"""Is a program private for every value of an open parameter, and at which ε? The answer, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from prover.certificate.schema import Certificate
from prover.errors import NotSupported, must_be
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.answer import assumption, listed_or
from prover.program.conditions import conditions, require_one_sensitivity
from prover.program.decision.blocks import Block, under
from prover.program.decision.boundedness import VANISHING_RUN, Boundedness, decide
from prover.program.decision.certificates import boundedness_certificate, not_private_certificate
from prover.program.errors import inputs_used_again
from prover.program.model import variables
from prover.program.opened import OpenProgram
from prover.program.optimum.budget import DEFAULT_EFFORT, Budget, given_effort
from prover.program.optimum.measure import measure
from prover.program.pieces.answer import OpenPrivacy, loss_function
from prover.program.pieces.certificates import of_all_values, pieces_certificate
from prover.program.pieces.convex import convex_pieces
from prover.program.pieces.search import MOST_PIECES, Piece, pieces_of, unproved
from prover.program.scope import demand_clear_order, demand_placed
from prover.progress import Progress, silent


def open_privacy(
    program: OpenProgram,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    effort: int = DEFAULT_EFFORT,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: Callable[[OpenPrivacy], None] = lambda _: None,
) -> OpenPrivacy:
    """Decide whether a program with an open parameter is private, and find its loss as a function of that.

    The loss, as a multiple of ε, is continuous in the parameter and consists of finitely many affine pieces.
    The program is private for all values of the parameter or for none. ``adjacency``, ``effort`` and
    ``on_better`` are those of ``prover.privacy``. Outputs have to show which transitions are taken, and
    inputs are used once. If some state has a sensitivity of its own, there is one variable. Raises
    WrongArgument, BadValue, UnknownName, NotSupported, TiesOfSeveral, BeyondLimit.

        >>> import prover
        >>> opened = prover.load_open("examples/open/five_hits.py:hits", {"t": ("1/10", "9/10")})
        >>> answer = prover.open_privacy(opened)
        >>> answer
        <OpenPrivacy: private for every t from 1/10 to 9/10: exactly (5 - 4·t)·ε>
        >>> answer.epsilon("1/4"), answer.epsilon.least
        (Fraction(4, 1), (Fraction(9, 10), Fraction(7, 5)))

    Reference: docs/theory_programs.md, *One parameter in the rates* and *One parameter in the sensitivities*.
    """
    must_be(OpenProgram, program=program)
    most = MOST_PIECES * given_effort(effort)
    return open_answer(
        program, adjacency, most, effort=effort, budget=budget, progress=progress, on_better=on_better
    )


def open_answer(
    program: OpenProgram,
    adjacency: str,
    most: int,
    *,
    effort: int,
    budget: Budget | None,
    progress: Progress,
    on_better: Callable[[OpenPrivacy], None] = lambda _: None,
) -> OpenPrivacy:
    """The same with at most so many pieces that are exact; the rest is one piece with bounds."""
    neighbours = given_adjacency(adjacency)
    allowed = (budget or Budget()).times(effort)
    question = _Question(program, neighbours)
    convex = program.opens_sensitivities and program.is_uneven
    measured = program.spread if convex else program
    least = measured.least
    known = decide(least)
    if family := under(known.family, neighbours):
        return question.unbounded(family, known.reason)
    cost = measure(least, neighbours, allowed, progress, known=known, whole=True)
    if cost.is_infinite:
        return question.unbounded(cost.family, None)

    def emit(pieces: Sequence[Piece]) -> None:
        end = pieces[-1].high if pieces else program.low
        rest = [unproved(end, program.high)] if end < program.high else []
        on_better(question.bounded([*pieces, *rest], known))

    emit([])
    find = convex_pieces if convex else pieces_of
    return question.bounded(find(measured, neighbours, allowed, progress, emit, most=most), known)


class _Question:
    """What is asked about a program with an open parameter."""

    def __init__(self, program: OpenProgram, adjacency: Adjacency) -> None:
        first = program.first
        if first.has_registers:
            raise inputs_used_again()
        demand_placed(first)
        if len(variables(first)) > 1:
            for own in (first, program.last):
                require_one_sensitivity(own, "tables of several variables are")
            demand_clear_order(first)
        self.program, self.adjacency, self.conditions = program, adjacency, conditions(first)
        if states := listed_or(self.conditions.indistinct_states, "and"):
            raise NotSupported(
                f"the output does not always show which transition is taken at {states}; with an open "
                "parameter only programs are answered whose output shows that",
                code="hidden-transitions",
            )
        if first.at_epsilon is not None:
            raise NotSupported(
                "the code depends on epsilon otherwise than by rates, so it has no answer for every epsilon, "
                "which an answer with an open parameter is",
                code="open-at-epsilon",
            )

    def bounded(self, pieces: Sequence[Piece], known: Boundedness) -> OpenPrivacy:
        """Bounds of the loss with their proof; where one from above is missing, that of being private."""
        closed = all(piece.upper is not None for piece in pieces)
        program, adjacency = self.program, self.adjacency

        def proof() -> Certificate:
            if known.bounded and not closed:
                return of_all_values(program, boundedness_certificate(program.least, known))
            return pieces_certificate(program, pieces, adjacency)

        return OpenPrivacy(
            program,
            adjacency,
            self.conditions,
            assumption(program.first, program.most_apart),
            True if closed or known.bounded else None,
            loss_function(program.parameter, pieces),
            cache(proof),
        )

    def unbounded(self, family: tuple[Block, ...], reason: str | None) -> OpenPrivacy:
        """Not private for any value of the parameter: runs whose loss grows at the least rates."""
        program, adjacency = self.program, self.adjacency
        cycles = [block for block in family if block.repeat]
        edges = [step.edge for block in cycles or family for step in block.steps]
        return OpenPrivacy(
            program,
            adjacency,
            self.conditions,
            assumption(program.first, program.most_apart),
            False,
            None,
            cache(lambda: of_all_values(program, not_private_certificate(program.least, family, adjacency))),
            reason or (None if cycles else VANISHING_RUN),
            tuple(dict.fromkeys(state for edge in edges for state in (edge.source, edge.target))),
        )
