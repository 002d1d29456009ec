"""Claims as tests, for pytest: each claim of ``*.claims.toml``, and of files that are named, is one.

pytest loads this where prover is installed. It costs others next to nothing: the prover itself is loaded when
there is a claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from prover.claims.claim import Claim

ENDING = ".claims.toml"
OPTION = "--privacy-claims"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that names files of claims."""
    group = parser.getgroup("prover", "claims about privacy")
    group.addoption(
        OPTION,
        action="append",
        default=[],
        metavar="FILE",
        help=f"Test the claims in this file, whatever it is called. Files *{ENDING} are found like tests.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Has files that are named collected beside the tests."""
    config.args += [name for name in config.getoption(OPTION) if name not in config.args]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The claims of a file, if it is one of claims."""
    named = (Path(name).resolve() for name in parent.config.getoption(OPTION))
    if not file_path.name.endswith(ENDING) and file_path.resolve() not in named:
        return None
    found: pytest.Collector = ClaimsFile.from_parent(parent, path=file_path)
    return found


class ClaimsFile(pytest.File):
    """A file of claims, each of which is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """The claims in their order; names that stand twice are numbered."""
        from prover.claims.file import read_claims
        from prover.errors import BadInput

        try:
            claims = read_claims(self.path)
        except BadInput as error:
            raise self.CollectError(str(error)) from None
        times = Counter(claim.name for claim in claims)
        for index, claim in enumerate(claims, 1):
            name = claim.name if times[claim.name] == 1 else f"{claim.name} (claim {index})"
            yield ClaimItem.from_parent(self, name=name, claim=claim)


class ClaimItem(pytest.Item):
    """A test that a claim holds; it fails with the attack."""

    def __init__(self, name: str, parent: ClaimsFile, claim: Claim) -> None:
        super().__init__(name, parent)
        self.claim = claim

    def runtest(self) -> None:
        """Check the claim, by the certificate that is kept for it or by a proof that is kept from then on."""
        from prover.claims.checking import HOLDS, check

        found = check(self.claim, str(self.path))
        for note in found.notes:
            self.add_report_section("call", "note", note)
        if found.status != HOLDS:
            raise AssertionError(found.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What a failure shows: the attack, or what is wrong with the claim, and no code of ours."""
        from prover.errors import BadInput

        if isinstance(excinfo.value, AssertionError | BadInput):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the test stands, and how reports call it."""
        return self.path, None, f"{self.name}: {self.claim.text}"
