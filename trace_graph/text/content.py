"""What text a message's content holds, where the content is a list of parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trace_graph.text.display import clip, visible

_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_MEDIA_TYPES = {
    "image": "image", "image_url": "image", "image_file": "image", "input_image": "image",
    "audio": "audio", "audio_url": "audio", "input_audio": "audio",
    "video": "video", "video_url": "video", "input_video": "video",
    "file": "file", "input_file": "file", "document": "file",
}
"""Type of a part to what it is. Source: OpenAI Chat and Responses, Anthropic Messages, LangChain content blocks."""

_LONGEST_LABEL = 100
_MIME_TYPE = re.compile(r"[A-Za-z0-9.+-]{1,60}/[A-Za-z0-9.+-]{1,60}")
_DATA_URL = re.compile(rf"data:({_MIME_TYPE.pattern})[;,]", re.IGNORECASE)
_FORMAT = re.compile(r"[A-Za-z0-9]{1,20}")
_NOT_IN_LABELS = re.compile(r"[\[\]\s]+")


def content_text(content: object) -> str:
    """The text of a message's content as chat formats give it: a string, a part, or a list of parts.

    Texts and refusals stand in order, a line each. An image, sound, video or file leaves a marker with its media type
    or file name (`[image: image/png]`), never its data or address; any other part `[unsupported part: TYPE]`.
    """
    return "\n".join(text for part in _parts(content) if (text := _part_text(part)))


def unsupported_parts(content: object) -> list[str]:
    """The types, in order, of the parts that `content_text` cannot read: for importers to count and report."""
    return [_type_label(part) for part in _parts(content) if _known_text(part) is None]


def _parts(content: object) -> list[object]:
    if isinstance(content, list | tuple):
        return list(content)
    return [] if content is None else [content]


def _part_text(part: object) -> str:
    known = _known_text(part)
    return f"[unsupported part: {_type_label(part)}]" if known is None else known


def _known_text(part: object) -> str | None:
    """The text that stands for a part; None where it cannot be read."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return None
    kind = part.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _MEDIA_TYPES:
        label = _media_label(part, _MEDIA_TYPES[kind])
        return f"[{_MEDIA_TYPES[kind]}: {label}]" if label else f"[{_MEDIA_TYPES[kind]}]"
    said = part.get("text") if kind in _TEXT_TYPES else part.get("refusal") if kind == "refusal" else None
    if isinstance(said, Mapping):  # the Assistants API wraps it: {"text": {"value": ...}}
        said = said.get("value")
    return said if isinstance(said, str) else None


def _media_label(part: Mapping[object, object], medium: str) -> str:
    details = list(_details(part))
    for detail in details:
        name = detail.get("filename")
        if isinstance(name, str) and name.strip():
            return _label(name)
    for detail in details:
        for key, value in detail.items():
            if isinstance(value, str) and (label := _media_type(key, value, medium)):
                return label
    return ""


def _details(part: Mapping[object, object]) -> Iterator[Mapping[object, object]]:
    yield part
    for value in part.values():
        if isinstance(value, Mapping):
            yield value


def _media_type(key: object, value: str, medium: str) -> str:
    if found := _DATA_URL.match(value):
        return found[1].lower()
    if key in ("media_type", "mime_type") and _MIME_TYPE.fullmatch(value):
        return value.lower()
    if key == "format" and _FORMAT.fullmatch(value):
        return f"{medium}/{value.lower()}"
    return ""


def _type_label(part: object) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    return _label(kind) if isinstance(kind, str) and kind.strip() else type(part).__name__


def _label(name: str) -> str:
    return clip(visible(_NOT_IN_LABELS.sub(" ", name).strip()), _LONGEST_LABEL)
