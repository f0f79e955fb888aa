"""The read-only door for queries that are not ours."""
