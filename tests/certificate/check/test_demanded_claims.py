"""Claims that are proved, and are not those that a user needs: of other secrets, observers or inputs.

Every certificate here is accepted where nothing is demanded of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prover import LabelledMarkovChain, LabelledMarkovDecisionProcess, delta
from prover.accounting.mechanism import Mechanism
from prover.certificate.check import NotDemanded, check, main, observer_of
from prover.certificate.check.demands import Demands, NoSecrets, meet
from prover.certificate.check.verdict import verified
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES, composed, profiled, steps, waiting
from tests.certificate.collapsing_samples import DELAY, DELAY_RELATED, SILENT
from tests.certificate.profile_samples import LIMITED, POINTS, SHOWN, SHOWN_ON_GRID
from tests.certificate.program_samples import SVT_EPSILON, SVT_PRIVATE
from tests.certificate.samples import (
    BISIMILARITY_PAIR,
    BISIMILARITY_RELATION,
    KERNEL,
    KERNEL_PAIR,
    KERNEL_RELATION,
    LADDER,
    QUOTIENT,
    QUOTIENT_RELATION,
    RELATION,
    WALK,
    encode,
)
from tests.certificate.unrolling_samples import PIN, PIN_BOTH
from tests.certificate.verdicts import accepted, edited
from tests.commands import prover

Json = Any
CLAIM, RELATED = ("claim",), ("model", "relation")
ONE_PAIR, PART = [["s", "t"], ["t", "s"]], ("model", "parts", 0)
MORE_PAIRS = [["i", "j"], ["j", "i"], *ONE_PAIR]
ANY = Demands(at_most=(1, 1))
S_T = Demands(at_most=(1, 1), secrets=("s", "t"))
T_S = Demands(at_most=(1, 1), secrets=("t", "s"))
UNTIMED = observer_of((), untimed=True)
ANY_EPSILON = Demands(epsilon_at_most=(10**6, 1))


def answers() -> LabelledMarkovChain:
    """Whoever says b is t; who says a may be either."""
    ends = {x: (x, {x: "1"}) for x in "ab"}
    states = {"s": ("?", {"a": "1"}), "t": ("?", {"a": "1/2", "b": "1/2"}), "u": ("?", {"a": "1"})}
    return LabelledMarkovChain.of({**ends, **states}, [("s", "t")])


def both_ways(chain: LabelledMarkovChain, *pairs: tuple[str, ...]) -> Json:
    """The composition at α = 1 of runs, each from its own pair of secrets, or from all related ones."""
    return composed([Mechanism.of(chain, *pair) for pair in pairs], "1")


def asking(source: str, target: str) -> Json:
    """The best attacker learns nothing here, or everything, as he asks."""
    states: dict[str, Any] = {x: (x, {x: 1}) for x in "ab"}
    states["s"] = "?", {"ask": {"a": 1}, "wait": {"a": 1}}
    states["t"] = "?", {"ask": {"b": 1}, "wait": {"a": 1}}
    process = LabelledMarkovDecisionProcess.of(states, [("s", "t")])
    return json.loads(delta(process, source, target, alpha=1).certificate.data)


def related(certificate: Json, pairs: Json = ONE_PAIR) -> Json:
    return edited(certificate, {RELATED: pairs})


SELF = edited(related(WALK), {(*CLAIM, "to"): "s", (*CLAIM, "lower"): "0", (*CLAIM, "upper"): "0"})
SELF_KERNEL = edited(related(KERNEL_PAIR), {(*CLAIM, "to"): "s"})
SELF_BISIMILAR = edited(
    BISIMILARITY_RELATION, {(*CLAIM, "scope"): "pair", (*CLAIM, "from"): "u", (*CLAIM, "to"): "u"}
)
SELF_PROFILE = profiled(steps(), "s", "s", "tv")
SELF_PART = both_ways(answers(), ("s", "t"), ("s", "s"))
SELF_ASKED = asking("s", "s")
HALF_SYMMETRIC = edited(PIN_BOTH, {(*CLAIM, "scope"): "pair"})
WAITING = composed([Mechanism.of(waiting(), "s", "t")], "1")
UNSEEN = ACCOUNT_SAMPLES["composition of what an observer sees"]
KNOWN = ACCOUNT_SAMPLES["composition of known mechanisms"]
MIXED = ACCOUNT_SAMPLES["composition of a pair and laws"]
OPPOSITE = both_ways(answers(), ("s", "t"), ("t", "s"))
NOTHING = {"o": {"label": "o", "next": {"o": "1"}}}
UNSEEN_MODEL = {"states": NOTHING, "type": "labelled-markov-chain", "version": 1}
UNSEEN_STATES = {"entered": [], "erased": [], "merged": [], "model": UNSEEN_MODEL, "start": "START"}
UNSEEN_TABLE = {"collapsing": UNSEEN_STATES, "exact": {"denominator": "1", "rows": []}}
ALL_UNSEEN = edited(LADDER, {(*CLAIM, "observer"): UNTIMED, ("evidence",): UNSEEN_TABLE})


def asked(certificate: Json, demands: Demands) -> None:
    found = verified(encode(certificate))
    meet(demands, found.claim, found.model)


def of_its_model(certificate: Json) -> Demands:
    chain = certificate["model"]
    return Demands(model=encode(chain["parts"][0]["chain"] if "parts" in chain else chain))


@pytest.mark.parametrize(
    "certificate", [SELF, SELF_KERNEL, SELF_BISIMILAR, SELF_PROFILE, SELF_PART, SELF_ASKED]
)
def test_a_secret_is_not_compared_with_itself(certificate: Json) -> None:
    asked(certificate, Demands())
    with pytest.raises(NotDemanded, match=r"compared with itself \(--model"):
        asked(certificate, of_its_model(certificate))


@pytest.mark.parametrize("certificate", [SELF, SELF_KERNEL, SELF_BISIMILAR, SELF_PART, SELF_ASKED])
@pytest.mark.parametrize("bound", [Demands(at_most=(0, 1)), ANY_EPSILON, S_T])
def test_bounds_are_about_different_secrets(certificate: Json, bound: Demands) -> None:
    with pytest.raises(NotDemanded, match=r"whole relation|these secrets|no epsilon"):
        asked(certificate, bound)


def test_related_secrets_differ() -> None:
    alone = related(edited(KERNEL_RELATION, {(*CLAIM, "from"): "s", (*CLAIM, "value"): "0"}), [["s", "s"]])
    asked(alone, Demands())
    with pytest.raises(NotDemanded, match="--model"):
        asked(alone, of_its_model(alone))
    with pytest.raises(NoSecrets):
        asked(alone, ANY)


@pytest.mark.parametrize(
    ("certificate", "demands", "words"),
    [
        (RELATION, ANY, None),
        (RELATION, S_T, None),
        (RELATION, T_S, None),
        (related(RELATION, MORE_PAIRS), S_T, None),
        (related(WALK), ANY, "one direction"),  # ld
        (related(WALK), S_T, None),
        (related(WALK), T_S, "one direction"),
        (related(WALK, MORE_PAIRS), ANY, "whole relation"),
        (related(WALK, MORE_PAIRS), S_T, None),
        (WALK, Demands(at_most=(1, 1), secrets=("s", "i")), "these secrets"),
        (related(edited(WALK, {(*CLAIM, "kind"): "lgd"})), ANY, "one direction"),
        (related(KERNEL_PAIR), ANY, "one direction"),
        (KERNEL_RELATION, ANY, None),
        (related(KERNEL_PAIR), S_T, None),
        (related(KERNEL_PAIR), T_S, "one direction"),
        (BISIMILARITY_RELATION, ANY, None),
        (edited(BISIMILARITY_RELATION, {(*CLAIM, "scope"): "pair"}), ANY, None),
        (edited(BISIMILARITY_RELATION, {(*CLAIM, "scope"): "pair"}), T_S, None),
        (related(QUOTIENT), ANY, "one direction"),
        (related(QUOTIENT), S_T, None),
        (QUOTIENT_RELATION, ANY, None),
        (HALF_SYMMETRIC, ANY, None),  # tv
        (related(PIN, PIN_BOTH["model"]["relation"]), ANY, "one direction"),  # lv
        (edited(PIN_BOTH, {(*CLAIM, "kind"): "lv", (*CLAIM, "lower"): "0"}), ANY, None),
        (LADDER, ANY, "no single probability"),
        (related(LADDER, []), ANY_EPSILON, None),  # all pairs
        (KERNEL, ANY_EPSILON, None),
        (profiled(steps(), None, None, "tv"), ANY, "no single probability"),
        (profiled(steps(), "s", "t", "tv"), ANY_EPSILON, "no epsilon"),
        (profiled(steps(), "s", "t", "lv"), Demands(secrets=("t", "s")), "one direction"),
        (asking("s", "t"), S_T, None),
        (asking("s", "t"), ANY, None),
        (both_ways(answers(), ("s", "t")), ANY, None),
        (both_ways(answers(), ("s", "t")), T_S, None),
        (both_ways(answers(), ("s", "u")), ANY, "whole relation"),
        (both_ways(answers(), ("s", "t"), ("s", "u")), ANY, "whole relation"),
        (both_ways(answers(), ("s", "t"), ("s", "u")), S_T, "these secrets"),
        (both_ways(answers(), ()), ANY, None),
        (both_ways(answers(), (), ("t", "s")), ANY, None),
        (both_ways(answers(), (), ("t", "s")), S_T, None),
        (KNOWN, ANY, None),
        (KNOWN, S_T, "a part of the composition has no named secrets"),
        (MIXED, S_T, "a part of the composition has no named secrets"),
    ],
)  # fmt: skip
def test_the_secrets_that_bounds_are_about(certificate: Json, demands: Demands, words: str | None) -> None:
    if words is None:
        asked(certificate, demands)
        return
    with pytest.raises(NotDemanded, match=f"{words}.* [(]--"):
        asked(certificate, demands)


@pytest.mark.parametrize("demands", [ANY, S_T, T_S])
def test_runs_of_a_composition_share_their_secret(demands: Demands) -> None:
    assert " value=1/2 " in accepted(OPPOSITE)  # 3/4 if both runs have the same secret
    with pytest.raises(NotDemanded, match=r"in both orders \(--from, --to"):
        asked(OPPOSITE, demands)
    shared = both_ways(answers(), ("t", "s"), ("t", "s"))
    asked(shared, demands)
    assert " value=3/4 " in accepted(shared)


@pytest.mark.parametrize(
    "certificate",
    [WALK, PIN, KERNEL_PAIR, BISIMILARITY_PAIR, edited(asking("s", "t"), {RELATED: ...}),
     edited(both_ways(answers(), ("s", "t")), {(*PART, "chain", "relation"): ...})],
)  # fmt: skip
def test_without_related_secrets_some_are_named(certificate: Json) -> None:
    asked(certificate, of_its_model(certificate))
    with pytest.raises(NoSecrets):
        asked(certificate, ANY)
    pair = {**certificate["claim"], **certificate["model"].get("parts", [{}])[0]}
    asked(certificate, Demands(at_most=(1, 1), secrets=(pair["from"], pair["to"])))


@pytest.mark.parametrize(
    ("certificate", "silent", "untimed"),
    [(DELAY, (), True), (DELAY_RELATED, (), True), (SILENT, ("tau",), False), (WAITING, (), True)],
)
def test_who_sees_what(certificate: Json, silent: tuple[str, ...], untimed: bool) -> None:
    demanded = of_its_model(certificate).model
    right = observer_of(silent, untimed=untimed)
    asked(certificate, Demands(demanded, observer=right))
    for wrong in (
        None,
        observer_of(silent, untimed=not untimed),
        observer_of([*silent, "z"], untimed=untimed),
    ):
        for one in (
            Demands(demanded, observer=wrong),
            Demands(at_most=(1, 1), secrets=("s", "t"), observer=wrong),
        ):
            with pytest.raises(NotDemanded, match="--untimed, --silent"):
                asked(certificate, one)


@pytest.mark.parametrize(
    "certificate", [WALK, RELATION, LADDER, KNOWN, OPPOSITE, asking("s", "t"), SVT_EPSILON]
)
def test_who_sees_every_step(certificate: Json) -> None:
    with pytest.raises(NotDemanded, match="--untimed, --silent"):
        asked(certificate, Demands(observer=UNTIMED))


def test_all_that_an_observer_sees_need_not_have_all_secrets() -> None:
    assert "all-pairs exact: 0 pairs" in check(encode(ALL_UNSEEN))
    demands = Demands(epsilon_at_most=(1, 1), secrets=("s", "t"), observer=UNTIMED)
    with pytest.raises(NotDemanded, match="these secrets"):
        asked(ALL_UNSEEN, demands)
    with pytest.raises(NotDemanded, match="whole relation"):
        asked(related(ALL_UNSEEN), Demands(epsilon_at_most=(1, 1), observer=UNTIMED))


@pytest.mark.parametrize(
    ("adjacency", "demanded", "words"),
    [("all-differ", None, None), ("one-differ", None, None), ("monotonic", None, None),
     ("increasing", None, "one direction"), ("decreasing", None, "one direction"),
     ("increasing", "increasing", None), ("decreasing", "increasing", "another adjacency"),
     ("one-differ", "all-differ", "another adjacency")],
)  # fmt: skip
def test_inputs_that_differ(adjacency: str, demanded: str | None, words: str | None) -> None:
    claim = {"adjacency": adjacency, "kind": "epsilon", "lower": "1", "upper": "5/4"}
    demands = Demands(epsilon_at_most=(5, 4), adjacency=demanded)
    if words is None:
        meet(demands, claim, b"{}")
        return
    with pytest.raises(NotDemanded, match=f"{words}.*--adjacency"):
        meet(demands, claim, b"{}")


@pytest.mark.parametrize(
    ("certificate", "demands", "words"),
    [
        (WALK, Demands(adjacency="all-differ"), "no adjacency"),
        (KNOWN, Demands(adjacency="all-differ"), "no adjacency"),
        (SVT_EPSILON, Demands(secrets=("s", "t")), "which has no named secrets"),
        (SVT_PRIVATE, Demands(adjacency="increasing"), "another adjacency"),
        (SVT_PRIVATE, ANY_EPSILON, "no epsilon"),
        (SVT_EPSILON, ANY, "no single probability"),
    ],
)
def test_demands_of_another_kind(certificate: Json, demands: Demands, words: str) -> None:
    with pytest.raises(NotDemanded, match=f"{words}.*[(]--"):
        asked(certificate, demands)


def test_a_claim_that_there_is_no_bound_bounds_nothing() -> None:
    claim = {"adjacency": "all-differ", "kind": "not-private"}
    meet(Demands(model=b"{}"), claim, b"{}")
    for bound in (ANY, ANY_EPSILON):
        with pytest.raises(NotDemanded, match="bounds no"):
            meet(bound, claim, b"{}")


# The line --------------------------------------------------------------------------------------------------


def test_the_line_names_the_secrets_and_the_observer_of_every_part() -> None:
    assert ' value=1/2 part=0 from="s" to="t" part=1 from="t" to="s" parts=2 runs=2' in accepted(OPPOSITE)
    assert ' part=0 from="s" to="t" part=1 from="s" to="s" parts=2' in accepted(SELF_PART)
    assert " part=0-2 relation parts=3 runs=3" in accepted(both_ways(answers(), (), (), ()))
    assert " sees=changes " in accepted(UNSEEN).partition(" parts=")[0]
    assert " part=0 known=discrete-laplace part=1 known=approximate part=2 known=" in accepted(KNOWN)
    assert " part=1 laws parts=2 " in accepted(MIXED)


def renamed(name: str) -> Json:
    """Both runs of answers, in opposite orders, with another name for s."""
    text = json.dumps(OPPOSITE).replace('"s"', json.dumps(name))
    return json.loads(text)


def test_names_of_secrets_forge_no_line() -> None:
    name = 'x" to="t" value=0 model=00\nVERIFIED tv\u202e'
    states = {"x": ("?", {"x": 1}), name: ("?", {"x": 1})}
    line = accepted(both_ways(LabelledMarkovChain.of(states), (name, "x")))
    assert line.isascii()
    assert line.isprintable()
    assert line.endswith(f' part=0 from={json.dumps(name)} to="x" parts=1 runs=1')


def test_a_long_list_of_parts_is_cut_and_says_so() -> None:
    long = "s" * 3_000
    states = {x: ("?", {"x": 1}) for x in (long, "x")}
    chain = LabelledMarkovChain.of(states)
    line = accepted(both_ways(chain, *[pair for _ in range(4) for pair in ((long, "x"), ("x", long))]))
    assert len(line) < 11_000
    assert " part=3-7 not-named parts=8 runs=8" in line
    assert line.count(long) == 3


# The commands ----------------------------------------------------------------------------------------------


def written(folder: Path, certificate: Json) -> tuple[str, str]:
    proof, model = folder / "proof.cert", folder / "model.json"
    proof.write_bytes(encode(certificate))
    model.write_bytes(of_its_model(certificate).model or b"")
    return str(proof), str(model)


def same(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """What `prover verify` says of the last argument, and the checker says, too."""
    run = prover("verify", *arguments)
    capsys.readouterr()
    status = main(arguments)
    captured = capsys.readouterr()
    assert (status, captured.out) == (run.status, run.out)
    assert bool(captured.err) == bool(run.err)
    return run.status, run.out, run.err


@pytest.mark.parametrize(
    ("certificate", "options", "status", "words"),
    [
        (related(WALK), ["--at-most", "1"], 1, "--from, --to"),
        (related(WALK), ["--at-most", "1", "--from", "s", "--to", "t"], 0, ""),
        (related(WALK), ["--from", "t", "--to", "s"], 1, "--from, --to"),
        (WALK, ["--at-most", "1"], 2, "--from and --to"),
        (WALK, ["--at-most", "0", "--from", "s", "--to", "t"], 1, "--at-most"),
        (WALK, ["--from", "s"], 2, "--from and --to"),
        (WALK, ["--from", "s", "--to", "s"], 2, "--from and --to"),
        (WALK, ["--untimed"], 1, "--untimed"),
        (WALK, ["--silent", "z"], 1, "--silent"),
        (WALK, ["--adjacency", "all-differ"], 1, "--adjacency"),
        (WALK, ["--adjacency", "some"], 2, "all-differ"),
        (SVT_EPSILON, ["--adjacency", "all-differ", "--epsilon-at-most", "2"], 0, ""),
        (SVT_EPSILON, ["--from", "s", "--to", "t"], 1, "--from"),
        (SVT_EPSILON, ["--at-epsilon", "1"], 1, "--at-epsilon"),
        (WALK, ["--at-epsilon", "1"], 1, "--at-epsilon"),
        (SHOWN, ["--at-epsilon", "x"], 2, "malformed"),
        (SHOWN, [], 0, ""),
        (SHOWN, ["--at-most", "1/2"], 1, "--at-epsilon"),
        (SHOWN, ["--epsilon-at-most", "0"], 1, "--at-epsilon"),
        (SHOWN, ["--at-most", "1/2", "--at-epsilon", "1.0"], 0, ""),
        (SHOWN, ["--at-most", "1/2", "--epsilon-at-most", "0", "--at-epsilon", "1"], 0, ""),
        (SHOWN, ["--at-most", "0.49", "--at-epsilon", "1"], 1, "--at-most"),
        (SHOWN, ["--at-epsilon", "2"], 1, "--at-epsilon"),
        (SHOWN, ["--q", "1/2"], 1, "--q"),
        (WALK, ["--q", "1/2"], 1, "--q"),
        (SHOWN_ON_GRID, ["--at-most", "1/2"], 1, "--q"),
        (SHOWN_ON_GRID, ["--at-most", "1/2", "--at-epsilon", "1"], 1, "--at-epsilon"),
        (SHOWN_ON_GRID, ["--at-most", "1/2", "--q", "1/4"], 1, "--q"),
        (SHOWN_ON_GRID, ["--at-most", "1/2", "--q", "0.5"], 0, ""),
        (SHOWN, ["--at-epsilon", "1", "--adjacency", "monotonic"], 1, "--adjacency"),
        (WALK, ["--steps", "1"], 1, "--steps"),
        (SHOWN, ["--steps", "2"], 1, "--steps"),
        (LIMITED, ["--steps", "x"], 2, "x"),
        (LIMITED, [], 0, ""),
        (LIMITED, ["--steps", "2"], 0, ""),
        (LIMITED, ["--steps", "1"], 1, "--steps"),
        (LIMITED, ["--at-most", "5/8", "--at-epsilon", "1"], 1, "--steps"),
        (LIMITED, ["--at-most", "5/8", "--at-epsilon", "1", "--steps", "2"], 0, ""),
        (POINTS, ["--at-epsilon", "1", "--steps", "1", "--adjacency", "all-differ"], 0, ""),
        (POINTS, ["--steps", "2"], 1, "--steps"),
        (POINTS, ["--at-epsilon", "1", "--steps", "1", "--at-most", "1"], 1, "--at-most"),
        (POINTS, ["--at-epsilon", "1", "--steps", "1", "--epsilon-at-most", "9"], 1, "--epsilon-at-most"),
        (DELAY, ["--untimed"], 0, ""),
        (DELAY, [], 1, "--untimed"),
        (DELAY_RELATED, ["--untimed", "--at-most", "1"], 0, ""),
        (SILENT, ["--silent", "tau", "--at-most", "1", "--from", "t", "--to", "s"], 0, ""),
        (SILENT, ["--silent", "b", "--silent", "tau"], 1, "--silent"),
        (OPPOSITE, ["--at-most", "1/2"], 1, "--from, --to"),
    ],
)
@pytest.mark.parametrize("with_model", [True, False])
def test_both_commands_demand_the_same(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    certificate: Json,
    options: list[str],
    status: int,
    words: str,
    with_model: bool,
) -> None:
    proof, model = written(tmp_path, certificate)
    named = ["--model", model] if with_model else []
    found, out, err = same(capsys, *named, *options, proof)
    if not named and not options:
        assert found == 0
        return
    assert found == status, (out, err)
    assert out.startswith({0: "VERIFIED ", 1: "REJECTED ", 2: ""}[status])
    assert words in out + err


def test_an_option_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--untimed"], ["--silent", "a"], ["--from", "s", "--to", "t"], ["--untimed", "--model"]):
        assert main(options) == 2
        captured = capsys.readouterr()
        assert (captured.out, captured.err.count("\n")) == ("", 1)
