"""A state that a question names is where runs begin, also where no relation has it.

Compared was the beginning of one with the other one as runs come to it from elsewhere, after they have shown
something already: two states that show the same were told apart for certain. Or the state was not there.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover.accounting.distribution import LossDistribution
from prover.accounting.repeated import epsilon_of_runs
from prover.chain.collapsing.collapse import begun_at
from prover.chain.conversion import reduce_total_variation
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.convert import save, write_json
from tests.certified import proved
from tests.chain.collapsing.observed import Observer, beginnings, observers
from tests.commands import FORKS
from tests.commands import prover as run
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import alphas, chains, ending_chains

pytestmark = pytest.mark.filterwarnings(FORKS)

F = Fraction
SAME = LabelledMarkovChain.of(
    {"r": ("b", {"t": 1}), "s": ("a", {"s": 1}), "t": ("a", {"t": 1})}, [("r", "s")]
)
"""To whom b is silent, all three show a, a, a … A run from r comes to t, but none from elsewhere to s."""

OBSERVERS = [Observer(frozenset("b"), False), Observer(frozenset("b"), True)]


def observed(chain: LabelledMarkovChain, observer: Observer) -> LabelledMarkovChain:
    return prover.collapse(chain, sorted(observer.silent & {*chain.labels}), untimed=observer.untimed)


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("pair", [*permutations("rst", 2)])
def test_every_question_is_about_beginnings(pair: tuple[str, str], observer: Observer) -> None:
    seen = observed(SAME, observer)
    for answer in (
        prover.delta(seen, *pair, 1),
        prover.delta(seen, *pair, epsilon="1/2"),
        prover.distance(seen, *pair, 1),
        prover.distance(seen, *pair, 1, kind="bd", merge=True),
        prover.distance(seen, *pair, 2, kind="kernel"),
        prover.distance(seen, *pair, kind="bisimilarity"),
    ):
        assert (answer.source, answer.target) == pair
        assert answer.upper == 0
        claim = proved(answer.certificate)["claim"]
        assert (claim["from"], claim["to"], claim.get("upper", "0")) == (*pair, "0")
    for kind in ("ld", "bisimilarity"):
        table = prover.distances(seen, 1 if kind == "ld" else None, kind=kind)
        assert table.states == ("r", "s", "t")
        assert table[pair].upper == 0
        proved(table.certificate)
    assert prover.epsilon_for(seen, *pair, delta=0).upper == 0
    assert epsilon_of_runs(seen, *pair, F(0), 3, gap=F(1, 10), limit=9).upper == 0
    assert prover.curve(seen, *pair, [1, 2]).points[0].upper == 0
    assert LossDistribution.of(seen, *pair).delta(1) == 0
    reduced = reduce_total_variation(seen, *pair, 2)
    assert prover.delta(reduced.chain, reduced.source, reduced.target, 2, kind="lv").value == 0
    assert prover.encode(seen, "bd-least-prefixed", alpha=1, source=pair[0], target=pair[1], theta="1/2")


def test_only_states_of_the_model_are_named() -> None:
    seen = prover.collapse(SAME, ["b"])
    for other in ("x", "t seen"):
        with refuses("unknown-state", match='; the chain has 3 states: "r", "s", "t"'):
            prover.delta(seen, "s", other, 1)
        with refuses("unknown-state", match="the chain has 3 states"):
            prover.distances(seen, 1)["s", other]


def test_on_the_command_line(tmp_path: Path) -> None:
    model, proof = tmp_path / "model.json", str(tmp_path / "proof")
    model.write_text(write_json(SAME))
    silent = ["--silent", "b"]
    pair = [str(model), "--from", "s", "--to", "t", *silent]
    assert "delta_1(s, t) = 0" in run("delta", *pair, "--alpha", "1", "--certificate", proof).out
    assert run("verify", proof, "--model", str(model), *silent).out.startswith("VERIFIED tv alpha=1 sees=")
    assert "ld_1(s, t) = 0" in run("distance", *pair, "--alpha", "1", "--reachable-only").out
    assert "delta <= 0 is 0" in run("epsilon", *pair, "--delta", "0").out
    table = json.loads(run("distance", str(model), *silent, "--alpha", "1", "--all-pairs", "--json").out)
    assert {low for row in table["lower"].values() for low in row.values()} == {"0"}
    refused = run("delta", str(model), "--from", "s", "--to", "x", *silent, "--alpha", "1")
    assert refused.status == 2
    assert 'no state "x"; the chain has 3 states: "r", "s", "t"' in refused.err


def test_of_processes_on_the_command_line(tmp_path: Path) -> None:
    """The certificate is about the process in which runs begin at the two, and so is the answer."""
    model, proof = tmp_path / "model.json", str(tmp_path / "proof")
    ready = {
        name: ("ready", {"go": {after: 1}, "stay": {name: 1}})
        for name, after in (("s", "busy"), ("t", "busy"), ("u", "done"))
    }
    states = {"busy": ("busy", {"done": 1}), "done": ("done", {"done": 1}), **ready}
    process = LabelledMarkovDecisionProcess.of(states, [("busy", "u")])  # type: ignore[arg-type]
    save(process, model)
    pair = [str(model), "--from", "s", "--to", "t", "--silent", "busy"]
    answer = json.loads(run("delta", *pair, "--alpha", "1", "--certificate", proof, "--json").out)
    assert answer["value"] == "0"
    line = run("verify", proof, "--model", *pair).out
    assert line.startswith('VERIFIED tv alpha=1 from="s" to="t" value=0 ')
    assert f"model={answer['model']}" in line
    assert run("verify", proof, "--model", model, "--silent", "busy").status == 1
    claim = {"model": str(model), "from": "s", "to": "t", "silent": ["busy"], "alpha": 1, "delta_at_most": 0}
    lines = [f"{key} = {json.dumps(value)}" for key, value in claim.items()]
    claims = tmp_path / "claims.toml"
    claims.write_text("\n".join(["[[claim]]", *lines, f"certificate = {json.dumps(proof)}"]))
    assert "kept" in run("check", str(claims)).out


def test_a_run_shows_one_of_the_words() -> None:
    """A word of three labels after which nothing more is seen was counted twice: an event gained 11/7."""
    rows: dict[str, tuple[str, dict[str, F | int]]] = {
        "s": ("a", {"u": F(4, 7), "t": F(3, 7)}),
        "t": ("a", {"t": 1}),
        "u": ("b", {"u": F(1, 2), "t": F(1, 2)}),
    }
    words = beginnings(LabelledMarkovChain.of(rows), 0, Observer(frozenset(), untimed=True), 3)
    assert sum(p for word, p in words.items() if _is_leaf(word, 3)) == 1


@given(chains(related=True) | chains(), observers(), alphas(), st.randoms(use_true_random=False))
@examples(30)
def test_what_every_pair_shows(
    chain: LabelledMarkovChain, observer: Observer, alpha: F, random: Random
) -> None:
    s, t = random.sample(range(len(chain)), 2)
    words = [beginnings(chain, state, observer, 3) for state in (s, t)]
    gain = _best([{word: p for word, p in one.items() if _is_leaf(word, 3)} for one in words], alpha)
    seen = observed(chain, observer)
    names = chain.states[s], chain.states[t]
    answer = prover.distance(seen, *names, alpha)
    assert gain <= answer.upper
    assert prover.delta(seen, *names, alpha, kind="lv", gap=0, at_most=gain).lower >= 0
    assert gain <= prover.delta(seen, *names, alpha, kind="lv", gap="1/10").upper
    proved(answer.certificate)
    for relation in ((), tuple(sorted({(s, t), (t, s)}))):
        alike = LabelledMarkovChain(chain.states, chain.labels, chain.rows, relation)
        found = prover.distance(observed(alike, observer), *names, kind="bisimilarity")
        assert found.value == prover.distance(seen, *names, kind="bisimilarity").value


def _is_leaf(word: tuple[str, ...], length: int) -> bool:
    """Whether a run shows exactly one such word: of so many labels, or of fewer and then nothing more."""
    return len(word) == length or (word[-1] == "" and len(word) < length)


def _best(words: list[dict[tuple[str, ...], F]], alpha: F) -> F:
    """What the best event of these words gains."""
    here, there = words
    return sum((max(F(0), p - alpha * there.get(word, F(0))) for word, p in here.items()), F(0))


@given(ending_chains(layers=1), observers(), alphas(), st.randoms(use_true_random=False))
@examples(15)
def test_delta_of_every_pair_where_runs_end(
    chain: LabelledMarkovChain, observer: Observer, alpha: F, random: Random
) -> None:
    """After four labels every run stays where it is, and shows nothing but the last label again."""
    seen = observed(chain, observer)
    s, t = random.sample(range(len(chain)), 2)
    words = [beginnings(chain, state, observer, 4) for state in (s, t)]
    gain = _best([{word: p for word, p in one.items() if _is_leaf(word, 4)} for one in words], alpha)
    answer = prover.delta(seen, chain.states[s], chain.states[t], alpha, kind="lv", gap=0)
    assert answer.value == gain
    assert proved(answer.certificate)["claim"]["upper"] == str(gain)


def test_begun_where_runs_begin_already() -> None:
    for relation, names in product(([], [("r", "s")]), (("r", "s"), ("s",), (None, None))):
        states = {"r": ("b", {"t": 1}), "s": ("a", {"s": 1}), "t": ("a", {"t": 1})}
        seen = prover.collapse(LabelledMarkovChain.of(states, relation), ["b"])
        assert begun_at(seen, *names) is seen
