"""Nothing is compiled but numbers, names in comments, and statements in known words. No Coq is needed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.certificate.coq.folders import BROKEN, HOSTILE, PROOFS, judge, statements, texts, write
from tests.certificate.coq.theorems import CERTIFICATES

PIN, ALL, NUMERIC = "pin-delta", "pin-bd-all-pairs", "numeric-loss"


@pytest.mark.parametrize("name", CERTIFICATES)
def test_what_the_prover_writes_is_read(name: str) -> None:
    found = texts(name)
    assert len(statements(found)) == found["Answer.v"].count("\nTheorem ") > 0


@pytest.mark.parametrize("forged", HOSTILE | BROKEN)
@pytest.mark.parametrize("place", ["before", "behind"])
def test_evidence_is_literals(forged: str, place: str) -> None:
    found, more = texts(PIN), (HOSTILE | BROKEN)[forged]
    evidence = found["Evidence.v"] + more if place == "behind" else more + found["Evidence.v"]
    with pytest.raises(judge().Refused, match=r"^Evidence\.v, line [0-9]+: "):
        statements({**found, "Evidence.v": evidence})


def test_a_line_of_evidence_holds_digits_only() -> None:
    found = texts(PIN)
    for character in map(chr, range(256)):
        head, line = found["Evidence.v"].split('"', 1)
        evidence = f'{head}"{character}{line}'
        if "0" <= character <= "o":
            statements({**found, "Evidence.v": evidence})
        else:
            with pytest.raises(judge().Refused):
                statements({**found, "Evidence.v": evidence})


def _replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


MODELS: dict[str, Callable[[str], str]] = {
    "a comment ends early": _replaced("(* 0  0 *)", "(* 0  0 *) *)"),
    "a comment in a comment": _replaced("(* 0  0 *)", "(* 0  (* 0 *)"),
    "a name with a quote": _replaced("(* 0  0 *)", '(* 0  " *)'),
    "states change places": _replaced("(* 0  0 *)", "(* 1  0 *)"),
    "two states of one name": _replaced("(* 1  1 *)", "(* 1  0 *)"),
    "two labels of one name": lambda text: re.sub(r"    1  .*\n", f"    1  {_name(text)}\n", text),
    "an unknown label": _replaced("*) (0%N", "*) (99%N"),
    "an unknown state": lambda text: re.sub(r"\[\([0-9]+%N", "[(99%N", text, count=1),
    "a number too long for Python": lambda text: re.sub(r"\[\([0-9]+%N", f"[({'9' * 5000}%N", text, count=1),
    "a number is negative": lambda text: re.sub(r"%N, ([0-9])", r"%N, -\1", text, count=1),
    "a definition behind": lambda text: text + "Definition model' : chain := [].\n",
    "two models": lambda text: text + text,
    "an axiom in front": lambda text: "Axiom false : False.\n" + text,
    "no states": lambda text: re.sub(r"\[\n(.*\n)*\]", "[\n]", text),
    "another scope": _replaced("Q_scope", "N_scope"),
    "a computed row": lambda text: re.sub(r"\[\(0%N[^]]*\]", "(tl [])", text, count=1),
    "another import": _replaced("Require Import Chain", "Require Import Chain Answers"),
}


PROCESSES: dict[str, Callable[[str], str]] = {
    "it is said to be a chain": _replaced("model : process", "model : chain"),
    "actions are out of order": _replaced("0  cash  1  wait", "1  cash  0  wait"),
    "two actions of one name": _replaced("0  cash  1  wait", "0  wait  1  wait"),
    "an action without a row": _replaced("0  cash  1  wait", "0  cash  1  wait  2  x"),
    "a row without an action": _replaced("; [(1%N, 1#1)]]", "; [(1%N, 1#1)]; [(1%N, 1#1)]]"),
    "a label without actions": _replaced("win  0  %", "win"),
    "a state of another label": _replaced("(0%N, [[(0%N", "(1%N, [[(0%N"),
    "an unknown state": _replaced("[(1%N, 1#1)]]", "[(9%N, 1#1)]]"),
}


@pytest.mark.parametrize("change", PROCESSES)
def test_a_process_has_a_row_for_each_action(change: str) -> None:
    found = texts("wait-attacker")
    with pytest.raises(judge().Refused, match=r"^Model\.v, line "):
        statements({**found, "Model.v": PROCESSES[change](found["Model.v"])})


def _name(text: str) -> str:
    found = re.search(r"    0  (.*)\n", text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("change", MODELS)
def test_a_model_is_numbers_and_names(change: str) -> None:
    found = texts(PIN)
    changed = MODELS[change](found["Model.v"])
    assert changed != found["Model.v"]
    with pytest.raises(judge().Refused, match=r"^Model\.v, line "):
        statements({**found, "Model.v": changed})


ANSWERS: dict[str, Callable[[str], str]] = {
    "evidence is imported": _replaced("Require Model Evidence", "Require Import Model Evidence"),
    "evidence comes last": lambda text: text.replace("From Here Require Model Evidence.\n", "", 1).replace(
        "Import ListNotations.\n", "Import ListNotations.\nFrom Here Require Model Evidence.\n", 1
    ),
    "a model of its own": _replaced("close Here.Model.model", "close Here.Evidence.model"),
    "a short name": _replaced("close Here.Model.model", "close model"),
    "a definition": _replaced("Open Scope Q_scope.\n", "Open Scope Q_scope.\nDefinition close := True.\n"),
    "nothing is said": lambda text: text[: text.index("\n(**")],
    "there are no pairs": lambda text: re.sub(r"\[\(0%N.*?\]", "[]", text),
    "pairs of nobody": lambda text: text.replace("(0%N, 1%N)", "(0%N, 99%N)"),
    "a pair of nobody from below": lambda text: text.replace(" 1 0", " 1 99"),
    "admitted": _replaced("vm_cast_no_check (eq_refl true). Qed.", "Admitted."),
    "another proof": _replaced("vm_cast_no_check (eq_refl true)", "exact (Here.Evidence.all _)"),
    "a sentence in the proof": _replaced(
        "Here.Evidence.unrolling)", "Here.Evidence.unrolling). Admitted. Axiom x : (True)"
    ),
    "assumptions unsaid": lambda text: re.sub("Print Assumptions .*\n", "", text),
    "assumptions of another": _replaced("Print Assumptions at_most", "Print Assumptions at_least"),
    "a comment closed": _replaced("No event", "*) Axiom false : False. (*"),
    "a comment with a quote": _replaced("No event", 'No "event'),
    "a trivial statement": lambda text: re.sub(r"Theorem at_most : .*\n", "Theorem at_most : True.\n", text),
    "or": _replaced("-> close", "-> True \\/ close"),
}


@pytest.mark.parametrize("change", ANSWERS)
def test_an_answer_is_statements(change: str) -> None:
    found = texts(PIN)
    changed = ANSWERS[change](found["Answer.v"])
    assert changed != found["Answer.v"]
    with pytest.raises(judge().Refused, match=r"^Answer\.v, line "):
        statements({**found, "Answer.v": changed})


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pin-distinct", "~ bisimilar", "bisimilar"),
        ("pin-distinct", "~ bisimilar Here.Model.model", "~ bisimilar Here.Evidence.model"),
        ("ring-bisimilar", "-> bisimilar", "-> ~ bisimilar"),
        ("ring-bisimilar", "Here.Evidence.classes", "Here.Evidence.model"),
        ("walk-kernel", "<->", "<-"),
        ("walk-kernel", "values s t == 0", "values s t == 1"),
        ("walk-kernel", "(0#1) s t", "(1#1) s t"),
        ("pin-kernel", "(0#1) 0 1", "(1#1) 0 1"),
        ("pin-kernel", "0 1.", "0 99."),
        ("relation-curve", "at_most_1", "at_most_01"),
        ("relation-curve", "unrolling_1", "unrolling_x"),
        ("relation-curve", "Print Assumptions at_least_1", "Print Assumptions at_most_1"),
        ("wait-attacker", "needed_by_some", "needed_by_none"),
        ("wait-attacker", " 1 2.", " 1 4."),
        ("wait-attacker", "markov_process", "markov"),
        ("relation-composition", "proper_trials Here.Model.model /\\ ", ""),
        ("relation-composition", "trials_gain_at_most Here", "trials_gain_at_most Here.Evidence"),
        ("relation-composition", "(3#4).", "(3#4) \\/ True."),
        ("relation-composition", "First.", "Third."),
        ("relation-composition", "trials_gain_at_most", "gain_at_most"),
    ],
)
def test_other_words_about_relations_are_refused(name: str, old: str, new: str) -> None:
    found = texts(name)
    assert old in found["Answer.v"]
    with pytest.raises(judge().Refused, match=r"^Answer\.v, line "):
        statements({**found, "Answer.v": found["Answer.v"].replace(old, new)})


PROGRAMS: dict[str, Callable[[str], str]] = {
    "a test of another word": _replaced("(AtLeast, ", "(always, "),
    "a variable of nobody": _replaced("(AtLeast, 0%N)", "(AtLeast, 1%N)"),
    "a variable of nobody is stored": _replaced("stores := [0%N]", "stores := [0%N; 7%N]"),
    "a gap from nobody": _replaced("shows := [Second]", "shows := [Gap 3%N]"),
    "a letter of nobody": _replaced("letter := 0%N", "letter := 9%N"),
    "a target of nobody": _replaced("target := 2%N", "target := 3%N"),
    "a negative rate": _replaced("rate_left := Some 1%Z", "rate_left := Some -1%Z"),
    "a rate of 0": _replaced("second := Some (2%Z", "second := Some (0%Z"),
    "a computed mean": _replaced("mean := (0#1)", "mean := (0#1)+(1#1)"),
    "a comment ends early": _replaced("(* 0  q1 *)", "(* 0  q1 *) *)"),
    "states change places": _replaced("(* 1  q2 *)", "(* 2  q2 *)"),
    "a final state with the name of another": _replaced("    2  q3", "    2  q1"),
    "a final state out of order": _replaced("    2  q3", "    3  q3"),
    "a rate is said to be a word": _replaced("multiples of 1/4", "multiples of 1/four"),
    "an axiom behind": lambda text: text + "Axiom false : False.\n",
    "another import": _replaced("Require Import Program.", "Require Import Program Geometric."),
    "no states": lambda text: text[: text.index("  (* 0  q1")] + "].\n",
}


@pytest.mark.parametrize("change", PROGRAMS)
def test_a_program_is_numbers_and_names(change: str) -> None:
    found = texts(NUMERIC)
    with pytest.raises(judge().Refused, match=r"^Model\.v, line "):
        statements({**found, "Model.v": PROGRAMS[change](found["Model.v"])})


TRIALS: dict[str, Callable[[str], str]] = {
    "a chain of another trial": _replaced("Run chain_0", "Run chain_1"),
    "a trial runs no chain": _replaced("(Run chain_0 ", "(Run "),
    "the chain has another number": lambda text: text.replace("hain_0", "hain_1").replace(
        "Chain 0", "Chain 1"
    ),
    "a chain under another title": _replaced("(** Chain 0.", "(** Chain 00."),
    "a chain defined as another": _replaced("Definition chain_0", "Definition chain_1"),
    "two chains of one number": lambda text: (
        text[: text.index("\nDefinition model")] + text[text.index("\n(** Chain 0") :]
    ),
    "no chain": lambda text: text[: text.index("\n(** Chain 0")] + text[text.index("\nDefinition model") :],
    "a pair of nobody": _replaced("[(3%N, 4%N)", "[(3%N, 9%N)"),
    "no pairs": lambda text: re.sub(r"Run chain_0 \[[^]]*\]", "Run chain_0 []", text),
    "a label of nobody": _replaced("*) (1%N", "*) (5%N"),
    "a successor of nobody": _replaced("[(6%N", "[(9%N"),
    "no runs": _replaced(", 2%N)\n]", ", 0%N)\n]"),
    "a computed number of runs": _replaced(", 2%N)\n]", ", 1%N + 1%N)\n]"),
    "trials out of order": _replaced("(* 0  chain *)", "(* 1  chain *)"),
    "another law": _replaced("(Run chain_0", "(Draw chain_0"),
    "an axiom behind": lambda text: text + "Axiom false : False.\n",
    "an axiom between": _replaced("\nDefinition model", "\nAxiom false : False.\nDefinition model"),
    "it is said to be a composition": _replaced("model : trials", "model : composition"),
    "another import": _replaced("Chain Laws Trials.", "Chain Laws Trials Replaced."),
}


@pytest.mark.parametrize("change", TRIALS)
def test_a_composition_with_chains_is_numbers_and_names(change: str) -> None:
    found = texts("relation-composition")
    changed = TRIALS[change](found["Model.v"])
    assert changed != found["Model.v"]
    with pytest.raises(judge().Refused, match=r"^Model\.v, line "):
        statements({**found, "Model.v": changed})


LOSSES: dict[str, Callable[[str], str]] = {
    "a start of nobody": lambda text: text.replace("0%N", "2%N"),
    "a loss below 0": lambda text: text.replace("7%Z", "(-7)%Z"),
    "another adjacency": lambda text: text.replace("AllDiffer", "Here.Evidence.table"),
    "any loss": _replaced("AllDiffer 7%Z.", "AllDiffer 7%Z \\/ True."),
    "without the law of noise": _replaced("proper Here.Model.model /\\ ", ""),
    "another model": _replaced("loss_at_most Here.Model.model", "loss_at_most Here.Evidence.model"),
    "words of chains": lambda text: text.replace(text, texts(PIN)["Answer.v"]),
}


@pytest.mark.parametrize("change", LOSSES)
def test_an_answer_about_a_program_is_its_loss(change: str) -> None:
    found = texts(NUMERIC)
    changed = LOSSES[change](found["Answer.v"])
    assert changed != found["Answer.v"]
    with pytest.raises(judge().Refused, match=r"^Answer\.v, line "):
        statements({**found, "Answer.v": changed})


GRID_WORDS, REAL_WORDS = "Program Geometric Claims.", "Program Laplace LaplaceClaims."
SEEN_WORDS = "Program Geometric Observer ObserverClaims."
REAL_SEEN_WORDS = "Program Laplace LaplaceObserver LaplaceObserverClaims."


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("laplace-loss", _replaced(REAL_WORDS, GRID_WORDS)),
        ("laplace-loss", _replaced(REAL_WORDS, "Program Laplace Geometric LaplaceClaims.")),
        ("laplace-loss", _replaced("Laplace.loss_at_most", "loss_at_most")),
        ("laplace-loss", _replaced("Laplace.loss_at_most", "loss_at_least")),
        (NUMERIC, _replaced(GRID_WORDS, REAL_WORDS)),
        (NUMERIC, _replaced("loss_at_most", "Laplace.loss_at_most")),
        (NUMERIC, _replaced("loss_at_most", "seen_loss_at_most")),
        (NUMERIC, _replaced(GRID_WORDS, SEEN_WORDS)),
        ("max-seen", _replaced("seen_loss_at_most", "loss_at_most")),
        ("max-seen", _replaced("seen_loss_at_most", "LaplaceObserver.seen_loss_at_most")),
        ("max-seen", _replaced(SEEN_WORDS, GRID_WORDS)),
        ("max-seen", _replaced(SEEN_WORDS, "Program Geometric Observer Claims ObserverClaims.")),
        ("max-seen", _replaced("proper Here.Model.model /\\ ", "")),
        ("max-seen", _replaced("AllDiffer 2%Z.", "AllDiffer 2%Z \\/ True.")),
        ("max-seen", _replaced("0%N AllDiffer", "7%N AllDiffer")),
        ("exit-monotonic-seen", _replaced("LaplaceObserver.seen_loss_at_most", "seen_loss_at_most")),
        ("exit-monotonic-seen", _replaced("LaplaceObserver.seen_loss_at_most", "Laplace.loss_at_most")),
        ("exit-monotonic-seen", _replaced("seen_loss_at_most", "seen_loss_at_least")),
        ("exit-monotonic-seen", _replaced(REAL_SEEN_WORDS, SEEN_WORDS)),
        ("exit-monotonic-seen", _replaced(REAL_SEEN_WORDS, "Program Laplace LaplaceObserver Observer.")),
    ],
)
def test_an_answer_says_which_noise_it_is_about(name: str, change: Callable[[str], str]) -> None:
    found = texts(name)
    with pytest.raises(judge().Refused, match=r"^Answer\.v, line "):
        statements({**found, "Answer.v": change(found["Answer.v"])})


AXIOMS = """\
Axioms:
ClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}
ClassicalDedekindReals.sig_forall_dec
  : forall P : nat -> Prop,
    (forall n : nat, {P n} + {~ P n}) -> {n : nat | ~ P n} + {forall n : nat, P n}
