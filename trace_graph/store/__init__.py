"""The only part that speaks to the database."""
