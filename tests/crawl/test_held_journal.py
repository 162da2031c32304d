"""The journal: what is noted survives the process, and nothing that happens to the file is fatal."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from templex_scrapy.crawl.journal import MAX_SET_ASIDE, Journal, JournalError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "held.sqlite3"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    journal = Journal(path)
    yield journal
    if journal._connection is not None:
        journal._connection.close()


def written(path: Path, *data: bytes) -> list[int]:
    """A journal that was left with these lines."""
    journal = Journal(path)
    numbers = [journal.add(one) for one in data]
    journal.close()
    return numbers


def contents(path: Path) -> list[bytes]:
    """The lines in a journal, read once."""
    journal = Journal(path)
    lines = [line.data for line in journal.lines()]
    journal.close()
    return lines


def edit(path: Path, *statements: str) -> None:
    """Change a database behind the journal's back."""
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def test_lines_come_back_in_the_order_of_noting(path: Path) -> None:
    written(path, b"one", b"two", b"three")
    assert contents(path) == [b"one", b"two", b"three"]


def test_what_is_noted_survives_a_kill(path: Path) -> None:
    """The process is killed with the file open, in the middle of its work."""
    code = (
        "import os, signal, sys; from pathlib import Path; from templex_scrapy.crawl.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "numbers = [journal.add(b'%d' % i) for i in range(500)]\n"
        "journal.remove(numbers[1:])\n"
        "journal.tried(numbers[0])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)  # noqa: S603 - the code above
    assert ended.returncode == -signal.SIGKILL
    (line,) = Journal(path).lines()
    assert (line.data, line.tries) == (b"0", 1)


def test_no_file_before_there_is_something_to_note(journal: Journal, path: Path) -> None:
    assert journal.lines() == []
    journal.close()
    assert not path.parent.exists()


def test_a_journal_without_lines_is_removed_and_one_with_lines_is_not(path: Path) -> None:
    journal = Journal(path)
    first, _ = journal.add(b"1"), journal.add(b"2")
    journal.remove([first])
    journal.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    journal.remove([line.number for line in journal.lines()])
    journal.close()
    assert list(path.parent.iterdir()) == []


def test_a_removed_line_never_lends_its_number_to_another(path: Path) -> None:
    """A request may still be under way that was made for it."""
    numbers = written(path, b"1", b"2")
    journal = Journal(path)
    journal.remove(numbers)
    journal.close()
    assert not set(numbers) & set(written(path, b"3", b"4"))


def test_the_file_stays_small_however_much_passes_through_it(journal: Journal, path: Path) -> None:
    open_lines: list[int] = []
    for _ in range(3000):
        open_lines.append(journal.add(bytes(2000)))
        if len(open_lines) > 50:
            journal.remove([open_lines.pop(0)])
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 3_000_000


def test_what_is_set_aside_is_not_read_again_but_kept_within_a_bound(path: Path) -> None:
    numbers = written(path, *(b"%d" % i for i in range(MAX_SET_ASIDE + 20)))
    journal = Journal(path)
    journal.set_aside(numbers[1:], "no requests")
    assert [line.data for line in journal.lines()] == [b"0"]
    journal.close()
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT data FROM lines WHERE why = 'no requests' ORDER BY number").fetchall()
    assert (len(rows), rows[-1]) == (MAX_SET_ASIDE, (b"%d" % (MAX_SET_ASIDE + 19),))


def test_lines_of_any_type_are_read_as_what_they_should_be(path: Path) -> None:
    """SQLite keeps whatever anybody writes into a column."""
    written(path, b"kept")
    edit(
        path,
        "INSERT INTO lines VALUES (1, 17, 'many', NULL)",
        "INSERT INTO lines VALUES (2, CAST(x'ff00' AS TEXT), 2.5, NULL)",
    )
    assert [(line.data, line.tries) for line in Journal(path).lines()] == [(b"17", 0), (b"\xff\x00", 2), (b"kept", 0)]


def test_a_second_crawl_on_the_same_file_goes_without(journal: Journal, path: Path) -> None:
    """It would take the pages of the first for ones that a dead run has left."""
    number = journal.add(b"mine")
    other = Journal(path)
    with pytest.raises(JournalError, match="locked"):
        other.lines()
    with pytest.raises(JournalError, match="locked"):
        other.add(b"theirs")
    other.close()
    journal.tried(number)
    assert [(line.data, line.tries) for line in journal.lines()] == [(b"mine", 1)]


@pytest.mark.parametrize(
    "data", [b"SQLite", os.urandom(5000), b"x" * 100_000, b"SQLite format 3\0" + bytes(8000)], ids=len
)
def test_a_damaged_file_is_set_aside_and_a_new_one_begun(
    path: Path, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    journal = Journal(path)
    assert journal.lines() == []
    journal.add(b"new")
    journal.close()
    assert contents(path) == [b"new"]
    assert path.with_name(f"{path.name}.broken-1").read_bytes() == data
    assert len(caplog.records) == 1


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9])
def test_a_truncated_file_is_set_aside(path: Path, share: float) -> None:
    written(path, *(bytes(3000) for _ in range(20)))
    os.truncate(path, int(path.stat().st_size * share))
    assert contents(path) == []
    assert path.with_name(f"{path.name}.broken-1").exists()


@pytest.mark.parametrize(
    "statement", ["ALTER TABLE lines ADD COLUMN more", "CREATE TRIGGER t AFTER INSERT ON lines BEGIN SELECT 1; END"]
)
def test_other_tables_than_its_own_are_set_aside(path: Path, statement: str) -> None:
    written(path, b"1")
    edit(path, statement)
    assert contents(path) == []
    assert path.with_name(f"{path.name}.broken-1").exists()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA application_id = 7", "another program"),
        ("PRAGMA user_version = 99", "later version"),
    ],
)
def test_what_belongs_to_others_is_left_alone(path: Path, statement: str, message: str) -> None:
    written(path, b"1")
    edit(path, statement)
    before = path.read_bytes()
    journal = Journal(path)
    for use in (journal.lines, lambda: journal.add(b"2")):
        with pytest.raises(JournalError, match=message):
            use()
    journal.close()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_is_tried_once(path: Path) -> None:
    path.mkdir(parents=True)
    journal = Journal(path)
    for _ in range(2):
        with pytest.raises(JournalError, match=path.name):
            journal.add(b"1")
        path.rmdir() if path.exists() else None


def test_a_full_disk_passes(journal: Journal) -> None:
    """What was noted can be struck out, and then there is room again."""
    first = journal.add(b"1")
    assert journal._connection is not None
    journal._connection.execute("PRAGMA max_page_count = 4")
    with pytest.raises(JournalError, match="full"):
        journal.add(bytes(100_000))
    journal.remove([first])
    journal.add(b"2")
    assert [line.data for line in journal.lines()] == [b"2"]
