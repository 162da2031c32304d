"""Requests as JSON: for a queue that several processes share, and for the job directory.

It is data only: with pickle, whoever can write to the queue could make a worker run code.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any


def dumps(request: Mapping[str, Any]) -> bytes:
    """Write a request; equal requests give equal bytes.

    Args:
        request: what ``Request.to_dict`` makes of a request.

    Raises:
        TypeError: if meta, cb_kwargs or another part holds what JSON has no word for; the message names request and
            part. Tuples come back as lists.
    """
    plain = {
        **request,
        "body": base64.b64encode(request["body"]).decode("ascii"),
        "headers": {_text(name): [_text(value) for value in values] for name, values in request["headers"].items()},
    }
    for part, value in plain.items():
        try:
            _check(value)
        except TypeError as error:
            raise TypeError(f"{request['url']}: {part} of a request has to be plain data: {error}") from None
    return json.dumps(plain, sort_keys=True, ensure_ascii=True, allow_nan=False).encode("ascii")


def loads(data: bytes) -> dict[str, Any]:
    """Read what :func:`dumps` has written, for ``request_from_dict``.

    Raises:
        ValueError: if it is something else.
    """
    try:
        plain: dict[str, Any] = json.loads(data)
        headers = {_bytes(name): [_bytes(value) for value in values] for name, values in plain["headers"].items()}
        return {**plain, "body": base64.b64decode(plain["body"], validate=True), "headers": headers}
    except (AttributeError, KeyError, TypeError, UnicodeError) as error:
        raise ValueError(f"no request in JSON: {data[:80]!r}") from error


def _check(value: object) -> None:
    """Raise TypeError for what would not come back as it was; tuples come back as lists, as JSON has it."""
    if isinstance(value, dict):
        for key, held in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is no str")
            _check(held)
    elif isinstance(value, (list, tuple)):
        for held in value:
            _check(held)
    elif isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{value!r} is no number that JSON has")
    elif value is not None and not isinstance(value, (str, int, float)):
        raise TypeError(f"{value!r} is a {type(value).__name__}")


def _text(value: bytes) -> str:
    # one character for each byte: headers are in no charset that one could rely on
    return value.decode("latin-1")


def _bytes(value: str) -> bytes:
    return value.encode("latin-1")
