"""What an earlier run that was ended has done already: which run it was, its inputs, store, large sites and tasks."""

from __future__ import annotations

import glob
import hashlib
import json
import shutil
from array import array
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from templex_scrapy.archives.grouping import Grouped
from templex_scrapy.archives.outputs import Counts
from templex_scrapy.archives.records import ArchiveError
from templex_scrapy.archives.tasks import Task
from templex_scrapy.archives.whole_files import read_json
from templex_scrapy.archives.work_folder import DONE, WorkFolder


def folder_of_run(out: Path, files: Iterable[Path], options: Mapping[str, Any]) -> WorkFolder:
    """Return the folder of a run with this output, these input files and options.

    A run that was ended finds its work again only if nothing is different that would change its rows.

    Raises:
        ArchiveError: if the output is a folder, or is to be in one that does not exist.
    """
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ArchiveError(f"{out}: {'is a folder' if out.is_dir() else 'its folder does not exist'}")
    identity = hashlib.blake2b(digest_size=8)
    # another version may learn other templates, and half of the rows would be by the old ones
    identity.update(json.dumps([version("templex-scrapy"), options, out.suffix]).encode())
    for file in files:
        # a link may lead nowhere
        status = file.stat() if file.exists() else file.lstat()
        identity.update(f"{file.absolute()}\n{status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    path = out.absolute().parent / f".{out.name}.{identity.hexdigest()}.templex"
    path.mkdir(exist_ok=True)
    return WorkFolder(path)


def delete_others(folder: WorkFolder, out: Path) -> None:
    """Delete the folders of other runs with this output. Call it with the own folder locked.

    Raises:
        ArchiveError: if another run works in its folder.
    """
    # the names in full: "o.jl" begins "o.jl.parquet"
    names = f".{glob.escape(out.name)}.{'[0-9a-f]' * 16}"
    for done in folder.path.parent.glob(f"{names}{DONE}"):
        shutil.rmtree(done, ignore_errors=True)
    for other in map(WorkFolder, folder.path.parent.glob(f"{names}.templex")):
        if other != folder:
            with other.locked():
                pass
            other.delete()


def grouped_so_far(folder: WorkFolder) -> Grouped:
    """Return what is grouped of the inputs."""
    written = read_json(folder.grouped)
    return Grouped() if written is None else Grouped(**written)


def is_store_copied(folder: WorkFolder) -> bool:
    """Return whether all that the store had of the sites is copied."""
    return folder.copied.exists()


def is_learnt(folder: WorkFolder, large_site: tuple[int, array[int]]) -> bool:
    """Return whether the templates of a large site, given by its partition and positions, are learnt."""
    partition, positions = large_site
    return folder.templates(partition, positions[0]).exists()


def counts_of(folder: WorkFolder, task: Task) -> Counts | None:
    """Return what became of the pages of a task; None if it is still to be done."""
    written = read_json(folder.done(task.number))
    return None if written is None else Counts(**written)
