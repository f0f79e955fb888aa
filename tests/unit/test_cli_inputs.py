"""How the command line reads arguments and standard input."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.cli.add import RoleName
from trace_graph.cli.inputs import LARGEST_STDIN, decoded, query_parameters
from trace_graph.errors import InvalidInput, UsageError
from trace_graph.models import Role


def test_the_roles_are_those_of_the_models() -> None:
    assert get_args(RoleName) == get_args(Role)


@given(st.text().filter(lambda text: not text.startswith("\ufeff")))
def test_text_comes_back_from_every_encoding_that_is_read(text: str) -> None:
    encoded = [text.encode(), text.encode("utf-8-sig"), b"\xff\xfe" + text.encode("utf-16-le"),
               b"\xfe\xff" + text.encode("utf-16-be")]

    assert [decoded(raw) for raw in encoded] == [text] * 4


@pytest.mark.parametrize(("raw", "message"), [
    (b"caf\xe9", "Byte 3 (0xe9) of standard input is not UTF-8."),
    (b"\xef\xbb\xbfa\xff", "Byte 4 (0xff) of standard input is not UTF-8."),
    (b"\xff\xfea\x00b", "Byte 4 (0x62) of standard input is not UTF-16."),
    (b"\xff\xfe\x00\xd8a\x00", "Byte 2 (0x00) of standard input is not UTF-16."),
    (b"x" * (LARGEST_STDIN + 1), f"Standard input holds more than {LARGEST_STDIN} bytes."),
])
def test_what_cannot_be_decoded_is_refused_by_its_first_byte(raw: bytes, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        decoded(raw)

    assert caught.value.message == message


def test_parameters_are_json_where_they_are_json() -> None:
    given_ones = ["a=1", "b=two", 'c="3"', "d=[1, null]", "e=", "f=x=y", "g=NaN", "h=true"]

    assert query_parameters(given_ones) == {
        "a": 1, "b": "two", "c": "3", "d": [1, None], "e": "", "f": "x=y", "g": "NaN", "h": True}
    assert query_parameters(None) == {}


@pytest.mark.parametrize("wrong", [["a"], ["=1"], ["$a=1"], ["a b=1"], ["a=1", "a=2"]])
def test_parameters_without_a_name_of_their_own_are_refused(wrong: list[str]) -> None:
    with pytest.raises(UsageError):
        query_parameters(wrong)
