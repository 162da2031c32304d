"""Events that :class:`.SiteLearning` reports of the templates of a site."""

from dataclasses import dataclass

from templex_scrapy.template import Template


@dataclass(frozen=True, slots=True)
class TemplateLearnt:
    """A template is new: a search has found it, or pages that the crawl has met have voted."""

    template: Template
    by_search: bool = False


@dataclass(frozen=True, slots=True)
class TemplateGrown:
    """A template has other voters."""

    old: Template
    new: Template


@dataclass(frozen=True, slots=True)
class TemplateDropped:
    """A template gave way to others."""

    template: Template


@dataclass(frozen=True, slots=True)
class TemplateBroken:
    """A template has raised when a page was compared with it, and is set aside."""

    template: Template


@dataclass(frozen=True, slots=True)
class TemplateTooLarge:
    """The template of a page would be too large to be kept: pages of this type are not cleaned."""

    url: str


@dataclass(frozen=True, slots=True)
class TemplateChanged:
    """Pages no longer fit a template of an earlier crawl.

    Attributes:
        old: the template.
        new: the template that serves the pages now; None if there is none, or if a label is gone.
        pages: addresses of pages that tell it.
        label: the label that is gone; "" if the design is new.
    """

    old: Template
    new: Template | None
    pages: tuple[str, ...]
    label: str = ""


Event = TemplateLearnt | TemplateGrown | TemplateDropped | TemplateBroken | TemplateTooLarge | TemplateChanged
