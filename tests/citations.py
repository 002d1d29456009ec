"""Does each line that the gallery cites say what is quoted, at a commit of the branch that the clone is at?

    python -m tests.citations FOLDER

FOLDER has clones of the libraries, bare or not, each as OWNER/NAME or OWNER+NAME. This is no test: clones are
large, and need a network.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from prover.gallery.index import GalleryEntry, gallery


def git(clone: Path, *arguments: str) -> str | None:
    """What git prints, or None if it fails."""
    run = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=False)
    return run.stdout.decode("utf-8", "replace") if run.returncode == 0 else None


def clone_of(folder: Path, repository: str) -> Path | None:
    """The clone of a repository, which may lie in a folder of its own."""
    owner, name = repository.split("/")
    named = (folder / owner / name, folder / f"{owner}+{name}")
    places = [place / inner for place in named for inner in ("", "repo")]
    return next((place for place in places if git(place, "rev-parse", "HEAD") is not None), None)


def wrong(entry: GalleryEntry, folder: Path) -> str | None:
    """What is wrong with the entry's citation, if anything is."""
    clone = clone_of(folder, entry.repository)
    if clone is None:
        return f"there is no clone of {entry.repository}"
    if git(clone, "merge-base", "--is-ancestor", entry.commit, "HEAD") is None:
        return f"{entry.commit} is not an ancestor of HEAD"
    text = git(clone, "show", f"{entry.commit}:{entry.file}")
    if text is None:
        return f"{entry.file} is not there"
    lines = text.split("\n")
    line = lines[entry.line - 1] if entry.line <= len(lines) else ""
    return None if entry.quote in line else f"line {entry.line} of {entry.file} is {line.strip()!r}"


def main(folder: Path) -> int:
    """Print each wrong citation; 1 if there is one."""
    found = [(entry.name, fault) for entry in gallery() if (fault := wrong(entry, folder)) is not None]
    lines = [f"{name}: {fault}" for name, fault in found]
    lines.append(f"{len(gallery()) - len(found)} of {len(gallery())} citations are right")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
