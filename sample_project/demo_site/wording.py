"""The words of the frame, in two languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sample_project.demo_site.material import MATERIAL


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the magazine, the shop, or a category of the shop."""

    path: str
    title: str
    intro: str


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The words of a page that are not its own content; the fields are those of `frame.toml`.

    A fact is a label, the value that most products share, and the value of the others.
    """

    language: str
    home_path: str
    name: str
    slogan: str
    home_label: str
    home_title: str
    home_intro: tuple[str, ...]
    magazine: Mapping[str, Section]
    shop: Section
    categories: Mapping[str, Section]
    journal_label: str
    other_language: str
    labels: Mapping[str, str]
    address: tuple[str, ...]
    hours: tuple[tuple[str, str], ...]
    assurances: tuple[str, ...]
    facts: tuple[tuple[str, str, str], ...]
    months: tuple[str, ...]
    date_pattern: str
    price_pattern: str

    def section_path(self, key: str) -> str:
        """Path of a section of the magazine or a category of the shop."""
        return (self.magazine.get(key) or self.categories[key]).path

    def date(self, iso: str) -> str:
        """A date as people write it in this language."""
        year, month, day = iso.split("-")
        return self.date_pattern.format(day=int(day), month=self.months[int(month) - 1], year=year)

    def price(self, amount: str) -> str:
        """A price as people write it in this language."""
        pounds, pence = amount.split(".")
        return self.price_pattern.format(pounds=pounds, pence=pence)


def load_wording(language: str) -> Wording:
    """Read the words of one language, "en" or "es"."""
    data: dict[str, Any] = tomllib.loads((MATERIAL / language / "frame.toml").read_text(encoding="utf-8"))
    return Wording(
        **data
        | {
            "language": language,
            "shop": Section(**data["shop"]),
            "magazine": {key: Section(**value) for key, value in data["magazine"].items()},
            "categories": {key: Section(**value) for key, value in data["categories"].items()},
        }
    )


ENGLISH = load_wording("en")
SPANISH = load_wording("es")
