"""Real database servers for tests and benches: ArcadeDB, Neo4j 5.26 and the current Neo4j 2026."""
