"""Words that a summary uses of its own accord: they begin sentences, or say that something was said, and name nobody.

Guess, written for this list; measured in docs/decisions/0010-summaries-by-a-model.md. What lacks costs a second try.
"""

from __future__ import annotations

_OPENING = """
additionally afterwards again all also although another any apart aside at based because before beside besides beyond
both but by common concerning conversation conversations current currently daily despite details discussion
discussions during each earlier early eventually every everyday everyone everything family favourite favorite few
finally first following for former four friend friends from frequent fun further furthermore future general given
gratitude growing half health healthy he her here hers high his home hope hopes how however if in initial instead it
its joint key last late later latest like long love main making many meanwhile memories mixed more moreover most much
music mutual nature new next no nobody none not nothing now of old on once one ongoing online only open other others
otherwise our out outdoor overall own parenting past people personal places plan plans possible praise previous
previously progress questions quick reading reasons recent recently reflections regarding regular remaining requests
rest same second self several shared sharing she short shortly similar since small so some somebody someone something
somewhat soon special still stories story subjects subsequently such support supportive talk talks thanks that the
their them themes then there therefore these they things third this those though thoughts three through throughout
time tips to today together tomorrow topics toward towards travel trips two under until up upcoming updates useful
various we weekend well what when where whereas whether which while who whole why with within without work working
writing year years yesterday yet you young your
"""
_ENDINGS = ("ing", "ings", "ly", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "ities", "ship",
            "ships", "ful", "able", "ible", "ous", "ive")
_SHORTEST_WITH_ENDING = 6

_REPORTING = """
讨论 谈到 谈论 提到 提及 讲述 描述 表示 询问 介绍 回忆 担心 分享 聊到 交流 建议 强调 认为
打算 商量 约定 安排 决定 鼓励 感谢 称赞 赞扬 祝贺 解释 说明 关于 以及 期间 其中 包括 此外
同时 随后 之后 双方 彼此 对话 内容 主题 话题 計画 相談 説明 紹介 言及 議論 共有
"""

OPENING = frozenset(_OPENING.split())

REPORTING = frozenset(_REPORTING.split())
"""Chinese and Japanese words with which a summary reports."""


def opens(word: str) -> bool:
    """Whether an English word, in lower case, is one with which sentences begin, or one that no name ends like."""
    return word in OPENING or (len(word) >= _SHORTEST_WITH_ENDING and word.endswith(_ENDINGS))
