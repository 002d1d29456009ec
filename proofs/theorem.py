"""The form of a folder that `prover verify --coq` writes, in which nothing but a theorem can be said.

Each of the files Model.v, Evidence.v and Answer.v must be exactly of the form below: numbers, names in
comments, and statements in the words of Chain.v, Distance.v, Bisimilar.v, Process.v and Seen.v, of Laws.v
(and Trials.v), or of programs/Program.v with programs/Geometric.v (and Approximate.v) or Laplace.v. Whoever
wrote them need not be trusted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set


def several(item: str, between: str = "; ") -> str:
    return f"{item}(?:{between}{item})*"


COUNT, POSITIVE, NAME = "(?:0|[1-9][0-9]*)", "[1-9][0-9]*", "[A-Za-z0-9_.%-]+"
RATIO = f"{COUNT}#{POSITIVE}"
VALUE = rf"\({RATIO}\)"
PAIR, SUCCESSOR = rf"\({COUNT}%N, {COUNT}%N\)", rf"\({COUNT}%N, {RATIO}\)"
PAIRS = rf"\[{several(PAIR)}\]"
NAMED = (
    "couplings|potentials|unrolling(?:_[1-9][0-9]*)?|separators|classes|splitters|table|run|family|profiles"
    "|groups|last|(?:some_)?products"
)
MODEL, EVIDENCE = r"Here\.Model\.model", rf"Here\.Evidence\.(?:{NAMED})"
ABOUT, STATES = f"{MODEL} {VALUE}", rf"\(states {MODEL}\)"
ENTRY, BEYOND = r"\(in_matrix values s t\)", rf"\(in_matrix values s t \+ {VALUE}\)"
EVERYWHERE = rf"markov {MODEL} /\\ forall s t, In s {STATES} -> In t {STATES} ->\n  "
OBSERVER = rf"\((?:Labels|Changes) \[(?:{several(f'{COUNT}%N')})?\]\)"
SEEN = f"{MODEL} {OBSERVER}"
ALIKE, ALL = rf"bisimilar_for_all {MODEL}", rf"\(states \(acting {MODEL} 0\)\)"
SAME = rf"(?:ld_at_most {ABOUT} \(0#1\)|bisimilar {MODEL})"
STATEMENTS = (
    rf"markov {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} -> close {ABOUT} {VALUE} s t",
    rf"markov {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} ->\n"
    rf"  [lb]d_at_most {ABOUT} {VALUE} s t /\\ close {ABOUT} {VALUE} s t",
    rf"markov {MODEL} /\\ needed {ABOUT} {VALUE} {COUNT} {COUNT}",
    rf"[lb]d_at_least {ABOUT} {VALUE} {COUNT} {COUNT}",
    rf"{EVERYWHERE}[lb]d_at_least {ABOUT} {ENTRY} s t /\\ [lb]d_at_most {ABOUT} {BEYOND} s t /\\\n"
    rf"  close {ABOUT} {BEYOND} s t",
    rf"{EVERYWHERE}\({SAME} s t <-> in_matrix values s t == 0\)",
    rf"markov {MODEL} /\\ ~ {SAME} {COUNT} {COUNT}",
    rf"markov {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} -> bisimilar {MODEL} s t",
    rf"markov_process {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} -> close_to_all {ABOUT} {VALUE} s t",
    rf"markov_process {MODEL} /\\ needed_by_some {ABOUT} {VALUE} {COUNT} {COUNT}",
    rf"markov_process {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} ->\n"
    rf"  [lb]d_at_most_for_all {ABOUT} {VALUE} s t /\\ close_to_all {ABOUT} {VALUE} s t",
    rf"markov_process {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} -> {ALIKE} s t",
    rf"markov_process {MODEL} /\\ ~ {ALIKE} {COUNT} {COUNT}",
    rf"markov_process {MODEL} /\\ forall s t, In s {ALL} -> In t {ALL} ->\n"
    rf"  \({ALIKE} s t <-> in_matrix values s t == 0\)",
    rf"markov {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} -> close_seen {SEEN} {VALUE} {VALUE} s t",
    rf"markov {MODEL} /\\ forall s t, In \(s, t\) {PAIRS} ->\n"
    rf"  merged \(fun b => [lb]d_at_most b {VALUE} {VALUE}\) {MODEL} s t /\\ close {ABOUT} {VALUE} s t",
    rf"markov {MODEL} /\\ merged \(fun b => [lb]d_at_least b {VALUE} {VALUE}\) {MODEL} {COUNT} {COUNT}",
    rf"markov {MODEL} /\\ needed_seen {SEEN} {VALUE} {VALUE} {COUNT} {COUNT}",
)
ADJACENCY = "(?:AllDiffer|OneDiffers|Increasing|Decreasing|Monotonic)"
LOSS = rf"{MODEL} {COUNT}%N {ADJACENCY} {COUNT}%Z"
PROGRAM_STATEMENTS = (
    rf"proper {MODEL} /\\ loss_at_(?:most|least) {LOSS}",
    rf"proper {MODEL} /\\ not_private {MODEL} {COUNT}%N {ADJACENCY}",
)
NUMBERS = rf"\({RATIO}, {RATIO}\)"
PROFILE_STATEMENTS = (
    rf"proper {MODEL} /\\ forall alpha delta, In \(alpha, delta\) \[{several(NUMBERS)}\] ->\n"
    rf"  delta_at_most {MODEL} {COUNT}%N {ADJACENCY} {VALUE} {VALUE} alpha delta",
)
LAPLACE_STATEMENTS = (rf"proper {MODEL} /\\ Laplace\.loss_at_most {LOSS}",)
OBSERVER_STATEMENTS = (rf"proper {MODEL} /\\ seen_loss_at_most {LOSS}",)
LAPLACE_OBSERVER_STATEMENTS = (rf"proper {MODEL} /\\ LaplaceObserver\.seen_loss_at_most {LOSS}",)
TRIALS_STATEMENTS = (
    rf"proper_trials {MODEL} /\\ trials_gain_at_most {ABOUT} {VALUE}",
    rf"proper_trials {MODEL} /\\ trials_gain_at_least {ABOUT} {VALUE} (?:First|Second)",
)
COMPOSITION_STATEMENTS = (
    rf"proper {MODEL} /\\ forall s, gain_at_most {ABOUT} {VALUE} s",
    rf"proper {MODEL} /\\ gain_at_least {ABOUT} {VALUE} (?:First|Second)",
)
PROVED = (
    "(?:ld|bd|bisimilar)(?:_for_all)?|delta|seen|seen_ld|kernel|against|merged(?:_[lb]d)?|composition|trials|table|run"
    "|family|profile|laplace|groups|last"
)
POINTS = rf"\[{several(NUMBERS)}\]"
TERM = f"First|Second|{SEEN}|{MODEL}|{EVIDENCE}|{VALUE}|{COUNT}(?:%[NZ])?|{PAIRS}|{POINTS}|values|{ADJACENCY}"
ARGUMENT = f"(?:{TERM})"


def theorem(statements: Sequence[str]) -> str:
    return (
        r"\n\(\*\* [A-Za-z0-9 ,.]+ \*\)\n"
        rf"Theorem (?P<name>at_most(?:_{POSITIVE})?|at_least(?:_{POSITIVE})?|everywhere|never) : "
        rf"(?P<statement>{'|'.join(statements)})\.\n"
        rf"Proof\. apply \((?:{PROVED})_(?:upper|lower|everywhere) "
        rf"{several(ARGUMENT, ' ')}\)\. "
        r"vm_cast_no_check \(eq_refl true\)\. Qed\.\n"
        r"Print Assumptions (?P=name)\.\n"
    )


NUMBERED = rf"(?P<number>{COUNT})  (?P<name>{NAME})"
ROW = rf"\[{several(SUCCESSOR)}\]"
CHAIN, PROCESS = (
    rf"  \(\* {NUMBERED} \*\) \((?P<label>{COUNT})%N, (?P<next>{rows})\)"
    for rows in (ROW, rf"\[{several(ROW)}\]")
)
CHAIN_BEGINS = """\
(** {} States and labels are numbered in the order of their names; in names, what is not a
    letter, a digit or one of _.- is written %XX, by its bytes in UTF-8.

    label  name
"""
PROCESS_BEGINS = """\
(** The process. States, labels and the actions of each label are numbered in the order of their
    names. In names, what is not a letter, a digit or one of _.- is written %XX, by its bytes in
    UTF-8.

    label  name  its actions
"""
MECHANISM = rf"  \(\* (?P<number>{COUNT})  {NAME} \*\) \(\[{several(NUMBERS)}\], {POSITIVE}%N\)"
COMPOSITION_BEGINS = """\
(** The composition. A mechanism lists the probabilities of its outcomes, under the first secret
    and under the second; outcomes with the same ratio of these are one. Then come its runs. *)
From Coq Require Import List NArith QArith.
From Prover Require Import Laws.
Import ListNotations.
Open Scope Q_scope.

Definition model : composition := [
"""
TRIALS_BEGIN = """\
(** The composition. A trial is a mechanism, which lists the probabilities of its outcomes, under
    the first secret and under the second, where outcomes with the same ratio of these are one;
    or a run of a chain from one of two states. Then come its independent runs. *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Laws Trials.
Import ListNotations.
Open Scope Q_scope.
"""
TRIAL = rf"Draw \[{several(NUMBERS)}\]|Run chain_(?P<chain>{COUNT}) (?P<pairs>{PAIRS})"
TRIAL = rf"  \(\* (?P<number>{COUNT})  {NAME} \*\) \((?:{TRIAL}), {POSITIVE}%N\)"
MODEL_CONTINUES = """\
*)
From Coq Require Import List NArith QArith.
From Prover Require Import {}.
Import ListNotations.
Open Scope Q_scope.

Definition model : {} := [
"""
RATE, MEAN = f"Some {POSITIVE}%Z", rf"\((?:{COUNT}|-{POSITIVE})#{POSITIVE}\)"
VARIABLE = f"{COUNT}%N"
TEST, OUTPUT = rf"\((?:Below|AtMost|AtLeast|Above|Equal), {VARIABLE}\)", f"(?:Sample|Second|Gap {VARIABLE})"
WAY = (
    rf"    \{{\| guard := \[(?:{several(TEST)})?\]; stores := \[(?:{several(VARIABLE)})?\]; "
    rf"letter := {COUNT}%N; shows := \[(?:{several(OUTPUT)})?\]; target := {COUNT}%N \|\}}"
)
WAYS = several(WAY, ";\n")
PROGRAM_STATE = (
    rf"  \(\* (?P<number>{COUNT})  (?P<name>{NAME}) \*\)\n"
    rf"  \{{\| reads := {COUNT}%Z; rate_left := (?:None|{RATE}); rate_right := (?:None|{RATE});\n"
    rf"     mean := {MEAN}; second := (?:None|Some \({POSITIVE}%Z, {MEAN}\)); ways := \[\n"
    rf"(?P<ways>{WAYS})\n  \] \|\}}"
)
PROGRAM_BEGINS = """\
(** The program. States, letters and variables have numbers; in names, what is not a letter, a
    digit or one of _.- is written %XX, by its bytes in UTF-8. The states listed here are final. A
    transition without a letter has the number after the last one.

"""
PROGRAM_CONTINUES = """\
*)
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program.
Import ListNotations.
Open Scope Q_scope.

Definition model : program := [
"""
EVIDENCE_BEGINS = """\
From Coq Require Import List.
From Prover Require Import Decode.
Import ListNotations.
"""
ANSWER_BEGINS = """\
From Here Require Model Evidence.
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Distance Bisimilar Process Seen Answers.
Import ListNotations.
Open Scope Q_scope.
"""
COMPOSITION_ANSWER_BEGINS = ANSWER_BEGINS.replace(
    "Chain Distance Bisimilar Process Seen Answers", "Laws Composition"
)
TRIALS_ANSWER_BEGINS = ANSWER_BEGINS.replace(
    "Chain Distance Bisimilar Process Seen Answers", "Chain Laws Trials Replaced"
)
PROGRAM_ANSWER_BEGINS = """\
From Here Require Model Evidence.
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Geometric Claims.
Import ListNotations.
Open Scope Q_scope.
"""
PROFILE_ANSWER_BEGINS = PROGRAM_ANSWER_BEGINS.replace(
    "Geometric Claims", "Geometric Approximate ProfileClaims"
)
LAPLACE_ANSWER_BEGINS = PROGRAM_ANSWER_BEGINS.replace("Geometric Claims", "Laplace LaplaceClaims")
OBSERVER_ANSWER_BEGINS = PROGRAM_ANSWER_BEGINS.replace(
    "Geometric Claims", "Geometric Observer ObserverClaims"
)
LAPLACE_OBSERVER_ANSWER_BEGINS = PROGRAM_ANSWER_BEGINS.replace(
    "Geometric Claims", "Laplace LaplaceObserver LaplaceObserverClaims"
)
PROGRAM_FORMS = {
    LAPLACE_ANSWER_BEGINS: LAPLACE_STATEMENTS,
    PROFILE_ANSWER_BEGINS: PROFILE_STATEMENTS,
    OBSERVER_ANSWER_BEGINS: OBSERVER_STATEMENTS,
    LAPLACE_OBSERVER_ANSWER_BEGINS: LAPLACE_OBSERVER_STATEMENTS,
}
MATRIX_BEGINS = """
(** Row s, from state 0 on, has the values of s and 0, of s and 1, and so on. *)
Definition values : list (list Q) := [
"""


class Refused(Exception):
    """The folder holds something else than a theorem, or Coq does not accept it."""


class Text:
    """A file, of which each step takes what stands next."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.text, self.at = name, data.decode("latin-1"), 0

    def take(self, pattern: str) -> re.Match[str] | None:
        """What stands next, if it is of this form."""
        found = re.compile(pattern).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def need(self, pattern: str) -> re.Match[str]:
        found = self.take(pattern)
        if found is None:
            raise self.wrong("this is not what `prover verify --coq` writes here")
        return found

    def items(self, pattern: str) -> Iterator[re.Match[str]]:
        """One or more, with a semicolon and a line's end between them."""
        yield self.need(pattern)
        while self.take(";\n"):
            yield self.need(pattern)

    def wrong(self, reason: str) -> Refused:
        return Refused(f"{self.name}, line {self.text.count(chr(10), 0, self.at) + 1}: {reason}")


def statements(texts: Mapping[str, bytes]) -> Sequence[str]:
    """What the theorems say, if all files are of the form in which nothing else can be said.

    Raises Refused."""
    model, answer = Text("Model.v", texts["Model.v"]), Text("Answer.v", texts["Answer.v"])
    _evidence(Text("Evidence.v", texts["Evidence.v"]))
    if model.take(re.escape(PROGRAM_BEGINS)):
        return _about_program(answer, _program(model))
    if model.take(re.escape(COMPOSITION_BEGINS)):
        _mechanisms(model)
        answer.need(re.escape(COMPOSITION_ANSWER_BEGINS))
        return _said(answer, COMPOSITION_STATEMENTS)
    if model.take(re.escape(TRIALS_BEGIN)):
        _trials(model)
        answer.need(re.escape(TRIALS_ANSWER_BEGINS))
        return _said(answer, TRIALS_STATEMENTS)
    return _answer(answer, _model(model))


def _model(text: Text) -> int:
    """The number of states."""
    process = text.take(re.escape(PROCESS_BEGINS)) is not None
    if not process:
        text.need(re.escape(CHAIN_BEGINS.format("The chain.")))
    begins = MODEL_CONTINUES.format(*(("Process", "process") if process else ("Chain", "chain")))
    return _states(text, process, begins, r"\n\]\.\n\Z")


def _states(text: Text, process: bool, begins: str, ends: str) -> int:
    """The number of states. Labels and states are numbered from 0 on, and no two have one name."""
    labels: dict[str, str] = {}
    menus: list[int] = []
    while label := text.take(rf"    {NUMBERED}(?P<menu>(?:  {COUNT}  {NAME})*)\n"):
        _add(text, labels, label)
        menu = label["menu"].split()
        numbered = menu[::2] == [str(a) for a in range(len(set(menu[1::2])))]
        if not numbered or bool(menu) != process:
            raise text.wrong("above, actions are out of order, or two have one name")
        menus.append(len(menu) // 2)
    text.need(re.escape(begins))
    states: dict[str, str] = {}
    seen, successors = set(), set()
    for state in text.items(PROCESS if process else CHAIN):
        _add(text, states, state)
        if process and menus[int(state["label"]) : int(state["label"]) + 1] != [state["next"].count("[") - 1]:
            raise text.wrong("above, a state has not a row for each action of its label")
        seen.add(state["label"])
        successors.update(re.findall(r"\(([0-9]+)%N", state["next"]))
    text.need(ends)
    _known(text, seen, "label", len(labels))
    _known(text, successors, "state", len(states))
    return len(states)


def _trials(text: Text) -> None:
    """Trials are numbered from 0 on. Each chain has the number of the trial that runs it."""
    sizes: dict[str, int] = {}
    while found := text.take(rf"\n(?=\(\*\* Chain (?P<number>{COUNT})\.)"):
        number = found["number"]
        text.need(re.escape(CHAIN_BEGINS.format(f"Chain {number}.")))
        states = _states(text, False, f"*)\nDefinition chain_{number} : chain := [\n", r"\n\]\.\n")
        if number in sizes:
            raise text.wrong(f"above, there are two chains {number}")
        sizes[number] = states
    text.need(r"\nDefinition model : trials := \[\n")
    for place, trial in enumerate(text.items(TRIAL)):
        run = trial["chain"]
        if trial["number"] != str(place) or run not in (None, str(place)) or (run and run not in sizes):
            raise text.wrong(f"above, {trial['number']} is out of order, or runs another chain")
        _known(text, set(re.findall(r"([0-9]+)%N", trial["pairs"] or "")), "state", sizes.get(run, 0))
    text.need(r"\n\]\.\n\Z")


def _mechanisms(text: Text) -> None:
    """Mechanisms are numbered from 0 on."""
    for place, mechanism in enumerate(text.items(MECHANISM)):
        if mechanism["number"] != str(place):
            raise text.wrong(f"above, {mechanism['number']} is out of order")
    text.need(r"\n\]\.\n\Z")


def _program(text: Text) -> int:
    """The number of states that are not final. Nothing has two names, and no name is that of two things."""
    text.need(
        rf"    Rates are multiples of {COUNT}(?:/{POSITIVE})?, and lengths of {COUNT}(?:/{POSITIVE})?\.\n\n"
    )
    counts, named = [], dict[str, str]()
    for what in ("letter", "variable", "state"):
        text.need(f"    {what}  name\n")
        named = {}
        while found := text.take(rf"    (?P<number>{COUNT})  (?P<name>{NAME})\n"):
            if what != "state":
                _add(text, named, found)
            else:
                named[found["name"]] = found["number"]
        counts.append(len(named))
    text.need(re.escape(PROGRAM_CONTINUES))
    letters, variables, _ = counts
    final, states, ways = dict(named), dict[str, str](), ""
    for state in text.items(PROGRAM_STATE):
        _add(text, states, state)
        ways += state["ways"]
    text.need(r"\n\]\.\n\Z")
    for name in final:
        if final[name] != str(len(states)) or name in states:
            raise text.wrong(f"above, {final[name]} is out of order, or has the name of another")
        states[name] = final[name]
    _known(text, set(re.findall(r"letter := ([0-9]+)", ways)), "letter", letters + 1)
    _known(text, set(re.findall(r"target := ([0-9]+)", ways)), "state", len(states))
    _known(text, set(re.findall(r"(?:, |Gap |stores := \[|; )([0-9]+)%N", ways)), "variable", variables)
    return len(states) - len(final)


def _add(text: Text, names: dict[str, str], found: re.Match[str]) -> None:
    if found["number"] != str(len(names)) or found["name"] in names:
        raise text.wrong(f"above, {found['number']} is out of order, or has the name of another")
    names[found["name"]] = found["number"]


def _known(text: Text, numbers: Set[str], what: str, count: int) -> None:
    if unknown := numbers - set(map(str, range(count))):
        raise text.wrong(f"above, {min(unknown)} is the number of no {what}")


def _evidence(text: Text) -> None:
    """Definitions of lists of strings."""
    text.need(re.escape(EVIDENCE_BEGINS))
    while text.take(rf"\nDefinition (?:{NAMED}) : list text :=\n \["):
        text.need(r'"[0-o]*"')
        while text.take(r';\n "[0-o]*"'):
            pass
        text.need(r"\]%text\.\n")
    text.need(r"\Z")


def _answer(text: Text, states: int) -> Sequence[str]:
    """The statements of the theorems, which name states of the model."""
    text.need(re.escape(ANSWER_BEGINS))
    if text.take(re.escape(MATRIX_BEGINS)):
        sizes = [row[0].count("#") for row in text.items(rf"  \[{several(RATIO)}\]")]
        text.need(r"\n\]\.\n")
        if sizes != [states] * states:
            raise text.wrong("the matrix above has not a value for each pair of states")
    said = _said(text, STATEMENTS)
    for statement in said:
        pairs = re.findall(r"(?:\(([0-9]+)%N, ([0-9]+)%N\)| ([0-9]+) ([0-9]+)\Z)", statement)
        _known(text, {s for pair in pairs for s in pair if s}, "state", states)
    return said


def _about_program(text: Text, states: int) -> Sequence[str]:
    """The same, about a program that begins in one of its states."""
    for begins, words in PROGRAM_FORMS.items():
        if text.take(re.escape(begins)):
            said = _said(text, words)
            break
    else:
        text.need(re.escape(PROGRAM_ANSWER_BEGINS))
        said = _said(text, PROGRAM_STATEMENTS)
    _known(
        text, {start for statement in said for start in re.findall("([0-9]+)%N", statement)}, "state", states
    )
    return said


def _said(text: Text, statements: Sequence[str]) -> Sequence[str]:
    """What the theorems say, one or more, to the end of the file."""
    said = []
    while found := text.take(theorem(statements)):
        said.append(found["statement"])
    text.need(r"\Z")
    if not said:
        raise text.wrong("there is no theorem")
    return said


def on_reals(texts: Mapping[str, bytes]) -> bool:
    """Whether the theorems are about real numbers."""
    reals = (LAPLACE_ANSWER_BEGINS.encode(), LAPLACE_OBSERVER_ANSWER_BEGINS.encode())
    return texts["Answer.v"].startswith(reals)


if __name__ == "__main__":
    raise SystemExit("accept.py judges a folder and has Coq accept it; this file is its first half")
