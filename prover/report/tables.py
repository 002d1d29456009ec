"""Tables of texts for people."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], texts: int | None = None) -> list[str]:
    """The rows as lines, their cells in columns; all rows have as many cells.

    The first ``texts`` columns are aligned to the left and the others, of numbers, to the right; None stands
    for all columns.

        >>> aligned([("job", "seconds"), ("pin", "1.5")], texts=1)
        ['job  seconds', 'pin      1.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = len(widths) if texts is None else texts
    return [
        "  ".join(
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
