// name: recall_candidates_scan
// Two ranked lists (keywords; vectors of the spaces scanned exactly) and their neighbours by NEXT.
// One record with all rows as lists: one by one they cost more to receive than to find. Columns: id, space, session,
// seq, author, day, tokens, hits, length, by_text, by_vector, cosine. A message of over 400 tokens has passages, which
// stand for it: its own terms may be megabytes and are not read.
// mode: read
// params: text, terms, vector, spaces, k, scale, shift
CALL () {
  UNWIND (CASE WHEN $text = '' THEN [] ELSE [$text] END) AS query
  CALL db.index.fulltext.queryNodes('Message[terms]', query, {limit: $k}) YIELD node, score
  RETURN node AS m, 1 AS by_text, 0 AS by_vector
  UNION ALL
  UNWIND $spaces AS space
  MATCH (node:Message {space: space}) WHERE node.embedding IS NOT NULL
  WITH node, vector.similarity.cosine(node.embedding, $vector) AS similarity ORDER BY similarity DESC LIMIT $k
  RETURN node AS m, 0 AS by_text, 1 AS by_vector
}
WITH m, max(by_text) AS by_text, max(by_vector) AS by_vector
MATCH (m)-[:NEXT*0..2]-(n:Message)
WITH n, max(CASE WHEN m = n THEN by_text ELSE 0 END) AS by_text,
     max(CASE WHEN m = n THEN by_vector ELSE 0 END) AS by_vector
WHERE n.space IN $spaces
WITH n, by_text, by_vector, CASE WHEN n.tokens > 400 THEN [] ELSE split(n.terms, ' ') END AS terms
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       [t IN terms WHERE t IN $terms], size(terms), by_text, by_vector,
       coalesce($scale * vector.similarity.cosine(n.embedding, $vector) - $shift, 0.0)]) AS rows

// name: recall_candidates_index
// The same with the vector list from the index, over-fetched: for a large share of the store.
// mode: read
// params: text, terms, vector, spaces, k, fetch, scale, shift
CALL () {
  UNWIND (CASE WHEN $text = '' THEN [] ELSE [$text] END) AS query
  CALL db.index.fulltext.queryNodes('Message[terms]', query, {limit: $k}) YIELD node, score
  RETURN node AS m, 1 AS by_text, 0 AS by_vector
  UNION ALL
  CALL db.index.vector.queryNodes('Message[embedding]', $fetch, $vector) YIELD node, score
  WITH node, score WHERE node.space IN $spaces
  WITH node ORDER BY score DESC LIMIT $k
  RETURN node AS m, 0 AS by_text, 1 AS by_vector
}
WITH m, max(by_text) AS by_text, max(by_vector) AS by_vector
MATCH (m)-[:NEXT*0..2]-(n:Message)
WITH n, max(CASE WHEN m = n THEN by_text ELSE 0 END) AS by_text,
     max(CASE WHEN m = n THEN by_vector ELSE 0 END) AS by_vector
WHERE n.space IN $spaces
WITH n, by_text, by_vector, CASE WHEN n.tokens > 400 THEN [] ELSE split(n.terms, ' ') END AS terms
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       [t IN terms WHERE t IN $terms], size(terms), by_text, by_vector,
       coalesce($scale * vector.similarity.cosine(n.embedding, $vector) - $shift, 0.0)]) AS rows

// name: recall_candidates_search
// The same with the vector list filtered by space inside the index.
// mode: read
// engine: neo4j-search
// params: text, terms, vector, spaces, k, scale, shift
CYPHER 25
CALL () {
  UNWIND (CASE WHEN $text = '' THEN [] ELSE [$text] END) AS query
  CALL db.index.fulltext.queryNodes('Message[terms]', query, {limit: $k}) YIELD node, score
  RETURN node AS m, 1 AS by_text, 0 AS by_vector
  UNION ALL
  MATCH (node:Message) SEARCH node IN (VECTOR INDEX `Message[embedding]` FOR $vector WHERE node.space IN $spaces LIMIT $k)
  RETURN node AS m, 0 AS by_text, 1 AS by_vector
}
WITH m, max(by_text) AS by_text, max(by_vector) AS by_vector
MATCH (m)-[:NEXT*0..2]-(n:Message)
WITH n, max(CASE WHEN m = n THEN by_text ELSE 0 END) AS by_text,
     max(CASE WHEN m = n THEN by_vector ELSE 0 END) AS by_vector
