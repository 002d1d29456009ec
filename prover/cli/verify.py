"""The command that checks certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prover.cli.options import (
    File,
    adjacencies,
    force_option,
    jobs_option,
    not_negative,
    share,
    with_reading,
)
from prover.cli.output import complain
from prover.cli.status import Status
from prover.errors import Unwritable, shown

if TYPE_CHECKING:
    from prover.certificate.check import Demands, Said


@click.command(short_help="Check certificates.")
@click.argument("certificates", nargs=-1, required=True, metavar="CERTIFICATE|PAGE.html...", type=File())
@click.option(
    "--model",
    metavar="FILE",
    type=File(),
    help="Demand that the claim is about the model in FILE, about secrets that differ, and about an observer "
    "who sees every step (unless --untimed or --silent is given).",
)
@click.option(
    "--at-most",
    callback=not_negative,
    metavar="D",
    help="Demand that the claimed probability (delta or a distance) is at most D for all related secrets.",
)
@click.option(
    "--epsilon-at-most",
    callback=not_negative,
    metavar="E",
    help="Demand that the claimed epsilon (a multiple, or the logarithm of alpha) is at most E: for all "
    "related secrets of a chain, or for a symmetric adjacency of a program. For a chain this demands "
    "nothing about delta.",
)
@click.option(
    "--from",
    "source",
    metavar="S",
    help="Demand a claim that covers the secret S against T, instead of all related secrets.",
)
@click.option("--to", "target", metavar="T", help="The secret T of --from.")
@click.option(
    "--adjacency",
    type=adjacencies,
    help="Demand this adjacency, instead of any symmetric one (all-differ, one-differ, monotonic).",
)
@click.option(
    "--at-epsilon",
    callback=not_negative,
    metavar="X",
    help="Demand that the claim is about a program whose noise is scaled by the epsilon X. A bound of the "
    "delta of a program holds at one epsilon, and needs this option.",
)
@click.option(
    "--q",
    callback=share,
    metavar="Q",
    help="The same for discrete noise where e^(-epsilon*unit) = Q.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Demand that the claim is about at most N private inputs. A bound of the delta of a program for at "
    "most N inputs says nothing about more of them, and needs this option.",
)
@click.option(
    "--extract",
    type=File("the model"),
    metavar="OUT",
    help="Write the model in the certificate to OUT.",
)
@click.option(
    "--coq",
    type=File("the theorem", kind="dir"),
    metavar="FOLDER",
    help="Write the claim to FOLDER as a theorem with a proof for Coq.",
)
@click.option(
    "--proved",
    is_flag=True,
    help="Check with prover-checked instead, a program whose check is proved in Coq.",
)
@force_option
@jobs_option
@with_reading
def verify(
    certificates: tuple[str, ...],
    model: str | None,
    at_most: Fraction | None,
    epsilon_at_most: Fraction | None,
    source: str | None,
    target: str | None,
    adjacency: str | None,
    at_epsilon: Fraction | None,
    q: Fraction | None,
    steps: int | None,
    extract: str | None,
    coq: str | None,
    proved: bool,
    force: bool,
    jobs: int,
    reading: Mapping[str, Any],
) -> int:
    """Check certificates with the stand-alone checker, which trusts nothing but the file.

    For each certificate the command prints VERIFIED and the claim, or REJECTED and the reason. The exit
    status is 0 if all are verified. A claim is about the model inside the certificate; the printed line names
    its SHA-256. --model demands that this is the model in FILE, in any format; if the claim is about a
    composition, --model demands that it is about runs of this model only.

    A file may also be a page that --html has made. The command then checks every certificate in it; a page
    without one has exit status 2. Only the printed lines are proved, not the text of the page.

    An option that demands something rejects every other claim, even a true one, and the reason names the
    option. --model demands that the secrets differ. A bound (--at-most, --epsilon-at-most) demands a claim
    about all related secrets in both directions, or about inputs that may differ in either direction. Both
    demand an observer who sees every step. --from and --to, --adjacency, --untimed and --silent change what
    is demanded. A bound for a model without related secrets needs --from and --to.

    The checker also runs without an installation, on certificates. The same options stand before its files,
    except those about reading a model: there the model is JSON.

    \b
      python -I -S prover/certificate/check CERTIFICATE...

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
      prover verify pin.cert --model pin.json --at-most 1/10
      prover verify pin.cert --model pin.json --from 0 --to 1 --at-most 1/10
      prover verify pin.cert --coq pin-theorem
      prover delta pin.json --alpha 11/10 --html pin.html
      prover verify pin.html

    With --coq, a verified claim about a Markov chain or a decision process, about a composition of laws, or
    about the epsilon of a threshold program, is written to FOLDER as theorems; with Laplace noise only the
    bound from above is, and of delta of a program only a table with noise on a grid. If there is no theorem
    for a claim, the exit status is 2 and VERIFIED is not printed. `make proofs` in the sources of prover
    compiles the proofs; then `make PROOFS=.../proofs` in FOLDER has coqc accept or refuse the theorem. For a
    folder from another person, use `make theorem FOLDER=...` in proofs/, which runs nothing in the folder
    (docs/trust.md).

    With --proved, the program prover-checked checks the certificates. Its check is proved in Coq, for claims
    about distances, the delta and related states of Markov chains, about attackers who choose, and about the
    epsilon of threshold programs with noise on a grid; for others the exit status is 2. It is taken from
    $PROVER_CHECKED, the PATH or ./build, where `make proved` builds it. No demands can be made with --proved;
    the printed line names the model.
    """
    from prover.certificate import check
    from prover.cli.destination import STANDARD, check_files, write_file
    from prover.cli.proved import judged_by, program
    from prover.parallel import each

    pages = any(map(_is_page, certificates))
    if proved:
        demanded = (model, at_most, epsilon_at_most, source, target, adjacency, at_epsilon, q, steps)
        if any(given is not None for given in (*demanded, extract, coq)) or force or reading:
            raise click.UsageError("--proved takes no demands, nor --extract, --coq and --force")
        if pages:
            raise click.UsageError("--proved needs certificates, not a page; save them from the page")
        path = program()
        return check.printed(each(partial(judged_by, path), certificates, jobs), named=len(certificates) > 1)
    if pages and (extract is not None or coq is not None):
        raise click.UsageError("--extract and --coq need a certificate, not a page; save it from the page")
    if extract is not None:
        if len(certificates) > 1 or extract == STANDARD:
            raise click.UsageError("--extract needs exactly one certificate, and a file for its model")
        check_files([(extract, "the model")], certificates, force=force)
    if coq is not None and (len(certificates) > 1 or coq == STANDARD):
        raise click.UsageError("--coq needs exactly one certificate, and a folder for the theorem")
    try:
        secrets = check.secrets_of(source, target)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    demands = replace(
        _about_model(model, reading, source, target),
        at_most=None if at_most is None else at_most.as_integer_ratio(),
        epsilon_at_most=None if epsilon_at_most is None else epsilon_at_most.as_integer_ratio(),
        secrets=secrets,
        adjacency=adjacency,
        at_epsilon=None if at_epsilon is None else at_epsilon.as_integer_ratio(),
        q=None if q is None else q.as_integer_ratio(),
        steps=steps,
    )

    def keep(model: bytes) -> int:
        write_file(str(extract), model, "the model", force=force)
        return Status.HOLDS

    kept = None if extract is None else keep
    said = each(lambda path: _said(path, demands, kept), certificates, jobs if kept is None else 1)
    lines: Iterable[Said] = chain.from_iterable(said)
    if coq is not None:
        lines = [*lines]
        if all(line.status == Status.HOLDS for line in lines):  # if there is no theorem, nothing is printed
            _write_theorem(certificates[0], Path(coq), force=force)
    return check.printed(lines, named=len(certificates) > 1 or pages)


def _is_page(path: str) -> bool:
    """Whether a file that can be read begins as pages of HTML do, and no certificate does."""
    try:
        with Path(path).open("rb") as file:
            return file.read(100).lstrip().startswith(b"<")
    except (OSError, ValueError):
        return False


def _said(path: str, demands: Demands, keep: Callable[[bytes], int] | None) -> list[Said]:
    """The text about a certificate, or about each one of a page."""
    from prover.certificate import check

    if not _is_page(path):
        return [check.judged(path, demands, keep)]
    from prover.report.downloads import certificates_in

    with Path(path).open("rb") as file:
        held = certificates_in(file.read(check.MAX_BYTES))
    if not held:
        return [check.Said(path, 2, f"prover: {shown(path)}: this page holds no certificate", complaint=True)]
    return [check.decided(f"{path}, {name}", data, demands) for name, data in held]


def _write_theorem(certificate: str, folder: Path, *, force: bool) -> None:
    from prover.certificate.coq.folder import expected, files
    from prover.cli.destination import check_files, write_file

    data = Path(certificate).read_bytes()
    texts = files(data)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise Unwritable(f"cannot be made: {error.strerror or error}", file=str(folder)) from None
    check_files([(str(folder / name), "the theorem") for name in texts], [certificate], force=force)
    for name, text in texts.items():
        write_file(str(folder / name), text.encode("ascii"), "the theorem", force=force)
    seconds, megabytes = expected(texts, data)
    complain(f"{folder}: coqc will need about {seconds} s and {megabytes} MB for this theorem")


def _about_model(
    path: str | None, reading: Mapping[str, Any], source: str | None, target: str | None
) -> Demands:
    """The observer, and the model if there is a file of it."""
    from prover.certificate import check

    observer = check.observer_of(reading.get("silent", ()), untimed=reading.get("untimed", False))
    if path is not None:
        return _about_file(path, reading, check.Demands(observer=observer), source, target)
    if reading.keys() - {"silent", "untimed"}:
        raise click.UsageError("options about reading a model need --model")
    return check.Demands(observer=observer)


def _about_file(
    path: str, reading: Mapping[str, Any], demands: Demands, source: str | None, target: str | None
) -> Demands:
    """The same with the model in the file; a process as the observer sees it from the secrets."""
    from prover.certificate import check, schema
    from prover.chain.collapsing.collapse import begun_at
    from prover.chain.process import LabelledMarkovDecisionProcess
    from prover.chain.real import RoundedChain
    from prover.errors import BadInput
    from prover.exact.real_text import NEEDS_REAL_RATES
    from prover.formats.identity import model_bytes
    from prover.formats.load import load
    from prover.formats.opened import load_open, says_open
    from prover.formats.reading import Reading
    from prover.formats.real import load_real

    if says_open(path):
        return replace(demands, model=schema.model_bytes(load_open(path, on_note=complain).model))
    try:
        model = load(path, on_note=complain, **reading)
    except BadInput as error:
        if error.code != NEEDS_REAL_RATES:
            raise
        const = Reading.of(**reading).const
        return replace(
            demands, model=schema.model_bytes(load_real(path, on_note=complain, const=const).model)
        )
    if isinstance(model, RoundedChain) and model.rounding.original.silent is not None:
        demands = replace(
            demands, observer=check.observer_of([model.rounding.original.silent], untimed=False)
        )
    if not isinstance(model, LabelledMarkovDecisionProcess):
        return replace(demands, model=model_bytes(model))
    return replace(demands, model=model_bytes(begun_at(model, source, target)), observer=None)
