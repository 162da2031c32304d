"""Which pages vote."""

from types import SimpleNamespace

from templex_scrapy.learning.voting import spread


def test_voters_are_of_as_many_directories_as_possible():
    paths = ["/news/0", "/news/1", "/news/2", "/shop/0", "/about"]
    found = spread([SimpleNamespace(url=f"https://site.test{path}") for path in paths], 4)
    assert [one.url.removeprefix("https://site.test") for one in found] == ["/news/0", "/shop/0", "/about", "/news/1"]
