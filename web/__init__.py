"""The explorer page (a later release)."""
