"""How text is read: rules for what is accepted, terms for keyword search, passages, tokens. No I/O."""
