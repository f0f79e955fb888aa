"""Every Cypher query of the project, as named queries in .cypher files."""
