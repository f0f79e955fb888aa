"""Where segments belong, level by level from the root: a model picks a branch, stops, or names a new topic. Pure."""

from __future__ import annotations

from pydantic import Field

from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.purposes import route
from trace_graph.llm.purposes.route import Branch, RouteInputs, RouteReply
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import ChatMessage, Request


class DescendInputs(RouteInputs):
    """One call: one level of some segments, which may stand at different topics."""

    stops: list[Branch] = Field(default_factory=list)
    """Topics at which segments may stop."""


class DescendReply(RouteReply):
    """What the model answers."""


def named(inputs: DescendInputs) -> Named:
    """The ids whose texts the prompt shows."""
    found = route.named(inputs)
    stops = Named.of(revisions=[heading.revision for stop in inputs.stops for heading in stop.path])
    return Named(found.messages, found.revisions | stops.revisions)


def render(inputs: DescendInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The messages of the request."""
    lines = [*route.topic_lines(inputs, texts), "", "Places to stop:"]
    lines += [f"{stop.label}: in {route.path_words(stop.path, texts)}" for stop in inputs.stops] or ["(none)"]
    lines += ["", *route.branch_lines(inputs, texts), "", *route.segment_lines(inputs, texts)]
    return ChatMessage("system", prompt("descend", version).text), ChatMessage("user", "\n".join(lines))


def request(inputs: DescendInputs, texts: Texts) -> Request[DescendReply]:
    """The question to the model."""

    def check(reply: DescendReply) -> str | None:
        return route.fault_of(inputs, texts, reply)

    return Request(
        purpose="descend", prompt="descend", prompt_version=prompt("descend").version,
        messages=render(inputs, texts), reply=DescendReply, inputs=inputs.model_dump(mode="json"),
        max_tokens=route.most_tokens(inputs), check=check)
