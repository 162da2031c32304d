"""Paragraphs of the report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph.

    Attributes:
        label: what it is about.
        text: what it says.
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Remarks:
    """Paragraphs that stand together between the tables and figures.

    Attributes:
        name: short and unique in the report.
        title: what they are about.
        paragraphs: the paragraphs.
    """

    name: str
    title: str
    paragraphs: tuple[Paragraph, ...]


def counted(count: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(parts: list[str]) -> str:
    """Some parts as an enumeration with ``and``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
