"""Requests as JSON, for a queue that several processes share.

It is data only: with pickle, whoever can write to the queue could make a worker run code.

What scrapy-redis calls a serializer: a module with `dumps` and `loads`, named by SCHEDULER_SERIALIZER.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any


def dumps(request: Mapping[str, Any]) -> bytes:
    """Writes a request; equal requests give equal bytes.

    Args:
        request: what `Request.to_dict` makes of a request.

    Raises:
        TypeError: meta, cb_kwargs or another part holds what JSON has no word for; the message names request and part.
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
            message = f"{request['url']}: {part} of a request in the queue has to be plain data: {error}"
            raise TypeError(message) from None
    return json.dumps(plain, sort_keys=True, ensure_ascii=True, allow_nan=False).encode("ascii")


def loads(data: bytes) -> dict[str, Any]:
    """Reads what `dumps` has written.

    Raises:
        ValueError: it is something else.
    """
    try:
        plain: dict[str, Any] = json.loads(data)
        headers = {_bytes(name): [_bytes(value) for value in values] for name, values in plain["headers"].items()}
        return {**plain, "body": base64.b64decode(plain["body"], validate=True), "headers": headers}
    except (AttributeError, KeyError, TypeError, UnicodeError) as error:
        message = f"no request in JSON: {data[:80]!r}"
        raise ValueError(message) from error


def _check(value: object) -> None:
    """Raises TypeError for what would not come back as it was; tuples come back as lists, as JSON has it."""
    if isinstance(value, dict):
        for key, held in value.items():
            if not isinstance(key, str):
                message = f"the key {key!r} is no str"
                raise TypeError(message)
            _check(held)
    elif isinstance(value, (list, tuple)):
        for held in value:
            _check(held)
    elif isinstance(value, float) and not math.isfinite(value):
        message = f"{value!r} is no number that JSON has"
        raise TypeError(message)
    elif value is not None and not isinstance(value, (str, int, float)):
        message = f"{value!r} is a {type(value).__name__}"
        raise TypeError(message)


def _text(value: bytes) -> str:
    # One character for each byte: headers are in no charset that one could rely on.
    return value.decode("latin-1")


def _bytes(value: str) -> bytes:
    return value.encode("latin-1")
