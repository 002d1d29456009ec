"""What a wheel has beside the package, where it is looked for: the page for man, and completion for shells.

They are written by the program that they are about, so that they cannot say anything else.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WRITTEN = {
    "share/bash-completion/completions/prover": ["completion", "bash"],
    "share/fish/vendor_completions.d/prover.fish": ["completion", "fish"],
    "share/man/man1/prover.1": ["man"],
    "share/zsh/site-functions/_prover": ["completion", "zsh"],
}
"""Where a file goes, below the folder that the program is installed in, and the command that prints it."""


def environment(root: str) -> dict[str, str]:
    """Where this package is found first, and then what an isolated build has put on the path."""
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, *([before] if before else [])])}


class ShellFiles(BuildHookInterface[Any]):
    """Adds these files to a wheel; an editable installation has none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is put together."""
        self.folder = tempfile.TemporaryDirectory(prefix="prover-wheel-")
        if version == "editable":
            return
        for number, (place, arguments) in enumerate(WRITTEN.items()):
            done = subprocess.run(  # noqa: S603  this interpreter, with this package
                [sys.executable, "-m", "prover.cli", *arguments],
                env=environment(self.root),
                check=True,
                capture_output=True,
            )
            file = Path(self.folder.name, str(number))
            file.write_bytes(done.stdout)
            build_data["shared_data"][str(file)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is there."""
        del version, build_data, artifact_path
        self.folder.cleanup()
