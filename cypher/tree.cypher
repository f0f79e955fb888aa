// name: tree_topics
// Every topic of spaces with its live parent and its current summary.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
WITH t WHERE t.kind = 'root' OR t.filed_in IS NOT NULL
OPTIONAL MATCH (r:SummaryRevision {current_key: t.id})
RETURN t.id AS id, t.filed_in AS parent, t.kind AS kind, coalesce(r.title, t.title) AS title, t.status AS status,
       t.message_count AS message_count, t.depth AS depth, r.text AS summary,
       t.stale_in IS NOT NULL OR t.word_at IS NOT NULL AS due, r.message_count AS worded_count,
       t.failed_wordings AS failed

// name: tree_messages
// Every filed message of spaces with its topic. One record with all rows as lists: topic, id, external id, session, seq,
// author, time, text.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space}) WHERE m.filed_in IS NOT NULL
RETURN collect([m.filed_in, m.id, m.external_id, m.session, m.seq, m.author, m.occurred_at, m.text]) AS rows

// name: topic_revisions
// A topic with its summary revisions, newest first, and what each was made from; one row without a number if it has none.
// mode: read
// params: topic, spaces
MATCH (t:Topic {id: $topic}) WHERE t.space IN $spaces
OPTIONAL MATCH (t)-[:HAS_REVISION]->(r:SummaryRevision)
OPTIONAL MATCH (r)-[:DERIVED_FROM]->(source)
WITH t, r, collect(source.id) AS sources
RETURN t.title AS title, r.number AS number, r.title AS revision_title, r.text AS text, r.method AS method,
       r.recorded_at AS recorded_at, r.retired_at AS retired_at, sources, r.message_count AS worded_count,
       t.stale_in IS NOT NULL OR t.word_at IS NOT NULL AS due, t.message_count AS message_count,
       t.failed_wordings AS failed
ORDER BY number DESC

// name: topic_current
// A topic with its current summary revision, and what that was made from, in the columns of topic_revisions.
// mode: read
// params: topic, spaces
MATCH (t:Topic {id: $topic}) WHERE t.space IN $spaces
OPTIONAL MATCH (r:SummaryRevision {current_key: $topic})
OPTIONAL MATCH (r)-[:DERIVED_FROM]->(source)
WITH t, r, collect(source.id) AS sources
RETURN t.title AS title, r.number AS number, r.title AS revision_title, r.text AS text, r.method AS method,
       r.recorded_at AS recorded_at, r.retired_at AS retired_at, sources, r.message_count AS worded_count,
       t.stale_in IS NOT NULL OR t.word_at IS NOT NULL AS due, t.message_count AS message_count,
       t.failed_wordings AS failed

// name: topics_behind
// How far the wordings of topics are behind: messages now, messages when they were worded, and whether they are due.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (t:Topic {id: id}) WHERE t.space IN $spaces
OPTIONAL MATCH (r:SummaryRevision {current_key: id})
RETURN id, t.message_count AS message_count, r.message_count AS worded_count,
       t.stale_in IS NOT NULL OR t.word_at IS NOT NULL AS due

// name: space_of_topic
// The space that a topic lies in.
// mode: read
// params: topic, spaces
MATCH (t:Topic {id: $topic}) WHERE t.space IN $spaces
RETURN t.space AS space
