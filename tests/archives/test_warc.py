"""Pages of WARC and WACZ files."""

from __future__ import annotations

import gzip
import io
import sys
import time
import zipfile
import zlib
from typing import Any

import pytest
from helpers.archived import packed, pages, record, response, warc, with_peak

from templex_scrapy.archives import ArchiveError, Record, Skipped
from templex_scrapy.archives.records import MAX_BYTES, Skip
from templex_scrapy.archives.warc import read_wacz, read_warc

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
FIVE = warc(pages(5))
URLS = [page.url for page in pages(5)]
BODY = b"<html><body><p>Words</p></body></html>"


def read_made(content: bytes) -> list[Any]:
    return list(read_warc(io.BytesIO(content), "made"))


def read(content: bytes) -> list[str]:
    """The addresses of the pages, and why others are passed over."""
    return [one.url if isinstance(one, Record) else one.why.name for one in read_made(content)]


@pytest.mark.parametrize(
    "content",
    [b"".join(FIVE), packed(FIVE), gzip.compress(b"".join(FIVE)), packed(FIVE) + b"\0" * 100, b"\r\n".join(FIVE)],
)
def test_pages_come_in_their_order(content: bytes) -> None:
    found = read_made(content)
    assert found == [Record(page.url, page.text.encode()) for page in pages(5)]


def zstd_frames(records: list[bytes]) -> bytes:
    zstd = pytest.importorskip(ZSTD)
    return b"".join(zstd.compress(one, options={zstd.CompressionParameter.checksum_flag: 1}) for one in records)


def with_dictionary(records: list[bytes]) -> bytes:
    """Frames behind the one that has their dictionary."""
    zstd = pytest.importorskip(ZSTD)
    trained = zstd.train_dict([b"%d" % n + one for n in range(20) for one in records], 1000)
    content = zstd.compress(trained.dict_content)
    first = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    return first + b"".join(zstd.compress(one, zstd_dict=trained) for one in records)


@pytest.mark.parametrize("pack", [zstd_frames, with_dictionary, lambda records: zstd_frames([b"".join(records)])])
def test_files_of_zstd_are_read(pack) -> None:  # type: ignore[no-untyped-def]
    assert read(pack(FIVE)) == URLS


def test_a_file_of_zstd_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    content = with_dictionary(FIVE)
    with pytest.raises(ArchiveError, match="its dictionary is damaged"):
        read(content[:8] + b"\0" * 4 + content[12:])
    monkeypatch.setitem(sys.modules, ZSTD, None)
    with pytest.raises(ArchiveError, match=r"made: zstd needs a library: pip install backports\.zstd"):
        read(content)


def test_rows_have_date_id_and_status() -> None:
    (found,) = read_made(FIVE[0].replace(b"\r\n", b"\r\nWARC-Record-ID: <urn:uuid:1>\r\n", 1))
    wanted = {"warc_date": "2026-01-01T00:00:00Z", "record_id": "<urn:uuid:1>", "status": 200}
    assert isinstance(found, Record)
    assert found.columns == wanted


