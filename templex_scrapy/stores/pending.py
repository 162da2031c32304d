"""Changes that wait for the place where they are to be made."""

from __future__ import annotations

from collections.abc import Mapping

from templex_scrapy.stores.edits import Forget, Save
from templex_scrapy.stores.protocol import Edit, Row, Use, total

_SMALL = 200
"""Bytes that an entry is reckoned to take beside the template in it."""

_Name = tuple[str, str | None]
_Entry = Edit | Use


class Pending:
    """Edits and uses by site, in the order in which they came, joined where one is as good as two.

    Args:
        max_bytes: bytes that may wait; the oldest give way to newer ones.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._sites: dict[str, dict[_Name, _Entry]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._sites.values()))

    def __bool__(self) -> bool:
        return bool(self._sites)

    def add_edit(self, site: str, edit: Edit) -> int:
        """Remember an edit; returns how many older changes were lost for it."""
        name = (type(edit).__name__, edit.key)
        waiting = self._sites.get(site, {})
        earlier = waiting.get(name)
        if isinstance(edit, Save) and isinstance(earlier, Save):
            edit = edit.after(earlier)
        elif isinstance(edit, Forget):
            # it leaves nothing of what waits, and what comes after it has to stay after it
            for other in [other for other in waiting if edit.key in {None, other[1]}]:
                self._remove(site, other)
        return self._add(site, name, edit)

    def add_uses(self, site: str, uses: Mapping[str, Use]) -> int:
        """Remember uses; returns how many older changes were lost for them."""
        lost = 0
        for key, use in uses.items():
            name = (Use.__name__, key)
            earlier = self._sites.get(site, {}).get(name)
            joined = use
            if isinstance(earlier, Use):
                # last of all, since the template may have been saved since
                self._remove(site, name)
                joined = Use(total(earlier.times, use.times), max(earlier.last, use.last))
            lost += self._add(site, name, joined)
        return lost

    def over(self, site: str, rows: Mapping[str, Row]) -> dict[str, Row]:
        """The rows of a site as they would be if nothing waited."""
        result = dict(rows)
        for (_, key), entry in self._sites.get(site, {}).items():
            if not isinstance(entry, Use):
                result = entry(result).applied(result)
            elif key in result:
                row = result[key]
                last = max(row.last_used or 0, entry.last)
                result[key] = Row(row.head, row.body, total(row.served, entry.times), last)
        return result

    def sites(self) -> list[str]:
        """The sites for which something waits."""
        return list(self._sites)

    def first(self) -> tuple[str, _Entry, str | None]:
        """The oldest change of the site that has waited for longest: the site, the change and the key of its template.

        Raises:
            StopIteration: if nothing waits.
        """
        site, waiting = next(iter(self._sites.items()))
        (_, key), entry = next(iter(waiting.items()))
        return site, entry, key

    def remove_first(self) -> None:
        """Forget the change that :meth:`first` gives."""
        site, waiting = next(iter(self._sites.items()))
        self._remove(site, next(iter(waiting)))

    def _add(self, site: str, name: _Name, entry: _Entry) -> int:
        waiting = self._sites.setdefault(site, {})
        if name in waiting:
            self._size -= _size(waiting[name])
        waiting[name] = entry
        self._size += _size(entry)
        lost = 0
        while self._size > self._max_bytes and len(self) > 1:
            self.remove_first()
            lost += 1
        return lost

    def _remove(self, site: str, name: _Name) -> None:
        waiting = self._sites[site]
        self._size -= _size(waiting.pop(name))
        if not waiting:
            del self._sites[site]


def _size(entry: _Entry) -> int:
    return _SMALL + (len(entry.row.head) + len(entry.row.body or b"") if isinstance(entry, Save) else 0)
