// name: doctor_indexes
// Every index of the database with what it covers, its state, and the constraint that it serves, if any.
// mode: read
// unscoped: describes the schema
SHOW INDEXES YIELD name, state, labelsOrTypes, properties, owningConstraint
RETURN name, state, labelsOrTypes AS labels, properties, owningConstraint AS owner

// name: doctor_lease
// Where the clocks of spaces stand, and who holds them until when.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
RETURN space, s.change_seq AS change_seq, s.lease_owner AS owner, s.lease_until AS until

// name: doctor_unfinished
// What is no fault: messages that wait, since when the oldest does, and messages without a vector.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
RETURN space, count(m) AS messages, sum(CASE WHEN m.waiting_in IS NOT NULL THEN 1 ELSE 0 END) AS waiting,
       min(CASE WHEN m.waiting_in IS NOT NULL THEN m.recorded_at END) AS since,
       sum(CASE WHEN m.embedding IS NULL THEN 1 ELSE 0 END) AS without_vector

// name: doctor_stale_topics
// How many topics wait for their summary to be revised.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {stale_in: space})
RETURN space, count(t) AS topics

// name: doctor_revision_topic
// Summary revisions that do not hang on exactly the topic that they name: how many, and the ids of the first 20.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})
OPTIONAL MATCH (r)<-[:HAS_REVISION]-(t)
WITH space, r, count(t) AS topics, min(t.id) AS topic, min(t.space) AS home
WHERE topics <> 1 OR topic <> r.topic OR home <> space
WITH space, r.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_current_revision
// Topics of whose revisions not exactly one is current, or one whose current_key and end do not agree.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})
WITH space, r.topic AS id, sum(CASE WHEN r.retired_at IS NULL THEN 1 ELSE 0 END) AS current,
     sum(CASE WHEN (r.retired_at IS NULL AND r.current_key IS NULL)
                OR (r.retired_at IS NOT NULL AND r.current_key IS NOT NULL)
                OR r.current_key <> r.topic THEN 1 ELSE 0 END) AS wrong
WHERE current <> 1 OR wrong > 0
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_topic_wording
// Topics without any revision that nobody is going to word: not marked as stale, and no empty root.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
OPTIONAL MATCH (t)-[:HAS_REVISION]->(r)
WITH space, t, count(r) AS revisions
WHERE (revisions = 0 AND t.stale_in IS NULL AND (t.kind <> 'root' OR t.child_count > 0)) OR t.stale_in <> space
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_revision_numbers
// Topics whose revisions are not numbered 1, 2, 3 and so on.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})
WITH space, r.topic AS id, count(r) AS revisions, count(DISTINCT r.number) AS numbers, min(r.number) AS first,
     max(r.number) AS last
WHERE revisions <> numbers OR first <> 1 OR last <> revisions
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_revision_chain
// Revisions that do not supersede exactly one earlier revision of their topic, or as the first one none.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})
OPTIONAL MATCH (r)-[:SUPERSEDES]->(old)
WITH space, r, count(old) AS superseded, max(old.number) AS number, min(old.topic) AS topic
WHERE superseded <> (CASE WHEN r.number = 1 THEN 0 ELSE 1 END) OR number >= r.number OR topic <> r.topic
WITH space, r.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_revision_sources
// Revisions made from something of another space, or from something that was written after them. Each source is read
// once, however many revisions were made from it.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})-[:DERIVED_FROM]->(source)
WITH space, source, min(r.change_seq) AS first
WITH space, source, first, source.space AS home, source.change_seq AS written
WHERE home <> space OR written > first
MATCH (r:SummaryRevision)-[:DERIVED_FROM]->(source)
WHERE r.space = space AND (home <> space OR written > r.change_seq)
WITH DISTINCT space, r.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_root
// Spaces that do not have exactly one root, which is the one they name.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
OPTIONAL MATCH (t:Topic {space: space}) WHERE t.kind = 'root'
WITH space, s, count(t) AS roots, min(t.id) AS root
WHERE roots <> 1 OR root <> s.root
RETURN space, 1 AS count, [space] AS ids