@pytest.mark.parametrize("pack", [b"".join, packed, zstd_frames], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize("length", [0, 50, 250, 600, 10**7, 10**15, -5, "x"])
def test_a_wrong_length_costs_no_other_page(pack, length) -> None:  # type: ignore[no-untyped-def]
    wrong = record("https://site.test/wrong", response(BODY * 5), length=length)
    found = read(pack([FIVE[0], wrong, *FIVE[1:]]))
    assert [one for one in found if one.startswith("https")] == [URLS[0], *URLS[1:]], found
    assert "DAMAGED" in found


@pytest.mark.parametrize("pack", [packed, zstd_frames], ids=["gzip", "zstd"])
def test_damaged_members_cost_no_other_page(pack) -> None:  # type: ignore[no-untyped-def]
    members = [pack([one]) for one in FIVE]
    broken = members[1][:60] + b"\0\0\0\0" + members[1][64:]
    for damaged in (broken, members[1][: len(members[1]) // 2], b"garbage\n" * 30):
        assert read(members[0] + damaged + b"".join(members[2:])) == [URLS[0], "DAMAGED", *URLS[2:]]
    assert read(b"".join(members)[:-30]) == [*URLS[:4], "DAMAGED"]
    assert read(members[0] + b"garbage") == [URLS[0], "DAMAGED"]


def test_a_page_behind_garbage_is_read() -> None:
    assert read(b"garbage\n" * 1000 + FIVE[0]) == ["DAMAGED", URLS[0]]


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n\r", b"\r\n" * 3])
def test_a_gap_costs_no_page_before_it(end: bytes) -> None:
    one, two, three = (gzip.compress(page.removesuffix(b"\r\n\r\n") + end) for page in FIVE[:3])
    assert read(one + b"garbage" + two + three) == [URLS[0], "DAMAGED", *URLS[1:3]]
    assert read(one + two[:30] + b"\xff" * 9 + two[39:] + three) == [URLS[0], "DAMAGED", URLS[2]]
    assert read(one + two + b"garbage") == read((one + two)[:-4]) == [*URLS[:2], "DAMAGED"]


@pytest.mark.parametrize("lost", range(20))
def test_a_page_is_whole_only_if_the_cut_is_behind_it(lost: int) -> None:
    """The file ends with a record that is cut by some bytes, as a writer that was killed leaves it."""
    compressor = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    cut = compressor.compress(FIVE[1][: len(FIVE[1]) - lost]) + compressor.flush(zlib.Z_SYNC_FLUSH)
    _, *others = read_made(packed(FIVE[:1]) + cut)
    page = [Record(URLS[1], pages(5)[1].text.encode()), Skipped(Skip.DAMAGED, "made, record 3")]
    assert others == (page if lost <= 4 else [Skipped(Skip.DAMAGED, "made, record 2")])


@pytest.mark.parametrize("kind", ["response", "request"])
def test_damage_behind_a_record_that_is_too_large_is_told(kind: str) -> None:
    large = record("https://site.test/large", b"x" * (MAX_BYTES + 1), kind=kind)
    passed_over = ["TOO_LARGE"] if kind == "response" else []
    assert read(packed([large]) + b"garbage" + packed(FIVE[:1])) == [*passed_over, "DAMAGED", URLS[0]]
    claimed = record("https://site.test/large", b"x", length=10**8, kind=kind)
    assert read(packed([FIVE[0], claimed])) == [URLS[0], "DAMAGED"]


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (b"", Skip.NO_BODY),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", Skip.NO_BODY),
        (response(b" \n"), Skip.NO_BODY),
        (b"no response", Skip.DAMAGED),
        (response(BODY, "404 Not Found"), Skip.STATUS),
        (response(BODY, "301 Moved"), Skip.STATUS),
        (response(b"{}", content_type="application/json"), Skip.NOT_HTML),
        (response(b"%PDF-1.5 ..."), Skip.NOT_HTML),
        (response(b"words", content_type=""), Skip.NOT_HTML),
        (response(b"\1\2\3", Content_Encoding="sdch"), Skip.ENCODED),
        (response(gzip.compress(BODY)[:-9], Content_Encoding="gzip"), Skip.DAMAGED),
        (response(gzip.compress(BODY) + gzip.compress(BODY)[:-9], Content_Encoding="gzip"), Skip.DAMAGED),
        (response(gzip.compress(b"x" * 4_000_000) * 3, Content_Encoding="gzip"), Skip.TOO_LARGE),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + response(BODY, "404 Not Found"), Skip.STATUS),
        (b"HTTP/1.1 100 Continue\r\n\r\n", Skip.STATUS),
        (response(b"\1\2\3", Content_Encoding="gzip"), Skip.DAMAGED),
        (response(gzip.compress(b"<p>" + b"x" * MAX_BYTES), Content_Encoding="gzip"), Skip.TOO_LARGE),
        (response(b"<p>" + b"x" * MAX_BYTES), Skip.TOO_LARGE),
    ],
)
def test_what_is_no_page_is_passed_over_and_counted(block: bytes, why: Skip) -> None:
    found = read_made(b"".join([record("https://site.test/odd", block), *FIVE]))
    assert found[0] == Skipped(why, "made, record 1")
    assert [one.url for one in found[1:] if isinstance(one, Record)] == URLS


