// name: doctor_ledger
// The events by which messages were added, with the ids of the messages and the hash of what was written.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (e:Event {space: space}) WHERE e.action = 'messages.added'
RETURN e.id AS id, e.targets AS targets, e.payload_hash AS payload_hash ORDER BY e.seq

// name: doctor_written
// All that was written with messages, as the ledger hashes it: themselves, their passages, new sessions, NEXT.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
RETURN 'Message' AS kind, m.id AS message, properties(m) AS properties
UNION ALL
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
RETURN 'Passage' AS kind, id AS message, properties(p) AS properties
UNION ALL
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces AND m.seq = 1
MATCH (x:Session {key: left(m.place_key, size(m.place_key) - 2)})
RETURN 'Session' AS kind, m.id AS message, {id: x.id, key: x.key, space: x.space, name: x.name} AS properties
UNION ALL
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (before:Message)-[:NEXT]->(m)
RETURN 'NEXT' AS kind, m.id AS message, {from: before.id, to: m.id} AS properties

// name: doctor_call_ids
// Every call to a model for spaces. One record with all rows as lists: id.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (c:ModelCall {space: space})
RETURN collect([c.id]) AS rows

// name: doctor_call_texts
// What of calls to models must be JSON: id, inputs, figures.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (c:ModelCall {id: id}) WHERE c.space IN $spaces
RETURN c.id AS id, c.inputs AS inputs, c.figures AS figures

// name: doctor_topics
// Every topic of spaces with its live parent, found by the placement, and its caches.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
OPTIONAL MATCH (t)<-[p:PARENT_OF]-(parent:Topic) WHERE p.retired_at IS NULL
RETURN t.id AS id, t.kind AS kind, parent.id AS parent, t.depth AS depth, t.vector_sum AS vector_sum,
       t.vector_count AS vector_count, t.message_count AS message_count, t.segment_count AS segment_count,
       t.child_count AS child_count, t.last_message_at AS last_message_at

// name: doctor_contents
// What the caches of topics are made from: topic, segment, vector and time of each message that lies in these topics.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
MATCH (t)-[p:PARENT_OF]->(m:Message)
WHERE p.retired_at IS NULL
RETURN t.id AS topic, p.segment AS segment, m.embedding AS vector, m.occurred_at AS occurred_at

// name: doctor_space_caches
// Counters and caches of spaces, beside what they should be by a count.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
OPTIONAL MATCH (m:Message {space: space})
WITH s, space, count(m) AS messages, collect(DISTINCT m.author) AS authors
OPTIONAL MATCH (p:Passage {space: space})
WITH s, messages, authors, count(p) AS passages
RETURN s.message_count AS message_count, s.passage_count AS passage_count, s.authors AS authors,
       s.vector_sum AS vector_sum, s.vector_count AS vector_count, messages, passages, authors AS speakers

// name: doctor_mend_waiting
// Makes the marks of waiting agree with the placements: what has none waits, what has one does not. May run twice.
// mode: write
// params: space
MATCH (m:Message {space: $space})
OPTIONAL MATCH (m)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH m, count(p) AS parents
WHERE (parents > 0 AND (m.waiting IS NOT NULL OR m.waiting_in IS NOT NULL))
   OR (parents = 0 AND (m.waiting IS NULL OR m.waiting_in IS NULL OR m.waiting_in <> $space))
SET m.waiting = CASE WHEN parents = 0 THEN true END, m.waiting_in = CASE WHEN parents = 0 THEN $space END
RETURN m.id AS id ORDER BY id

// name: doctor_mend_wording
// Marks topics without any revision as stale, so that the next run of the organiser words them. May run twice.
// mode: write
// params: space
MATCH (t:Topic {space: $space})
OPTIONAL MATCH (t)-[:HAS_REVISION]->(r)
WITH t, count(r) AS revisions
WHERE (revisions = 0 AND t.stale_in IS NULL AND (t.kind <> 'root' OR t.child_count > 0)) OR t.stale_in <> $space
SET t.stale_in = $space
RETURN t.id AS id ORDER BY id

// name: doctor_mend_titles
// Gives topics the title of their current revision. May run twice.
// mode: write
// params: space
MATCH (t:Topic {space: $space})-[:HAS_REVISION]->(r)
WHERE r.retired_at IS NULL AND (t.title IS NULL OR t.title <> r.title)
SET t.title = r.title
RETURN t.id AS id ORDER BY id

// name: doctor_mend_filed_in
// Sets filed_in and segment of children by their live placement. May run twice.
// mode: write
// params: space
MATCH (t:Topic {space: $space})-[p:PARENT_OF]->(child)
WHERE p.retired_at IS NULL AND (child.filed_in IS NULL OR child.filed_in <> t.id
   OR coalesce(child.segment, '') <> coalesce(p.segment, ''))
SET child.filed_in = t.id, child.segment = p.segment
RETURN child.id AS id ORDER BY id

// name: doctor_mend_unfiled
// Takes filed_in and segment from messages without a live placement. May run twice.
// mode: write
// params: space
MATCH (m:Message {space: $space}) WHERE m.filed_in IS NOT NULL
OPTIONAL MATCH (m)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH m, count(p) AS parents
WHERE parents = 0
SET m.filed_in = null, m.segment = null
RETURN m.id AS id ORDER BY id

// name: doctor_mend_root
// Takes filed_in from the root of a space. May run twice.
// mode: write
// params: space
MATCH (t:Topic {space: $space}) WHERE t.kind = 'root' AND t.filed_in IS NOT NULL
SET t.filed_in = null
RETURN t.id AS id
