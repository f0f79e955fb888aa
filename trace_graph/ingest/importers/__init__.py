"""One module a file format; each yields messages or says what is wrong with a line."""
