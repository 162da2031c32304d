"""What the tests let processes of their own do with a store."""

from __future__ import annotations

import os
import time
from pathlib import Path

from store_cases import KEYS, SITE, later, stored

from templex_scrapy.stores import open_directly, open_store


def note(path: str, line: str) -> None:
    """Append a line to a file that several processes write to."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def noted(path: Path) -> list[str]:
    """The lines of such a file."""
    return path.read_text().split() if path.exists() else []


def learn(where: str, log: str, owner: str, sites: list[str], seconds: float) -> None:
    """Get a template for each site: load it, or learn it if nobody else is at it."""
    with open_store(where) as store:
        for site in sites:
            while not store.load(site):
                if not store.lease(site, owner, seconds):
                    time.sleep(0.005)
                elif store.load(site):
                    store.release(site, owner)
                else:
                    note(log, site)
                    time.sleep(0.02)
                    store.save(site, stored(1, notes={"by": owner}))
                    store.release(site, owner)


def take_and_hang(where: str, log: str, seconds: float) -> None:
    """Take a lease and never give it back."""
    with open_store(where) as store:
        assert store.lease(SITE, "the dead", seconds)
        note(log, "taken")
        time.sleep(600)


def write(where: str, number: int, turns: int) -> None:
    """Save and count over and over."""
    with open_store(where) as store:
        for turn in range(turns):
            store.save(f"site{turn % 5}", stored(number, learnt=later(turn)))
            store.used(f"site{turn % 5}", {KEYS[number]: 1}, later(turn))
        assert store.counts.failed == 0, store.counts


def look(where: str, templates: int) -> None:
    """Find so many templates in a store, and let go of it."""
    with open_store(where) as store:
        assert len(store.load(SITE)) == templates


def write_for_ever(where: str, log: str, number: int) -> None:
    """Save sites without end, and tell of each when it is saved."""
    with open_directly(where, create=True) as store:
        for turn in range(10**9):
            name = f"{number}-{turn}"
            store.save(name, stored(number % 6))
            note(log, name)


def open_damaged(where: str, number: int) -> None:
    """Use a store whose file is damaged."""
    with open_store(where) as store:
        store.load(SITE)
        store.save(f"site{number}", stored(number))
        assert store.load(f"site{number}")
