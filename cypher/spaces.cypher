// name: find_spaces
// Spaces by name: id, name, key, time zone, what is counted on them, the root topic's id, whether a restore of it is not
// done yet, and its last change.
// mode: read
// params: names
// unscoped: resolves names; the caller's access is decided on what it returns
UNWIND $names AS name
MATCH (s:Space {name: name})
RETURN s.id AS id, s.name AS name, s.key AS key, s.time_zone AS time_zone, s.root AS root,
       s.message_count AS messages, s.passage_count AS passages, s.authors AS authors, s.recorded_at AS created_at,
       s.restoring AS restoring, s.change_seq AS change_seq

// name: list_spaces
// All spaces by name, with the same columns as find_spaces; without those that are being restored.
// mode: read
// unscoped: lists spaces; the caller's access is decided on what it returns
MATCH (s:Space) WHERE s.restoring IS NULL
RETURN s.id AS id, s.name AS name, s.key AS key, s.time_zone AS time_zone, s.root AS root,
       s.message_count AS messages, s.passage_count AS passages, s.authors AS authors, s.recorded_at AS created_at,
       s.change_seq AS change_seq
ORDER BY s.name

// name: count_stored
// How many messages and passages the whole database holds, for choosing how vectors are ranked.
// mode: read
// unscoped: two sums over all spaces, never shown
MATCH (s:Space)
RETURN sum(s.message_count) AS messages, sum(s.passage_count) AS passages

// name: next_space_key
// Takes the next number for a space's short key; also a lock against two creations at once.
// mode: write
MATCH (n:Meta {id: 'meta'})
SET n.space_number = coalesce(n.space_number, 0) + 1
RETURN n.space_number AS number

// name: create_space
// Creates a space with the root of its tree. Fails when the name is taken.
// mode: write
// params: space, topic
CREATE (s:Space) SET s = $space
CREATE (t:Topic) SET t = $topic
RETURN s.id AS id

// name: set_time_zone
// Sets the zone in which times without an offset are read. May run twice.
// mode: write
// params: space, time_zone
MATCH (s:Space {id: $space})
SET s.time_zone = $time_zone
RETURN s.id AS id

// name: lock_space
// Takes the lock of a space by writing to it, and returns its counters; whether this event stands already.
// mode: write
// params: space, event, token
MATCH (s:Space {id: $space})
SET s.lock = $token
WITH s
OPTIONAL MATCH (e:Event {id: $event})
RETURN s.id AS id, s.change_seq AS change_seq, s.last_recorded_at AS last_recorded_at, s.event_seq AS event_seq,
       s.message_count AS messages, s.passage_count AS passages, s.authors AS authors,
       s.lease_owner AS lease_owner, s.lease_until AS lease_until,
       s.vector_sum AS vector_sum, s.vector_count AS vector_count, e.id AS event

// name: update_space
// Sets counters and caches of a locked space.
// mode: write
// params: space, properties
MATCH (s:Space {id: $space})
SET s += $properties

// name: append_event
// Appends one line to the ledger of a space.
// mode: write
// params: event
CREATE (e:Event) SET e = $event

// name: read_lease
// Which organiser holds spaces, and until when.
// mode: read
// params: spaces
UNWIND $spaces AS space
MATCH (s:Space {id: space})
RETURN s.lease_owner AS owner, s.lease_until AS until
