"""One function for Ray, Spark, datatrove and whatever else works on tables of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from templex_scrapy.archives.outputs import clean_site
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
    """Clean the pages of a table of one site; the rows of several sites are cleaned apart.

    Args:
        table: a row for each page.
        url: the column of their addresses.
        html: the column of their sources, texts or bytes. It is in the result if an output has its name.
        outputs: column → attribute of :class:`~templex_scrapy.CleanPage`; by default ``html`` in its own column.
        cleaner: the templates of the site, where they were learnt before; otherwise they are learnt from the table.

    Returns:
        The same rows with the other columns, and with the outputs behind them. The outputs of a row without a page, or
        with one that is too large, are empty; that of ``html`` is then the page as it was.

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
    # rows of several sites are no error: whoever groups by domain has those of its hosts together
    values: list[dict[str, str | None]] = [{}] * table.num_rows

    # one page at a time becomes a Python value, since a table may be as large as the memory
    def read(numbers: list[int]) -> Iterator[Record]:
        return (Record.of_row(value_of(addresses[n]), value_of(sources[n]), n) for n in numbers)

    for numbers in sites.values():
        for record, cleaned in clean_site(partial(read, numbers), outputs, cleaner=cleaner)[1]:
            values[record.columns] = cleaned.values
    kept = table.drop_columns([name for name in table.column_names if name == html or name in outputs])
    for name in outputs:
        kept = kept.append_column(name, pa.array([row[name] for row in values], pa.string()))
    return kept
