from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.text.content import content_text, unsupported_parts

BOAT = [
    {"type": "text", "text": "My boat is called Petrel."},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    {"type": "text", "text": "It is blue."},
]


def test_texts_stand_in_order_and_an_image_leaves_its_type() -> None:
    assert content_text(BOAT) == "My boat is called Petrel.\n[image: image/png]\nIt is blue."
    assert unsupported_parts(BOAT) == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("plain", "plain"),
        ([], ""),
        (["a", "b"], "a\nb"),
        ({"type": "input_text", "text": "one part"}, "one part"),
        ([{"type": "output_text", "text": "said", "annotations": []}], "said"),
        ([{"type": "text", "text": {"value": "wrapped", "annotations": []}}], "wrapped"),
        ([{"type": "refusal", "refusal": "I cannot help with that."}], "I cannot help with that."),
        ([{"type": "input_image", "image_url": "data:image/JPEG;base64,QUJD"}], "[image: image/jpeg]"),
        ([{"type": "image_url", "image_url": {"url": "https://example.org/?token=secret"}}], "[image]"),
        (
            [{"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "QUJD"}}],
            "[image: image/webp]",
        ),
        ([{"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}], "[audio: audio/wav]"),
        ([{"type": "file", "file": {"filename": "boat plan.pdf", "file_data": "QUJD"}}], "[file: boat plan.pdf]"),
        ([{"type": "input_file", "filename": "a]\n\x1b[31m.txt"}], "[file: a \\x1b 31m.txt]"),
        ([{"type": "input_file", "file_id": "file-123"}], "[file]"),
    ],
)
def test_content_as_chat_formats_give_it(content: object, text: str) -> None:
    assert content_text(content) == text
    assert unsupported_parts(content) == []


def test_unknown_parts_leave_their_type_and_are_counted() -> None:
    content = [
        "before",
        {"type": "tool_use", "id": "x", "input": {"secret": 1}},
        {"no": "type"},
        {"type": 7},
        {"type": "text", "text": 5},
        12,
        {"type": "a]\nb"},
    ]

    assert unsupported_parts(content) == ["tool_use", "dict", "dict", "text", "int", "a b"]
    assert content_text(content) == (
        "before\n[unsupported part: tool_use]\n[unsupported part: dict]\n[unsupported part: dict]\n"
        "[unsupported part: text]\n[unsupported part: int]\n[unsupported part: a b]"
    )


@given(st.text(alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12), st.sampled_from(["url", "data", "file_data", "x"]))
def test_data_never_reaches_the_text(data: str, key: str) -> None:
    for kind in ("image_url", "input_audio", "file", "video_url"):
        part = {"type": kind, kind: {key: f"data:x/y;base64,{data}"}, "extra": data}

        assert data not in content_text([part])