// name: doctor_topic_parent
// Topics without exactly one live parent, or a root that has one.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
OPTIONAL MATCH (t)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH space, t, count(p) AS parents
WHERE parents <> (CASE WHEN t.kind = 'root' THEN 0 ELSE 1 END)
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_message_parent
// Messages with several live parents, or with none although they do not wait for one.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
OPTIONAL MATCH (m)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH space, m.id AS id, m.waiting_in AS waiting_in, count(p) AS parents
WHERE parents > 1 OR (parents = 0 AND waiting_in IS NULL)
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_waiting
// Messages that wait although they are filed, or that wait in another space, or whose two marks differ.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WHERE m.waiting_in IS NOT NULL OR m.waiting IS NOT NULL
OPTIONAL MATCH (m)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH space, m, count(p) AS parents
WHERE parents > 0 OR m.waiting_in IS NULL OR m.waiting IS NULL OR m.waiting_in <> space
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_live_key
// Children of placements whose live_key is not the child's id while they are live, and null once they are closed.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE (p.retired_at IS NULL AND p.live_key IS NULL) OR (p.retired_at IS NOT NULL AND p.live_key IS NOT NULL)
   OR p.live_key <> child.id
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_cycle
// Topics above which the tree has no end: twelve parents and still no root. A tree is six deep.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
MATCH (t)<-[p1:PARENT_OF]-(a) WHERE p1.retired_at IS NULL
MATCH (a)<-[p2:PARENT_OF]-(b) WHERE p2.retired_at IS NULL
MATCH (b)<-[p3:PARENT_OF]-(c) WHERE p3.retired_at IS NULL
MATCH (c)<-[p4:PARENT_OF]-(d) WHERE p4.retired_at IS NULL
MATCH (d)<-[p5:PARENT_OF]-(e) WHERE p5.retired_at IS NULL
MATCH (e)<-[p6:PARENT_OF]-(f) WHERE p6.retired_at IS NULL
MATCH (f)<-[p7:PARENT_OF]-(g) WHERE p7.retired_at IS NULL
MATCH (g)<-[p8:PARENT_OF]-(h) WHERE p8.retired_at IS NULL
MATCH (h)<-[p9:PARENT_OF]-(i) WHERE p9.retired_at IS NULL
MATCH (i)<-[p10:PARENT_OF]-(j) WHERE p10.retired_at IS NULL
MATCH (j)<-[p11:PARENT_OF]-(k) WHERE p11.retired_at IS NULL
MATCH (k)<-[p12:PARENT_OF]-(l) WHERE p12.retired_at IS NULL
WITH DISTINCT space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_filed_in
// Children whose filed_in or segment is not that of their live placement, and those that have one without a placement.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE p.retired_at IS NULL AND (child.filed_in IS NULL OR child.filed_in <> t.id
   OR coalesce(child.segment, '') <> coalesce(p.segment, ''))
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (m:Message {waiting_in: space}) WHERE m.filed_in IS NOT NULL
OPTIONAL MATCH (m)<-[p:PARENT_OF]-() WHERE p.retired_at IS NULL
WITH space, m.id AS id, count(p) AS parents
WHERE parents = 0
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (t:Topic {space: space}) WHERE t.kind = 'root' AND t.filed_in IS NOT NULL
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_placement_space
// Children that are or were placed below a topic of another space.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[:PARENT_OF]->(child)
WHERE child.space <> space
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_leaf
// Topics that hold messages beside topics, and roots that hold messages.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE p.retired_at IS NULL
WITH space, t, count(child) AS children, count(child.seq) AS messages
WHERE messages > 0 AND (messages < children OR t.kind = 'root')
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_session_numbers
// Sessions (their names, where they have no node) whose messages are not numbered 1, 2, 3 and so on.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WITH space, m.session AS session, count(m) AS messages, count(DISTINCT m.seq) AS numbers, min(m.seq) AS first,
     max(m.seq) AS last
WHERE messages <> numbers OR first <> 1 OR last <> messages
OPTIONAL MATCH (x:Session {space: space}) WHERE x.name = session
WITH space, coalesce(x.id, session) AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_session_end
// Sessions that do not end at their last message, and first messages of sessions that have no node.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (x:Session {space: space})
OPTIONAL MATCH (m:Message {id: x.last_id})
OPTIONAL MATCH (after:Message {place_key: x.key + '/' + toString(x.last_seq + 1)})
WITH space, x, m, after
WHERE m.id IS NULL OR m.session <> x.name OR m.space <> space OR m.seq <> x.last_seq OR after.id IS NOT NULL
WITH space, x.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (m:Message {space: space}) WHERE m.seq = 1
OPTIONAL MATCH (x:Session {key: left(m.place_key, size(m.place_key) - 2)})
WITH space, m, x
WHERE x.id IS NULL OR x.name <> m.session OR x.space <> space
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_next
// Messages to which NEXT does not come from exactly the message before them in their session; from none to the first.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
OPTIONAL MATCH (m)<-[:NEXT]-(before)
WITH space, m.id AS id, m.seq AS seq, m.session AS session, count(before) AS links, min(before.seq) AS number,
     min(before.session) AS of, min(before.space) AS home
