// name: types
// The vertex and edge types, with one bucket each, before anything is written.
// mode: schema
// engine: arcadedb
CREATE VERTEX TYPE Meta IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Space IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Topic IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE SummaryRevision IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Session IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Message IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Passage IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Event IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE Recall IF NOT EXISTS BUCKETS 1;
CREATE VERTEX TYPE ModelCall IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE PARENT_OF IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE HAS_REVISION IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE SUPERSEDES IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE DERIVED_FROM IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE HAS_PASSAGE IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE NEXT IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE USED IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE CITED IF NOT EXISTS BUCKETS 1;
CREATE EDGE TYPE MADE IF NOT EXISTS BUCKETS 1;
CREATE PROPERTY Message.terms IF NOT EXISTS STRING;
CREATE PROPERTY Message.embedding IF NOT EXISTS ARRAY_OF_FLOATS;
CREATE PROPERTY Passage.terms IF NOT EXISTS STRING;
CREATE PROPERTY Passage.embedding IF NOT EXISTS ARRAY_OF_FLOATS

// name: fulltext_message_terms
// Keyword search over messages; the terms are made by us, so the analyser only splits at white space.
// mode: schema
// engine: arcadedb
CREATE INDEX IF NOT EXISTS ON Message (terms) FULL_TEXT METADATA {"analyzer": "org.apache.lucene.analysis.core.WhitespaceAnalyzer"}

// name: fulltext_passage_terms
// Keyword search over the passages of long messages.
// mode: schema
// engine: arcadedb
CREATE INDEX IF NOT EXISTS ON Passage (terms) FULL_TEXT METADATA {"analyzer": "org.apache.lucene.analysis.core.WhitespaceAnalyzer"}

// name: vector_message_embedding
// Search by meaning over messages; {dimension} is the embedder's.
// mode: schema
// engine: arcadedb
CREATE INDEX IF NOT EXISTS ON Message (embedding) LSM_VECTOR METADATA {"dimensions": {dimension}, "similarity": "COSINE"}

// name: vector_passage_embedding
// Search by meaning over passages; {dimension} is the embedder's.
// mode: schema
// engine: arcadedb
CREATE INDEX IF NOT EXISTS ON Passage (embedding) LSM_VECTOR METADATA {"dimensions": {dimension}, "similarity": "COSINE"}
