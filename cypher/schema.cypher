// name: constraint_meta_id
// One Meta node a database.
// mode: schema
CREATE CONSTRAINT meta_id IF NOT EXISTS FOR (n:Meta) REQUIRE n.id IS UNIQUE

// name: constraint_space_id
// Ids of spaces are unique.
// mode: schema
CREATE CONSTRAINT space_id IF NOT EXISTS FOR (n:Space) REQUIRE n.id IS UNIQUE

// name: constraint_space_name
// Names of spaces are unique.
// mode: schema
CREATE CONSTRAINT space_name IF NOT EXISTS FOR (n:Space) REQUIRE n.name IS UNIQUE

// name: constraint_space_key
// The short keys in front of terms are unique.
// mode: schema
CREATE CONSTRAINT space_key IF NOT EXISTS FOR (n:Space) REQUIRE n.key IS UNIQUE

// name: constraint_topic_id
// Ids of topics are unique.
// mode: schema
CREATE CONSTRAINT topic_id IF NOT EXISTS FOR (n:Topic) REQUIRE n.id IS UNIQUE

// name: constraint_revision_id
// Ids of summary revisions are unique.
// mode: schema
CREATE CONSTRAINT revision_id IF NOT EXISTS FOR (n:SummaryRevision) REQUIRE n.id IS UNIQUE

// name: constraint_revision_current
// One current revision a topic: current_key is the topic's id, and null once superseded.
// mode: schema
CREATE CONSTRAINT revision_current IF NOT EXISTS FOR (n:SummaryRevision) REQUIRE n.current_key IS UNIQUE

// name: constraint_message_id
// Ids of messages are unique.
// mode: schema
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (n:Message) REQUIRE n.id IS UNIQUE

// name: constraint_message_place
// One message a place in its session.
// mode: schema
CREATE CONSTRAINT message_place IF NOT EXISTS FOR (n:Message) REQUIRE n.place_key IS UNIQUE

// name: constraint_message_external
// One message an external id in its space; null where the source gave none.
// mode: schema
CREATE CONSTRAINT message_external IF NOT EXISTS FOR (n:Message) REQUIRE n.external_key IS UNIQUE

// name: constraint_passage_id
// Ids of passages are unique.
// mode: schema
CREATE CONSTRAINT passage_id IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE

// name: constraint_session_key
// One Session node a session of a space.
// mode: schema
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE n.key IS UNIQUE

// name: constraint_event_id
// Ids of events are unique.
// mode: schema
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (n:Event) REQUIRE n.id IS UNIQUE

// name: constraint_event_place
// One event a place in the ledger of its space.
// mode: schema
CREATE CONSTRAINT event_place IF NOT EXISTS FOR (n:Event) REQUIRE n.place_key IS UNIQUE

// name: constraint_recall_id
// Ids of recalls are unique.
// mode: schema
CREATE CONSTRAINT recall_id IF NOT EXISTS FOR (n:Recall) REQUIRE n.id IS UNIQUE

// name: constraint_call_id
// Ids of calls to models are unique.
// mode: schema
CREATE CONSTRAINT call_id IF NOT EXISTS FOR (n:ModelCall) REQUIRE n.id IS UNIQUE

// name: constraint_parent_live
// At most one live parent a child: live_key is the child's id, and null once the placement is closed.
// mode: schema
CREATE CONSTRAINT parent_live IF NOT EXISTS FOR ()-[r:PARENT_OF]-() REQUIRE r.live_key IS UNIQUE

// name: index_message_space
// Messages of a space, for the exact scan of a small one.
// mode: schema
CREATE INDEX message_space IF NOT EXISTS FOR (n:Message) ON (n.space)

// name: index_message_waiting
// Messages that wait to be filed: waiting_in is their space, and null once filed.
// mode: schema
CREATE INDEX message_waiting IF NOT EXISTS FOR (n:Message) ON (n.waiting_in)

// name: index_message_filed
// Messages by the topic that they lie in: filed_in is that topic, and null while they wait.
// mode: schema
CREATE INDEX message_filed IF NOT EXISTS FOR (n:Message) ON (n.filed_in)

// name: index_topic_filed
// Topics by the topic that they lie in: filed_in is their live parent, and null for a root.
// mode: schema
CREATE INDEX topic_filed IF NOT EXISTS FOR (n:Topic) ON (n.filed_in)

// name: index_passage_space
// Passages of a space, for the exact scan of a small one.
// mode: schema
CREATE INDEX passage_space IF NOT EXISTS FOR (n:Passage) ON (n.space)

// name: index_topic_space
// Topics of a space.
// mode: schema
CREATE INDEX topic_space IF NOT EXISTS FOR (n:Topic) ON (n.space)

// name: index_topic_stale
// Topics whose summary is due: stale_in is their space, and null otherwise.
// mode: schema
CREATE INDEX topic_stale IF NOT EXISTS FOR (n:Topic) ON (n.stale_in)

// name: index_session_space
// Sessions of a space.
// mode: schema
CREATE INDEX session_space IF NOT EXISTS FOR (n:Session) ON (n.space)

// name: index_revision_space
// Summary revisions of a space.
// mode: schema
CREATE INDEX revision_space IF NOT EXISTS FOR (n:SummaryRevision) ON (n.space)

// name: index_event_space
// Events of a space.
// mode: schema
CREATE INDEX event_space IF NOT EXISTS FOR (n:Event) ON (n.space)

// name: index_recall_space
// Recalls of a space.
// mode: schema
CREATE INDEX recall_space IF NOT EXISTS FOR (n:Recall) ON (n.space)

