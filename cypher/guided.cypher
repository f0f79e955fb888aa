// name: children_then
// The child topics of topics at a change with their wording of then, the largest first. How many messages lay in a child
// is known of leaves only, of others how many topics.
// mode: read
// params: topics, spaces, bounds
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
MATCH (t)-[p:PARENT_OF]->(child:Topic)
WHERE p.change_seq <= $bounds[t.space] AND (p.retired_seq IS NULL OR p.retired_seq > $bounds[t.space])
OPTIONAL MATCH (child)-[:HAS_REVISION]->(r:SummaryRevision)
WHERE r.change_seq <= $bounds[t.space] AND (r.retired_seq IS NULL OR r.retired_seq > $bounds[t.space])
OPTIONAL MATCH (child)-[q:PARENT_OF]->(below)
WHERE q.change_seq <= $bounds[t.space] AND (q.retired_seq IS NULL OR q.retired_seq > $bounds[t.space])
WITH topic, child, r, collect(below.kind) AS kinds, count(below) AS under
RETURN topic AS parent, child.id AS id, coalesce(r.title, '') AS title, r.id AS revision, r.text AS text,
       CASE WHEN size(kinds) = 0 THEN under END AS message_count, size(kinds) AS child_count
ORDER BY parent, message_count DESC, id

// name: branches_below
// The live child topics of topics: one level of what lies in a branch.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (child:Topic {filed_in: topic})
// Behind a WITH, so that nobody takes all topics of the space for the shorter way.
WITH topic, child WHERE child.space IN $spaces
RETURN topic AS parent, child.id AS id

// name: branches_below_then
// The child topics of topics at a change: one level of what lay in a branch.
// mode: read
// params: topics, spaces, bounds
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
MATCH (t)-[p:PARENT_OF]->(child:Topic)
WHERE p.change_seq <= $bounds[t.space] AND (p.retired_seq IS NULL OR p.retired_seq > $bounds[t.space])
RETURN topic AS parent, child.id AS id

// name: branch_messages
// The messages of leaf topics that are nearest in meaning to a question, of those there were at a change. One record with
// all rows as lists: message, topic.
// mode: read
// params: topics, vector, spaces, bounds, k
UNWIND $topics AS topic
MATCH (m:Message {filed_in: topic})
// Behind a WITH, so that nobody takes all messages of the space for the shorter way.
WITH topic, m WHERE m.space IN $spaces AND m.change_seq <= $bounds[m.space]
WITH topic, m, vector.similarity.cosine(m.embedding, $vector) AS similarity ORDER BY similarity DESC, m.id LIMIT $k
RETURN collect([m.id, topic]) AS rows

// name: branch_messages_then
// The same of messages that lay in the topics at that change.
// mode: read
// params: topics, vector, spaces, bounds, k
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
MATCH (t)-[p:PARENT_OF]->(m:Message)
WHERE p.change_seq <= $bounds[t.space] AND (p.retired_seq IS NULL OR p.retired_seq > $bounds[t.space])
// Behind a WITH, so that nobody takes all messages of the space for the shorter way.
WITH t, m WHERE m.space IN $spaces AND m.change_seq <= $bounds[t.space]
WITH t, m, vector.similarity.cosine(m.embedding, $vector) AS similarity ORDER BY similarity DESC, m.id LIMIT $k
RETURN collect([m.id, t.id]) AS rows
