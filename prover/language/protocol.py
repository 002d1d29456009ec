"""Protocols interpreted: the labelled Markov chain of what is seen of a run, one state for each word seen.

Between two words there are coins, which nobody sees. The first state of a run has the label "start", and
where it ends it stays in a state with the label "end"; so the labels of a run are exactly its words between
these two. Where a run may go on for ever without a word it stays, with that probability, in "silent".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from prover.chain.collapsing.elimination import entered, next_seen
from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.real import USUALLY_LOST, rounded
from prover.errors import BadInput, quoted
from prover.exact.fmpq import fraction_of
from prover.exact.real import Real
from prover.language.coins import Chance, outcomes
from prover.language.counting import Count, DrawPlace, DrawRegions, advanced
from prover.language.epsilon import numbers
from prover.language.errors import CodeError, Unbounded, Unsupported, WrongCode
from prover.language.mechanism.steps import LONGEST
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Bindings, Fail, plain_step, too_many_states, value_of
from prover.language.states import ProtocolState, cut_off, names_of, real_chain
from prover.language.tails import ONE_BY_ONE, Tail, TailBounds, drawn, moved, split
from prover.language.values import SEEN, frozen, letter, options_of, without_letter
from prover.views import SourceCode

LIMIT = 200_000
"""The most states that are explored."""

MOST_EXACT = 8_192
"""The most states of a protocol that is not cut where it may be."""

HARDLY = 1e-300
"""About the probability of a run that comes to states which are not worth looking for."""

FIRST, LAST, SILENT, LOST = "start", "end", "silent", "lost"
NO_WORDS = frozenset((FIRST, LAST, SILENT))
"""The labels that are no words."""

ASKED = ""
"""The label of the moment after a choice, which becomes a row of the state that asked."""


class _RealChance(Exception):
    """A probability is no rational, in a protocol whose coins are counted."""


@dataclass(slots=True)
class _ProtocolExplorer:
    """The states of a protocol by their numbers, and the probabilities of what comes next.

    ``lost``: the protocol is cut where a run comes further with at most this probability, from any start.
    ``real``: probabilities may be no rationals; then every draw is a state, and nothing is counted.
    """

    code: Code
    fail: Fail
    limit: int
    lost: Fraction | None = None
    real: bool = False
    chances: list[float] = field(default_factory=list)
    """About how likely runs come to each state, from all starts together."""
    places: dict[Hashable, int] = field(default_factory=dict)
    states: list[ProtocolState] = field(default_factory=list)
    rows: dict[int, dict[int, Any]] = field(default_factory=dict)
    bounds: TailBounds = field(default_factory=lambda: TailBounds({}))
    regions: DrawRegions = field(init=False)

    def __post_init__(self) -> None:
        self.regions = DrawRegions(self.code, self._follow, self._enter, self._full)

    def add(
        self,
        at: int,
        values: Bindings,
        label: str | None,
        name: str,
        options: Mapping[str, Any] | None = None,
        chosen: str | None = None,
    ) -> int:
        """The number of a state; it is new if there is none that is equal."""
        live = {one: values[one] for one in sorted(self.code.live[at]) if one in values}
        key: Hashable = (at, label, chosen, tuple((one, frozen(value)) for one, value in live.items()))
        if label in (FIRST, LAST) or name == LOST:
            key = (at, label, (name,))
        if key not in self.places:
            if len(self.states) >= self.limit:
                place = self.code.instructions[at].place
                raise too_many_states(self.fail, place, self.limit, (state.values for state in self.states))
            self.places[key] = len(self.states)
            self.states.append(ProtocolState(at, live, label, name, options or {}, chosen))
            self.chances.append(float(label == FIRST))
        return self.places[key]

    def explore(self, initial: Sequence[int]) -> bool:
        """Find all states, breadth first; or cut the protocol, which is what the answer says."""
        place, due = 0, MOST_EXACT if self.lost is None else 64
        while place < len(self.states):
            if place >= due:
                due += due // 4
                rest = sum(self.chances[place:])
                if self.lost is None and rest <= HARDLY:
                    where = self.code.instructions[self.states[place].at].place
                    raise too_many_states(self.fail, where, place, (one.values for one in self.states))
                if self.lost is not None and rest <= self.lost:
                    if self._cut(place, initial):
                        return True
                    due = 2 * place
            self.rows[place] = row = self._row(place)
            for target, chance in row.items():
                if target > place:
                    likely = chance if isinstance(chance, Real) else fraction_of(chance)
                    self.chances[target] += self.chances[place] * float(likely)
            place += 1
        return False

    def _row(self, place: int) -> dict[int, Any]:
        """What comes after a state, with probabilities."""
        state = self.states[place]
        if state.name in (LAST, LOST):
            return {place: fmpq(1)}
        if state.options:
            dst, even = self.code.instructions[state.at].dst or "", fmpq(1, len(state.options))
            return {
                self.add(state.at + 1, {**state.values, dst: option}, ASKED, "", chosen=text): even
                for text, option in state.options.items()
            }
        if state.label is None and self.real:
            drawn_row: dict[int, Any] = {}
            for following, chance in self._follow(state.at, state.values):
                target = self._enter(following)
                drawn_row[target] = drawn_row.get(target, 0) + chance
            return drawn_row
        if state.label is None:
            return self.regions.row(state.at, state.values)
        return {self._enter(self._next(state.at, dict(state.values))): fmpq(1)}

    def _cut(self, place: int, initial: Sequence[int]) -> bool:
        """Lose the runs that come to a state from this one on, if few enough do; of real ones a few more."""
        end = self.add(0, {}, LOST, LOST)
        if self.real:
            self.rows = {s: cut_off(row, place, end) for s, row in self.rows.items()} | {end: {end: fmpq(1)}}
            return True
        self.rows |= {s: {end: fmpq(1)} for s in range(place, len(self.states))}
        losing = next_seen(self.rows, lambda _, target: target == end, initial)
        return all(fraction_of(losing[s].get(end, fmpq(0))) <= (self.lost or 0) for s in initial)

    def _next(self, at: int, values: Bindings) -> DrawPlace:
        """Where a run comes to next: to a draw, to a word that was seen or the end, or to a counter's use."""
        for _ in range(LONGEST):
            step = self.code.instructions[at]
            added = advanced(step, values)
            shown = step.operation in ("see", "ask")
            if added is False or (
                shown and any(isinstance(values.get(one), Count) for one in self.code.live[at])
            ):
                return DrawPlace(at, values, uses=True)
            if added:
                at += 1
                continue
            missing = self._checked(step, moved, step, values, self.lost is not None)
            if missing:
                return DrawPlace(at, values, uses=missing == ONE_BY_ONE)
            if missing == 0:
                at += 1
                continue
            following = plain_step(self.code, at, values, self.fail)
            if following is not None:
                at = following
                continue
            match step.operation:
                case "flip" | "choose" | "count":
                    return DrawPlace(at, values)
                case "draw" if step.data[1] == "q":
                    return DrawPlace(at, values)
                case "ask":
                    options = self._options(step, values)
                    question = f"{', '.join(options)}?"
                    name = f"line{step.place.line}: {question}"
                    return DrawPlace(at, {}, seen=self.add(at, values, question, name, options))
                case "see":
                    word = self._word(step, at, values)
                    if isinstance(word, int):
                        return DrawPlace(at, values)
                    name = f"line{step.place.line}: {word}"
                    return DrawPlace(at, {}, seen=self.add(at + 1, values, word, name))
                case "return":
                    return DrawPlace(at, {}, seen=self.add(at, {}, LAST, LAST))
            raise self._error(
                Unsupported,
                step,
                "this is for mechanisms, with noise and queries",
                'protocols have flip, choose, binomial, and geometric(0, q="1/2")',
            )
        raise self._error(
            Unbounded,
            self.code.instructions[at],
            "the code runs too long without flip or see",
            "see something",
        )

    def _options(self, step: Instruction, values: Bindings) -> dict[str, Any]:
        """What there is to choose from, by its texts, in the order of these."""
        given = [value_of(name, values, step, self.fail) for name in step.args]
        options: dict[str, Any] = {}
        for item in options_of(given):
            text = letter(item)
            if not text:
                problem = f"{without_letter(item)} cannot be chosen"
                raise self._error(WrongCode, step, problem, "each option of ask must be a non-empty string")
            if text in options:
                raise self._error(WrongCode, step, f"{quoted(text)} occurs twice", "name every option once")
            options[text] = item
        if not options:
            raise self._error(
                WrongCode, step, "there are no options to choose from", 'write ask("low", "high")'
            )
        return dict(sorted(options.items()))

    def _word(self, step: Instruction, at: int, values: Bindings) -> str | int:
        """The word that is seen, or how many values of unbounded noise must be split off first."""
        value = value_of(step.args[0], values, step, self.fail)
        text: str | int | None = self._checked(step, self.bounds.word, value, values, self.code.live[at + 1])
        if isinstance(text, int):
            return text
        if text is None:
            raise self._error(
                WrongCode,
                step,
                f"{without_letter(value)} cannot be seen",
                f"see {SEEN}",
            )
        if text.endswith("?") and any(one.operation == "ask" for one in self.code.instructions):
            problem = f"{quoted(text)} could be mistaken for a question of ask"
            raise self._error(WrongCode, step, problem, "see a word without a question mark")
        if text in NO_WORDS or (text == LOST and self.lost is not None):
            raise self._error(
                WrongCode,
                step,
                f"{quoted(text)} is reserved for the begin, the end, the silence or the loss of a run",
                "see another word",
            )
        return text

    def _follow(self, at: int, values: Bindings) -> list[tuple[DrawPlace, Any]]:
        """What comes next after a draw, which may show several values."""
        found = self._after_draw(at, values)
        if not self.real and any(isinstance(chance, Real) for _, chance in found):
            raise _RealChance
        return found

    def _after_draw(self, at: int, values: Bindings) -> list[tuple[DrawPlace, Chance]]:
        step = self.code.instructions[at]
        given = tuple(value_of(name, values, step, self.fail) for name in step.args)
        given = numbers(self.code, step, given, self.fail)
        cut = self.lost is not None
        tail = next((one for one in given if isinstance(one, Tail)), None)
        if tail is not None and (cut or step.operation != "draw"):
            missing = moved(step, dict(values), cut)
            count = self._word(step, at, values) if missing is None else abs(missing)
            parts = self._checked(step, split, values, tail, count)
            return [(self._next(at, one), p) for one, p in parts]
        if step.operation == "draw":
            found = self._checked(step, drawn, step.data[0], *given, values)
        else:
            found = self._checked(step, outcomes, step.data or step.operation, given)
        return [(self._next(at + 1, {**values, step.dst or "": value}), p) for value, p in found]

    def _checked(self, step: Instruction, function: Callable[..., Any], *given: Any) -> Any:
        """The value of a function; what it refuses is an error at this instruction."""
        try:
            return function(*given)
        except BadInput as error:
            raise self._error(WrongCode, step, error.message, "") from None

    def _enter(self, place: DrawPlace) -> int:
        """The number of the state of a place with known values, from which a counter is used first."""
        if place.uses:
            place = self._next(place.at, dict(place.values))
        return self.add(place.at, place.values, None, "") if place.seen is None else place.seen

    def _full(self, nodes: int) -> None:
        """Refuse more nodes than states; raises Unbounded."""
        if nodes >= self.limit:
            known = self.regions.nodes
            place = self.code.instructions[known[-1].at].place
            raise too_many_states(self.fail, place, self.limit, (one.values for one in known))

    def _error(self, kind: type[CodeError], step: Instruction, problem: str, instead: str) -> CodeError:
        return self.fail(kind, step.place, problem, instead)


