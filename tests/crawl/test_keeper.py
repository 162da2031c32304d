"""Templates that change while the store is asked: what it has in the end is what the crawl has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from templex_scrapy import Page, keeper
from templex_scrapy.crawl.persistence import Keeper
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.site import SiteTemplates
from templex_scrapy.stores import Store, open_store
from templex_scrapy.template.template import Template

SITE = "a.example"


def page(number: int) -> Page:
    """A page with a menu, and words of its own."""
    menu = "".join(f'<li class="entry"><a href="/{name}">All about {name}</a></li>' for name in "abc")
    own = f"<h1>Page {number}</h1><p>{' '.join(f'word{number}x{i}' for i in range(9))}</p>"
    return Page(f'<!DOCTYPE html><body><ul class="menu">{menu}</ul>{own}</body>', f"http://{SITE}/{number}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "templates.sqlite3")) as opened:
        yield opened


@pytest.fixture
def kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> Keeper:
    async def in_turn(_size: int, work: Callable[[], Any]) -> Any:
        return work()

    # there is no reactor here
    monkeypatch.setattr(keeper, "run_in_thread", asyncio.to_thread)
    return Keeper(get_crawler(), store, TemplexSettings(), in_turn)


async def retired(kept: Keeper, site: SiteTemplates) -> Template:
    template = Template.from_pages(page(0), [page(1), page(2)])
    await kept.save(site, template)
    await kept.retire(site, template, "none of them had it")
    return template


def grown(kept: Keeper, template: Template, *numbers: int) -> Template:
    new = template.joined(map(page, numbers), 2)
    kept.follow(template, new)
    return new


def test_a_template_that_grows_while_it_is_revived(kept: Keeper, store: Store) -> None:
    async def crawl() -> None:
        site = SiteTemplates(SITE)
        template = await retired(kept, site)
        begun = asyncio.ensure_future(kept.revive(site, template))
        await asyncio.sleep(0)
        six = grown(kept, template, 3, 4, 5, 6)
        await kept.save_grown(site, six)
        await begun
        await kept.save_grown(site, grown(kept, six, 7))

    asyncio.run(crawl())
    (stored,) = store.load(SITE)
    assert stored.retired is None
    assert len(stored.template.page_urls) == 7


def test_a_template_that_grows_twice_while_it_is_revived(kept: Keeper, store: Store) -> None:
    """The first growth is stored after the second, and must not take its place."""

    async def crawl() -> None:
        site = SiteTemplates(SITE)
        template = await retired(kept, site)
        four = grown(kept, template, 3, 4)

        async def noted() -> None:
            await kept.revive(site, template)
            await kept.save_grown(site, four)

        begun = asyncio.ensure_future(noted())
        await asyncio.sleep(0)
        await kept.save_grown(site, grown(kept, four, 5, 6))
        await begun

    asyncio.run(crawl())
    (stored,) = store.load(SITE)
    assert stored.retired is None
    assert len(stored.template.page_urls) == 6
