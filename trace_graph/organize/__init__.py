"""The topic tree: segments, routing, shape, titles, summaries, and their application."""
