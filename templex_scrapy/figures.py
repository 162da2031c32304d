"""Figures as people read them, in logs, reports and commands."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: ``1 page``, ``2,000 pages``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def share(before: int, after: int) -> str:
    """Return the share that was removed."""
    return percent((before - after) / before if before else 0.0)


def percent(part: float) -> str:
    """Return a share in percent."""
    # a share of 0.3% shown as 0% would look as if nothing had been removed
    return "<1%" if 0 < part < 0.005 else f"{part:.0%}"
