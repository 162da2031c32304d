"""The web site that the demo crawls."""

import http.client
from urllib.parse import urljoin, urlsplit

import pytest
from parsel import Selector

from sample_project.demo_site import DemoServer, build_site


@pytest.fixture(scope="module")
def site():
    return build_site()


@pytest.fixture(scope="module")
def server(site):
    with DemoServer(site) as running:
        yield running


def get(server, path):
    """One request, redirects not followed."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def links_of(page):
    hrefs = Selector(page.html).xpath("//a/@href").getall()
    return {urlsplit(urljoin(page.path, href)).path for href in hrefs if not href.startswith("#")}


def test_every_page_is_linked_and_every_link_but_one_answers(site, server):
    linked = {path for page in site.pages.values() for path in links_of(page)}
    answers = {path: get(server, path) for path in linked}
    assert {path for path, status in answers.items() if status == 404} == site.lost
    assert {path for path, status in answers.items() if status == 302} == set(site.redirects)
    assert set(site.pages) <= linked


def test_if_the_usual_port_is_in_use_it_is_another(site, server):
    with DemoServer(site) as second:
        assert second.url != server.url
        assert get(second, "/") == 200
