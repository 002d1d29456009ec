"""The command that prints models of the papers."""

from __future__ import annotations

import click

from prover.cli.output import say
from prover.cli.status import Status
from prover.errors import quoted


def _beginning(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    """The models that a shell completes."""
    del context, parameter
    from prover import zoo as models

    return [name for name in models.NAMES if name.startswith(text)]


@click.command(short_help="Print an example model, or list all examples.")
@click.argument("name", required=False, shell_complete=_beginning)
@click.argument("parameters", nargs=-1, metavar="[PARAMETER=VALUE]...")
def zoo(name: str | None, parameters: tuple[str, ...]) -> int:
    """Print an example model; without a NAME, list all with their parameters and defaults.

    \b
    Examples:
      prover zoo
      prover zoo randomised-response respondents=2 > survey.json
      prover zoo random-chain states=50 seed=7 > random.json
    """
    from prover import zoo as models
    from prover.formats.convert import write_json

    if name is None:
        for model in models.NAMES:
            defaults = [f"{key}={value}" for key, value in models.parameters_of(model).items()]
            say(f"{' '.join([model, *defaults])}\n    {models.description_of(model)}")
        return Status.HOLDS
    chosen: dict[str, str] = {}
    for parameter in parameters:
        key, equals, value = parameter.partition("=")
        if not equals:
            raise click.UsageError(f"{quoted(parameter)} is not a parameter; write NAME=VALUE")
        if key in chosen:
            raise click.UsageError(f"parameter {quoted(key)} is given twice")
        chosen[key] = value
    say(write_json(models.build(name, **chosen)).removesuffix("\n"))
    return Status.HOLDS
