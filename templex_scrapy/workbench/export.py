"""Results as Parquet and CSV, for pandas, DuckDB, R and spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.linked import LinkedPage
from templex_scrapy.workbench.results import Results, ResultsError

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export(results: Results, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write the experiments and the similarities into a folder.

    Args:
        results: the results.
        folder: where the files go; made if it is not there.
        formats: of ``csv`` and ``parquet``.

    Returns:
        The files that were written. ``parameters`` is JSON in both; in CSV, None is an empty field.

    Raises:
        ResultsError: if a format is not known, or Parquet cannot be written because pyarrow is missing.
    """
    tables: Mapping[str, tuple[type, Sequence[Mapping[str, Any]]]] = {
        "experiments": (Experiment, [_experiment(row) for row in results.experiments()]),
        "similarities": (LinkedPage, [_plain(row) for row in results.linked_pages()]),
    }
    writers = [_writer(name) for name in formats]
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, (kind, rows) in tables.items():
        columns = {field.name: str(field.type) for field in fields(kind)}
        for extension, write in writers:
            write(folder / f"{name}.{extension}", columns, rows)
            written.append(folder / f"{name}.{extension}")
    return written


_Write = Callable[[Path, Mapping[str, str], Sequence[Mapping[str, Any]]], None]


def _writer(name: str) -> tuple[str, _Write]:
    writers: Mapping[str, _Write] = {"csv": _write_csv, "parquet": _write_parquet}
    if name not in writers:
        raise ResultsError(f"{name!r} is no format: allowed are {', '.join(writers)}")
    return name, writers[name]


def _plain(row: Experiment | LinkedPage) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _experiment(row: Experiment) -> dict[str, Any]:
    return {**_plain(row), "parameters": json.dumps(row.parameters, sort_keys=True, ensure_ascii=False)}


def _write_csv(path: Path, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)


def _cell(value: object) -> object:
    # what begins so, a spreadsheet would run
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _write_parquet(path: Path, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise ResultsError("Parquet needs pyarrow: pip install 'templex-scrapy[workbench]'") from error
    kinds = {"int": pa.int64(), "float": pa.float64()}
    schema = pa.schema([(name, kinds.get(kind.removesuffix(" | None"), pa.string())) for name, kind in columns.items()])
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), path)
