"""The command that checks certificates."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from prover.cli.options import force_option, jobs_option, not_negative, with_reading
from prover.cli.output import complain
from prover.cli.shell import candidates
from prover.cli.status import Status


@click.command(short_help="Check certificates.")
@click.argument(
    "certificates", nargs=-1, required=True, metavar="CERTIFICATE...", shell_complete=candidates.files
)
@click.option(
    "--model",
    metavar="FILE",
    shell_complete=candidates.models,
    help="Demand that the claim is about the model in FILE.",
)
@click.option(
    "--at-most",
    callback=not_negative,
    metavar="D",
    help="Demand that the probability that is claimed (delta or a distance) is at most D.",
)
@click.option(
    "--epsilon-at-most",
    callback=not_negative,
    metavar="E",
    help="Demand that the epsilon that is claimed, as a multiple or by alpha = e^epsilon, is at most E.",
)
@click.option(
    "--extract",
    metavar="OUT",
    shell_complete=candidates.files,
    help="Write the model of the certificate to OUT.",
)
@click.option(
    "--coq",
    metavar="FOLDER",
    shell_complete=candidates.folders,
    help="Write the claim to FOLDER as a theorem, which Coq proves.",
)
@force_option
@jobs_option
@with_reading
def verify(
    certificates: tuple[str, ...],
    model: str | None,
    at_most: Fraction | None,
    epsilon_at_most: Fraction | None,
    extract: str | None,
    coq: str | None,
    force: bool,
    jobs: int,
    reading: Mapping[str, Any],
) -> int:
    """Check certificates with the stand-alone checker, which trusts nothing but the file.

    Prints VERIFIED and the claim, or REJECTED and the reason, for each; the exit status is 0 if all are
    verified. A claim is about the model in the certificate, of which the line names the SHA-256: --model
    demands that it is the one in FILE, in any format that is read; of a composition, that it is about runs
    of this model only. The checker also runs without an
    installation, with the same options before its files; there the model is JSON:

    \b
      python -I -S prover/certificate/check CERTIFICATE...

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
      prover verify pin.cert --model pin.json --at-most 1/10
      prover verify pin.cert --coq pin-theorem

    With --coq a claim about a Markov chain that is verified is written to FOLDER as a theorem about that
    chain. `make proofs` in prover's sources compiles the proofs, and `make PROOFS=.../proofs` in FOLDER has
    coqc accept the theorem, or refuse it (docs/trust.md).
    """
    from prover.certificate import check
    from prover.cli.destination import STANDARD, check_files, write_file
    from prover.parallel import each

    if reading and model is None:
        raise click.UsageError("options about reading go with --model")
    if extract is not None:
        if len(certificates) > 1 or extract == STANDARD:
            raise click.UsageError("--extract goes with one certificate, and a file for its model")
        check_files([(extract, "the model")], certificates, force=force)
    if coq is not None and len(certificates) > 1:
        raise click.UsageError("--coq goes with one certificate")
    demands = check.Demands(
        None if model is None else _model_bytes(model, reading),
        None if at_most is None else at_most.as_integer_ratio(),
        None if epsilon_at_most is None else epsilon_at_most.as_integer_ratio(),
    )

    def keep(found: bytes) -> int:
        write_file(str(extract), found, "the model", force=force)
        return Status.HOLDS

    kept = None if extract is None else keep
    said = each(lambda path: check.judged(path, demands, kept), certificates, jobs if kept is None else 1)
    status = check.printed(said, named=len(certificates) > 1)
    if coq is not None and status == Status.HOLDS:
        _write_theorem(certificates[0], Path(coq), force=force)
    return status


def _write_theorem(certificate: str, folder: Path, *, force: bool) -> None:
    from prover.certificate.coq.folder import expected, files
    from prover.certificate.schema import Unwritable
    from prover.cli.destination import check_files, write_file

    texts = files(Path(certificate).read_bytes())
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise Unwritable(f"cannot be made: {error.strerror or error}", file=str(folder)) from None
    check_files([(str(folder / name), "the theorem") for name in texts], [certificate], force=force)
    for name, text in texts.items():
        write_file(str(folder / name), text.encode("ascii"), "the theorem", force=force)
    seconds, megabytes = expected(texts)
    complain(f"{folder}: coqc will need about {seconds} s and {megabytes} MB for this theorem")


def _model_bytes(path: str, reading: Mapping[str, Any]) -> bytes:
    from prover.formats.identity import model_bytes
    from prover.formats.load import load

    return model_bytes(load(path, on_note=complain, **reading))