@pytest.mark.parametrize(
    "block",
    [
        response(BODY, content_type=""),
        response(BODY, content_type="text/html charset=utf-8"),
        response(BODY, content_type="text/html,text/html"),
        response(gzip.compress(BODY), Content_Encoding="gzip"),
        response(zlib.compress(BODY), Content_Encoding="deflate"),
        response(zlib.compress(BODY)[2:-4], Content_Encoding="deflate"),
        response(BODY, Content_Encoding="br"),  # an archive that has decompressed it
        response(gzip.compress(BODY[:9]) + gzip.compress(BODY[9:]), Content_Encoding="gzip"),
        response(b"".join(gzip.compress(bytes([one])) for one in BODY) + b"\0\0", Content_Encoding="x-gzip"),
        response(gzip.compress(BODY, 0), Content_Encoding="gzip"),  # the text is in it as it is
        response(BODY, Content_Encoding="gzip"),
        response(BODY, Content_Encoding="none"),
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nContent-Type: text/css\r\n\r\n" + response(BODY),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + response(BODY),
        response(b"a\r\n" + BODY[:10] + b"\r\n1c;x\r\n" + BODY[10:] + b"\r\n0\r\n\r\n", Transfer_Encoding="chunked"),
        response(BODY, Transfer_Encoding="chunked"),
    ],
)
def test_bodies_are_decoded(block: bytes) -> None:
    (found,) = read_made(record("https://site.test/", block))
    assert (found.url, found.html) == ("https://site.test/", BODY)


def test_zstd_is_decoded_and_bounded() -> None:
    zstd = pytest.importorskip(ZSTD)
    whole, bomb = zstd.compress(BODY), zstd.compress(b"<p>" + b"x" * 100_000_000)
    parts = zstd.compress(BODY[:9]) + zstd.compress(BODY[9:])
    twice = response(gzip.compress(whole), Content_Encoding="zstd, gzip")
    blocks = [response(body, Content_Encoding="zstd") for body in (whole, parts, whole[:-9], b"\1\2\3", bomb)]
    content = b"".join(record("https://site.test/", block) for block in [twice, *blocks])
    found, peak = with_peak(lambda: [getattr(one, "html", None) or one.why for one in read_made(content)])
    assert found == [BODY] * 3 + [Skip.DAMAGED, Skip.DAMAGED, Skip.TOO_LARGE]
    assert peak < 30_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "sdch"])
@pytest.mark.parametrize(
    "body", [b"<title>T</title><p>Words", b"\n<!-- c --><p>W\xc3\xb6rter", b"Words <br> of \x1b$B"]
)
def test_a_body_that_is_not_compressed_at_all_is_a_page(encoding: str, body: bytes) -> None:
    (found,) = read_made(record("https://site.test/", response(body, Content_Encoding=encoding)))
    assert found == Record("https://site.test/", body)


@pytest.mark.parametrize(("encoding", "library"), [("br", "brotli"), ("zstd", ZSTD)])
def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, encoding: str, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    (found,) = read_made(record("https://site.test/", response(b"\1\2", Content_Encoding=encoding)))
    assert isinstance(found, Skipped)
    assert f"pip install brotli {ZSTD}" in f"{found.why}"


def test_lengths_that_lie_take_no_quadratic_time() -> None:
    liars = [record(f"https://site.test/{n}", response(BODY), length=7_000_000) for n in range(12_000)]
    begun = time.process_time()
    found = read(b"".join([FIVE[0], *liars, *FIVE[1:]]))
    assert [one for one in found if one.startswith("https")] == URLS
    assert found.count("DAMAGED") == len(liars)
    assert time.process_time() - begun < 2  # 0.3 s; each liar read to its length: 8 s


