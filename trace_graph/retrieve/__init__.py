"""Questions in, ranked messages out."""
