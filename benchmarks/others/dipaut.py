"""Whether a threshold program is private, by DiPAut (github.com/bhusalb/DiPAut): 0 if it is, else 1.

    python benchmarks/others/dipaut.py MODEL.dipa

The folder that the variable OTHERS names has a clone of it. Its tests are called by the same functions as by
its main program, without the weight that it prints of private programs. It needs igraph, ply and rich.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import warnings
from pathlib import Path
from time import process_time


def main(path: str) -> None:
    """Print what it says, and its processor seconds without parsing."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ["OTHERS"]) / "DiPAut"
    sys.path.insert(0, str(folder))
    sys.setrecursionlimit(10**6)
    dipaut = importlib.import_module("main")
    text = re.sub(r"\n[ \t]+", " ", Path(path).read_text(encoding="utf-8"))  # one line for each state
    text = re.sub(r"output (?!insample)", "output o", text)  # names of outputs begin with o there
    states = [line for line in text.splitlines() if line.strip() and "final" not in line]
    states.sort(key=_number)  # variables have to be assigned before they are named
    program = dipaut.parse(states)
    began = process_time()
    output, *_ = dipaut.process(program)
    private = dipaut.is_differentially_private(output)
    seconds = process_time() - began
    sys.stdout.write(f"answer = {int(not private)} seconds = {seconds:.6f}\n")


def _number(line: str) -> int:
    """The number in the name of a state."""
    found = re.search(r"\d+", line)
    return int(found[0]) if found else 0


if __name__ == "__main__":
    main(sys.argv[1])
