"""Where the row of each page is: tasks finish in any order, and the output has the order of the input."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from templex_scrapy.archives.work_folder import WorkFolder

MAX_OPEN = 64
"""Files of rows that are open at once: of most systems a process may have 256 or more, and of other kinds too."""

_ENTRY = struct.Struct("<IQI")  # task, position in its file, length


def make_row_index(folder: WorkFolder, pages: int) -> None:
    """Make the index, with room for each page."""
    with folder.row_index.open("ab") as stream:
        stream.truncate(pages * _ENTRY.size)


def write_row_index(folder: WorkFolder, task: int, rows: Iterable[tuple[int, int, int]]) -> None:
    """Write where the rows of a task are: the number of the page, the position in the file of the task, the length."""
    with folder.row_index.open("r+b") as stream:
        for number, position, length in rows:
            stream.seek(number * _ENTRY.size)
            stream.write(_ENTRY.pack(task, position, length))
        stream.flush()
        # before the task counts as done: after a power cut its rows would be found nowhere
        os.fsync(stream.fileno())


def rows_in_order(folder: WorkFolder) -> Iterator[bytes]:
    """Yield the rows of all pages in the order of the input."""
    opened: dict[int, BinaryIO] = {}  # the most recently used one is the last
    try:
        with folder.row_index.open("rb") as stream:
            while entry := stream.read(_ENTRY.size):
                task, position, length = _ENTRY.unpack(entry)
                file = opened.pop(task, None) or folder.rows(task).open("rb")
                opened[task] = file
                if len(opened) > MAX_OPEN:
                    opened.pop(next(iter(opened))).close()
                # mostly the next row is behind the last one, and a seek would throw the buffer away
                if file.tell() != position:
                    file.seek(position)
                yield file.read(length)
    finally:
        for file in opened.values():
            file.close()
