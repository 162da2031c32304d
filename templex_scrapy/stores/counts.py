"""What a store has done, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class StoreCounts:
    """What a store has done so far; the store changes them, anybody may read them.

    Attributes:
        loaded: templates loaded.
        saved: templates saved, those included that wait to be written.
        refused: templates not saved or not loaded because they are too large.
        set_aside: records set aside because they are damaged or no templates, and damaged files.
        newer: records passed over because a later version wrote them.
        failed: changes that could not be made at once.
        pending: of these, those that wait now.
        lost: of these, those that were never made.
        outages: times that the place of the store went away.
        errors: calls that failed because it was away.
        memory: bytes of templates that are kept in memory now.
        evicted: sites that were dropped from memory because of the bytes they took.
    """

    loaded: int = 0
    saved: int = 0
    refused: int = 0
    set_aside: int = 0
    newer: int = 0
    failed: int = 0
    pending: int = 0
    lost: int = 0
    outages: int = 0
    errors: int = 0
    memory: int = 0
    evicted: int = 0
