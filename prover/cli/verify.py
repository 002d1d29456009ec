"""The command that checks certificates."""

from __future__ import annotations

import click


@click.command(short_help="Check certificates.")
@click.argument("certificates", nargs=-1, required=True, metavar="CERTIFICATE...")
def verify(certificates: tuple[str, ...]) -> int:
    """Check certificates with the stand-alone checker, which trusts nothing but the file.

    Prints VERIFIED and the claim, or REJECTED and the reason, for each; the exit status is 0 if all are
    verified. The checker also runs without an installation:

    \b
      python -I -S prover/certificate/check CERTIFICATE...

    \b
    Examples:
      prover zoo pin-checker > pin.json
      prover distance pin.json --alpha 11/10 --certificate pin.cert
      prover verify pin.cert
    """
    from prover.certificate import check

    return check.main(certificates)
