// name: export_space
// The Space node, as it is now.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
RETURN properties(s) AS properties

// name: export_topics
// Every Topic of spaces, as it is now.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
RETURN properties(t) AS properties ORDER BY t.id

// name: export_sessions
// Every Session of spaces, as it is now.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (x:Session {space: space})
RETURN properties(x) AS properties ORDER BY x.id

// name: export_revision_ids
// The revisions there were at a change. One record with all rows as lists: id, length.
// mode: read
// params: spaces, bound
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space}) WHERE r.change_seq <= $bound
RETURN collect([r.id, size(r.text)]) AS rows

// name: export_message_ids
// The messages there were at a change. One record with all rows as lists: id, length, session, seq.
// mode: read
// params: spaces, bound
UNWIND $spaces AS space
MATCH (m:Message {space: space}) WHERE m.change_seq <= $bound
RETURN collect([m.id, size(m.text) + size(coalesce(m.content, '')), m.session, m.seq]) AS rows

// name: export_passage_ids
// Every passage of spaces. One record with all rows as lists: id, length, message.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (p:Passage {space: space})
RETURN collect([p.id, p.end - p.start, p.message]) AS rows

// name: export_call_ids
// The calls to models that were history at a change. One record with all rows as lists: id, length.
// mode: read
// params: spaces, bound
UNWIND $spaces AS space
MATCH (c:ModelCall {space: space}) WHERE c.change_seq <= $bound
RETURN collect([c.id, size(c.inputs) + size(coalesce(c.reply, '')) + size(coalesce(c.request, ''))]) AS rows

// name: export_event_ids
// The events there were at a change. One record with all rows as lists: id, how many targets.
// mode: read
// params: spaces, bound
UNWIND $spaces AS space
MATCH (e:Event {space: space}) WHERE e.change_seq <= $bound
RETURN collect([e.id, size(e.targets)]) AS rows

// name: export_revisions
// Summary revisions by id.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (r:SummaryRevision {id: id}) WHERE r.space IN $spaces
RETURN properties(r) AS properties

// name: export_messages
// Messages by id, with how often they had been placed at a change, and since.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
RETURN properties(m) AS properties,
       COUNT { MATCH (m)<-[p:PARENT_OF]-(:Topic) WHERE p.change_seq <= $bound } AS placed,
       COUNT { MATCH (m)<-[p:PARENT_OF]-(:Topic) WHERE p.change_seq > $bound } AS placed_since

// name: export_passages
// Passages by id.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (p:Passage {id: id}) WHERE p.space IN $spaces
RETURN properties(p) AS properties

// name: export_calls
// Calls to models by id.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (c:ModelCall {id: id}) WHERE c.space IN $spaces
RETURN properties(c) AS properties

// name: export_events
// Events by id.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (e:Event {id: id}) WHERE e.space IN $spaces
RETURN properties(e) AS properties

// name: export_placements
// The placements below topics, live and closed, that there were at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (t:Topic {id: id}) WHERE t.space IN $spaces
MATCH (t)-[p:PARENT_OF]->(child) WHERE p.change_seq <= $bound AND child.space IN $spaces
RETURN id AS source, child.id AS target, properties(p) AS properties

// name: export_topic_revisions
// Which revisions topics had at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (t:Topic {id: id}) WHERE t.space IN $spaces
MATCH (t)-[h:HAS_REVISION]->(r:SummaryRevision) WHERE r.change_seq <= $bound AND r.space IN $spaces
RETURN id AS source, r.id AS target, properties(h) AS properties

// name: export_superseded
// Which revisions had superseded which at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (r:SummaryRevision {id: id}) WHERE r.space IN $spaces
MATCH (r)-[s:SUPERSEDES]->(old:SummaryRevision) WHERE s.change_seq <= $bound AND old.space IN $spaces
RETURN id AS source, old.id AS target, properties(s) AS properties

// name: export_sources
// From what revisions had been made at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (r:SummaryRevision {id: id}) WHERE r.space IN $spaces
MATCH (r)-[d:DERIVED_FROM]->(source) WHERE d.change_seq <= $bound AND source.space IN $spaces
RETURN id AS source, source.id AS target, properties(d) AS properties

// name: export_message_passages
// Which passages messages have.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[h:HAS_PASSAGE]->(p:Passage) WHERE p.space IN $spaces
RETURN id AS source, p.id AS target, properties(h) AS properties

// name: export_next
// Which message had followed which at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[n:NEXT]->(after:Message) WHERE after.change_seq <= $bound AND after.space IN $spaces
RETURN id AS source, after.id AS target, properties(n) AS properties

// name: export_made
// What calls to models had made at a change.
// mode: read
// params: ids, spaces, bound
UNWIND $ids AS id
MATCH (c:ModelCall {id: id}) WHERE c.space IN $spaces
MATCH (c)-[m:MADE]->(made) WHERE m.change_seq <= $bound AND made.space IN $spaces
RETURN id AS source, made.id AS target, properties(m) AS properties
