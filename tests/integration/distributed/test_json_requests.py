"""Requests in the queue are data."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import SOME
from scrapy import FormRequest, Request, Spider
from scrapy.utils.request import request_from_dict

from sample_project.json_requests import dumps, loads

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class Some(Spider):
    name = "some"

    def detail(self, response: Any) -> None:
        """A callback."""

    def failed(self, failure: Any) -> None:
        """An errback."""


def back(request: Request) -> Request:
    """A request on its way through the queue."""
    spider = Some()
    return request_from_dict(loads(dumps(request.to_dict(spider=spider))), spider=spider)


def test_a_request_comes_back_as_it_was() -> None:
    spider = Some()
    request = Request(
        "https://site.test/ä?q=1",
        callback=spider.detail,
        errback=spider.failed,
        method="POST",
        headers={"X-Odd": "\xe9", "Accept": ["a", "b"]},
        body=bytes(range(256)),
        cookies={"c": "1"},
        meta={"templex": False, "depth": 3},
        priority=-2,
        dont_filter=True,
        flags=["f"],
        cb_kwargs={"n": 1},
    )
    again = back(request)
    same = ("url", "method", "headers", "body", "cookies", "meta", "priority", "dont_filter", "flags", "cb_kwargs")
    assert [getattr(again, name) for name in same] == [getattr(request, name) for name in same]
    assert again.callback.__name__ == "detail"
    assert again.errback.__name__ == "failed"


def test_the_kind_of_request_comes_back() -> None:
    assert type(back(FormRequest("https://site.test/", formdata={"a": "b"}))) is FormRequest


@SOME
@given(meta=st.dictionaries(st.text(), PLAIN, max_size=4), body=st.binary(max_size=50))
def test_any_plain_meta_and_any_body_come_back(meta: dict[str, Any], body: bytes) -> None:
    again = back(Request("https://site.test/", meta=meta, body=body))
    assert (again.meta, again.body) == (meta, body)


def test_equal_requests_are_equal_bytes() -> None:
    one, other = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    written = [dumps(Request("https://site.test/", meta=meta).to_dict()) for meta in (one, other)]
    assert written[0] == written[1]


@pytest.mark.parametrize("value", [object(), math.nan, b"bytes", {1: "a"}, {"deep": [object()]}, {1, 2}])
def test_what_is_no_data_is_refused_by_name(value: Any) -> None:
    with pytest.raises(TypeError, match=r"https://site\.test/: meta of a request"):
        dumps(Request("https://site.test/", meta={"held": value}).to_dict())


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"null", b"\xff", b'{"headers": [], "body": "!"}', pickle.dumps({})]
)
def test_what_is_no_request_in_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"no request|Expecting|utf-8"):
        loads(data)
