"""One process at a time opens a file or renames it; nobody waits for ever, whoever holds which lock."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from templex_scrapy.stores.errors import StoreUnavailableError
from templex_scrapy.stores.layout import companion

if sys.platform != "win32":
    import fcntl

SUFFIX = "-open"
"""What is added to the name of a file for the one beside it that is locked: empty, and there for moments only."""

_PAUSE = 0.01
"""Seconds between two tries."""


@contextmanager
def opening_lock(path: Path, patience: float) -> Iterator[None]:
    """Keep other processes from opening or renaming a file in the same way meanwhile.

    The lock is on an empty file beside it that is made for that and removed again. Neither the folder nor the file
    itself will do: people lock those, as with ``flock folder scrapy crawl …``, and the crawl would wait for itself.
    What a killed process leaves there is taken over, and removed, by the next. Where no such file can be made or
    locked, as in a folder that cannot be written to, there is no lock; nothing can be renamed there either. The same
    goes for Windows, where an open file cannot be renamed, and for a file of that name in which there is something.

    Args:
        path: the file; it need not exist, but its folder should.
        patience: seconds to wait for another process, at most.

    Raises:
        StoreUnavailableError: if another process, a stopped one perhaps, has had the lock for all that time.
    """
    if sys.platform == "win32":
        yield
        return
    beside = companion(path, SUFFIX)
    descriptor = _locked(beside, patience)
    try:
        yield
    finally:
        if descriptor is not None:
            # before it is unlocked: who waits for it finds that it is gone, and begins with another
            with suppress(OSError):
                beside.unlink()
            os.close(descriptor)


def _locked(beside: Path, patience: float) -> int | None:
    """A descriptor of the locked file; None where there can be none."""
    end = time.monotonic() + patience
    while True:
        try:
            return _attempt(beside)
        except BlockingIOError as error:
            if time.monotonic() >= end:
                raise StoreUnavailableError(f"another process keeps {beside} locked: is it stopped?") from error
            time.sleep(_PAUSE)
        except FileNotFoundError:
            # removed by the one that had it; some file systems never find a file to be the one that was opened
            if time.monotonic() >= end or not beside.parent.is_dir():
                return None
        except OSError:
            return None


def _attempt(beside: Path) -> int:
    """A descriptor of the file, which is locked and still there.

    Raises:
        BlockingIOError: if another process has it.
        FileNotFoundError: if it was removed meanwhile, or cannot be made.
        OSError: if it cannot be locked, or is not to be.
    """
    # neither a link nor a pipe that somebody has put there is followed or waited for
    flags = os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(beside, flags, 0o666)
    try:
        _lock(descriptor, beside)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, beside: Path) -> None:
    opened = os.fstat(descriptor)
    if opened.st_size or not stat.S_ISREG(opened.st_mode):
        raise OSError(f"{beside} is none of ours")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        beside.unlink(missing_ok=True)  # a file system without such locks: it is of no use
        raise
    if not os.path.samestat(opened, beside.stat(follow_symlinks=False)):
        raise FileNotFoundError(f"{beside} is another file by now")
