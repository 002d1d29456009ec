"""The page of δ where an attacker chooses: what he does, as a tree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.chain.unrolling.event import Event
from prover.errors import Fault, short_name
from prover.exact.readable import lower_text, upper_text
from prover.interactive.delta import InteractiveDelta
from prover.interactive.model import ANONYMOUS, LabelledMarkovDecisionProcess
from prover.interactive.strategy import Answer, Ask, Strategy
from prover.report.code import with_code
from prover.report.delta import shown_text, sum_of
from prover.report.interactive import (
    chances_text,
    doing,
    folded,
    marked_ends,
    no_attack_text,
    open_loop_text,
    origin_text,
    promise_of,
)
from prover.report.names import with_letters
from prover.report.page.attack import chance_text
from prover.report.page.bounds import facts, number, pair_of, proofs
from prover.report.page.certificate import proof_section
from prover.report.page.chains import assumptions_section, model_section
from prover.report.page.document import Block, Branch, Facts, Page, Section, Text, Tree


def summary(answer: InteractiveDelta, *, at_most: Fraction | None = None) -> Page:
    """The beginning of the page, with the model alone; ``at_most`` is what was asked to hold."""
    found, verdict = number(answer, at_most)
    named, about = with_letters(answer)
    question = f"How well can an attacker who chooses what to do tell {pair_of(named)} apart"
    return Page(
        title="How private is this system against an attacker?",
        question=f"{question}, if a factor of α = {answer.factor} is allowed?",
        answer=found,
        meaning=[*about, promise_of(named, typeset=True)],
        sections=[model_section(answer.process, (answer.source, answer.target))],
        verdict=verdict,
    )


def interactive_page(answer: InteractiveDelta, *, at_most: Fraction | None = None) -> Page:
    """The page; ``at_most`` is what was asked to hold."""
    begun = summary(answer, at_most=at_most)
    sections = [
        Section("The claim", [Facts(facts(with_letters(answer)[0], origin_text(answer)))]),
        *begun.sections,
        Section("The attack", _attack(with_letters(answer)[0])),
        assumptions_section(answer.process),
        proof_section(proofs(answer)),
    ]
    return with_code(replace(begun, sections=sections), answer.process)


def _process(answer: InteractiveDelta) -> LabelledMarkovDecisionProcess:
    if answer.process is None:
        raise Fault("an answer does not say which process it is about")
    return answer.process


def _attack(answer: InteractiveDelta) -> list[Block]:
    found = answer.strategy
    if found is None:
        return [Text(no_attack_text(answer))]
    blocks = strategy_blocks(found, answer.factor)
    if answer.open_loop is not None:
        blocks.append(Text(open_loop_text(answer, answer.open_loop)))
    return blocks


def strategy_blocks(found: Strategy, factor: str) -> list[Block]:
    """What the attacker does, as a tree, and what it is worth."""
    s, t = short_name(found.source), short_name(found.target)
    more, less = lower_text(found.from_probability), upper_text(found.to_probability)
    first, second = chances_text(found, exactly="= ", at_least="≥ ", at_most="≤ ")
    worth = Text(
        f"So the attacker says {s} with P {first} if it is {s}, and P {second} if it is {t}.", "claim"
    )
    gain = Text(f"What {more} − {factor} · {less} comes to is the lower bound of δ.", "claim")
    unless = "" if found.complete else ", unless it is cut there"
    if found.begin is None:
        return [Text(f"The labels of {s} and {t} differ; nothing has to be done."), worth, gain]
    root = Branch(f"See {short_name(found.label)}", branches=_asked(found.begin, (s, t)))
    cut = [] if found.complete else [Text(_shown(found.begin, found.event, s, t))]
    return [
        Text(
            f"Follow the tree from its top: do what it says, and see what comes. Bars say how likely it is "
            f"to come so far, from {s} and from {t}. At marked ends say {s}, at all others {t}{unless}."
        ),
        Tree(root),
        *cut,
        worth,
        gain,
    ]


def _shown(begin: Ask, event: Event, s: str, t: str) -> str:
    """What the marked ends of a tree have that is cut."""
    ends = marked_ends(begin)
    some = sum_of(ends)
    more, less = lower_text(some.from_probability), upper_text(some.to_probability)
    cut = "The tree is cut where it says so; what comes there is in the `event` of `prover delta --json`."
    said = shown_text(len(ends), event)
    return f"{cut} Marked ends: {said}, with P = {more} from {s}, and P = {less} from {t}."


def _asked(ask: Ask, secrets: tuple[str, str]) -> list[Branch]:
    ask, times = folded(ask)
    seen = [_seen(answer, secrets) for answer in ask.answers]
    if ask.action == ANONYMOUS and times == 1:
        return seen
    done = doing(ask, times)
    return [Branch(f"{done[0].upper()}{done[1:]}", branches=seen)]


def _seen(answer: Answer, secrets: tuple[str, str]) -> Branch:
    bars = [
        (secret, chance_text(chance), float(chance))
        for secret, chance in zip(secrets, (answer.from_probability, answer.to_probability), strict=True)
    ]
    ends = answer.then is None
    return Branch(
        f"See {short_name(answer.label)}",
        ("Cut here",) if ends and answer.says is None else (),
        bars=bars,
        marked=f"Say {secrets[0]}" if ends and answer.says else None,
        branches=[] if answer.then is None else _asked(answer.then, secrets),
    )
