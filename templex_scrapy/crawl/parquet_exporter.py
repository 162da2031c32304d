"""A feed exporter for Parquet, on pyarrow.

    FEED_EXPORTERS = {"parquet": "templex_scrapy.ParquetItemExporter"}
    FEEDS = {"items.parquet": {"format": "parquet", "overwrite": True}}

The exporter writes row groups while the crawl runs, so that memory is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder

# not from archives' own names: pyarrow is an extra
from templex_scrapy.archives.row_groups import ROW_GROUP_BYTES, ROW_GROUP_ROWS, RowGroups

_JSON = ScrapyJSONEncoder(ensure_ascii=False)


class ParquetItemExporter(BaseItemExporter):
    """Exports items to a Parquet file.

    The columns are the `fields` of the feed, or else the fields of the items in the first row group. Their types are
    those of the values in the first row group. Nested values are stored as JSON. A value that does not fit its column
    is left empty, and a warning is logged.

    Args:
        row_group_items: items in a row group, at most.
        row_group_bytes: characters of the texts that wait for their row group, at most.
        **kwargs: the options of all of Scrapy's exporters.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        row_group_items: int = ROW_GROUP_ROWS,
        row_group_bytes: int = ROW_GROUP_BYTES,
        **kwargs: Any,
    ) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._rows = RowGroups(file, _JSON.encode, rows=row_group_items, nbytes=row_group_bytes)

    def export_item(self, item: object) -> None:
        """Take an item; write a row group when enough of them wait."""
        adapter = ItemAdapter(item)
        columns = self._columns([*adapter.field_names(), *adapter])
        self._rows.add(
            {
                column: self.serialize_field(adapter.get_field_meta(name), column, adapter[name])
                for name, column in columns.items()
                if name in adapter
            }
        )

    def finish_exporting(self) -> None:
        """Write the last row group and the end of the file; Scrapy closes the file."""
        self._rows.finish(self._columns([]).values())

    def _columns(self, names: list[str]) -> dict[str, str]:
        """Return name of a field → name of the column."""
        fields = self.fields_to_export
        return dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields or names}
