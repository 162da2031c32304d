"""Reading templates that were stored as plain data: nothing in a store is trusted."""

from __future__ import annotations

from typing import Any

from templex_scrapy.mapping import Similarity
from templex_scrapy.page import TEXT, NodeArrays, NodeValues
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.key_page import KeyPage
from templex_scrapy.template.voters import Voters
from templex_scrapy.template.votes import Ballot

FORMAT = 1
"""Version of the form in which templates are stored."""


def read(data: object) -> dict[str, Any]:
    """The arguments of a template that was written by ``Template.to_dict``.

    Raises:
        ValueError: if the data is not of that form, or of another version of it.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"no stored template of format {FORMAT}: a {type(data).__name__} of another form or version")
    try:
        return _read(data)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"a stored template is damaged: {type(error).__name__}") from error


def _read(data: dict[str, Any]) -> dict[str, Any]:
    arrays = _arrays(data)
    nodes = len(arrays.tag_strings)
    ballot = Ballot(
        voters=_number(data["voters"], 0),
        place=_numbers(data["place"], -1, nodes),
        same=_numbers(data["same"], -1, nodes),
        others={_number(position, 0): _said(said) for position, said in data["others"]},
    )
    urls = _strings(data["urls"])
    digests = [bytes.fromhex(digest) for digest in _strings(data["digests"])]
    _require(len(urls) == len(digests) == ballot.voters + 1, "urls, digests and voters differ in number")
    (base,) = _strings([data["base"]])
    _require(bool(urls), "no key page")
    return {
        "key": KeyPage(
            NodeValues(arrays, base, urls[0]),
            ballot,
            _number(data["votes"], 1),
            _blocks(data),
        ),
        "urls": urls,
        "similarity": Similarity(**data["similarity"]),
        "seen": Voters(digests, _strings(data["kinds"]), _wordings(data, arrays)),
    }


def _wordings(data: dict[str, Any], arrays: NodeArrays) -> list[bytes]:
    # stores from before there were wordings have none; that of the key page is known all the same
    stored = [bytes.fromhex(wording) for wording in _strings(data.get("wordings", []))]
    return [*stored, arrays.text_digest] if arrays.text_digest else stored


def _arrays(data: dict[str, Any]) -> NodeArrays:
    arrays = NodeArrays()
    arrays.tag_strings = _strings(data["labels"])
    nodes = len(arrays.tag_strings)
    arrays.sizes = _numbers(data["sizes"], 1, nodes)
    arrays.texts = [text if text is None else _strings([text])[0] for text in data["texts"]]
    _require(nodes > 0 and len(arrays.texts) == nodes and arrays.sizes[0] == nodes, "nodes are missing")
    arrays.places = [0] * nodes
    arrays.parents = [-1] * nodes
    ends = [nodes]
    stack = [0]
    for position in range(1, nodes):
        while ends[-1] <= position:
            ends.pop()
            stack.pop()
        end = position + arrays.sizes[position]
        _require(end <= ends[-1], "a subtree reaches out of its parent")
        _require(
            (arrays.tag_strings[position] == TEXT) == (arrays.texts[position] is not None), "a text has a start tag"
        )
        arrays.parents[position] = stack[-1]
        stack.append(position)
        ends.append(end)
    return arrays


def _require(condition: bool, message: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not condition:
        raise ValueError(f"a stored template is damaged: {message}")


def _number(value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"a stored template is damaged: a {type(value).__name__} is no number from {least} on")
    return value


def _numbers(values: list[object], least: int, count: int) -> list[int]:
    _require(isinstance(values, list) and len(values) == count, f"not {count} numbers")
    return [_number(value, least) for value in values]


def _strings(values: list[object]) -> list[str]:
    _require(isinstance(values, list) and all(isinstance(value, str) for value in values), "no strings")
    return [str(value) for value in values]


def _blocks(data: dict[str, Any]) -> Blocks:
    shapes = [(_strings([tag_string])[0], _number(size, 1)) for tag_string, size in data["shapes"]]
    return Blocks(_said(data["blocks"]), shapes)


def _said(said: dict[object, object]) -> dict[str, int]:
    return {_strings([what])[0]: _number(pages, 1) for what, pages in said.items()}
