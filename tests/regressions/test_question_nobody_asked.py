"""Ranges in a row were private, exactly and with a proof, and exit status 3: who sees a run stop took long.

Nobody had asked for that. Such programs are published with DiPAut: m ranges are drawn, and inputs have to be
in all of them, again and again.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from prover.cli.answering import answer_with
from prover.cli.options import CommandQuery
from prover.cli.status import Status
from prover.formats.load import load_program
from prover.program.model import Program
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from prover.progress import Progress
from prover.report.reply import Reply
from tests.commands import FORKS, prover

pytestmark = pytest.mark.filterwarnings(FORKS)


def ranges(m: int) -> str:
    """The program of m ranges, in the language of DiPAut."""
    lines, last = [], 3 * m + 1
    for k in range(1, m + 1):
        lines += [
            f"(q{2 * k - 1}:non-input,1/{4 * m},0): l{k}:= insample; output obot; goto q{2 * k}",
            f"(q{2 * k}:non-input,1/{4 * m},1): r{k}:= insample; output obot; goto q{2 * k + 1}",
        ]
    for k in range(1, m + 1):
        after = 2 * m + (k + 1 if k < m else 1)
        cases = [("<", "ocontinue", after), (">", "otop", last)]
        tests = [f"(insample >= l{k} && insample {r} r{k}) then output {o}; goto q{t}" for r, o, t in cases]
        tests.append(f"(insample < l{k} && insample < r{k}) then output obot; goto q{last}")
        lines.append(f"(q{2 * m + k},1/4,0): if " + " elseif ".join(tests))
    return "\n".join(lines)


def read(tmp_path: Path, m: int) -> Program:
    file = tmp_path / f"{m}.dipa"
    file.write_text(ranges(m), encoding="utf-8")
    return load_program(file, on_note=lambda _: None)


@pytest.mark.parametrize("m", [6, 12])
def test_what_nobody_asked_takes_few_steps(tmp_path: Path, m: int) -> None:
    answer = privacy(read(tmp_path, m), budget=Budget(aside=200_000))
    assert answer.epsilon == 1
    seen = answer.if_stopping_is_seen
    assert seen is not None
    assert seen.private
    assert seen.lower is not None
    assert seen.lower <= 1
    assert seen.upper is None or seen.upper >= 1
    assert "exactly ε if the observer does not see" in answer.headline


def test_few_steps_suffice_for_few_ranges(tmp_path: Path) -> None:
    answer = privacy(read(tmp_path, 3))
    assert answer.if_stopping_is_seen is not None
    assert answer.if_stopping_is_seen.epsilon == answer.epsilon == 1


def test_the_exit_status_is_of_what_was_asked(tmp_path: Path) -> None:
    read(tmp_path, 6)
    proof = tmp_path / "proof"
    run = prover("privacy", tmp_path / "6.dipa", "--certificate", proof)
    assert run.status == 0
    assert run.out.startswith("private: exactly ε if the observer does not see that a run stops")
    assert "as here the search for this observer is short" in run.out
    assert prover("verify", proof).status == 0


@pytest.mark.parametrize(("complete", "status"), [(True, Status.HOLDS), (False, Status.UNDECIDED)])
def test_work_that_ends_after_the_answer(
    capsys: pytest.CaptureFixture[str], complete: bool, status: Status
) -> None:
    def work(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
        del query, progress
        emit(Reply("known", {}, None, exact=True, complete=complete))
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does where memory is short
        raise AssertionError

    query = CommandQuery(as_json=False, timeout=None, force=False)
    assert answer_with(query, work, lambda _: Reply("nothing", {}, None, exact=False)) == status
    printed = capsys.readouterr()
    assert printed.out == "known\n"
    assert ("not finished" in printed.err or "not decided" in printed.err) is not complete


def test_the_interval_is_not_smaller_than_what_is_true(tmp_path: Path) -> None:
    model = read(tmp_path, 3)
    budgets = [Budget(aside=aside) for aside in (0, 1_000, 10_000, 100_000, 1_000_000)]
    found = [privacy(model, budget=budget).if_stopping_is_seen for budget in budgets]
    for seen in found:
        assert seen is not None
        assert (seen.lower or 0) <= 1
        assert seen.upper is None or seen.upper >= 1
    assert found[-1] is not None
    assert found[-1].epsilon == 1
