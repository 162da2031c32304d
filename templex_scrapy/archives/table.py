"""Clean Arrow tables, for example in Ray, Spark and datatrove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from templex_scrapy.archives.cleaning import clean_site
from templex_scrapy.archives.records import Record
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import site_of

if TYPE_CHECKING:
    import pyarrow as pa


def clean_table(
    table: pa.Table,
    *,
    url: str = "url",
    html: str = "html",
    outputs: Mapping[str, str] | None = None,
    cleaner: SiteCleaner | None = None,
) -> pa.Table:
    """Clean the pages of a table of one site. If the table has several sites, clean each site by itself.

    Args:
        table: a row for each page.
        url: the column of addresses.
        html: the column of sources, text or bytes. The result has this column only if an output has the same name.
        outputs: column → attribute of :class:`~templex_scrapy.CleanPage`; by default ``html`` in its own column.
        cleaner: templates of the site, if learnt before; by default they are learnt from the table.

    Returns:
        The same rows: the other columns, then the outputs. The outputs are empty if the page is missing or too large;
        ``html`` is then the page as it was.

    Raises:
        KeyError: if a column is missing.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra

    from templex_scrapy.archives.parquet import value_of  # noqa: PLC0415 - needs pyarrow

    outputs = {html: "html"} if outputs is None else outputs
    sites: dict[str, list[int]] = {}
    for number, address in enumerate(table.column(url)):
        sites.setdefault(site_of(value_of(address) or "") or "", []).append(number)
    addresses, sources = table.column(url), table.column(html)
    # several sites are no error: a user who groups by domain has several hosts in a table
    values: list[dict[str, str | None]] = [{}] * table.num_rows

    # a single page at a time becomes a Python value, since a table may fill the memory
    def read(numbers: list[int]) -> Iterator[Record]:
        return (Record.of_row(value_of(addresses[n]), value_of(sources[n]), n) for n in numbers)

    for numbers in sites.values():
        for record, cleaned in clean_site(partial(read, numbers), outputs, cleaner=cleaner)[1]:
            values[record.columns] = cleaned.values
    kept = table.drop_columns([name for name in table.column_names if name == html or name in outputs])
    for name in outputs:
        kept = kept.append_column(name, pa.array([row[name] for row in values], pa.string()))
    return kept
