"""What everyday talk looks like to an embedder, whatever it is about."""

from __future__ import annotations

import numpy as np

from trace_graph.embed.protocol import Embedder, Vector
from trace_graph.errors import EmbeddingFailed

EVERYDAY = (
    "Hi, how are you doing today?",
    "Thanks a lot, that really helps!",
    "Sounds good, let's do that.",
    "Sorry, I was busy this morning.",
    "What do you think about it?",
    "I'm not sure yet, I'll let you know tomorrow.",
    "Could you remind me again next week?",
    "We had dinner at my parents' place on Sunday.",
    "My sister is visiting us with the kids.",
    "I finally finished reading that book.",
    "The meeting was moved to three o'clock.",
    "Work has been stressful lately.",
    "I started going for a run before breakfast.",
    "The doctor said I should get more sleep.",
    "It has been raining here all week.",
    "We are thinking of moving to a bigger flat.",
    "The dog woke us up at five again.",
    "I bought a new phone because the old one broke.",
    "Do you know a good place for lunch around here?",
    "I'm cooking pasta tonight, want to come over?",
    "The train was late, so I missed the start.",
    "Happy birthday! I hope you have a wonderful day.",
    "I watched a film last night and fell asleep halfway.",
    "She got the job and starts next month.",
    "He plays the guitar in a small band.",
    "Our holiday is booked for the end of July.",
    "I can send you the photos later.",
    "The car needs new tyres before winter.",
    "I forgot my keys at the office.",
    "Please write a short summary of this text.",
    "Here is the list of things we need to buy.",
    "Can you explain how this works, step by step?",
    "You could try it with a smaller example first.",
    "I paid the bill yesterday, it was more than I expected.",
    "The children are learning to swim this summer.",
    "I miss the old days when we all lived nearby.",
    "That is great news, congratulations!",
    "Let me check my calendar and get back to you.",
    "I prefer tea to coffee in the evening.",
    "The code runs now, but one test still fails.",
    "最近怎么样？",
    "好的，没问题，谢谢你！",
    "我明天要开会，可能会晚一点到。",
    "周末我们一起去爬山吧。",
    "妈妈做的饭真好吃。",
    "今天天气不错，想出去走走。",
    "我还没决定，过几天再告诉你。",
    "他换了一份新工作，下个月开始上班。",
    "你能帮我看一下这个问题吗？",
    "孩子放学以后要去学钢琴。",
    "我昨晚睡得很晚，现在有点累。",
    "请帮我总结一下这段话。",
    "Wie geht es dir heute?",
    "Am Wochenende fahren wir zu meinen Eltern.",
    "Danke, ich melde mich morgen noch einmal.",
    "Comment s'est passée ta journée ?",
    "On se retrouve demain devant la gare.",
    "Je vais au marché avec ma voisine.",
    "¿Qué vas a hacer este fin de semana?",
    "Mi hermano trabaja en un hospital.",
    "Gracias, te llamo más tarde.",
)
"""Sentences on nothing in particular, written for this purpose: 40 English, 12 Chinese, 3 each of German, French and
Spanish."""


async def background_mean(embedder: Embedder) -> Vector:
    """Take the mean, not scaled to length 1, of the vectors of everyday sentences; shape (dimension,).

    Subtracted from vectors before they are compared, it takes off what all talk has in common: a prior for spaces
    too small to estimate it from their own messages.

    Raises: EmbeddingFailed where no sentence has a vector; whatever `Embedder.embed` raises.
    """
    vectors = [vector for vector in await embedder.embed(EVERYDAY) if vector is not None]
    if not vectors:
        raise EmbeddingFailed(f"The embedder {embedder.name} gives no everyday sentence a vector.")
    return np.asarray(np.mean(vectors, axis=0, dtype=np.float64), dtype=np.float32)


def centred(vector: Vector, mean: Vector, share: float) -> Vector:
    """The vector less a share of the mean, of length 1 again; the vector itself where nothing is left of it.

    Compared with vectors that were left as they are, it ranks as if all of them had lost it: what a question has in
    common with any talk finds just anything. Source: docs/decisions/0007-ranking.md.
    """
    rest = vector - share * mean
    length = float(np.linalg.norm(rest))
    return np.asarray(rest / length, dtype=np.float32) if length > 1e-6 else vector
