// name: changes_at
// The last change of spaces at a moment; no row for one that did not exist yet.
// mode: read
// params: spaces, moment
UNWIND $spaces AS space
MATCH (e:Event {space: space}) WHERE e.recorded_at <= $moment
RETURN space, max(e.change_seq) AS change_seq

// name: counts_then
// How many messages and passages spaces held at a change, and who had spoken.
// mode: read
// params: spaces, bounds
UNWIND $spaces AS space
MATCH (m:Message {space: space}) WHERE m.change_seq <= $bounds[space]
OPTIONAL MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
RETURN space, count(DISTINCT m) AS messages, count(p) AS passages, collect(DISTINCT m.author) AS authors

// name: topics_then
// The topics in which messages lay at a change. One record with all rows as lists: message, topic.
// mode: read
// params: ids, spaces, bounds
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)<-[p:PARENT_OF]-(t:Topic)
WHERE p.change_seq <= $bounds[m.space] AND (p.retired_seq IS NULL OR p.retired_seq > $bounds[m.space])
RETURN collect([m.id, t.id]) AS rows

// name: titles_then
// Topics at a change: their titles, empty before the first revision, and their parents, none of a root.
// mode: read
// params: ids, spaces, bounds
UNWIND $ids AS id
MATCH (t:Topic {id: id}) WHERE t.space IN $spaces
OPTIONAL MATCH (t)<-[p:PARENT_OF]-(parent:Topic)
WHERE p.change_seq <= $bounds[t.space] AND (p.retired_seq IS NULL OR p.retired_seq > $bounds[t.space])
OPTIONAL MATCH (t)-[:HAS_REVISION]->(r:SummaryRevision)
WHERE r.change_seq <= $bounds[t.space] AND (r.retired_seq IS NULL OR r.retired_seq > $bounds[t.space])
RETURN id, t.kind AS kind, coalesce(r.title, '') AS title, parent.id AS parent

// name: recorded_in
// At which change messages were stored; no row for one that was erased.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
RETURN id, m.space AS space, m.change_seq AS change_seq
