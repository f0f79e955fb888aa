// name: restore_standing
// Spaces that have this id or this name already, and whether one is being restored.
// mode: write
// params: space, called
MATCH (s:Space) WHERE s.id = $space OR s.name = $called
RETURN s.id AS id, s.name AS name, s.restoring AS restoring, s.restored AS restored

// name: restore_begin
// Creates a Space that is not complete yet: nobody sees it but a restore.
// mode: write
// params: space
CREATE (s:Space) SET s = $space
RETURN s.id AS id

// name: restore_take_over
// Makes a restore that was begun this run's own; no row where the space is another or complete. May run twice.
// mode: write
// params: space, digest, token, called
MATCH (s:Space {id: $space}) WHERE s.restoring = $digest
SET s.restorer = $token, s.name = $called
RETURN s.key AS key, s.restored AS restored

// name: restore_advance
// Locks a space that is being restored and counts the lines done; no row where another run has taken it over.
// mode: write
// params: space, token, lines
MATCH (s:Space {id: $space}) WHERE s.restorer = $token
SET s.lock = $token
WITH s, s.restored AS before
SET s.restored = $lines
RETURN before, s.key AS key

// name: restore_complete
// Makes a restored space what it was: from now on it is seen.
// mode: write
// params: space, properties
MATCH (s:Space {id: $space})
SET s += $properties
RETURN s.id AS id

// name: restore_discard
// Removes the Space node of a restore that is given up, after all else of it. May run twice.
// mode: write
// params: space, token
MATCH (s:Space {id: $space}) WHERE s.restorer = $token
DETACH DELETE s
RETURN count(*) AS removed

// name: restore_discard_topics
// Removes topics of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:Topic {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_revisions
// Removes revisions of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:SummaryRevision {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_sessions
// Removes sessions of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:Session {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_messages
// Removes messages of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:Message {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_passages
// Removes passages of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:Passage {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_events
// Removes events of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:Event {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_discard_calls
// Removes calls to models of a space that never was complete. May run twice.
// mode: write
// params: space, most
MATCH (n:ModelCall {space: $space})
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed

// name: restore_topics_taken
// How many of these ids are those of topics already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:Topic {id: id})
RETURN count(n) AS taken

// name: restore_revisions_taken
// How many of these ids are those of revisions already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:SummaryRevision {id: id})
RETURN count(n) AS taken

// name: restore_messages_taken
// How many of these ids are those of messages already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:Message {id: id})
RETURN count(n) AS taken

// name: restore_passages_taken
// How many of these ids are those of passages already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:Passage {id: id})
RETURN count(n) AS taken

// name: restore_events_taken
// How many of these ids are those of events already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:Event {id: id})
RETURN count(n) AS taken

// name: restore_calls_taken
// How many of these ids are those of calls to models already.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (n:ModelCall {id: id})
RETURN count(n) AS taken

// name: restore_topics
// Creates topics as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:Topic) SET n = row
RETURN count(*) AS made

// name: restore_revisions
// Creates summary revisions as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:SummaryRevision) SET n = row
RETURN count(*) AS made

// name: restore_sessions
// Creates sessions as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:Session) SET n = row
RETURN count(*) AS made

// name: restore_messages
// Creates messages as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:Message) SET n = row
RETURN count(*) AS made

// name: restore_passages
// Creates passages as they were; the tie to their messages follows.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:Passage) SET n = row
RETURN count(*) AS made

// name: restore_events
// Creates the lines of the ledger as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:Event) SET n = row
RETURN count(*) AS made

// name: restore_calls
// Creates calls to models as they were.
// mode: write
// params: rows
UNWIND $rows AS row
CREATE (n:ModelCall) SET n = row
RETURN count(*) AS made

// name: restore_topic_placements
// Draws PARENT_OF between topics, live and closed.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:Topic {id: row.source})
MATCH (b:Topic {id: row.target})
CREATE (a)-[r:PARENT_OF]->(b) SET r = row.properties
SET b.filed_in = CASE WHEN row.properties.live_key IS NULL THEN b.filed_in ELSE a.id END,
    b.segment = CASE WHEN row.properties.live_key IS NULL THEN b.segment ELSE row.properties.segment END
RETURN count(*) AS made

// name: restore_message_placements
// Draws PARENT_OF from topics to messages, live and closed.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:Topic {id: row.source})
MATCH (b:Message {id: row.target})
CREATE (a)-[r:PARENT_OF]->(b) SET r = row.properties
SET b.filed_in = CASE WHEN row.properties.live_key IS NULL THEN b.filed_in ELSE a.id END,
    b.segment = CASE WHEN row.properties.live_key IS NULL THEN b.segment ELSE row.properties.segment END
RETURN count(*) AS made

// name: restore_topic_revisions
// Draws HAS_REVISION.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:Topic {id: row.source})
MATCH (b:SummaryRevision {id: row.target})
CREATE (a)-[r:HAS_REVISION]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_superseded
// Draws SUPERSEDES.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:SummaryRevision {id: row.source})
MATCH (b:SummaryRevision {id: row.target})
CREATE (a)-[r:SUPERSEDES]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_message_sources
// Draws DERIVED_FROM from revisions to messages.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:SummaryRevision {id: row.source})
MATCH (b:Message {id: row.target})
CREATE (a)-[r:DERIVED_FROM]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_revision_sources
// Draws DERIVED_FROM from revisions to revisions.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:SummaryRevision {id: row.source})
MATCH (b:SummaryRevision {id: row.target})
CREATE (a)-[r:DERIVED_FROM]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_message_passages
// Draws HAS_PASSAGE.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:Message {id: row.source})
MATCH (b:Passage {id: row.target})
CREATE (a)-[r:HAS_PASSAGE]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_next
// Draws NEXT.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:Message {id: row.source})
MATCH (b:Message {id: row.target})
CREATE (a)-[r:NEXT]->(b) SET r = row.properties
RETURN count(*) AS made

// name: restore_made
// Draws MADE from calls to models to the revisions, topics and messages they made.
// mode: write
// params: rows
UNWIND $rows AS row
MATCH (a:ModelCall {id: row.source})
OPTIONAL MATCH (r:SummaryRevision {id: row.target})
OPTIONAL MATCH (t:Topic {id: row.target})
OPTIONAL MATCH (m:Message {id: row.target})
WITH row, a, coalesce(r, t, m) AS b
WHERE b IS NOT NULL
CREATE (a)-[e:MADE]->(b) SET e = row.properties
RETURN count(*) AS made