// name: index_call_space
// Calls to models for a space.
// mode: schema
CREATE INDEX call_space IF NOT EXISTS FOR (n:ModelCall) ON (n.space)

// name: index_call_day
// Calls to models of a day, for the allowance of that day.
// mode: schema
CREATE INDEX call_day IF NOT EXISTS FOR (n:ModelCall) ON (n.day)

// name: index_call_model
// Calls by the model that was asked.
// mode: schema
CREATE INDEX call_model IF NOT EXISTS FOR (n:ModelCall) ON (n.model)

// name: index_call_passing
// Calls to models that are no history: passing_in is their space, and null of those that are.
// mode: schema
CREATE INDEX call_passing IF NOT EXISTS FOR (n:ModelCall) ON (n.passing_in)

// name: fulltext_message_terms
// Keyword search over messages; the terms are made by us, so the analyser only splits at white space.
// mode: schema
// engine: neo4j
CREATE FULLTEXT INDEX `Message[terms]` IF NOT EXISTS FOR (n:Message) ON EACH [n.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}

// name: fulltext_passage_terms
// Keyword search over the passages of long messages.
// mode: schema
// engine: neo4j
CREATE FULLTEXT INDEX `Passage[terms]` IF NOT EXISTS FOR (n:Passage) ON EACH [n.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}

// name: vector_message_embedding
// Search by meaning over messages; {dimension} is the embedder's.
// mode: schema
// engine: neo4j
CREATE VECTOR INDEX `Message[embedding]` IF NOT EXISTS FOR (n:Message) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: {dimension}, `vector.similarity_function`: 'cosine'}}

// name: vector_message_embedding
// Search by meaning over messages, filtered by space inside the index; {dimension} is the embedder's.
// mode: schema
// engine: neo4j-search
CYPHER 25 CREATE VECTOR INDEX `Message[embedding]` IF NOT EXISTS FOR (n:Message) ON n.embedding WITH [n.space]
OPTIONS {indexConfig: {`vector.dimensions`: {dimension}, `vector.similarity_function`: 'cosine'}}

// name: vector_passage_embedding
// Search by meaning over passages; {dimension} is the embedder's.
// mode: schema
// engine: neo4j
CREATE VECTOR INDEX `Passage[embedding]` IF NOT EXISTS FOR (n:Passage) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: {dimension}, `vector.similarity_function`: 'cosine'}}

// name: vector_passage_embedding
// Search by meaning over passages, filtered by space inside the index; {dimension} is the embedder's.
// mode: schema
// engine: neo4j-search
CYPHER 25 CREATE VECTOR INDEX `Passage[embedding]` IF NOT EXISTS FOR (n:Passage) ON n.embedding WITH [n.space]
OPTIONS {indexConfig: {`vector.dimensions`: {dimension}, `vector.similarity_function`: 'cosine'}}

// name: await_indexes
// Waits until every index is online, at most 300 seconds.
// mode: schema
// engine: neo4j
CALL db.awaitIndexes(300)

// name: read_meta
// The schema version and the embedder of this database; no row in an empty one.
// mode: read
// unscoped: says nothing of any space
MATCH (n:Meta {id: 'meta'})
RETURN n.schema_version AS schema_version, n.embedder AS embedder, n.dimension AS dimension, n.probe AS probe,
       n.indexed AS indexed

// name: read_forms
// What models proved able to do, as JSON; no row in an empty database.
// mode: read
// unscoped: says nothing of any space
MATCH (n:Meta {id: 'meta'})
RETURN n.model_forms AS forms

// name: lock_forms
// Locks what models proved able to do, and returns it. May run twice.
// mode: write
// params: token
MATCH (n:Meta {id: 'meta'})
SET n.forms_lock = $token
RETURN n.model_forms AS forms

// name: save_forms
// Notes what models proved able to do, as JSON. May run twice.
// mode: write
// params: forms
MATCH (n:Meta {id: 'meta'})
SET n.model_forms = $forms, n.forms_lock = null

// name: write_meta
// Raises the schema version; creates the Meta node in an empty database. May run twice.
// mode: write
// params: version
MERGE (n:Meta {id: 'meta'})
SET n.schema_version = CASE WHEN n.schema_version > $version THEN n.schema_version ELSE $version END
RETURN n.schema_version AS schema_version

// name: note_filed_in
// Notes on up to 2,000 children of a database of schema 1 what they lie in, and as which segment; returns how many. May run twice.
// mode: write
MATCH (t:Topic)-[p:PARENT_OF]->(child)
WHERE p.retired_at IS NULL AND child.filed_in IS NULL
WITH t, p, child LIMIT 2000
SET child.filed_in = t.id, child.segment = p.segment
RETURN count(child) AS noted

// name: adopt_embedder
// Sets the embedder of a database that has none yet, and returns the one that holds. May run twice.
// mode: write
// params: embedder, dimension, probe
MATCH (n:Meta {id: 'meta'})
SET n.embedder = coalesce(n.embedder, $embedder), n.dimension = coalesce(n.dimension, $dimension),
    n.probe = coalesce(n.probe, $probe)
RETURN n.embedder AS embedder, n.dimension AS dimension, n.probe AS probe, n.indexed AS indexed

// name: mark_indexed
// Notes that the vector indexes stand. May run twice.
// mode: write
MATCH (n:Meta {id: 'meta'})
SET n.indexed = true

// name: rename_embedder
// Takes the embedder's new name where its vectors are the same. May run twice.
// mode: write
// params: embedder
MATCH (n:Meta {id: 'meta'})
SET n.embedder = $embedder
RETURN n.embedder AS embedder