WHERE n.space IN $spaces
WITH n, by_text, by_vector, CASE WHEN n.tokens > 400 THEN [] ELSE split(n.terms, ' ') END AS terms
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       [t IN terms WHERE t IN $terms], size(terms), by_text, by_vector,
       coalesce($scale * vector.similarity.cosine(n.embedding, $vector) - $shift, 0.0)]) AS rows

// name: recall_candidates_text
// The keyword list alone with its neighbours: for a question without a vector.
// mode: read
// params: text, terms, spaces, k
CALL db.index.fulltext.queryNodes('Message[terms]', $text, {limit: $k}) YIELD node, score
MATCH (node)-[:NEXT*0..2]-(n:Message)
WITH n, max(CASE WHEN node = n THEN 1 ELSE 0 END) AS by_text
WHERE n.space IN $spaces
WITH n, by_text, CASE WHEN n.tokens > 400 THEN [] ELSE split(n.terms, ' ') END AS terms
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       [t IN terms WHERE t IN $terms], size(terms), by_text, 0, 0.0]) AS rows

// name: recall_passages_text
// Passages of long messages by keywords.
// mode: read
// params: text, terms, spaces, k
CALL db.index.fulltext.queryNodes('Passage[terms]', $text, {limit: $k}) YIELD node, score
WITH node WHERE node.space IN $spaces
WITH node, split(node.terms, ' ') AS terms
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id,
       [t IN terms WHERE t IN $terms] AS hits, size(terms) AS length

// name: recall_passages_scan
// Passages of long messages by meaning; those of the spaces are scanned exactly.
// mode: read
// params: terms, vector, spaces, k, scale, shift
UNWIND $spaces AS space
MATCH (node:Passage {space: space}) WHERE node.embedding IS NOT NULL
WITH node, $scale * vector.similarity.cosine(node.embedding, $vector) - $shift AS cosine ORDER BY cosine DESC LIMIT $k
WITH node, cosine, split(node.terms, ' ') AS terms
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id, cosine,
       [t IN terms WHERE t IN $terms] AS hits, size(terms) AS length

// name: recall_passages_index
// Passages of long messages by meaning, from the index, over-fetched.
// mode: read
// params: terms, vector, spaces, k, fetch, scale, shift
CALL db.index.vector.queryNodes('Passage[embedding]', $fetch, $vector) YIELD node, score
WITH node, score WHERE node.space IN $spaces
WITH node, $scale * vector.similarity.cosine(node.embedding, $vector) - $shift AS cosine ORDER BY cosine DESC LIMIT $k
WITH node, cosine, split(node.terms, ' ') AS terms
RETURN node.message AS message, node.start AS start, node.end AS end, node.id AS id, cosine,
       [t IN terms WHERE t IN $terms] AS hits, size(terms) AS length

// name: recall_rows
// Lean rows of these messages and their neighbours by NEXT; for messages found by a passage.
// mode: read
// params: ids, terms, vector, spaces, scale, shift
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
MATCH (m)-[:NEXT*0..2]-(n:Message)
WITH DISTINCT n WHERE n.space IN $spaces
WITH n, CASE WHEN n.tokens > 400 THEN [] ELSE split(n.terms, ' ') END AS terms
RETURN collect([n.id, n.space, n.session, n.seq, n.author, n.occurred_day, n.tokens,
       [t IN terms WHERE t IN $terms], size(terms), 0, 0,
       CASE WHEN $vector IS NULL OR n.embedding IS NULL THEN 0.0
            ELSE $scale * vector.similarity.cosine(n.embedding, $vector) - $shift END]) AS rows

// name: describe_messages
// Source, time and topic of messages, and the text of those that are shown. One record with all rows as lists: id,
// topic, external id, author, session, seq, time, offset, tokens, text.
// mode: read
// params: ids, shown, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
OPTIONAL MATCH (m)<-[:PARENT_OF {live_key: id}]-(t:Topic)
RETURN collect([m.id, t.id, m.external_id, m.author, m.session, m.seq, m.occurred_at, m.occurred_offset, m.tokens,
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
