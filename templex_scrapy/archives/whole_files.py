"""Files that are there whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole(file: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that gets its name when all of it is on the disk; after an error there is none."""
    # another process may write the same file, in another container even
    new = file.with_name(f".{file.name}.{secrets.token_hex(4)}.tmp")
    try:
        with new.open("wb") as stream:
            yield stream
            stream.flush()
            # the name must not be on the disk before the content
            os.fsync(stream.fileno())
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def write_json(file: Path, data: Any) -> None:
    """Write a file of plain data, whole."""
    with whole(file) as stream:
        stream.write(json.dumps(data).encode("ascii"))


def read_json(file: Path) -> Any:
    """Read a file of plain data; None if there is none."""
    return json.loads(file.read_bytes()) if file.exists() else None