def test_very_many_members_of_a_payload_take_no_quadratic_time() -> None:
    members = gzip.compress(b"") * 300_000 + gzip.compress(BODY)
    begun = time.process_time()
    assert read(record("https://site.test/", response(members, Content_Encoding="gzip"))) == ["https://site.test/"]
    assert time.process_time() - begun < 5  # 1 s


def test_other_records_are_no_pages_and_resources_are() -> None:
    kinds = ("warcinfo", "request", "metadata", "conversion", "revisit")
    others = [record("https://site.test/other", response(BODY), kind=kind) for kind in kinds]
    resource = record("https://site.test/r", BODY, kind="resource").replace(
        b"application/http; msgtype=response", b"text/html"
    )
    urn = record("urn:text:https://site.test/", BODY, kind="resource")
    assert read(b"".join([*others, resource, urn])) == ["NO_BODY", "https://site.test/r"]


def test_the_charset_of_the_header_is_kept() -> None:
    body = "<p>日本語".encode("iso-2022-jp")
    block = response(body, content_type="text/html; charset=ISO-2022-JP")
    (found,) = read_made(record("https://site.test/", block))
    assert found == Record("https://site.test/", body, "iso2022_jp")


def test_a_record_of_80_mb_takes_no_memory() -> None:
    block = response(b"<p>" + b"x" * 80_000_000)
    content = packed([FIVE[0], record("https://site.test/huge", block), FIVE[1]])
    del block
    for made in (content, zstd_frames([gzip.decompress(content)])):
        found, peak = with_peak(lambda made=made: read(made))
        assert found == [URLS[0], "TOO_LARGE", URLS[1]]
        assert peak < 20_000_000


def wacz(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as written:
        for name, content in members.items():
            written.writestr(name, content)
    return file


def test_a_wacz_file_is_its_warc_files() -> None:
    members = {"archive/a.warc.gz": packed(FIVE[:2]), "archive/b.warc": FIVE[2], "pages/pages.jsonl": b"{}"}
    found = read_wacz(wacz(members), "made")
    assert [one.url for one in found if isinstance(one, Record)] == URLS[:3]


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_of_a_wacz_file_costs_no_other(compression: int) -> None:
    content = wacz({"a.warc": b"".join(FIVE), "b.warc": FIVE[1]}, compression).getvalue()
    for at in range(36, 90):  # behind the name of the first member
        found = list(read_wacz(io.BytesIO(content[:at] + b"\xff" * 9 + content[at + 9 :]), "made"))
        assert Skipped(Skip.DAMAGED, "made:a.warc") in found
        assert found[-1] == Record(URLS[1], pages(5)[1].text.encode())


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (io.BytesIO(wacz({"ä.warc": FIVE[0]}).getvalue().replace("ä".encode(), b"\xff\xff")), "no WACZ file"),
        (wacz({"a.warc": b"\0" * 30_000_000}, zipfile.ZIP_DEFLATED), "unpacks to more than 100 times its size"),
        (io.BytesIO(b"no zip"), "no WACZ file"),
    ],
)
def test_what_is_no_wacz_file_is_refused(file: io.BytesIO, why: str) -> None:
    with pytest.raises(ArchiveError, match=why):
        list(read_wacz(file, "made"))


def test_many_records_with_other_line_ends_take_no_stack() -> None:
    count = 50_000
    found = [one.why for one in read_made(b"WARC/1.0\n\n" * count)]
    assert len(found) <= count
    assert set(found) <= {Skip.DAMAGED, Skip.NO_BODY}


def test_a_brotli_bomb_takes_no_memory() -> None:
    brotli = pytest.importorskip("brotli")
    bomb = brotli.compress(b"x" * 200_000_000, quality=5)
    block = response(bomb, content_encoding="br")
    content = b"".join([record("https://site.test/bomb", block), *FIVE])
    found, peak = with_peak(lambda: read(content))
    assert found == ["TOO_LARGE", *URLS]
    assert peak < 60_000_000
