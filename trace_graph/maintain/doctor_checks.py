"""The invariants that the doctor tries: each a named query, what it means where it fails, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mending = Literal["caches", "titles", "waiting", "filed_in", "wording", "lease", "schema"]
"""What `doctor --fix` can do: nothing that removes or rewrites anything but caches, marks and what has expired."""

_FIX = "trace-graph doctor --fix computes it again from what is there."
_RESTORE = (
    "Something other than trace-graph changed the graph, or the database lost something: look into its log and into "
    "the ledger, and restore this space from a backup or an export.")
_ASK_FIRST = (
    "A search may miss it until then: find out what wrote it, and restore this space from a backup or an export.")


@dataclass(frozen=True)
class Check:
    """One invariant."""

    query: str
    """Takes $spaces, and returns rows of space, count and ids (the first 20) where the invariant does not hold."""
    says: str
    mends: str
    mending: Mending | None = None

    @property
    def invariant(self) -> str:
        """The name of the query without what all have in front."""
        return self.query.removeprefix("doctor_")


CHECKS: tuple[Check, ...] = (
    Check("doctor_root", "The space does not have exactly one root, the one it names.", _RESTORE),
    Check("doctor_topic_parent", "Topics do not have exactly one live parent.", _RESTORE),
    Check("doctor_cycle", "Topics lie in a circle, or deeper than any tree of ours.", _RESTORE),
    Check(
        "doctor_message_parent", "Filed messages do not have exactly one live parent.",
        "Where there is none, doctor --fix lets the message wait and the next organize files it again; of several live "
        "parents the later ones must be closed by hand.", "waiting"),
    Check(
        "doctor_waiting", "Messages wait although they are filed, or their marks of waiting disagree.",
        "trace-graph doctor --fix sets the marks by the placements.", "waiting"),
    Check("doctor_live_key", "The unique keys of placements are not set while live, and null once closed.", _RESTORE),
    Check(
        "doctor_filed_in", "What children say they lie in is not what their placements say.",
        "trace-graph doctor --fix sets it by the placements.", "filed_in"),
    Check("doctor_placement_space", "Something is placed below a topic of another space.", _RESTORE),
    Check("doctor_leaf", "Messages lie in a topic that also holds topics, or in the root.", _RESTORE),
    Check("doctor_revision_topic", "Revisions do not hang on exactly the topic that they name.", _RESTORE),
    Check("doctor_current_revision", "Topics do not have exactly one current revision.", _RESTORE),
    Check(
        "doctor_topic_wording", "Topics have no title and summary, and nobody is going to word them.",
        "trace-graph doctor --fix marks them, and the next organize words them.", "wording"),
    Check("doctor_revision_numbers", "The revisions of topics are not numbered 1, 2, 3 ...", _RESTORE),
    Check("doctor_revision_chain", "Revisions do not supersede exactly the one before them.", _RESTORE),
    Check("doctor_revision_sources", "Revisions were made from another space, or from what came later.", _RESTORE),
    Check("doctor_session_numbers", "Messages of sessions are not numbered 1, 2, 3 ...", _RESTORE),
    Check("doctor_session_end", "Sessions do not end at their last message; adding to them would fail.", _RESTORE),
    Check("doctor_next", "NEXT does not lead from each message to the next of its session.", _RESTORE),
    Check("doctor_message_keys", "The unique keys of messages do not fit their place or external id.", _RESTORE),
    Check("doctor_terms", "Search terms do not carry the key of their space.", _ASK_FIRST),
    Check("doctor_dimension", "Vectors do not have the number of dimensions of the embedder.", _ASK_FIRST),
    Check("doctor_passage_message", "Passages do not hang on exactly the message that they name.", _RESTORE),
    Check("doctor_passage_spans", "The passages of messages do not cover their text in order.", _RESTORE),
    Check("doctor_space_counts", "The space miscounts its messages, passages or vectors.", _FIX, "caches"),
    Check("doctor_space_authors", "The space's list of authors is not that of its messages.", _FIX, "caches"),
    Check("doctor_topic_counts", "Topics miscount what lies in them and below them.", _FIX, "caches"),
    Check("doctor_topic_depth", "Topics have a wrong depth.", _FIX, "caches"),
    Check("doctor_topic_title", "Topics do not show the title of their current revision.", _FIX, "titles"),
    Check("doctor_call_made", "Calls to models made something of another space.", _RESTORE),
    Check("doctor_call_named", "Revisions or placements name a call to a model that is not there.", _RESTORE),
    Check("doctor_call_content", "Calls to models lack what they cannot lack: inputs, a reply, a day.", _RESTORE),
    Check("doctor_event_numbers", "The ledger is not numbered 1, 2, 3 ... up to the space's last event.", _RESTORE),
    Check("doctor_event_order", "The clocks of the ledger do not rise from event to event.", _RESTORE),
    Check("doctor_clock", "Something is dated after the clock of its space.", _RESTORE),
    Check("doctor_closed", "Something ended before it began, or only one of its two ends is known.", _RESTORE),
)
"""In the order in which they are tried and reported: what holds the rest up comes first."""

LEASE = Check(
    "doctor_lease", "An organiser that no longer lives holds the space.",
    "The next organize takes it over by itself; trace-graph doctor --fix removes it now.", "lease")
INDEXES = Check(
    "doctor_indexes", "Indexes or constraints are missing or not online.",
    "trace-graph doctor --fix makes them again; what breaks a constraint must be removed first.", "schema")
EMBEDDER = Check(
    "embedder", "The configured embedder is not the one whose vectors the database holds.",
    "Set TRACE_GRAPH_EMBEDDER to the embedder the database was made with.")
PAYLOAD = Check("payload_hash", "Events do not match what the graph holds of the messages they added.", _RESTORE)
CONTENT = Check("content_hash", "The content of messages does not match their hash.", _RESTORE)
VECTOR_SUMS = Check("vector_sums", "Sums of vectors are not those of the messages.", _FIX, "caches")

CALL_TEXTS = Check("call_texts", "The inputs or figures of calls to models are no JSON objects.", _RESTORE)

EVERY = (*CHECKS, LEASE, INDEXES, EMBEDDER, PAYLOAD, CONTENT, VECTOR_SUMS, CALL_TEXTS)
