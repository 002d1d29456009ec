"""Programs with choices as public suites have them: .nm files, one initial state, commands without names.

The programs are our own, in the manner of the benchmarks of PRISM (shared coins of consensus, dining
philosophers) and of models of probabilistic hyperproperties (threads of a scheduler, timing attacks).
"""

import gzip
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.errors import BadOptions
from prover.formats.explicit import storm
from prover.formats.load import load
from prover.formats.reading import Reading
from prover.questions import delta
from tests.formats.explicit.programs import load_process
from tests.formats.explicit.test_processes import with_storm
from tests.refusals import refuses

CONSENSUS = """mdp
global counter : [0..4] init 2;
module process1
  pc1 : [0..1]; coin1 : bool;
  [] pc1=0 & coin1 & counter<4 -> 3/4 : (counter'=counter+1)&(pc1'=1) + 1/4 : (pc1'=1);
  [] pc1=0 & !coin1 & counter>0 -> 3/4 : (counter'=counter-1)&(pc1'=1) + 1/4 : (pc1'=1);
  [done] pc1=1 -> true;
endmodule
module process2=process1[pc1=pc2,coin1=coin2] endmodule
"""

DINING = """mdp
module philosophers
  hungry : [0..1] init 0; forks : [0..2] init 2;
  [left] hungry=1 & forks=2 -> 1/2 : (forks'=1) + 1/2 : true;
  [right] forks=2 -> 1/2 : (forks'=1) + 1/2 : true;
  [eat] forks<2 -> (forks'=0);
endmodule
"""

THREADS = """mdp
module threads
  h : [0..1]; l : [0..2];
  [secret] h>0 & l=0 -> 1/2 : (h'=0) + 1/2 : (l'=1);
  [secret] h=0 & l=0 -> 2/3 : (l'=1) + 1/3 : (l'=2);
  [public] l=0 -> (l'=2);
  [end] l>0 -> true;
endmodule
init l=0 & h=1 endinit
"""

TIMING = """mdp
module exponentiation
  bit : [0..1] init 1; pc : [0..2]; clock : [0..2];
  [] pc=0 & bit=1 -> 1/2 : (pc'=1) + 1/2 : (pc'=2);
  [] pc=0 & bit=0 -> (pc'=2);
  [] pc=1 -> (pc'=2);
  [] pc<2 & clock<2 -> (clock'=clock+1);
  [] pc=2 -> true;
endmodule
label "done" = pc=2;
"""


def view(tmp_path: Path, program: str, **options: Any) -> Any:
    path = tmp_path / "program.nm"
    path.write_text(program)
    return load(path, on_note=lambda _: None, **options)


@with_storm
@pytest.mark.parametrize(
    ("program", "options", "expected"),
    [
        (CONSENSUS, {"secret": "coin1=[false,true]", "observe": "counter", "refuse": True}, "3/4"),
        (DINING, {"secret": "hungry=[0,1]", "observe": "forks", "refuse": True}, "1"),
        (THREADS, {"secret": "h=[0..1]", "observe": "l"}, "1/2"),
        (TIMING, {"secret": {"bit": [0, 1]}, "observe": "clock", "labels": "done"}, "1/2"),
    ],
)
def test_their_delta(tmp_path: Path, program: str, options: dict[str, Any], expected: str) -> None:
    """By hand: a scheduler moves the process with the secret first; philosophers refuse a fork."""
    answer = delta(view(tmp_path, program, **options), alpha=1)
    assert str(answer.value) == expected
    assert "attackers=all" in verify(answer.certificate)


@with_storm
def test_a_compressed_program(tmp_path: Path) -> None:
    plain = view(tmp_path, TIMING, secret="bit=[0,1]", labels="done")
    path = tmp_path / "again.nm.gz"
    path.write_bytes(gzip.compress(TIMING.encode()))
    assert load_process(path, secret="bit=[0,1]", labels="done", on_note=lambda _: None) == plain


@with_storm
def test_values_replace_the_initial_one_and_all_else_stays(tmp_path: Path) -> None:
    """The same as the program that says so itself."""
    written = THREADS.replace("init l=0 & h=1 endinit", "init l=0 endinit")
    assert view(tmp_path, THREADS, secret="h=[0,1]", observe="l") == view(
        tmp_path, written, secret="h", observe="l"
    )


@with_storm
@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"secret": "bit"}, "no-secrets", r'--secret "x=\[0,1\]"'),
        ({"secret": "bit=[0,1,2]"}, "bad-values", "only 2 of 3 initial states are within the bounds"),
        ({"secret": "key=[0,1]"}, "not-in-model", 'no variable "key"; the variables are "bit"'),
        ({"secret": "bit=[0..9999999]"}, "bad-options", "at most 10,000"),
        ({"secret": "bit=[0,x]"}, "bad-options", "whole numbers, ranges such as"),
        ({"secret": "bit=0"}, "bad-options", "secret is written"),
    ],
)
def test_secrets_that_are_refused(tmp_path: Path, options: dict[str, Any], error: str, match: str) -> None:
    with refuses(error, match=match):
        view(tmp_path, TIMING, observe="clock", **options)


@with_storm
def test_several_initial_states_have_their_values(tmp_path: Path) -> None:
    """Those of variables that have one value in all of them stay; for the others values are needed."""
    several = TIMING.replace(" init 1", "") + "init pc=0 & clock=0 endinit"
    with refuses("bad-values", match="has 2 initial states, which differ in bit; give values for these, too"):
        view(tmp_path, several, secret="pc=[0,1]")
    wanted = {"secret": "bit=[0,1]", "observe": "clock", "labels": "done"}
    assert view(tmp_path, several, **wanted) == view(tmp_path, TIMING, **wanted)


@with_storm
@pytest.mark.parametrize(
    ("kind", "match"),
    [("pta", r"clocks of real time \(PTA, .*write the clocks as integer variables"), ("smg", '"SMG"')],
)
def test_other_types_of_programs(tmp_path: Path, kind: str, match: str) -> None:
    parts = {
        "pta": "pta module m x : clock; [] x>=1 -> (x'=0); endmodule",
        "smg": "smg player p m endplayer module m x : bool; [] x -> true; endmodule",
    }
    with refuses("not-a-markov-chain", match=match):
        view(tmp_path, parts[kind])


@with_storm
def test_a_large_program_is_refused_with_a_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storm, "MAX_STATES", 3)
    with refuses("too-many-states", match="more than 3 states"):
        view(tmp_path, TIMING, secret="bit=[0,1]")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("x,y", {"x": (), "y": ()}),
        ("x=[0,1], y=[0..2],z", {"x": ("0", "1"), "y": ("0", "1", "2"), "z": ()}),
        ("x=[-1..1, 1, True]", {"x": ("-1", "0", "1", "true")}),
        ({"x": [False, 3], "y": None}, {"x": ("false", "3"), "y": ()}),
        (["x", "y"], {"x": (), "y": ()}),
    ],
)
def test_how_secrets_are_written(given: Any, read: dict[str, tuple[str, ...]]) -> None:
    assert Reading.of(secret=given).secret == read


def test_values_are_for_programs() -> None:
    with pytest.raises(BadOptions, match="secret has values, which have no meaning for"):
        load("examples/diners.drn", secret="payer=[0,1]")
