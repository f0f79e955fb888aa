// name: tree_state
// Every topic of spaces with its live parent and the counts that routing needs.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
RETURN t.id AS id, t.filed_in AS parent, t.depth AS depth, t.vector_sum AS vector_sum, t.vector_count AS vector_count,
       t.message_count AS message_count, t.segment_count AS segment_count, t.child_count AS child_count,
       t.last_message_at AS last_message_at

// name: waiting_messages
// The first messages that wait to be filed, in the order in which they were stored. One record with all rows as lists:
// id, session, seq, author, text, embedding, time, place key.
// mode: read
// params: spaces, limit
UNWIND $spaces AS space
MATCH (m:Message {waiting_in: space})
WITH m ORDER BY m.change_seq, m.session, m.seq LIMIT $limit
RETURN collect([m.id, m.session, m.seq, m.author, m.text, m.embedding, m.occurred_at, m.place_key]) AS rows

// name: count_waiting
// How many messages of spaces wait to be filed.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {waiting_in: space})
RETURN count(m) AS waiting

// name: segments_before
// The filed segments that end right before the given places: their topic, and their messages in order.
// mode: read
// params: keys, spaces
UNWIND $keys AS key
MATCH (last:Message {place_key: key}) WHERE last.space IN $spaces
MATCH (m:Message {filed_in: last.filed_in}) WHERE m.segment = last.segment
RETURN last.session AS session, m.filed_in AS topic, m.segment AS segment, m.id AS id, m.seq AS seq,
       m.embedding AS embedding, m.occurred_at AS occurred_at
ORDER BY session, seq

// name: topic_contents
// The messages that lie in these leaf topics, with the segment each belongs to. One record with all rows as lists: id,
// session, seq, author, text, embedding, time, topic, segment.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (m:Message {filed_in: topic})
// Behind a WITH, so that nobody takes all messages of the space for the shorter way.
WITH topic, m WHERE m.space IN $spaces
WITH topic, m ORDER BY topic, m.occurred_at, m.session, m.seq
RETURN collect([m.id, m.session, m.seq, m.author, m.text, m.embedding, m.occurred_at, topic, m.segment]) AS rows

// name: create_topics
// Creates topics; their edges follow. Not idempotent: the caller holds the lease and looks for its event first.
// mode: write
// params: topics
UNWIND $topics AS row
CREATE (t:Topic) SET t = row

// name: close_placements_of_topics
// Closes the live placements of topics; they keep their place in history. May run twice.
// mode: write
// params: closed
UNWIND $closed AS row
MATCH (child:Topic {id: row.child})
MATCH (child)<-[p:PARENT_OF {live_key: row.child}]-()
SET p.live_key = null, p.retired_at = row.retired_at, p.retired_seq = row.retired_seq

// name: close_placements_of_messages
// Closes the live placements of messages; they keep their place in history. May run twice.
// mode: write
// params: closed
UNWIND $closed AS row
MATCH (child:Message {id: row.child})
MATCH (child)<-[p:PARENT_OF {live_key: row.child}]-()
SET p.live_key = null, p.retired_at = row.retired_at, p.retired_seq = row.retired_seq

// name: place_topics
// Puts topics below their parents. The unique live_key refuses a second live parent.
// mode: write
// params: placements
UNWIND $placements AS row
MATCH (parent:Topic {id: row.parent})
MATCH (child:Topic {id: row.child})
CREATE (parent)-[p:PARENT_OF]->(child) SET p = row.properties
SET child.filed_in = row.parent

// name: place_messages
// Files messages below topics; they wait no longer. The unique live_key refuses a second live parent.
// mode: write
// params: placements
UNWIND $placements AS row
MATCH (parent:Topic {id: row.parent})
MATCH (child:Message {id: row.child})
CREATE (parent)-[p:PARENT_OF]->(child) SET p = row.properties
SET child.waiting = null, child.waiting_in = null, child.filed_in = row.parent,
    child.segment = row.properties.segment

// name: update_topics
// Sets caches of topics. May run twice.
// mode: write
// params: topics
UNWIND $topics AS row
MATCH (t:Topic {id: row.id})
SET t += row.properties

// name: stale_topics
// Topics whose title and summary are due, with their current revision, the deepest first.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {stale_in: space})
OPTIONAL MATCH (r:SummaryRevision {current_key: t.id})
RETURN t.id AS id, t.depth AS depth, t.kind AS kind, t.filed_in AS parent, t.child_count AS child_count,
       t.message_count AS message_count, t.word_at AS word_at, t.failed_wordings AS failed,
       r.id AS revision, r.number AS number, r.title AS title, r.text AS text, r.method AS method,
       r.message_count AS worded_count
