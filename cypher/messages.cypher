// name: session_ends
// The last sequence number and the last message of sessions.
// mode: write
// params: keys
UNWIND $keys AS key
MATCH (x:Session {key: key})
RETURN x.key AS key, x.last_seq AS last_seq, x.last_id AS last_id

// name: known_messages
// Messages that are stored already under one of these external keys.
// mode: write
// params: keys
UNWIND $keys AS key
MATCH (m:Message {external_key: key})
RETURN m.external_key AS key, m.id AS id, m.seq AS seq, m.session AS session, m.occurred_at AS occurred_at

// name: messages_by_id
// Place and time of messages by id; for repeating a write whose answer was lost.
// mode: write
// params: ids
UNWIND $ids AS id
MATCH (m:Message {id: id})
RETURN m.id AS id, m.seq AS seq, m.session AS session, m.occurred_at AS occurred_at

// name: append_messages
// Stores messages. Not idempotent: the caller has looked for duplicates under the space's lock.
// mode: write
// params: messages
UNWIND $messages AS row
CREATE (m:Message) SET m = row

// name: append_passages
// Stores the passages of long messages and ties them to their messages.
// mode: write
// params: passages
UNWIND $passages AS row
MATCH (m:Message {id: row.message})
CREATE (m)-[:HAS_PASSAGE]->(p:Passage) SET p = row.properties

// name: link_next
// Draws NEXT from each message to the one after it in its session.
// mode: write
// params: links
UNWIND $links AS link
MATCH (a:Message {id: link[0]})
MATCH (b:Message {id: link[1]})
CREATE (a)-[:NEXT]->(b)

// name: save_sessions
// Sets the ends of sessions, creating their nodes where needed. May run twice.
// mode: write
// params: sessions
UNWIND $sessions AS row
MERGE (x:Session {key: row.key})
ON CREATE SET x.id = row.id, x.space = row.space, x.name = row.name
SET x.last_seq = row.last_seq, x.last_id = row.last_id
