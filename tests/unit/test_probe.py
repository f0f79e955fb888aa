"""The small request of `health --probe`."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

from tests.scripted_model import ScriptedModel
from trace_graph.llm.purposes.probe import ProbeInputs, ProbeReply, named, render, request
from trace_graph.llm.texts import Named, Texts
from trace_graph.memory.probing import ask, in_words
from trace_graph.memory.rebuilding import Renderer, renderer_of


@pytest.mark.parametrize(("reply", "words"), [
    (ProbeReply(word=" Harbour"), "answered (1 HTTP request, 1 ms)"),
    (ProbeReply(word="yes"), "an answer, and a wrong one (1 HTTP request, 1 ms)"),
    (None, "no answer that can be used (1 HTTP request, 1 ms): no reply"),
])
def test_what_came_of_it_is_told_in_words(reply: BaseModel | None, words: str) -> None:
    assert in_words(asyncio.run(ask(ScriptedModel(lambda _: reply)))) == words


def test_it_is_made_again_by_its_inputs_and_needs_nothing_of_the_memory() -> None:
    assert renderer_of("probe") == Renderer(ProbeInputs, ProbeReply, named, render)
    assert named(ProbeInputs()) == Named()
    assert render(ProbeInputs.model_validate(request().inputs), Texts(), 1) == request().messages