ORDER BY depth DESC, id

// name: topics_to_word_again
// Topics for which the model is to be asked again by now although nothing changed, in the columns of stale_topics.
// mode: read
// params: spaces, now
UNWIND $spaces AS space
MATCH (t:Topic {space: space}) WHERE t.word_at <= $now AND t.stale_in IS NULL
OPTIONAL MATCH (r:SummaryRevision {current_key: t.id})
RETURN t.id AS id, t.depth AS depth, t.kind AS kind, t.filed_in AS parent, t.child_count AS child_count,
       t.message_count AS message_count, t.word_at AS word_at, t.failed_wordings AS failed,
       r.id AS revision, r.number AS number, r.title AS title, r.text AS text, r.method AS method,
       r.message_count AS worded_count
ORDER BY depth DESC, id

// name: wording_sources
// What revisions were made from: ids of messages, or of children's revisions with the topics that those word.
// mode: read
// params: revisions, spaces
UNWIND $revisions AS id
MATCH (r:SummaryRevision {id: id}) WHERE r.space IN $spaces
MATCH (r)-[:DERIVED_FROM]->(source)
RETURN id, collect(source.id) AS sources, collect(source.topic) AS topics

// name: topic_phrases
// The phrases kept of every topic of spaces: what its title is chosen from.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
RETURN t.id AS id, t.depth AS depth, t.child_count AS child_count, t.phrases AS phrases

// name: children_of
// The live child topics of topics with their current wording, the largest first.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (child:Topic {filed_in: topic})
// Behind a WITH, so that nobody takes all topics of the space for the shorter way.
WITH topic, child WHERE child.space IN $spaces
OPTIONAL MATCH (r:SummaryRevision {current_key: child.id})
RETURN topic AS parent, child.id AS id, coalesce(r.title, child.title) AS title, r.id AS revision, r.text AS text,
       r.method AS method, child.message_count AS message_count, child.child_count AS child_count, child.phrases AS phrases
ORDER BY parent, message_count DESC, id

// name: retire_revisions
// Closes current summary revisions; they keep their place in history. May run twice.
// mode: write
// params: revisions
UNWIND $revisions AS row
MATCH (r:SummaryRevision {id: row.id})
SET r.current_key = null, r.retired_at = row.retired_at, r.retired_seq = row.retired_seq

// name: add_revisions
// Adds summary revisions to their topics. The unique current_key refuses a second current one.
// mode: write
// params: revisions
UNWIND $revisions AS row
MATCH (t:Topic {id: row.topic})
CREATE (t)-[:HAS_REVISION]->(r:SummaryRevision) SET r = row.properties
SET t.title = row.properties.title

// name: link_superseded
// Draws SUPERSEDES from each new revision to the one before it.
// mode: write
// params: links
UNWIND $links AS row
MATCH (new:SummaryRevision {id: row.new})
MATCH (old:SummaryRevision {id: row.old})
CREATE (new)-[s:SUPERSEDES]->(old) SET s = row.properties

// name: derive_from_messages
// Draws DERIVED_FROM from revisions to the messages they were made from.
// mode: write
// params: links
UNWIND $links AS row
MATCH (r:SummaryRevision {id: row.revision})
MATCH (m:Message {id: row.source})
CREATE (r)-[d:DERIVED_FROM]->(m) SET d = row.properties

// name: derive_from_revisions
// Draws DERIVED_FROM from revisions of parents to the children's revisions they were made from.
// mode: write
// params: links
UNWIND $links AS row
MATCH (r:SummaryRevision {id: row.revision})
MATCH (source:SummaryRevision {id: row.source})
CREATE (r)-[d:DERIVED_FROM]->(source) SET d = row.properties

// name: sibling_titles
// The live siblings of topics (themselves among them) with their parents and titles.
// mode: read
// params: topics, spaces
UNWIND $topics AS topic
MATCH (t:Topic {id: topic}) WHERE t.space IN $spaces
WITH DISTINCT t.filed_in AS parent
MATCH (child:Topic {filed_in: parent})
RETURN child.id AS id, parent, child.title AS title

// name: space_mean
// The running sum and count of the vectors of a space's filed messages.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
RETURN s.vector_sum AS vector_sum, s.vector_count AS vector_count
