// name: keep_calls
// Keeps calls to models. May run twice.
// mode: write
// params: calls
UNWIND $calls AS row
MERGE (c:ModelCall {id: row.id})
SET c = row

// name: link_made
// Draws MADE from calls to models to the revisions, topics and messages they made; how many. The caller looks for its
// event first.
// mode: write
// params: links
UNWIND $links AS row
MATCH (a:ModelCall {id: row.source})
OPTIONAL MATCH (r:SummaryRevision {id: row.target})
OPTIONAL MATCH (t:Topic {id: row.target})
OPTIONAL MATCH (m:Message {id: row.target})
WITH row, a, coalesce(r, t, m) AS b
WHERE b IS NOT NULL
CREATE (a)-[e:MADE]->(b) SET e = row.properties
RETURN count(*) AS made

// name: link_made_recalls
// Draws MADE from calls to models to the recalls they served, where those are kept. May run twice.
// mode: write
// params: links
UNWIND $links AS row
MATCH (c:ModelCall {id: row.source})
MATCH (r:Recall {id: row.target})
MERGE (c)-[:MADE]->(r)

// name: drop_passing_calls
// Removes calls of a space that are no history: those whose recall is kept no more, of days before one day; those of no
// recall, of days before another; how many. May run twice.
// mode: write
// params: space, before, since, most
MATCH (c:ModelCall {passing_in: $space}) WHERE c.day < $before
OPTIONAL MATCH (r:Recall {id: c.recall})
WITH c, r
WHERE (c.recall IS NOT NULL AND r IS NULL) OR (c.recall IS NULL AND c.day < $since)
WITH c LIMIT $most
DETACH DELETE c
RETURN count(*) AS dropped

// name: calls_of_days
// Calls to models, HTTP requests and tokens of days, by day, model and outcome, over the whole database.
// mode: read
// params: days
// unscoped: sums over all spaces, for the allowance of a day, which is one for the database
UNWIND $days AS day
MATCH (c:ModelCall {day: day})
RETURN day, c.model AS model, c.outcome AS outcome, count(c) AS calls, sum(c.requests) AS requests,
       sum(coalesce(c.tokens_in, 0) + coalesce(c.tokens_out, 0)) AS tokens
ORDER BY day, model, outcome

// name: list_calls
// The latest calls to models for the wanted spaces, of these purposes and outcomes, since a moment; the latest first.
// mode: read
// params: wanted, spaces, purposes, outcomes, since, limit
UNWIND $wanted AS space
MATCH (c:ModelCall {space: space})
WHERE c.purpose IN $purposes AND c.outcome IN $outcomes AND c.at >= $since AND space IN $spaces
  AND (c.spaces IS NULL OR all(one IN c.spaces WHERE one IN $spaces))
WITH c ORDER BY c.at DESC, c.id DESC LIMIT $limit
RETURN c.id AS id, c.at AS at, c.purpose AS purpose, c.prompt AS prompt, c.prompt_version AS prompt_version,
       c.model AS model, c.host AS host, c.form AS form, c.attempt AS attempt, c.outcome AS outcome,
       c.requests AS requests, c.milliseconds AS milliseconds, c.tokens_in AS tokens_in, c.tokens_out AS tokens_out,
       c.fault AS fault
ORDER BY at DESC, id DESC

// name: call_figures
// What calls to models for the wanted spaces cost. One record with all rows as lists: purpose, model, outcome, requests,
// milliseconds, tokens in, tokens out.
// mode: read
// params: wanted, spaces
UNWIND $wanted AS space
MATCH (c:ModelCall {space: space})
WHERE space IN $spaces AND (c.spaces IS NULL OR all(one IN c.spaces WHERE one IN $spaces))
RETURN collect([c.purpose, c.model, c.outcome, c.requests, c.milliseconds, c.tokens_in, c.tokens_out]) AS rows

// name: call_ids
// The calls to models for the wanted spaces. One record with all rows as lists: id, length.
// mode: read
// params: wanted, spaces
UNWIND $wanted AS space
MATCH (c:ModelCall {space: space})
WHERE space IN $spaces AND (c.spaces IS NULL OR all(one IN c.spaces WHERE one IN $spaces))
RETURN collect([c.id, size(c.inputs) + size(coalesce(c.reply, '')) + size(coalesce(c.request, ''))]) AS rows

// name: read_calls
// Calls to models by id, for who may read all of their spaces.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (c:ModelCall {id: id})
WHERE c.space IN $spaces AND (c.spaces IS NULL OR all(one IN c.spaces WHERE one IN $spaces))
RETURN properties(c) AS properties

// name: made_by_calls
// What calls to models made: recalls, revisions, topics and messages.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (c:ModelCall {id: id}) WHERE c.space IN $spaces
MATCH (c)-[:MADE]->(made) WHERE made.space IN $spaces
RETURN id AS call, labels(made)[0] AS kind, made.id AS id
ORDER BY call, kind, id

// name: texts_of_messages
// Messages by id, as a prompt shows them.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.space IN $spaces
RETURN m.id AS id, m.author AS author, m.role AS role, m.occurred_at AS occurred_at,
       m.occurred_offset AS occurred_offset, m.text AS text

// name: texts_of_revisions
// Wordings of topics by id, as a prompt shows them.
// mode: read
// params: ids, spaces
UNWIND $ids AS id
MATCH (r:SummaryRevision {id: id}) WHERE r.space IN $spaces
RETURN r.id AS id, r.title AS title, r.text AS text