FunctionalExtensionality.functional_extensionality_dep
  : forall (A : Type) (B : A -> Type) (f g : forall x : A, B x), (forall x : A, f x = g x) -> f = g
"""
CLOSED = "Closed under the global context\n"


def _rests(name: str, said: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the judge says where coqc accepts everything and prints this in the end."""
    coqc = folder / "coqc"
    coqc.write_text(f"#!/bin/sh\ncase \"$*\" in *Answer.v) cat <<'END'\n{said}END\n;; esac\n")
    coqc.chmod(0o755)
    found = write(folder / "theorem", texts(name))
    command = [sys.executable, "-I", "-S", str(PROOFS / "accept.py"), str(found)]
    return subprocess.run(
        command, env={"COQC": str(coqc), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("laplace-loss", AXIOMS),
        ("exit-monotonic-seen", AXIOMS),
        ("max-seen", CLOSED),
        ("svt-loss", CLOSED * 2),
    ],
)
def test_it_says_what_is_assumed(name: str, said: str, tmp_path: Path) -> None:
    run = _rests(name, said, tmp_path)
    assert run.returncode == 0
    assert ("but the axioms of real numbers" in run.stdout) == (said == AXIOMS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("laplace-loss", AXIOMS + "Classical_Prop.classic : forall P : Prop, P \\/ ~ P\n"),
        ("laplace-loss", AXIOMS + AXIOMS),
        ("laplace-loss", AXIOMS.replace("sig_not_dec", "sig_all_dec")),
        ("laplace-loss", ""),
        ("svt-loss", AXIOMS),
        ("svt-loss", CLOSED),
        ("max-seen", AXIOMS),
        ("exit-monotonic-seen", CLOSED),
        (PIN, AXIOMS * 2),
    ],
)
def test_other_assumptions_are_refused(name: str, said: str, tmp_path: Path) -> None:
    run = _rests(name, said, tmp_path)
    assert run.returncode == 1
    assert "rests on assumptions" in run.stderr


