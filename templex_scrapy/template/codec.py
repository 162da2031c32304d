"""Templates as plain data, for JSON and MessagePack. Nothing in a store is trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from templex_scrapy.content import Head
from templex_scrapy.mapping import Similarity
from templex_scrapy.metadata import SiteTitle
from templex_scrapy.page import TEXT, NodeArrays, NodeValues
from templex_scrapy.template.page_types import MAX_FEATURES, Voters
from templex_scrapy.votes import Ballot, Blocks, KeyPage

_Format = Literal[11]

FORMAT: _Format = 11
"""Version of the data. Raise both when a field comes, goes or means something else; of that of a store when the way in
which templates are stored changes."""

# compiled, these are integers of 32 bits
_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
_Positive = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**52)]
_Share = Annotated[float, msgspec.Meta(gt=0, le=1)]


# a store may be shared with other programs: whatever a field lacks must not surprise the crawl later
class TemplateData(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The data of a template; the arrays have an entry for each node of the key page."""

    format: _Format
    urls: Annotated[list[str], msgspec.Meta(min_length=1)]
    digests: list[bytes]
    text_digests: Annotated[list[bytes], msgspec.Meta(min_length=1)]
    names: dict[str, _Positive]
    single_share: Annotated[float, msgspec.Meta(ge=0, le=1)]
    site_title: SiteTitle
    votes: _Positive
    is_lone: bool
    similarity: Similarity
    head: Head
    base_url: str
    tag_strings: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    texts: tuple[str | None, ...]
    sizes: tuple[_Positive, ...]
    frame_parents: list[_Count]
    continued: list[_Count]
    present: list[_Positive]
    equal: list[_Positive]
    other_values: dict[_Count, dict[str, _Positive]]
    varying: list[_Count]
    blocks: dict[str, _Positive]
    block_shapes: list[tuple[str, _Positive, _Count]]
    site_texts: Annotated[dict[_Number, _Share], msgspec.Meta(max_length=2 * MAX_FEATURES)]


def to_dict(
    key: KeyPage,
    urls: Sequence[str],
    voters: Voters,
    similarity: Similarity,
    *,
    is_lone: bool,
    site_texts: Mapping[int, float],
) -> dict[str, Any]:
    """Return the parts of a template as plain data, in an order that does not depend on the hash seed."""
    stored = TemplateData(
        format=FORMAT,
        urls=list(urls),
        digests=list(voters.digests),
        text_digests=list(voters.text_digests),
        names=dict(sorted(voters.names.items())),
        single_share=voters.single_share,
        site_title=voters.site_title,
        votes=key.votes_needed,
        is_lone=is_lone,
        similarity=similarity,
        head=key.head,
        base_url=key.values.base,
        tag_strings=key.arrays.tag_strings,
        texts=key.arrays.texts,
        sizes=tuple(key.arrays.sizes),
        frame_parents=sorted(key.arrays.frame_parents),
        continued=sorted(key.arrays.continued),
        present=key.ballot.present,
        equal=key.ballot.equal,
        # sorted: two crawls of the same pages store the same bytes
        other_values=dict(sorted(key.ballot.other_values.items())),
        varying=sorted(key.ballot.varying),
        blocks=dict(sorted(key.blocks.pages.items())),
        block_shapes=sorted(key.blocks.shapes),
        site_texts=dict(sorted(site_texts.items())),
    )
    # to_builtins would share the lists with the template
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(stored))
    return data


def from_dict(data: object) -> dict[str, Any]:
    """Return the arguments of the template that :func:`to_dict` made plain.

    Raises:
        ValueError: if the data is damaged, or of another version.
    """
    try:
        return _arguments(msgspec.convert(data, TemplateData, str_keys=True))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"a stored template is damaged, or of another version: {error}") from error


def _arguments(stored: TemplateData) -> dict[str, Any]:
    nodes = len(stored.tag_strings)
    for array in (stored.texts, stored.sizes, stored.present, stored.equal):
        _require(len(array) == nodes, f"an array has {len(array)} entries for {nodes} nodes")
    pages = len(stored.urls)
    for digests in (stored.digests, stored.text_digests):
        _require(len(digests) == pages, f"{len(digests)} digests of {pages} pages")
    # compiled loops check no index
    for name in ("varying", "other_values", "frame_parents", "continued"):
        _require(max(getattr(stored, name), default=0) < nodes, f"{name} has a position behind the last node")
    _require(all(stored.other_values.values()), "other values are none")
    _require(max(*stored.present, *stored.equal) <= pages, f"a node has more votes than {pages} pages")
    ballot = Ballot(pages, stored.present, stored.equal, stored.other_values, set(stored.varying))
    blocks = Blocks(stored.blocks, stored.block_shapes)
    values = NodeValues(_arrays(stored), stored.base_url, stored.urls[0])
    return {
        "key_page": KeyPage(values, ballot, stored.votes, blocks, stored.head),
        "urls": tuple(stored.urls),
        "voters": Voters(stored.digests, stored.text_digests, stored.names, stored.single_share, stored.site_title),
        "similarity": stored.similarity,
        "is_lone": stored.is_lone,
        "site_texts": stored.site_texts,
    }


def _arrays(stored: TemplateData) -> NodeArrays:
    nodes = len(stored.sizes)
    # if a subtree were larger than that of the parent, loops over children would run past the end
    parents = [-1] * nodes
    _require(stored.sizes[0] == nodes, "the root does not contain all nodes")
    ends = [position + size for position, size in enumerate(stored.sizes)]
    parent = 0
    for position in range(1, nodes):
        while ends[parent] <= position:
            parent = parents[parent]
        is_text = stored.tag_strings[position] == TEXT
        _require(ends[position] <= ends[parent], "a subtree ends behind the parent")
        _require(is_text == (stored.texts[position] is not None), "a text has a start tag")
        parents[position] = parent
        parent = position
    return NodeArrays(
        tag_strings=stored.tag_strings,
        texts=stored.texts,
        sizes=stored.sizes,
        parents=parents,
        slots=[0] * nodes,
        frame_parents=stored.frame_parents,
        continued=stored.continued,
    )


def _require(condition: bool, message: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not condition:
        raise ValueError(message)
