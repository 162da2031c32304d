"""Write files that are complete or absent."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; name it once it is complete on the disk. After an error there is no file."""
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
