// name: shown_topics
// How topics are shown to a model that files segments: title, current wording, and up to 8 of the latest messages (id and
// number of characters), the latest first.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
OPTIONAL MATCH (r:SummaryRevision {current_key: t.id})
OPTIONAL MATCH (m:Message {filed_in: topic})
WITH t, r, m ORDER BY m.occurred_at DESC, m.seq DESC
// A topic without messages of its own has none here, not one of nulls.
WITH t, r, collect(CASE WHEN m IS NULL THEN null ELSE [m.id, size(m.text)] END)[..8] AS latest
RETURN t.id AS id, t.title AS title, r.id AS revision, latest

// name: segment_margins
// The segments of topics that vectors put there, with the margin that their live placements keep.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (m:Message {filed_in: topic})
// Behind a WITH, so that nobody takes all messages of the space for the shorter way.
WITH topic, m WHERE m.space IN $spaces
MATCH (m)<-[p:PARENT_OF {live_key: m.id}]-() WHERE p.decided_by = 'vector'
RETURN m.segment AS segment, min(p.margin) AS margin

// name: routing_figures
// How a model did when it was last asked where segments of spaces belong, the oldest first.
// mode: read
// params: spaces, model, most
UNWIND $spaces AS space
MATCH (c:ModelCall {space: space}) WHERE c.model = $model AND c.purpose IN ['route', 'descend']
WITH c.id AS id, c.figures AS figures ORDER BY id DESC LIMIT $most
RETURN figures ORDER BY id