WHERE links <> (CASE WHEN seq = 1 THEN 0 ELSE 1 END) OR number <> seq - 1 OR of <> session OR home <> space
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_message_keys
// Messages whose unique keys are not made of their space, their place and their external id.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WHERE m.place_key IS NULL OR NOT m.place_key STARTS WITH space + '/' OR NOT m.place_key ENDS WITH '/' + toString(m.seq)
   OR (m.external_id IS NULL AND m.external_key IS NOT NULL) OR (m.external_id IS NOT NULL AND m.external_key IS NULL)
   OR m.external_key <> space + '/' + m.external_id
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_terms
// Messages and passages whose first search term does not carry the key of their space: a search cannot find them here.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (m:Message {space: space})
WHERE m.terms IS NULL OR (m.terms <> '' AND NOT m.terms STARTS WITH s.key + '_')
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (p:Passage {space: space})
WHERE p.terms IS NULL OR (p.terms <> '' AND NOT p.terms STARTS WITH s.key + '_')
WITH space, p.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_dimension
// Messages and passages whose vector has another number of dimensions than the embedder of this database gives.
// mode: read
// params: spaces
MATCH (n:Meta {id: 'meta'})
WITH n.dimension AS dimension
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WHERE m.embedding IS NOT NULL AND size(m.embedding) <> dimension
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
MATCH (n:Meta {id: 'meta'})
WITH n.dimension AS dimension
UNWIND $spaces AS space
MATCH (p:Passage {space: space})
WHERE p.embedding IS NOT NULL AND size(p.embedding) <> dimension
WITH space, p.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_passage_message
// Passages that do not hang on exactly the message that they name. Each message is read once: it may have a megabyte, and
// thousands of passages.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (p:Passage {space: space})
OPTIONAL MATCH (p)<-[h:HAS_PASSAGE]-()
WITH space, p.id AS id, count(h) AS messages
WHERE messages <> 1
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (p:Passage {space: space})
WITH space, p.message AS message, collect(p.id) AS named
OPTIONAL MATCH (m:Message {id: message}) WHERE m.space = space
WITH space, message, named, m
OPTIONAL MATCH (m)-[:HAS_PASSAGE]->(p)
WITH space, message, named, collect(CASE WHEN p.message = message THEN p.id END) AS hanging
WHERE size(hanging) < size(named)
UNWIND named AS id
WITH space, id, hanging
WHERE NOT id IN hanging
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_passage_spans
// Messages whose passages do not cover their text from the first character to the last, each where another ends.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (p:Passage {space: space})
WITH space, p.message AS message, p.start AS start, p.end AS end ORDER BY start, end
WITH space, message, collect(start) AS starts, collect(end) AS ends
MATCH (m:Message {id: message})
WITH space, m.id AS id, starts, ends, size(m.text) AS characters
WHERE starts[0] <> 0 OR starts[1..] <> ends[..size(ends) - 1] OR ends[size(ends) - 1] <> characters
   OR starts[size(starts) - 1] >= characters
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_space_counts
// Spaces whose counts of messages, of passages or of vectors are not what is there.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
OPTIONAL MATCH (m:Message {space: space})
WITH space, s, count(m) AS messages,
     sum(CASE WHEN m.embedding IS NOT NULL AND m.waiting_in IS NULL THEN 1 ELSE 0 END) AS vectors
OPTIONAL MATCH (p:Passage {space: space})
WITH space, s, messages, vectors, count(p) AS passages
WHERE s.message_count <> messages OR s.passage_count <> passages OR coalesce(s.vector_count, 0) <> vectors
RETURN space, 1 AS count, [space] AS ids

// name: doctor_space_authors
// Spaces whose list of authors, of at most 1,000, is not that of their messages.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (m:Message {space: space})
WITH space, collect(DISTINCT m.author) AS authors
MATCH (s:Space {id: space})
WHERE size(s.authors) <> (CASE WHEN size(authors) > 1000 THEN 1000 ELSE size(authors) END)
   OR size([author IN s.authors WHERE NOT author IN authors]) > 0
RETURN space, 1 AS count, [space] AS ids

// name: doctor_topic_counts
// Topics whose counts, or whose time of the last message, are not those of what lies in them and below them.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})
OPTIONAL MATCH (t)-[p:PARENT_OF]->(child) WHERE p.retired_at IS NULL
WITH space, t, count(child.seq) + sum(coalesce(child.message_count, 0)) AS messages,
     count(child.kind) AS children, count(DISTINCT p.segment) + sum(coalesce(child.segment_count, 0)) AS segments,
     sum(CASE WHEN child.embedding IS NOT NULL THEN 1 ELSE coalesce(child.vector_count, 0) END) AS vectors,
     max(coalesce(child.occurred_at, child.last_message_at)) AS last
