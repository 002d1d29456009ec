"""Evidence about pairs of states written out: a row for every pair, and none that stands for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_TABLES = ("exact", "lower", "upper")
_LISTS = ("related", "unrelated")
_ENTRIES = ("coupling", "forward", "backward", "rank_potentials")
_OTHER_WAY = {"forward": "backward", "backward": "forward"}


def written_out(evidence: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same evidence without ``symmetries``: every row with its images under all that they generate.

    docs/certificates.md, Section 3.1, defines this meaning of rows with symmetries.
    """
    symmetries = evidence.get("symmetries", ())
    if not symmetries:
        return evidence
    plain = {key: value for key, value in evidence.items() if key != "symmetries"}
    for key in plain.keys() & _TABLES:
        if "rows" in plain[key]:
            plain[key] = {**plain[key], "rows": _with_images(plain[key]["rows"], symmetries)}
    for key in plain.keys() & _LISTS:
        plain[key] = _with_images(plain[key], symmetries)
    if "separators" in plain:
        plain["separators"] = [
            {**row, "potentials": potentials}
            for row in plain["separators"]
            for potentials in _moved(row["potentials"], symmetries)
        ]
    return plain


def _moved(entries: list[Any], symmetries: Sequence[Sequence[int]]) -> list[list[Any]]:
    """Entries of states, and all their images."""
    found = [entries]
    for known in found:
        for symmetry in symmetries:
            image = sorted([symmetry[k], number] for k, number in known)
            if image not in found:
                found.append(image)
    return found


def _with_images(rows: Sequence[Any], symmetries: Sequence[Sequence[int]]) -> list[Any]:
    found = {tuple(row["pair"]): row for row in rows}
    for row in rows:
        found |= {tuple(image["pair"]): image for image in _images(row, symmetries)}
    return [row for _, row in sorted(found.items())]


def _images(row: Any, symmetries: Sequence[Sequence[int]]) -> Iterator[Any]:
    seen, waiting = {tuple(row["pair"])}, [row]
    for known in waiting:
        for symmetry in symmetries:
            image = _image(known, symmetry)
            if tuple(image["pair"]) not in seen:
                seen.add(tuple(image["pair"]))
                waiting.append(image)
                yield image


def _image(row: Any, symmetry: Sequence[int]) -> Any:
    image = {**row, "pair": [symmetry[k] for k in row["pair"]]}
    for key in row.keys() & _ENTRIES:
        image[key] = sorted([*(symmetry[k] for k in states), number] for *states, number in row[key])
    if "potentials" in row:
        entries = ([symmetry[k], how, *(symmetry[i] for i in other)] for k, how, *other in row["potentials"])
        image["potentials"] = list(entries) if "value" in row else sorted(entries)
    if ("forward" in row or "direction" in row) and image["pair"][0] > image["pair"][1]:
        image["pair"] = image["pair"][::-1]
        image |= {key: image[_OTHER_WAY[key]] for key in image.keys() & _OTHER_WAY}
        image |= {"direction": _OTHER_WAY[image["direction"]]} if "direction" in image else {}
    return image
