"""Results as Parquet and CSV, for pandas, DuckDB, R and spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from templex_bench.experiment import Experiment
from templex_bench.linked import LinkedPage
from templex_bench.results import Results, ResultsError
from templex_bench.writing import checked

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export(results: Results, folder: Path, formats: Iterable[str], *, force: bool = False) -> list[Path]:
    """Write the experiments and the similarities into a folder.

    An earlier export, told by its columns, is replaced. Any other file is left alone, and then nothing is written.

    Args:
        results: the results.
        folder: where the files go; made if it is not there.
        formats: of ``csv`` and ``parquet``.
        force: whether any other file of these names is replaced as well.

    Returns:
        The files that were written. ``parameters`` is JSON in both; in CSV, None is an empty field.

    Raises:
        ResultsError: if a format is not known, Parquet cannot be written because pyarrow is missing, one of the files
            is there and is no export, or something cannot be written.
    """
    tables: Mapping[str, tuple[type, Sequence[Mapping[str, Any]]]] = {
        "experiments": (Experiment, [_experiment(row) for row in results.experiments()]),
        "similarities": (LinkedPage, [_plain(row) for row in results.linked_pages()]),
    }
    formats = list(formats)
    for name in formats:
        if name not in _FORMATS:
            raise ResultsError(f"{name!r} is no format: allowed are {', '.join(_FORMATS)}")
    columns = {name: {field.name: str(field.type) for field in fields(kind)} for name, (kind, _) in tables.items()}
    files = {folder / f"{name}.{extension}": (name, extension) for name in tables for extension in formats}

    def is_export(path: Path) -> bool:
        name, extension = files[path]
        return _FORMATS[extension].columns(path) == list(columns[name])

    try:
        checked(files, is_export, "export of results", force=force)
        folder.mkdir(parents=True, exist_ok=True)
        for path, (name, extension) in files.items():
            _FORMATS[extension].write(path, columns[name], tables[name][1])
    except OSError as error:
        raise ResultsError(f"the export cannot be written: {error}") from error
    return list(files)


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


def _columns_of_csv(path: Path) -> list[str]:
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        try:
            return next(csv.reader(stream), [])
        except csv.Error:
            return []


def _columns_of_parquet(path: Path) -> list[str]:
    pa, pq = _arrow()
    try:
        return list(pq.read_schema(path).names)
    except pa.ArrowInvalid:
        return []


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise ResultsError("Parquet needs pyarrow: pip install 'templex-scrapy[workbench]'") from error
    return pa, pq


def _write_parquet(path: Path, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    pa, pq = _arrow()
    kinds = {"int": pa.int64(), "float": pa.float64()}
    schema = pa.schema([(name, kinds.get(kind.removesuffix(" | None"), pa.string())) for name, kind in columns.items()])
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), path)


@dataclass(frozen=True, slots=True)
class _Format:
    """How a format is written, and how the columns of a file of it are read; none where it is no such file."""

    write: Callable[[Path, Mapping[str, str], Sequence[Mapping[str, Any]]], None]
    columns: Callable[[Path], list[str]]


_FORMATS: Mapping[str, _Format] = {
    "csv": _Format(_write_csv, _columns_of_csv),
    "parquet": _Format(_write_parquet, _columns_of_parquet),
}
