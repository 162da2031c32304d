"""The pictures of the demo site: small SVG files, the same ones on each run."""

from __future__ import annotations

import hashlib
import math

_PALETTES = (
    ("#cfe3ea", "#7fa8b0", "#3f6f74", "#1f3f47", "#f2b84b"),
    ("#f6e3cf", "#d99b6c", "#a2593b", "#4f2c24", "#fff4d6"),
    ("#e2ead2", "#a4b87d", "#5f7d4a", "#2f4630", "#f0c75e"),
    ("#e6e0ef", "#a99bc2", "#6a5d8c", "#332d4d", "#f5d0a9"),
)

# shapes before a landscape: {0} to {4} are the colours from sky to light
_MOTIFS = {
    "hills": '<circle cx="480" cy="80" r="36" fill="{4}"/>',
    "sea": '<rect y="240" width="640" height="120" fill="{2}"/><path d="M300 120v104h-70zM308 140v84h52z" fill="{4}"/>'
    '<path d="M220 232h150l-24 26h-98z" fill="{3}"/>',
    "tent": '<path d="M210 320l130-150 140 150z" fill="{4}"/><path d="M340 170l-25 150h60z" fill="{3}"/>',
    "wheel": '<g fill="none" stroke="{3}"><circle cx="320" cy="180" r="140" stroke-width="16"/>'
    '<path d="M320 52v256M192 180h256M230 90l180 180M230 270l180-180" stroke-width="3"/></g>'
    '<circle cx="320" cy="180" r="18" fill="{4}"/>',
    "chain": '<path d="M0 182h640" stroke="{2}" stroke-width="44" stroke-dasharray="60 12"/>'
    '<path d="M30 182h600" stroke="{4}" stroke-width="16" stroke-dasharray="16 56"/>',
    "stove": '<rect x="235" y="135" width="170" height="96" rx="10" fill="{3}"/>'
    '<path d="M300 290q20-62 20-48q0-14 20 48z" fill="{4}"/><rect x="268" y="288" width="104" height="38" fill="{2}"/>',
    "portrait": '<path d="M190 360q10-130 130-130t130 130z" fill="{2}"/><circle cx="320" cy="160" r="64" fill="{4}"/>'
    '<path d="M244 150q76-110 152 0l34 8-190 2z" fill="{3}"/>',
    "bag": '<path d="M270 110q50-70 100 0" fill="none" stroke="{3}" stroke-width="12"/>'
    '<rect x="205" y="110" width="230" height="200" rx="18" fill="{2}"/>'
    '<rect x="205" y="104" width="230" height="90" rx="18" fill="{3}"/>',
    "tool": '<rect x="170" y="160" width="300" height="40" rx="12" fill="{2}"/>'
    '<circle cx="170" cy="180" r="58" fill="{3}"/><path d="M112 180l58-30v60z" fill="{0}"/>'
    '<circle cx="470" cy="180" r="40" fill="{3}"/>',
}


def picture(name: str, motif: str) -> str:
    """Draw a picture.

    Args:
        name: decides the colours and the landscape.
        motif: what is in front of it, such as "tent".
    """
    digest = hashlib.sha256(name.encode()).digest()
    colours = _PALETTES[digest[0] % len(_PALETTES)]
    ridges = "".join(
        _ridge(colours[layer], 110 + 60 * layer, digest[2 * layer], digest[2 * layer + 1]) for layer in (1, 2, 3)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img">'
        f'<rect width="640" height="360" fill="{colours[0]}"/>{ridges}{_MOTIFS[motif].format(*colours)}</svg>\n'
    )


def _ridge(colour: str, height: int, swing: int, length: int) -> str:
    points = " ".join(
        f"{x},{height + (14 + swing / 8) * math.sin(x / (60 + length / 4) + height):.0f}" for x in range(0, 641, 20)
    )
    return f'<polygon points="0,360 {points} 640,360" fill="{colour}"/>'
