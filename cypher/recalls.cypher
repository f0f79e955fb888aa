// name: keep_recalls
// Keeps recalls. May run twice.
// mode: write
// params: recalls
UNWIND $recalls AS row
MERGE (r:Recall {id: row.id})
SET r = row

// name: keep_used
// Draws USED from recalls to the messages that they showed. May run twice.
// mode: write
// params: used
UNWIND $used AS row
MATCH (r:Recall {id: row.recall})
MATCH (m:Message {id: row.message})
MERGE (r)-[u:USED]->(m)
SET u = row.properties

// name: keep_cited
// Draws CITED from recalls to the messages that a model's answers cite. May run twice.
// mode: write
// params: cited
UNWIND $cited AS row
MATCH (r:Recall {id: row.recall})
MATCH (m:Message {id: row.message})
MERGE (r)-[c:CITED]->(m)
SET c = row.properties

// name: drop_old_recalls
// Removes recalls of a space beyond the latest ones that are kept; how many. May run twice.
// mode: write
// params: space, kept, most
MATCH (r:Recall {space: $space})
WITH r ORDER BY r.at DESC, r.id DESC SKIP $kept LIMIT $most
DETACH DELETE r
RETURN count(*) AS dropped

// name: read_recall
// One recall, for who may read all of its spaces.
// mode: read
// params: id, spaces
MATCH (r:Recall {id: $id}) WHERE all(space IN r.spaces WHERE space IN $spaces)
RETURN r.id AS id, r.query AS query, r.spaces AS spaces, r.change_seqs AS change_seqs, r.at AS at, r.actor AS actor,
       r.door AS door, r.parameters AS parameters, r.trace AS trace, r.answer AS answer, r.found AS found,
       r.answered AS answered
