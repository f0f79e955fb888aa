"""Prompt files: `NAME-VERSION.md`. A version that was used is never edited: calls are rebuilt from it."""
