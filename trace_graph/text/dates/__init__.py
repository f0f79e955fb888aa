"""Which dates a text names, against the moment it was written; a small grammar for several languages. No I/O."""