def system_of_code(
    code: Code,
    starts: Mapping[str, Bindings],
    pairs: Sequence[tuple[str, str]],
    fail: Fail,
    limit: int = LIMIT,
    text: SourceCode | None = None,
    lost: Fraction | None = None,
) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
    """The chain of a protocol, or the decision process of one that asks.

    ``starts`` are the values of its parameters, by the names of initial states; ``pairs`` are the related
    ones; ``text`` is the code as pages show it. What is asked is seen: its options, followed by a question
    mark, are a label. A protocol that does not ask, and has no chain with at most MOST_EXACT states, is cut
    so that runs are lost with at most the probability ``lost``, if that is given and above 0. So is one with
    probabilities that are no rationals. Raises CodeError, and what the chain raises.
    """
    may_cut = bool(lost) and all(step.operation != "ask" for step in code.instructions)
    explorer = _ProtocolExplorer(code, fail, min(limit, MOST_EXACT) if may_cut else limit)
    is_cut = False
    while True:
        initial = [explorer.add(0, dict(values), FIRST, name) for name, values in starts.items()]
        try:
            is_cut = explorer.explore(initial)
        except _RealChance:
            explorer = _ProtocolExplorer(code, fail, explorer.limit, explorer.lost, real=True)
            continue
        except CodeError:
            if not may_cut or explorer.lost is not None:
                raise
            explorer = _ProtocolExplorer(code, fail, limit, lost, real=explorer.real)
            continue
        if (needed := explorer.bounds.needed()) != explorer.bounds.known:
            explorer = _ProtocolExplorer(
                code, fail, explorer.limit, real=explorer.real, bounds=TailBounds(needed)
            )
            continue
        if not explorer.real:
            break
        real = real_chain(code, explorer.states, explorer.rows, initial, pairs, text)
        chain = rounded(replace(real, lost=LOST) if is_cut else real, lost or USUALLY_LOST)
        if is_cut and explorer.lost and explorer.lost > HARDLY and chain.most_lost() > (lost or 0):
            explorer = _ProtocolExplorer(code, fail, limit, explorer.lost / 16, real=True)
            continue
        return chain

    def is_seen(_: int, target: int) -> bool:
        return explorer.states[target].label is not None

    exits = next_seen(explorer.rows, is_seen, initial)
    every = entered(explorer.rows, is_seen, initial)
    kept = [place for place in every if explorer.states[place].chosen is None]
    named = dict(zip(kept, names_of([explorer.states[place] for place in kept]), strict=True))
    states: dict[str, tuple[str, dict[str, dict[str, Fraction]]]] = {}

    def row_of(place: int) -> dict[str, Fraction]:
        row = {named[target]: fraction_of(p) for target, p in exits[place].items()}
        rest = 1 - sum(row.values(), Fraction(0))
        if rest:
            row[SILENT] = rest
            states[SILENT] = (SILENT, {ANONYMOUS: {SILENT: Fraction(1)}})
        return row

    for place in kept:
        state = explorer.states[place]
        rows = (
            {ANONYMOUS: row_of(place)}
            if not state.options
            else {explorer.states[target].chosen or "": row_of(target) for target in explorer.rows[place]}
        )
        states[named[place]] = (state.label or "", rows)
    if not any(explorer.states[place].options for place in kept):
        found = LabelledMarkovChain.of(
            {name: (label, rows[ANONYMOUS]) for name, (label, rows) in states.items()}, pairs, code=text
        )
        return replace(found, lost=LOST) if is_cut else found
    process = LabelledMarkovDecisionProcess.of(
        {name: (label, rows.get(ANONYMOUS, rows)) for name, (label, rows) in states.items()}, pairs, code=text
    )
    return process if process.leaves_a_choice else process.as_chain()
