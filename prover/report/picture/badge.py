"""Badges: what is proved of a mechanism, in a small picture for the front page of its project."""

from __future__ import annotations

from prover.report.picture.svg import add, picture, svg_text, text_width, write

_HEIGHT, _MARGIN = 20.0, 7.0
_INK, _DARK = "#ffffff", "#3d444d"
_COLOURS = {"holds": "#1a7f37", "refuted": "#b42318", "open": "#6e7781"}


def badge(name: str, claimed: str, status: str, digest: str | None) -> bytes:
    """The claim ``claimed`` about ``name`` with its status: "holds", "refuted" or "open".

    A claim that holds shows the first characters of the certificate's SHA-256; all of it is in the title.
    """
    if status == "holds":
        right = claimed if digest is None else f"{claimed} · {digest[:8]}"
        title = f"{name}: {claimed}" + (f", proved by certificate {digest}" if digest else ", proved")
    else:
        right = title = f"{claimed}: {status}"
        title = f"{name}: {title}"
    widths = [text_width((text,)) * 0.9 + 2 * _MARGIN for text in (name, right)]
    top = picture(sum(widths), _HEIGHT, title, margin=0)
    add(top, "rect", width=sum(widths), height=_HEIGHT, rx=3.0, fill=_DARK)
    add(top, "rect", x=widths[0], width=widths[1], height=_HEIGHT, rx=3.0, fill=_COLOURS[status])
    place = 0.0
    for text, width in zip((name, right), widths, strict=True):
        write(top, place + width / 2, _HEIGHT / 2, (text,))
        written = top[-1]
        written.set("fill", _INK)
        written.set("style", "font: 11px Verdana, 'DejaVu Sans', sans-serif")
        written.set("textLength", f"{width - 2 * _MARGIN:.6g}")
        place += width
    return f"<?xml version='1.0' encoding='utf-8'?>\n{svg_text(top)}\n".encode()
