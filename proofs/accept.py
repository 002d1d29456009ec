"""Has coqc accept the theorem in a folder that `prover verify --coq` wrote, or refuse it.

    python3 -I -S accept.py [--coqchk] FOLDER

The files Model.v, Evidence.v and Answer.v of the folder are read, and nothing else. They must be of the form
that theorem.py beside this file demands. What has been read is then compiled in a new folder, with the proofs
beside this file. With --coqchk the compiled theorem is read again by Coq's own checker.

The exit status is 0 if the theorem is accepted, 1 if it is refused, and 2 if the folder or Coq is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

PROOFS = Path(__file__).resolve().parent
sys.path.insert(0, str(PROOFS))  # which -I leaves out
from theorem import Refused, on_reals, statements  # noqa: E402

FILES = ("Model.v", "Evidence.v", "Answer.v")
REALS = {
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
}
"""The axioms by which Coq's library defines real numbers."""
REALS_SAID = "nothing is assumed but the axioms of real numbers in Coq's library"
UNUSED = "Coq.Logic.Classical_Prop.classic"
"""Another one in the files of that library, which coqchk reports, although no theorem here rests on it."""


def prove(texts: Mapping[str, bytes], *, again: bool) -> None:
    """Has coqc compile the files in a folder of their own, and then coqchk read the result, if `again`.

    Raises Refused, and OSError where Coq is missing."""
    theorems, reals = len(statements(texts)), on_reals(texts)
    with tempfile.TemporaryDirectory() as folder:
        paths = ["-R", str(PROOFS), "Prover", "-Q", folder, "Here"]
        said = ""
        for name in FILES:
            Path(folder, name).write_bytes(texts[name])
            said = _run([os.environ.get("COQC", "coqc"), "-q", *paths, str(Path(folder, name))], name)
        if not _expected(said.splitlines(), theorems, REALS if reals else set()):
            raise Refused("the theorem rests on assumptions")
        if again:
            said = _run(["coqchk", "-silent", "-o", *paths, "Here.Answer"], "Answer.vo", subprocess.STDOUT)
            loaded = said.partition("* Axioms:")[2].partition("\n  \n")[0].split()
            if set(loaded) != ({*REALS, UNUSED} if reals else {"<none>"}):
                raise Refused("the theorem rests on assumptions")


def _expected(lines: Sequence[str], theorems: int, axioms: Set[str]) -> bool:
    """Whether Print Assumptions named these axioms, and no others, for each of the theorems."""
    if not axioms:
        return lines == ["Closed under the global context"] * theorems
    named = sorted(line.split(" ")[0] for line in lines if not line.startswith(" "))
    return named == sorted(["Axioms:", *(name.split(".", 2)[2] for name in axioms)] * theorems)


def _run(command: Sequence[str], about: str, errors: int | None = None) -> str:
    """What a program of Coq prints, which is printed here, too."""
    surroundings = {name: value for name, value in os.environ.items() if name != "COQPATH"}
    run = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=errors,
        encoding="utf-8",
        errors="replace",
        env=surroundings,
        check=False,
    )
    print(run.stdout, end="", flush=True)
    if run.returncode:
        raise Refused(f"{command[0]} does not accept {about}")
    return run.stdout


def main(arguments: Sequence[str]) -> int:
    again, folder = arguments[:1] == ["--coqchk"], Path(arguments[-1] if arguments else "")
    if len(arguments) != 1 + again or not folder.is_dir():
        print(__doc__ if len(arguments) != 1 + again else f"{folder} is no folder", file=sys.stderr)
        return 2
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        print(f"{folder}: there is no {missing[0]}", file=sys.stderr)
        return 2
    try:
        texts = {name: (folder / name).read_bytes() for name in FILES}
        prove(texts, again=again)
    except Refused as refused:
        print(f"{folder}: refused: {refused}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"{folder}: accepted, and {REALS_SAID if on_reals(texts) else 'nothing is assumed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
