"""docs/data-model.md says what the schema queries say."""

from __future__ import annotations

from tools.generate_data_model import PAGE, generated_page


def test_the_generated_part_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == generated_page()
