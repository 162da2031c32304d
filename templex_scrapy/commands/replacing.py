"""Writing files whose old content is not lost when the new one cannot be had."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what this process has open already; behind them may be a regular file."""


@contextmanager
def replacing(file: str) -> Iterator[BinaryIO]:
    """A stream for the new content of a file; after an error the file is as it was before, or not there.

    What is no regular file, such as a pipe or a terminal, is written to at once.

    Args:
        file: its name. A link stays a link, and the file keeps its rights.

    Raises:
        OSError: if it cannot be written; the error names it.
    """
    path = Path(file)
    try:
        if str(path.absolute()).startswith(_STREAMS) or (path.exists() and not path.is_file()):
            with path.open("wb") as stream:
                yield stream
            return
        path = path.resolve()
        with beside(path) as stream:
            yield stream
            if path.exists():
                shutil.copymode(path, stream.name)
    except OSError as error:
        raise OSError(error.errno, error.strerror, file) from error


@contextmanager
def beside(path: Path) -> Iterator[BinaryIO]:
    """A stream for the new content of a regular file, which takes its place at the end, and after an error never does.

    Whoever reads the file meanwhile sees the old one or the new one, and never half of one.

    Raises:
        OSError: if it cannot be written.
    """
    new = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with new.open("xb") as stream:
            yield stream
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