WHERE t.message_count <> messages OR t.child_count <> children OR t.segment_count <> segments
   OR coalesce(t.vector_count, 0) <> vectors OR t.last_message_at <> last
   OR (t.last_message_at IS NULL AND last IS NOT NULL) OR (t.last_message_at IS NOT NULL AND last IS NULL)
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_topic_depth
// Topics whose depth is not one more than their parent's, and roots whose depth is not 0.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE p.retired_at IS NULL AND child.depth <> t.depth + 1
WITH space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (t:Topic {space: space}) WHERE t.kind = 'root' AND t.depth <> 0
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_topic_title
// Topics whose title is not that of their current revision.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[:HAS_REVISION]->(r)
WHERE r.retired_at IS NULL AND (t.title IS NULL OR t.title <> r.title)
WITH DISTINCT space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_event_numbers
// Events of the ledger before which one is missing or whose key is not their place; the space, where the last is missing.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (e:Event {space: space})
OPTIONAL MATCH (before:Event {place_key: space + '/' + toString(e.seq - 1)})
WITH space, e, before
WHERE e.place_key IS NULL OR e.place_key <> space + '/' + toString(e.seq) OR (before.id IS NULL AND e.seq <> 1)
WITH space, e.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
OPTIONAL MATCH (e:Event {space: space})
WITH space, s, max(e.seq) AS last
WHERE last IS NULL OR s.event_seq <> last
RETURN space, 1 AS count, [space] AS ids

// name: doctor_event_order
// Events whose change_seq or recorded_at is not later than that of the event before them.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (e:Event {space: space})
MATCH (before:Event {place_key: space + '/' + toString(e.seq - 1)})
WHERE before.change_seq >= e.change_seq OR before.recorded_at >= e.recorded_at
WITH space, e.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_call_made
// Calls to models that made something of another space.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (c:ModelCall {space: space})-[:MADE]->(made)
WITH space, c, made.space AS home
WHERE home <> space AND NOT home IN coalesce(c.spaces, [])
WITH DISTINCT space, c.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_call_named
// Revisions and children of placements that name a call to a model which is not there, or is of another space.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space}) WHERE r.call IS NOT NULL
OPTIONAL MATCH (c:ModelCall {id: r.call})
WITH space, r.id AS id, c.space AS home
WHERE home IS NULL OR home <> space
WITH space, id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child) WHERE p.model_call IS NOT NULL
OPTIONAL MATCH (c:ModelCall {id: p.model_call})
WITH space, child, c.space AS home
WHERE home IS NULL OR home <> space
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_call_content
// Calls to models whose inputs are no JSON object, that were used although no reply came, or that are both history and
// not.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (c:ModelCall {space: space})
WHERE c.inputs IS NULL OR NOT c.inputs STARTS WITH '{' OR NOT c.inputs ENDS WITH '}'
   OR (c.outcome IN ['ok', 'repaired'] AND c.reply IS NULL) OR c.day IS NULL OR c.at IS NULL
   OR (c.change_seq IS NULL AND c.passing_in IS NULL) OR (c.change_seq IS NOT NULL AND c.passing_in IS NOT NULL)
   OR c.passing_in <> space
WITH space, c.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_clock
// What was written or closed later than the clock of its space stands: messages, topics, revisions, calls, events,
// children.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (m:Message {space: space})
WHERE m.change_seq > s.change_seq OR m.recorded_at > s.last_recorded_at
WITH space, m.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (t:Topic {space: space})
WHERE t.change_seq > s.change_seq OR t.recorded_at > s.last_recorded_at
WITH space, t.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (r:SummaryRevision {space: space})
WHERE r.change_seq > s.change_seq OR r.recorded_at > s.last_recorded_at
   OR r.retired_seq > s.change_seq OR r.retired_at > s.last_recorded_at
WITH space, r.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (c:ModelCall {space: space})
WHERE c.change_seq > s.change_seq OR c.recorded_at > s.last_recorded_at
WITH space, c.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (e:Event {space: space})
WHERE e.change_seq > s.change_seq OR e.recorded_at > s.last_recorded_at
WITH space, e.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (s:Space {id: space})
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE p.change_seq > s.change_seq OR p.recorded_at > s.last_recorded_at
   OR p.retired_seq > s.change_seq OR p.retired_at > s.last_recorded_at
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids

// name: doctor_closed
// Revisions, and children of placements, that ended before they began, or of whose two ends only one is known.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (r:SummaryRevision {space: space})
WHERE r.retired_at < r.recorded_at OR r.retired_seq < r.change_seq
   OR (r.retired_at IS NULL AND r.retired_seq IS NOT NULL) OR (r.retired_at IS NOT NULL AND r.retired_seq IS NULL)
WITH space, r.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
UNION ALL
UNWIND $spaces AS space
MATCH (t:Topic {space: space})-[p:PARENT_OF]->(child)
WHERE p.retired_at < p.recorded_at OR p.retired_seq < p.change_seq
   OR (p.retired_at IS NULL AND p.retired_seq IS NOT NULL) OR (p.retired_at IS NOT NULL AND p.retired_seq IS NULL)
WITH DISTINCT space, child.id AS id ORDER BY id
RETURN space, count(id) AS count, collect(id)[..20] AS ids
