"""Types of a reply's fields that put up with what models do, and whose JSON schema stays portable.

What is taken although the schema says otherwise, and nothing else (PC-014 of the public cases):

- an unknown key is ignored, a missing list is empty (the reply's own defaults)
- null where a list belongs is an empty list, one item where a list belongs is a list of one (`Items`)
- an item of a list that cannot be used is dropped and counted; the others stay (`Items`)
- a number where a text belongs is that number's text (`Text`); true and false are refused
- "3" and 3.0 where a whole number belongs are 3 (`Whole`); true, "three" and 3.5 are refused
- a choice among labels is kept as it came (`Label`) and resolved by `labels.resolve`
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, ValidationInfo, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator
from pydantic_core import ValidationError

Item = TypeVar("Item")


class Dropped:
    """Counts the items that a validation drops; passed as its context."""

    def __init__(self) -> None:
        self.items = 0


def _item_or_nothing(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """Validate the items of a list one by one."""
    if value is None:
        return []
    kept: list[Any] = []
    for item in value if isinstance(value, list) else [value]:
        try:
            kept.extend(handler([item]))
        except ValidationError:
            if isinstance(info.context, Dropped):
                info.context.items += 1
    return kept


def _as_text(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")
    return value


def _said(value: Any) -> Any:
    """What is empty or null says no."""
    return value or False


Items = Annotated[list[Item], WrapValidator(_item_or_nothing)]
"""A list of independent items: one that cannot be used does not reject the others."""

Text = Annotated[str, BeforeValidator(_as_text)]
"""A text; a number becomes its text."""

Whole = Annotated[int, BeforeValidator(_whole)]
"""A whole number; "3" and 3.0 are 3, true is none."""

Said = Annotated[bool, BeforeValidator(_said)]
"""Whether something is said to be so."""

Label = Annotated[Any, WithJsonSchema({"type": "string"})]
"""A choice among labels as the model wrote it: "T2", 2, "Sailing". Ask `labels.resolve` what it means."""
