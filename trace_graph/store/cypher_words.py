"""What a Cypher query calls: the words of its text, which tell what its plan may hide.

Neo4j's EXPLAIN does not show what happens inside a subquery expression that it cannot unfold: the plan of
`RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'file:///etc/passwd' AS r RETURN r }]` has no LoadCSV operator, no
ProcedureCall for a CALL in that place, and the type of a read (measured on 5.26.12 and 2026.09.0). So the words are
looked at as well. Where reading them could go wrong, the query is refused: nothing here may be laxer than the engine.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from trace_graph.errors import UsageError, WriteRefused

PROCEDURES = frozenset({
    "db.labels", "db.relationshiptypes", "db.propertykeys", "db.schema.visualization", "db.schema.nodetypeproperties",
    "db.schema.reltypeproperties", "db.index.fulltext.querynodes", "db.index.vector.querynodes", "dbms.components",
})
"""The procedures that a query may call, in lower case. Each only reads; many others of mode READ do more than that
(db.stats.clear, db.resampleIndex, apoc.load.json)."""
NAMESPACES = frozenset({
    "date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector",
})
"""What the name of a function may begin with where it has a dot: these compute and do nothing else. Others may wait
(util.sleep), run queries (apoc.cypher.runFirstColumnMany) or reach addresses (genai.vector.encode)."""

LOADS = "LOAD CSV reads files and addresses; here only the graph can be read."
ENDS = "TERMINATE TRANSACTIONS ends the work of others; here only the graph can be read."
REFUSED_PAIRS = {("load", "csv"): LOADS, ("terminate", "transaction"): ENDS, ("terminate", "transactions"): ENDS}
"""Keywords that no reading query holds side by side, and why it is refused."""

_TOKEN = re.compile(
    r"""(?P<skip>//[^\r\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<open>['"]|/\*|`(?!(?:[^`]|``)*`(?!`)))
      | `(?P<name>(?:[^`]|``)*)`(?!`)
      | (?P<word>\w+)
      | (?P<mark>[!-/:-@\[-^{-~])
      | .""",
    re.VERBOSE | re.DOTALL)


@dataclass(frozen=True)
class Token:
    """One word, quoted name or mark of a query; comments, texts and white space are none."""

    kind: Literal["word", "name", "mark"]
    text: str
    """A word in its plain lower-case form; the text of a name between its back-ticks."""

    @property
    def starts_as_number(self) -> bool:
        """Whether the engines read a number here, and maybe a word after it."""
        return not (self.text[:1].isalpha() or self.text[:1] == "_")

    def is_keyword(self, keyword: str) -> bool:
        """Whether this may be read as a keyword; `1LOAD` is a number and a word to the engines."""
        return self.kind == "word" and (
            self.text == keyword or (self.starts_as_number and self.text.endswith(keyword)))


DOT, BRACKET = Token("mark", "."), Token("mark", "(")


def refuse_by_words(query: str) -> None:
    """Refuse a query that loads a file or an address, or calls what is not on the lists.

    Raises: WriteRefused; UsageError where the text cannot be read with certainty.
    """
    tokens = words_of(query)
    if not tokens:
        raise UsageError("The query is empty.", fix="Give a Cypher query, such as: MATCH (n) RETURN count(n)")
    if tokens[0].is_keyword("profile"):
        raise UsageError("PROFILE is not accepted here.", fix="Use EXPLAIN to see the plan, or leave it out.")
    for first, second in pairwise(tokens):
        for (one, other), reason in REFUSED_PAIRS.items():
            if first.is_keyword(one) and second.is_keyword(other):
                raise WriteRefused(reason, fix="Leave it out; data may be given to a query as parameters.")
    for name in _called_procedures(tokens):
        refuse_procedure(name)
    for name in _called_functions(tokens):
        if plain(name).split(".")[0] not in NAMESPACES:
            raise WriteRefused(
                f"The function {name} is not on the list of those that only compute.",
                fix=f"Allowed are those without a dot and those of {', '.join(sorted(NAMESPACES))}.")


def refuse_procedure(name: str) -> None:
    """Refuse a procedure that is not on the list. Raises: WriteRefused."""
    if plain(name) not in PROCEDURES:
        raise WriteRefused(
            f"The procedure {name} is not on the list of those that only read.",
            fix=f"Allowed are {', '.join(sorted(PROCEDURES))}.")


def words_of(query: str) -> list[Token]:
    """The tokens of a query in their order.

    Raises: UsageError at a Unicode escape, which one version of Cypher reads before it looks for quotes and another
    after it, and at a comment or a quotation without an end.
    """
    if "\\u" in query:
        raise UsageError(
            "A Unicode escape (\\u...) is not accepted in the query.",
            fix="Write the character itself, or give the text as a parameter.")
    tokens: list[Token] = []
    for match in _TOKEN.finditer(query):
        kind = match.lastgroup
        if kind == "open":
            raise UsageError(
                f"The quotation or comment that begins at character {match.start() + 1} of the query does not end.",
                fix="Close it.")
        if kind == "name":
            tokens.append(Token("name", match["name"].replace("``", "`")))
        elif kind == "word":
            tokens.append(Token("word", match["word"]))
        elif kind == "mark":
            tokens.append(Token("mark", match["mark"]))
    return [Token(token.kind, plain(token.text)) if token.kind == "word" else token for token in tokens]


def plain(text: str) -> str:
    """A name in the form in which names are compared: without case and without look-alikes of letters."""
    return unicodedata.normalize("NFKC", text).casefold()


def _called_procedures(tokens: list[Token]) -> list[str]:
    """The names after CALL; a subquery has none."""
    names = []
    for place, token in enumerate(tokens[:-1]):
        if token.is_keyword("call") and tokens[place + 1].kind != "mark" and not _is_property(tokens, place):
            end = place + 2
            while end + 1 < len(tokens) and tokens[end] == DOT and tokens[end + 1].kind != "mark":
                end += 2
            names.append(_joined(tokens[place + 1:end]))
    return names


def _is_property(tokens: list[Token], place: int) -> bool:
    """Whether a word names a property: after a dot that follows a name. After `1.` or `..` it may be a clause."""
    if place < 2 or tokens[place - 1] != DOT:
        return False
    owner = tokens[place - 2]
    return owner.kind == "name" or (owner.kind == "word" and not owner.starts_as_number)


def _called_functions(tokens: list[Token]) -> list[str]:
    """The names with a dot that stand before a round bracket and not after CALL."""
    names = []
    for place, token in enumerate(tokens):
        if token != BRACKET:
            continue
        start = place - 1
        while start >= 2 and tokens[start].kind != "mark" and tokens[start - 1] == DOT:
            start -= 2
        called = start >= 1 and tokens[start - 1].is_keyword("call")
        if 0 <= start < place - 1 and not called:
            names.append(_joined(tokens[start:place]))
    return names


def _joined(tokens: list[Token]) -> str:
    return "".join(token.text for token in tokens)
