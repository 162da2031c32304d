"""The pictures of the demo site: small SVG files, the same ones on each run."""

from __future__ import annotations

import hashlib
import math

_PALETTES = (
    ("#cfe3ea", "#7fa8b0", "#3f6f74", "#1f3f47"),
    ("#f6e3cf", "#d99b6c", "#a2593b", "#4f2c24"),
    ("#e2ead2", "#a4b87d", "#5f7d4a", "#2f4630"),
    ("#e6e0ef", "#a99bc2", "#6a5d8c", "#332d4d"),
)


def picture(name: str) -> str:
    """Draw a landscape; the name decides its colours and its hills."""
    digest = hashlib.sha256(name.encode()).digest()
    colours = _PALETTES[digest[0] % len(_PALETTES)]
    ridges = "".join(
        _ridge(colours[layer], 110 + 60 * layer, digest[2 * layer], digest[2 * layer + 1]) for layer in (1, 2, 3)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img">'
        f'<rect width="640" height="360" fill="{colours[0]}"/>{ridges}</svg>\n'
    )


def _ridge(colour: str, height: int, swing: int, length: int) -> str:
    points = " ".join(
        f"{x},{height + (14 + swing / 8) * math.sin(x / (60 + length / 4) + height):.0f}" for x in range(0, 641, 20)
    )
    return f'<polygon points="0,360 {points} 640,360" fill="{colour}"/>'
