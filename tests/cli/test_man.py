"""The page for man: all commands and options, the same bytes each time, and man accepts it."""

from __future__ import annotations

import os
import shutil
import subprocess

import click
import pytest

from prover.cli.shell import page
from tests.commands import prover
from tests.test_help_examples import COMMANDS, options_of
from tests.waiting import GUARD


@pytest.fixture(scope="module")
def written() -> str:
    return prover("man").out


def test_the_same_bytes_in_ascii_each_time(written: str) -> None:
    assert prover("man").out == written
    assert written.isascii()
    assert written.startswith(".TH PROVER 1")


def test_names_and_texts_mean_themselves() -> None:
    @click.command()
    @click.option("--odd", help=".It's a \\ δ")
    def some(odd: str) -> None:
        """Says\n\n.nothing"""
        del odd

    lines = page(some, "some-thing", "1").split("\n")
    assert r"\fB\-\-odd TEXT\fR" in lines
    assert r"\&.It\(aqs a \e \[u03B4]" in lines
    assert r"\&.nothing" in lines


@pytest.fixture(scope="module")
def shown(written: str) -> str:
    """The page as man shows it."""
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("man is not installed")
    environment = {**os.environ, "MANWIDTH": "150", "LC_ALL": "C.UTF-8", "MANROFFOPT": "-ww"}
    run = subprocess.run(
        ["man", "--warnings", "--local-file", "-"],
        input=written, env=environment, capture_output=True, text=True, timeout=GUARD, check=True,
    )  # fmt: skip
    assert run.stderr == ""
    return run.stdout


def test_man_shows_all_commands_and_options(shown: str) -> None:
    lines = [line.strip() for line in shown.splitlines()]
    for name, command in COMMANDS.items():
        if name:
            assert " ".join(("prover", *name)) in lines
        for option in options_of(command):
            assert any(line.startswith(("--", "-h")) and option in line for line in lines)
    every = [option for command in COMMANDS.values() for option in options_of(command)]
    assert sum(line.startswith("--alpha ") for line in lines) == every.count("--alpha") > 1


def test_man_keeps_the_lines_of_examples(shown: str) -> None:
    lines = {line.strip() for line in shown.splitlines()}
    for example in ("prover verify pin.cert", "prover zoo randomised-response respondents=2 > survey.json"):
        assert example in lines
    printed = [line for line in lines if line.startswith("printf")]
    assert all(line.startswith(r"printf '[[mechanism]]\n") for line in printed)
    assert any(r"""'[[mechanism]]\nmodel = "survey.json"\ntimes""" in line for line in printed)
