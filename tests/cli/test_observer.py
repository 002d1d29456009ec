"""What answers about programs say of observers: runs that look alike, gaps, one-way bounds, final states."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.exact.readable import multiple
from tests.certificate.verdicts import claimed
from tests.commands import prover

THRESHOLD = "(q1: non-input, 1/8, 0): x := insample; output oinput; goto q2\n"
ALIKE = (
    f"{THRESHOLD}(q2, 1/8, 0): if (insample < x) then output o; goto end\n"
    "              elseif (insample >= x) then output o; goto end\n"
)
ALIKE_FOR_EVER = ALIKE.replace("goto end", "goto q2")
XOR = (
    f"{THRESHOLD}(q2, 1/4, 0): if (insample < x) then output o; goto q3\n"
    "              elseif (insample >= x) then output o; goto q4\n"
    "(q3, 1/4, 0): if (insample < x) then output same; goto end\n"
    "              elseif (insample >= x) then output differ; goto end\n"
    "(q4, 1/4, 0): if (insample < x) then output differ; goto end\n"
    "              elseif (insample >= x) then output same; goto end\n"
)
XOR_FOR_EVER = XOR.replace("goto end", "goto q1")
OPEN = (
    "(q1, 2, 0): x := insample; output a; goto q2\n"
    "(q2, 3, 0): if (insample < x) then output b; goto q3\n"
    "             elseif (insample >= x) then output b; goto end\n"
    "(q3, 1/2, 0): if (insample < x) then output a; goto q2\n"
    "               elseif (insample >= x) then x := insample; output a; goto q2\n"
)
ONLY_A_LONG_WORD = (
    "(q1, 1, 0): x := insample; output a; goto q2\n"
    "(q2, 1, 0): if (insample < x) then x := insample; output b; goto q1\n"
    "             elseif (insample >= x) then output b; goto q3\n"
    "(q3, 1, 0): if (insample < x) then output a; goto q2\n"
    "             elseif (insample >= x) then output a; goto q4\n"
    "(q4, 1/2, 0): if (insample < x) then output a; goto end\n"
    "               elseif (insample >= x) then output b; goto q1\n"
)
SVT = (
    "(q1: non-input, 1/4, 0): x := insample; output oinput; goto q2\n"
    "(q2, 1/2, 0): if (insample < x) then output obot; goto q2\n"
)
SVT_ANSWER = "private: exactly (5/4)·ε (no smaller multiple holds)"
WHOLE_SVT = f"{SVT}    elseif (insample >= x) then output otop; goto q3\nfinal q3;\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "program.dipa"
    file.write_text(text, encoding="utf-8")
    return file


def answer(file: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(prover("privacy", file, "--json", *options).out)
    return found


class TestRunsThatLookAlike:
    def test_the_loss_of_runs_is_a_bound_from_above(self, tmp_path: Path) -> None:
        file, proof = written(tmp_path, XOR), tmp_path / "proof"
        run = prover("privacy", file, "--certificate", proof)
        assert run.status == 3
        head, promise, *rest = run.out.splitlines()
        assert head == (
            "private: between (1/8)·ε and (1/2)·ε; the output does not always show which transition is taken "
            "at q2"
        )
        assert promise == "For every ε > 0, the program is (1/2)·ε-differentially private."
        assert "The upper bound is the loss of single runs. The output (" in "\n".join(rest)
        assert "no smaller multiple" not in run.out
        assert "come close" not in run.out
        assert claimed(proof.read_bytes()) == "epsilon adjacency=all-differ loss=observer lower=1/8 upper=1/2"
        assert prover("verify", proof).status == 0
        found = answer(file)
        assert [found[key] for key in ("private", "epsilon", "lower", "upper", "loss_of_runs")] == [
            True, None, "1/8", "1/2", "1/2",
        ]  # fmt: skip
        assert (found["observer"]["criterion"], found["observer"]["above"]) == (None, "runs")

    def test_where_it_was_looked_for_is_said(self, tmp_path: Path) -> None:
        found = answer(written(tmp_path, XOR), "--box", "1", "--words", "2")["observer"]
        assert (found["box"], found["longest"], found["lower"]) == (1, 2, "1/8")
        assert all(abs(b) <= 1 for b in found["inputs"])
        assert prover("privacy", written(tmp_path, XOR), "--box", "-1").status == 2

    def test_what_nobody_sees_costs_nothing(self, tmp_path: Path) -> None:
        file, proof = written(tmp_path, ALIKE), tmp_path / "proof"
        run = prover("privacy", file, "--certificate", proof)
        assert run.status == 0
        assert run.out.startswith("private: exactly 0\n")
        merged = (
            "The loss is 0: an observer who sees the run, except which of several merged transitions it "
            "takes, learns nothing."
        )
        assert f"{merged} Single runs lose at most (1/8)·ε." in run.out
        assert claimed(proof.read_bytes()) == "epsilon adjacency=all-differ loss=observer value=0"
        found = answer(file)
        assert [found[key] for key in ("private", "epsilon", "lower", "upper", "loss_of_runs")] == [
            True, "0", "0", "0", "1/8",
        ]  # fmt: skip
        assert (found["observer"]["criterion"], found["observer"]["above"]) == ("all-runs", "merged")

    def test_unions_that_are_convex(self, tmp_path: Path) -> None:
        file = tmp_path / "max.json"
        file.write_text(prover("zoo", "noisy-max", "n=4").out)
        run = prover("privacy", file)
        assert "form a convex set. Single runs lose at most 2·ε." in run.out
        found = answer(file)
        assert (found["observer"]["criterion"], found["observer"]["above"]) == ("convex", "unions")

    @pytest.mark.parametrize(
        ("most", "status", "verdict"),
        [("1/9", 1, "no"), ("1/4", 3, "undecided"), ("1/2", 0, "yes"), ("2", 0, "yes")],
    )
    def test_no_is_said_only_where_it_is_proved(
        self, most: str, status: int, verdict: str, tmp_path: Path
    ) -> None:
        run = prover("privacy", written(tmp_path, XOR), "--at-most", most)
        assert run.status == status
        assert run.out.startswith(f"at most {multiple(Fraction(most))}: {verdict}\n")

    def test_a_loss_of_runs_without_bound_leaves_it_open(self, tmp_path: Path) -> None:
        file, proof = written(tmp_path, OPEN), tmp_path / "proof"
        up = ("--adjacency", "increasing")
        run = prover("privacy", file, *up, "--certificate", proof)
        assert run.status == 3
        assert run.out.startswith(
            "one way, towards larger inputs: at least (5/2)·ε; the loss of single runs has no bound, "
            "but the output does not always show which transition is taken at q2 and q3\n"
        )
        assert "not private" not in run.out
        assert "so privacy is not decided. The output (a, b" in run.out
        assert claimed(proof.read_bytes()) == (
            "epsilon adjacency=increasing loss=observer lower=5/2 upper=inf"
        )
        assert prover("verify", proof).status == 0
        found = answer(file, *up)
        assert [found[key] for key in ("private", "epsilon", "lower", "upper", "loss_of_runs")] == [
            None, None, "5/2", "inf", "inf",
        ]  # fmt: skip
        assert (found["observer"]["criterion"], found["observer"]["above"]) == (None, None)
        assert prover("privacy", file, *up, "--at-most", "1000").status == 3
        assert prover("privacy", file, *up, "--at-most", "2").status == 1

    def test_words_are_looked_for_where_those_of_runs_lose_nothing(self, tmp_path: Path) -> None:
        run = prover("privacy", written(tmp_path, ONLY_A_LONG_WORD))
        assert run.status == 1
        assert "grows by at least (1/2)·ε with every repetition: (a, b, a, b, a, b) repeated." in run.out

    def test_where_nobody_sees_what_runs_lose(self, tmp_path: Path) -> None:
        """Runs lose without bound; the tests that they lose by are none to an observer."""
        file, proof = written(tmp_path, ALIKE_FOR_EVER), tmp_path / "proof"
        run = prover("privacy", file, "--certificate", proof)
        assert run.status == 0
        assert run.out.startswith("private: exactly 0\n")
        assert "The loss of single runs has no bound." in run.out
        assert "without bound" not in run.out
        assert claimed(proof.read_bytes()) == "epsilon adjacency=all-differ loss=observer value=0"
        assert prover("verify", proof).status == 0
        found = answer(file)
        assert [found[key] for key in ("private", "epsilon", "lower", "upper", "loss_of_runs")] == [
            True, "0", "0", "0", "inf",
        ]  # fmt: skip

    def test_words_that_lose_without_bound(self, tmp_path: Path) -> None:
        file, proof = written(tmp_path, XOR_FOR_EVER), tmp_path / "proof"
        run = prover("privacy", file, "--certificate", proof)
        assert run.status == 1
        assert run.out.startswith("not private: the loss of some outputs grows without bound\n")
        every = "But the loss of this output grows by at least (1/8)·ε with every repetition"
        assert f"{every}: (oinput, o, differ) repeated." in run.out
        assert claimed(proof.read_bytes()) == "not-private adjacency=all-differ loss=observer"
        assert prover("verify", proof).status == 0
        found = answer(file)
        assert [found[key] for key in ("private", "epsilon", "lower", "upper", "loss_of_runs")] == [
            False, None, "inf", "inf", "inf",
        ]  # fmt: skip
        assert found["observer"]["criterion"] == "words"
        assert found["observer"]["words"]["growth"] == "1/8"
        (block,) = found["observer"]["words"]["blocks"]
        assert (block["repeat"], block["word"]) == (True, [["oinput", 0], ["o", 0], ["differ", 0]])
        assert prover("privacy", file, "--at-most", "1000").status == 1
        one_way = prover("privacy", file, "--adjacency", "increasing")
        assert (one_way.status, one_way.out.splitlines()[0]) == (
            1,
            "one way, towards larger inputs: no bound (the loss of some outputs grows without bound)",
        )

    def test_a_loss_of_0_is_exact_whatever_is_seen(self, tmp_path: Path) -> None:
        silent = THRESHOLD.replace("goto q2", "goto end")
        run = prover("privacy", written(tmp_path, silent))
        assert (run.status, run.out.splitlines()[0]) == (0, "private: exactly 0")

    def test_outputs_that_differ_tell_the_run(self, tmp_path: Path) -> None:
        file = written(tmp_path, ALIKE.replace("output o; goto end\n ", "output p; goto end\n "))
        proof = tmp_path / "proof"
        assert prover("privacy", file, "--certificate", proof).status == 0
        assert claimed(proof.read_bytes()) == "epsilon adjacency=all-differ loss=observer value=1/8"
        assert answer(file)["loss_of_runs"] == answer(file)["epsilon"] == "1/8"


class TestGaps:
    def test_both_numbers_are_given(self, tmp_path: Path) -> None:
        file = written(tmp_path, SVT)
        run = prover("privacy", file)
        assert run.status == 0
        assert run.out.splitlines()[0] == (
            "private: exactly (1/4)·ε if the observer does not see that a run stops at q2 because no guard "
            "holds; exactly (5/4)·ε if the observer does"
        )
        found = answer(file)
        assert (found["epsilon"], found["if_stopping_is_seen"]["epsilon"]) == ("1/4", "5/4")
        assert (found["conditions"]["coverage"], found["conditions"]["gap_states"]) == (False, ["q2"])
        whole = answer(written(tmp_path, WHOLE_SVT))
        assert (whole["epsilon"], whole["if_stopping_is_seen"]) == ("5/4", None)

    def test_stuck_answers_for_who_sees_it(self, tmp_path: Path) -> None:
        file, proof = written(tmp_path, SVT), tmp_path / "proof"
        run = prover("privacy", file, "--stuck", "--certificate", proof)
        assert run.out.startswith(f"{SVT_ANSWER}\n")
        model = json.loads(proof.read_bytes())["model"]
        assert model["states"]["q2"]["transitions"][-1] == {
            "assign": [], "guard": [[">=", "x"]], "output": "stuck", "to": "stuck",
        }  # fmt: skip
        assert model["final"] == ["stuck"]
        assert claimed(proof.read_bytes()).endswith("loss=observer value=5/4")

    def test_convert_writes_the_completed_program(self, tmp_path: Path) -> None:
        for target in ("seen.dipa", "seen.json"):
            assert prover("convert", "--stuck", written(tmp_path, SVT), tmp_path / target).status == 0
            run = prover("privacy", tmp_path / target)
            assert (run.out.splitlines()[0], run.err) == (
                "private: exactly (5/4)·ε (no smaller multiple holds)",
                "",
            )

    def test_a_chain_has_no_gaps(self, tmp_path: Path) -> None:
        chain = tmp_path / "pin.json"
        chain.write_text(prover("zoo", "pin-checker").out, encoding="utf-8")
        run = prover("convert", "--stuck", chain, tmp_path / "out.json")
        assert (run.status, "guards that could leave a gap" in run.err) == (2, True)


class TestOneWay:
    def program(self, folder: Path, name: str) -> Path:
        file = folder / "program.json"
        file.write_text(prover("zoo", name).out, encoding="utf-8")
        return file

    @pytest.mark.parametrize(
        ("adjacency", "status", "head"),
        [
            ("increasing", 1, "one way, towards larger inputs: no bound (privacy violating path)"),
            ("decreasing", 0, "one way, towards smaller inputs: exactly (1/2)·ε (no smaller multiple holds)"),
            ("monotonic", 1, "not private: privacy violating path"),
        ],
    )
    def test_directions_of_lyu_3(self, adjacency: str, status: int, head: str, tmp_path: Path) -> None:
        proof = tmp_path / "proof"
        run = prover(
            "privacy", self.program(tmp_path, "lyu-3"), "--adjacency", adjacency, "--certificate", proof
        )
        assert (run.status, run.out.splitlines()[0]) == (status, head)
        assert f" adjacency={adjacency} loss=observer" in claimed(proof.read_bytes())
        assert ("differentially private." in run.out) is False

    def test_one_way_is_no_differential_privacy(self, tmp_path: Path) -> None:
        file = self.program(tmp_path, "svt")
        for adjacency, moved in (("increasing", "increased"), ("decreasing", "decreased")):
            out = prover("privacy", file, "--adjacency", adjacency).out
            assert f" * P[E | x'],\nwhere x' is x with each number {moved} by 0 to 1." in out
            assert "not differential privacy" in out
            assert answer(file, "--adjacency", adjacency)["symmetric"] is False
        assert answer(file, "--adjacency", "monotonic")["symmetric"] is True

    @pytest.mark.family
    @pytest.mark.parametrize("name", ["svt", "numeric-sparse", "lyu-1", "lyu-4", "chain-of-tests"])
    def test_monotonic_is_the_larger_of_both(self, name: str, tmp_path: Path) -> None:
        file, proof = self.program(tmp_path, name), tmp_path / "proof"
        up, down, both = (
            answer(file, "--adjacency", adjacency)["epsilon"]
            for adjacency in ("increasing", "decreasing", "monotonic")
        )
        assert both in (up, down)
        run = prover("privacy", file, "--adjacency", "monotonic", "--certificate", proof)
        assert (
            run.out.splitlines()[0]
            == f"private: exactly {multiple(Fraction(both))} (no smaller multiple holds)"
        )
        assert claimed(proof.read_bytes()) == f"epsilon adjacency=monotonic loss=observer value={both}"
        assert set(json.loads(proof.read_bytes())["evidence"]["table"]) == {"increasing", "decreasing"}


class TestFinalStates:
    @pytest.mark.parametrize(
        ("wrong", "note"),
        [
            ("Q2", '"Q2" has no entry and is not declared final; runs end there; did you mean "q2"?'),
            ("q22", '"q22" has no entry and is not declared final; runs end there; did you mean "q2"?'),
            ("elsewhere", '"elsewhere" has no entry and is not declared final; runs end there'),
        ],
    )
    def test_a_misspelt_target_is_named(self, wrong: str, note: str, tmp_path: Path) -> None:
        file = written(tmp_path, WHOLE_SVT.replace("goto q2", f"goto {wrong}"))
        run = prover("privacy", file)
        assert run.status == 0
        assert f"{file}: {note}\n" in run.err
        assert f'{file}: no run reaches "q2"\n' in run.err
        assert json.loads(prover("privacy", file, "--json").out)["private"] is True

    def test_nothing_is_said_of_declared_ones(self, tmp_path: Path) -> None:
        for text in (WHOLE_SVT, WHOLE_SVT.replace("goto q3", "goto end").replace("final q3;\n", "")):
            assert prover("privacy", written(tmp_path, text)).err == ""

    def test_an_unreachable_variable_is_no_second_one(self, tmp_path: Path) -> None:
        text = f"{WHOLE_SVT}(q9, 1, 0): y := insample; output o; goto q8\n" + (
            "(q8, 1, 0): if (insample < y && insample >= x) then output o; goto end\n"
        )
        file, proof = written(tmp_path, text), tmp_path / "proof"
        for engine in ("smt", "auto"):
            run = prover("privacy", file, "--engine", engine, "--certificate", proof, "--force")
            assert (run.status, run.out.splitlines()[0]) == (
                0,
                "private: exactly (5/4)·ε (no smaller multiple holds)",
            )
            assert claimed(proof.read_bytes()).endswith("value=5/4")
            assert 'no run reaches "q8", "q9"' in run.err
        assert prover("privacy", file, "--witness", "--strategies").status == 0


def test_a_long_name_does_not_break_pictures(tmp_path: Path) -> None:
    name = "q" * 1_000_000
    file = written(tmp_path, WHOLE_SVT.replace("q2", name))
    assert prover("privacy", file, "--plot", tmp_path / "picture.dot").status == 0
    assert (tmp_path / "picture.dot").stat().st_size < 10_000


@pytest.mark.parametrize("epsilon", ["1000000000000"])
def test_a_large_epsilon_is_answered_soon(epsilon: str, tmp_path: Path) -> None:
    run = prover("privacy", written(tmp_path, WHOLE_SVT), "--at-epsilon", epsilon, "--timeout", "600")
    assert run.status == 0, run.err
    assert "% of " in run.out