@pytest.mark.parametrize(
    "change", [_replaced("; 1#1]", "]"), lambda text: re.sub(r"  \[.*\];\n", "", text, count=1)]
)
def test_a_matrix_has_a_value_for_each_pair(change: Callable[[str], str]) -> None:
    found = texts(ALL)
    with pytest.raises(judge().Refused, match="not a value for each pair"):
        statements({**found, "Answer.v": change(found["Answer.v"])})


def test_some_value_for_all_pairs_is_no_answer() -> None:
    found = texts(ALL)
    head, rest = found["Answer.v"].split("\n(** Row s", 1)
    theorem = rest[rest.index("\n(**") :].replace("/\\\n", "/\\ ", 1)
    vacuous = theorem.replace("->\n  bd", "-> exists v,\n  bd").replace("in_matrix values s t", "v")
    assert "exists v" in vacuous
    with pytest.raises(judge().Refused):
        statements({**found, "Answer.v": head + vacuous})


def _judged(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", PROOFS / "accept.py", *map(str, arguments)],
        capture_output=True, encoding="utf-8", check=False, env={"COQC": "no-such-program"},
    )  # fmt: skip


def test_what_is_forged_never_reaches_coqc(tmp_path: Path) -> None:
    found = texts(PIN)
    honest = _judged(write(tmp_path / "honest", found))
    assert (honest.returncode, honest.stderr) == (2, "no-such-program: No such file or directory\n")
    forged = write(tmp_path / "forged", {**found, "Evidence.v": found["Evidence.v"] + HOSTILE["shadows"]})
    run = _judged(forged)
    assert run.returncode == 1
    assert run.stderr.startswith(f"{forged}: refused: Evidence.v, line ")


def test_a_folder_is_demanded(tmp_path: Path) -> None:
    assert _judged().returncode == 2
    assert _judged(tmp_path / "nothing").stderr == f"{tmp_path / 'nothing'} is no folder\n"
    assert _judged(tmp_path).stderr == f"{tmp_path}: there is no Model.v\n"
    assert _judged(tmp_path, "--coqchk").returncode == 2
