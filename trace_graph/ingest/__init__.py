"""Messages and files in: validation, importers, the write path."""
