"""The folder in which a run works, beside its output: which files are in it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from templex_scrapy.archives.records import ArchiveError
from templex_scrapy.stores import TemplateStore, open_store

DONE = ".done.templex"
"""Ends the name of a folder that is being deleted."""


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The files of a run. What they contain is written and read by the module that is named with each."""

    path: Path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out.

        Raises:
            ArchiveError: if another run works here, or the folder cannot be written.
        """
        # not a file that is there or not: that of a killed run would stay; this lock ends with the process
        with ExitStack() as stack:
            try:
                lock = stack.enter_context(closing(sqlite3.connect(self.path / "lock", timeout=0)))
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                is_other = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
                raise ArchiveError(f"{self.path}: {'another run works here' if is_other else error}") from error
            yield

    def delete(self) -> None:
        """Delete the folder."""
        # a folder of which half was deleted, as by Ctrl-C, must not be found by the next run
        shutil.rmtree(self.path.replace(self.path.with_suffix(DONE)), ignore_errors=True)

    @property
    def grouped(self) -> Path:
        """How much of the input is grouped (``grouping``)."""
        return self.path / "grouped.json"

    def pages(self, partition: int) -> Path:
        """Return the file with the pages of a partition (``grouping``)."""
        return self.path / f"{partition:02}.pages"

    def index(self, partition: int) -> Path:
        """Return the file that says where the pages of a partition are (``grouping``)."""
        return self.path / f"{partition:02}.index"

    def templates(self, partition: int, first: int) -> Path:
        """Return the file with what was learnt of a large site, by its first page (``tasks``)."""
        return self.path / f"{partition:02}-{first}.templates"

    def rows(self, task: int) -> Path:
        """Return the file with the rows of a task (``tasks``)."""
        return self.path / f"{task}.rows"

    def observed(self, task: int) -> Path:
        """Return the file with what observers are to be told of a task (``tasks``, ``observers``)."""
        return self.path / f"{task}.observed"

    def done(self, task: int) -> Path:
        """Return the file with the counts of a task, which is there when it is done (``tasks``)."""
        return self.path / f"{task}.done"

    @property
    def row_index(self) -> Path:
        """Where the row of each page is (``row_index``)."""
        return self.path / "places"

    @property
    def copied(self) -> Path:
        """An empty file, which is there when the store is copied."""
        return self.path / "known"

    def copy_store(self, store: str, sites: Iterable[str]) -> None:
        """Copy what a store has of some sites.

        The store may have more when a run that was ended is resumed, and the rows written by then are not to differ
        from those that follow.
        """
        with closing(open_store(store)) as known, closing(open_store(self._known)) as copy:
            for site in sites:
                for stored in reversed(known.load(site)):  # of those used at the same time, the last one comes first
                    copy.save(site, stored)
        self.copied.touch()

    def known_store(self, store: str | None) -> AbstractContextManager[TemplateStore | None]:
        """Open the copy of a store; None without one."""
        return nullcontext() if store is None else closing(open_store(self._known))

    @property
    def _known(self) -> Path:
        return self.path / "known.sqlite3"
