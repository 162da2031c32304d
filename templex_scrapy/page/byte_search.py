"""The search for a byte; compiled modules have it from ``byte_search.pxd``, where it is one of the C library."""

from __future__ import annotations


def find_byte(data: bytes, byte: int, start: int, end: int) -> int:
    """Return the position of a byte in ``[start, end)``; -1 if it is not there."""
    return data.find(byte, start, end)
