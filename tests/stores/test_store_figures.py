"""Sizes and times of templates of the saved sites in each kind of store; prints them: pytest -m slow -s -k figures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest
from store_cases import WHEN, later, same

from templex_scrapy import Page, Template
from templex_scrapy.stores import Backend, Store, StoredTemplate, wire

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"
TURNS = 5


def templates() -> Iterator[tuple[str, StoredTemplate]]:
    """One template of each saved site: its first gold key page, by the votes of its first three other pages."""
    for description in sorted(SITES.glob("*/site.json")):
        site = json.loads(description.read_text(encoding="utf-8"))
        folder = description.parent / "www"
        key = site["gold"]["key_pages"][0]
        others = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
        paths = [key, *[path for path in others if path != key][:3]]
        pages = [Page((folder / path).read_bytes(), site["base_url"] + path) for path in paths]
        yield site["name"], StoredTemplate.of(Template.from_pages(pages[0], pages[1:]), WHEN)


def milliseconds(work: Callable[[], object]) -> float:
    """The median of some turns."""
    times = []
    for _ in range(TURNS):
        begun = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begun))
    return median(times)


@pytest.mark.shared
@pytest.mark.slow
def test_figures_of_real_templates(backend: Backend):
    real = dict(templates())
    if not real:
        pytest.skip(f"no saved sites in {SITES}")
    store = Store(backend)
    print(f"\n{type(backend).__name__}: milliseconds, and bytes in the store")
    print(
        f"{'':32} {'nodes':>6} {'save':>7} {'load':>7} {'used':>7} {'version':>7} {'head':>6} {'body':>7} {'JSON':>8}"
    )
    rows = []
    for name, one in real.items():
        head, body = wire.encode(name, one)
        saves = iter([one, *(one.grown(one.template, later(turn + 1)) for turn in range(TURNS))])
        row = (
            len(one.template.to_dict()["labels"]),
            milliseconds(lambda name=name, saves=saves: store.save(name, next(saves))),
            milliseconds(lambda name=name: store.load(name)),
            milliseconds(lambda name=name, one=one: store.used(name, {one.key: 1}, WHEN)),
            milliseconds(lambda name=name: store.version(name)),
            len(wire.encode_head(head)),
            len(body),
            head.inflated,
        )
        rows.append(row)
        print(line(name, row))
        (found,) = store.load(name)
        assert found.template.to_dict() == one.template.to_dict()
    print(line("median", tuple(median(column) for column in zip(*rows, strict=True))))
    store.forget(next(iter(real)))
    assert same(store.load(next(iter(real))))


def line(name: str, row: tuple[float, ...]) -> str:
    nodes, *times, head, body, plain = row
    return (
        f"{name:32} {nodes:6.0f} " + " ".join(f"{one:7.2f}" for one in times) + f" {head:6.0f} {body:7.0f} {plain:8.0f}"
    )
