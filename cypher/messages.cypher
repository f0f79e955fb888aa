// name: before_adding
// What a write builds on: the ends of these sessions, and the messages stored already under these external keys.
// mode: write
// params: sessions, keys
UNWIND $sessions AS key
MATCH (x:Session {key: key})
RETURN 'session' AS kind, x.key AS key, x.last_id AS id, x.last_seq AS seq, x.name AS session,
       null AS occurred_at, null AS content_hash
UNION ALL
UNWIND $keys AS key
MATCH (m:Message {external_key: key})
RETURN 'message' AS kind, key, m.id AS id, m.seq AS seq, m.session AS session,
       m.occurred_at AS occurred_at, m.content_hash AS content_hash

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

// name: finish_adding
// The rest of a write in one round trip; must not run twice. NEXT from each message to the one after it in its session, the
// ends of the sessions (nodes created where needed), the lines of the ledger, the space's counters.
// mode: write
// params: links, sessions, events, space, properties
// A count is one row, also of nothing: so each part is followed by one.
UNWIND $links AS link
MATCH (a:Message {id: link[0]})
MATCH (b:Message {id: link[1]})
CREATE (a)-[:NEXT]->(b)
WITH count(*) AS links
UNWIND $sessions AS row
MERGE (x:Session {key: row.key})
ON CREATE SET x.id = row.id, x.space = row.space, x.name = row.name
SET x.last_seq = row.last_seq, x.last_id = row.last_id
WITH count(*) AS sessions
UNWIND $events AS row
CREATE (e:Event) SET e = row
WITH count(*) AS events
MATCH (s:Space {id: $space})
SET s += $properties

// name: places_of_messages
// Every message of spaces in the order in which they were stored. One record with all rows as lists: id, session, seq,
// hash of the content.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WITH m ORDER BY m.change_seq, m.session, m.seq
RETURN collect([m.id, m.session, m.seq, m.content_hash]) AS rows

// name: messages_to_copy
// Messages by id, as they were given.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
RETURN m.id AS id, m.text AS text, m.role AS role, m.author AS author, m.session AS session, m.agent AS agent,
       m.external_id AS external_id, m.content AS content, m.occurred_at AS occurred_at,
       m.occurred_offset AS occurred_offset
