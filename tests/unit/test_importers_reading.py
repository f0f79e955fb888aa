from __future__ import annotations

import codecs
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.errors import InvalidInput, NotFound
from trace_graph.ingest.importers import reading
from trace_graph.ingest.importers.reading import BadJson, BrokenOff, Line, parse_json, read_document, read_lines


def lines_of(data: bytes) -> list[Line]:
    return list(read_lines(io.BytesIO(data)))


def test_lines_are_numbered_and_blank_ones_counted_but_not_given() -> None:
    assert lines_of(b"a\r\n\n  \nb") == [Line(1, 0, b"a\r"), Line(4, 7, b"b")]


@pytest.mark.parametrize("data", [b"", b"\n\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_an_empty_file_has_no_lines(data: bytes) -> None:
    assert lines_of(data) == []


@given(lines=st.lists(st.binary().map(lambda line: b"x" + line.replace(b"\n", b""))), size=st.integers(1, 7))
def test_any_lines_come_back_whole_wherever_the_chunks_are_cut(lines: list[bytes], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CHUNK_BYTES", size + 1)
        found = lines_of(b"\n".join(lines))

    assert [line.content for line in found] == lines
    assert [line.number for line in found] == list(range(1, len(lines) + 1))
    assert [line.offset for line in found] == [sum(len(each) + 1 for each in lines[:n]) for n in range(len(lines))]


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\ufeff")), size=st.integers(2, 9))
def test_utf_16_is_read_like_utf_8(text: str, size: int) -> None:
    text = f"x{text}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CHUNK_BYTES", size)
        found = [lines_of(text.encode("utf-16-le").join([codecs.BOM_UTF16_LE, b""])),
                 lines_of(text.encode("utf-16-be").join([codecs.BOM_UTF16_BE, b""]))]

    assert found == [[Line(1, 0, text.encode())]] * 2


@pytest.mark.parametrize("size", [1, 3, 5, 64])
def test_a_line_that_is_too_long_is_passed_over_and_the_next_ones_keep_their_place(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 5)
    monkeypatch.setattr(reading, "CHUNK_BYTES", size + 1)

    found = lines_of(b"12345\n123456\nabc\n1234567890")

    assert found == [Line(1, 0, b"12345"), Line(2, 6, None), Line(3, 13, b"abc"), Line(4, 17, None)]


@pytest.mark.parametrize(("data", "position"), [(b"\xff\xfea\x00\x00\xd8b\x00", 4), (b"\xff\xfea\x00b", 4)])
def test_broken_utf_16_is_refused_with_the_byte(data: bytes, position: int) -> None:
    with pytest.raises(InvalidInput, match=f"^Byte {position} is not UTF-16") as caught:
        lines_of(data)

    assert "iconv" in caught.value.fix


@pytest.mark.parametrize(("data", "reason"), [
    (b"caf\xe9", "byte 103 (0xe9) is not UTF-8."),
    (b"{a", "not JSON: Expecting property name enclosed in double quotes (line 1, column 2)."),
    (b"[tx]", "not JSON: Expecting value (line 1, column 2)."),
    (b'["\\uX"]', "not JSON: Invalid \\uXXXX escape (line 1, column 4)."),
    (b"", "it is empty."),
    (b" \n", "it is empty."),
    (b"[1e999]", "not JSON that can be kept: a number is too large."),
    (b"[NaN]", "not JSON that can be kept: NaN is no number of JSON."),
    (b'{"a":1,"a":2}', "not JSON that can be kept: a key stands twice in one object."),
    (b"[" * 200_000, "nested too deeply."),
])
def test_what_is_no_json_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadJson) as caught:
        parse_json(data, 100)

    assert str(caught.value) == reason


@given(st.integers(min_value=1, max_value=200))
def test_json_that_is_cut_off_anywhere_says_so(length: int) -> None:
    whole = json.dumps([{"a": [True, False, None], "text": 'caf\u00e9 "quoted" \n'}, {"b": {"c": -1.5}}, "end"])
    cut = whole[:min(length, len(whole) - 1)]

    with pytest.raises(BrokenOff, match=r"^it breaks off in the middle \(line 1, column \d+\): the end is missing\.$"):
        parse_json(cut.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_document_is_read_in_each_encoding(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a.json"
    file.write_text('["café",\r\n"喵"]', encoding=encoding)

    assert read_document(file) == ["café", "喵"]
    assert read_document(io.BytesIO(file.read_bytes())) == ["café", "喵"]


def test_a_document_in_another_encoding_is_refused_with_the_byte_and_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes('["café"]'.encode("latin-1"))

    with pytest.raises(InvalidInput, match=r"^a.json: byte 5 \(0xe9\) is not UTF-8.$") as caught:
        read_document(file)

    assert caught.value.fix == "Save the file as UTF-8 (iconv -f ITS-ENCODING -t UTF-8 FILE) and import it again."


def test_a_document_over_the_limit_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_DOCUMENT_BYTES", 10)

    assert read_document(io.BytesIO(b"[12345678]")) == [12345678]
    with pytest.raises(InvalidInput, match="larger than 10 bytes"):
        read_document(io.BytesIO(b"[123456789]"))


def test_a_file_that_is_not_there_or_is_a_folder_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"^There is no file .*/none.json\.$"):
        read_document(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
        read_document(tmp_path)


def test_a_document_that_is_no_json_names_the_place(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps([1, 2])[:-1])

    with pytest.raises(InvalidInput, match=r"^a.json: it breaks off in the middle \(line 1, column 6\)"):
        read_document(file)
