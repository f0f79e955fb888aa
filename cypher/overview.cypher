// name: describe_spaces
// Every space by name, with what it holds; without those that are being restored.
// mode: read
// unscoped: lists spaces; the caller's access is decided on what it returns
MATCH (s:Space) WHERE s.restoring IS NULL
RETURN s.id AS id, s.name AS name, s.time_zone AS time_zone, s.message_count AS messages,
       COUNT { MATCH (t:Topic {space: s.id}) WHERE t.kind = 'topic' AND t.status = 'active' } AS topics,
       COUNT { MATCH (m:Message {waiting_in: s.id}) } AS waiting, s.recorded_at AS created_at
ORDER BY s.name

// name: waiting_since
// How many messages of spaces wait to be filed, and when the one that has waited longest was stored.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {waiting_in: space})
RETURN space, count(m) AS waiting, min(m.recorded_at) AS since

// name: count_nodes
// How many nodes of each kind the spaces hold.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
WITH s, COUNT { MATCH (m:Message {waiting_in: s.id}) } AS waiting,
     COUNT { MATCH (x:Session {space: s.id}) } AS sessions,
     COUNT { MATCH (r:SummaryRevision {space: s.id}) } AS revisions
RETURN sum(s.message_count) AS messages, sum(waiting) AS waiting, sum(sessions) AS sessions,
       sum(s.passage_count) AS passages, sum(revisions) AS revisions, sum(s.event_seq) AS events

// name: tree_shape
// Topics and leaf topics of the spaces, the depth of the deepest, and the largest leaf and fan-out; by the counts kept on
// the topics, since to count edges reads every placement that was ever closed.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
WITH t, coalesce(t.child_count, 0) AS children,
     CASE WHEN coalesce(t.child_count, 0) = 0 THEN coalesce(t.message_count, 0) ELSE 0 END AS messages
RETURN sum(CASE WHEN t.kind = 'topic' THEN 1 ELSE 0 END) AS topics,
       sum(CASE WHEN messages > 0 THEN 1 ELSE 0 END) AS leaf_topics, coalesce(max(t.depth), 0) AS depth,
       coalesce(max(messages), 0) AS largest_leaf, coalesce(max(children), 0) AS most_children

// name: stored_tokens
// Tokens of what the spaces store, by kind, as counted when it was written: messages, all wordings of summaries, and the
// current ones.
// mode: read
// params: spaces
UNWIND $spaces AS space
OPTIONAL MATCH (m:Message {space: space})
WITH space, coalesce(sum(m.tokens), 0) AS messages
OPTIONAL MATCH (r:SummaryRevision {space: space})
WITH space, messages, coalesce(sum(r.tokens), 0) AS summaries,
     coalesce(sum(CASE WHEN r.current_key IS NULL THEN 0 ELSE r.tokens END), 0) AS current_summaries
RETURN sum(messages) AS messages, sum(summaries) AS summaries, sum(current_summaries) AS current_summaries
