// name: recall_by_text
// The best messages by keywords, of those there were at a change of their space. One record with all rows as lists: id,
// score, author.
// mode: read
// params: text, spaces, bounds, k, fetch
CALL db.index.fulltext.queryNodes('Message[terms]', $text, {limit: $fetch}) YIELD node, score
WITH node, score WHERE node.space IN $spaces AND node.change_seq <= $bounds[node.space]
WITH node, score ORDER BY score DESC LIMIT $k
RETURN collect([node.id, score, node.author]) AS rows

// name: recall_by_vector_scan
// The messages nearest in meaning; those of the spaces are scanned exactly. Rows as lists: id, similarity, author.
// mode: read
// params: vector, spaces, bounds, k
UNWIND $spaces AS space
MATCH (node:Message {space: space}) WHERE node.embedding IS NOT NULL AND node.change_seq <= $bounds[space]
WITH node, vector.similarity.cosine(node.embedding, $vector) AS similarity ORDER BY similarity DESC LIMIT $k
RETURN collect([node.id, similarity, node.author]) AS rows

// name: recall_by_vector_index
// The same from the index, over-fetched: for a large share of the store. Rows as lists: id, (1 + cosine) / 2, author.
// mode: read
// params: vector, spaces, bounds, k, fetch
CALL db.index.vector.queryNodes('Message[embedding]', $fetch, $vector) YIELD node, score
WITH node, score WHERE node.space IN $spaces AND node.change_seq <= $bounds[node.space]
WITH node, score ORDER BY score DESC LIMIT $k
RETURN collect([node.id, score, node.author]) AS rows

// name: recall_by_vector_search
// The same from the index, filtered by space inside of it. Rows as lists: id, (1 + cosine) / 2, author.
// mode: read
// engine: neo4j-search
// params: vector, spaces, bounds, k, fetch
CYPHER 25
MATCH (node:Message)
SEARCH node IN (VECTOR INDEX `Message[embedding]` FOR $vector WHERE node.space IN $spaces LIMIT $fetch) SCORE AS score
WITH node, score WHERE node.change_seq <= $bounds[node.space]
WITH node, score ORDER BY score DESC LIMIT $k
RETURN collect([node.id, score, node.author]) AS rows

// name: recall_rows
// What is scored of these messages and of their neighbours by NEXT. One record with all rows as lists: one by one they
// cost more to receive than to find. Columns: id, space, session, seq, author, day, tokens, terms, similarity, role. A
// message of over 400 tokens has passages, which stand for it: its own terms may be megabytes and are not read.
// mode: read
// params: ids, vector, spaces, bounds
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[:NEXT*0..2]-(n:Message)
WITH DISTINCT n WHERE n.space IN $spaces AND n.change_seq <= $bounds[n.space]
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       CASE WHEN n.tokens > 400 THEN null ELSE n.terms END, vector.similarity.cosine(n.embedding, $vector), n.role]) AS rows

// name: recall_passages_text
// Passages of long messages by keywords, best first.
// mode: read
// params: text, spaces, k, vector, scale, shift
CALL db.index.fulltext.queryNodes('Passage[terms]', $text, {limit: $k}) YIELD node, score
WITH node, score WHERE node.space IN $spaces
WITH node, score ORDER BY score DESC
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id, node.terms AS terms,
       CASE WHEN $vector IS NULL THEN null ELSE $scale * vector.similarity.cosine(node.embedding, $vector) - $shift END
       AS cosine

// name: recall_passages_scan
// Passages of long messages by meaning; those of the spaces are scanned exactly.
// mode: read
// params: vector, spaces, k, scale, shift
UNWIND $spaces AS space
MATCH (node:Passage {space: space}) WHERE node.embedding IS NOT NULL
WITH node, $scale * vector.similarity.cosine(node.embedding, $vector) - $shift AS cosine ORDER BY cosine DESC LIMIT $k
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id, cosine, node.terms AS terms

// name: recall_passages_index
// Passages of long messages by meaning, from the index, over-fetched.
// mode: read
// params: vector, spaces, k, fetch, scale, shift
CALL db.index.vector.queryNodes('Passage[embedding]', $fetch, $vector) YIELD node, score
WITH node, score WHERE node.space IN $spaces
WITH node, $scale * vector.similarity.cosine(node.embedding, $vector) - $shift AS cosine ORDER BY cosine DESC LIMIT $k
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id, cosine, node.terms AS terms

// name: describe_messages
// Source, time and topic of messages, and the text of those that are shown. One record with all rows as lists: id,
// topic, external id, author, session, seq, time, offset, tokens, text.
// mode: read
// params: ids, shown, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
// Where it lies is read off the message: over the edge some planners go through every placement that was ever closed.
RETURN collect([m.id, m.filed_in, m.external_id, m.author, m.session, m.seq, m.occurred_at, m.occurred_offset, m.tokens,
       CASE WHEN id IN $shown THEN m.text END]) AS rows

// name: best_passages
// The passage with most of the question's terms, of each of these long messages. Numbers are sorted, never nodes: those
// carry megabytes of text.
// mode: read
// params: ids, terms, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
WITH id, p.start AS start, p.end AS end, size([t IN split(p.terms, ' ') WHERE t IN $terms]) AS hits
ORDER BY hits DESC, start
WITH id, collect([start, end])[0] AS best
RETURN id, best[0] AS start, best[1] AS end

// name: topic_paths
// Titles of topics and their live ancestors below the root, from the topic upwards. Hop by hop: a path of several edges would be expanded over every placement that was ever closed.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (t:Topic {id: id}) WHERE t.space IN $spaces
OPTIONAL MATCH (t)<-[:PARENT_OF {live_key: t.id}]-(a:Topic)
OPTIONAL MATCH (a)<-[:PARENT_OF {live_key: a.id}]-(b:Topic)
OPTIONAL MATCH (b)<-[:PARENT_OF {live_key: b.id}]-(c:Topic)
OPTIONAL MATCH (c)<-[:PARENT_OF {live_key: c.id}]-(d:Topic)
OPTIONAL MATCH (d)<-[:PARENT_OF {live_key: d.id}]-(e:Topic)
OPTIONAL MATCH (e)<-[:PARENT_OF {live_key: e.id}]-(f:Topic)
WITH t, [t, a, b, c, d, e, f] AS chain
RETURN t.id AS id, [n IN chain WHERE n IS NOT NULL AND n.kind <> 'root' | n.title] AS titles

// name: build_vector_graphs
// Asks the vector indexes for one neighbour each, which has ArcadeDB build their graphs: how many they gave.
// mode: read
// unscoped: two counts of one, never shown
MATCH (n:Meta {id: 'meta'}) WHERE n.indexed
CALL db.index.vector.queryNodes('Message[embedding]', 1, n.probe) YIELD node
RETURN 'Message' AS label, count(node) AS given
UNION ALL
MATCH (n:Meta {id: 'meta'}) WHERE n.indexed
CALL db.index.vector.queryNodes('Passage[embedding]', 1, n.probe) YIELD node
RETURN 'Passage' AS label, count(node) AS given
