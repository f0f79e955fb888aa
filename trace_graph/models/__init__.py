"""The values that cross the library's doors."""

from trace_graph.models.answers import AskResult, CitedMessage
from trace_graph.models.call_reports import (
    CallDetail,
    CallGroup,
    CallLine,
    CallMade,
    CallRecord,
    CallsExportReport,
    CallStats,
    RebuiltRequest,
    RequestMessage,
)
from trace_graph.models.differences import MessageMove, SummaryDifference, TopicDifference, TreeDifference
from trace_graph.models.health import DoctorReport, Problem, SpaceHealth
from trace_graph.models.health_report import ConfiguredModel, HealthReport, ModelHealth, WaitingMessages
from trace_graph.models.ids import MessageId, NewId, RevisionId, SpaceId, TopicId, uuid7
from trace_graph.models.kept_answers import KeptAnswer
from trace_graph.models.messages import ImportReport, MessageInput, Receipt, RejectedLine, Role
from trace_graph.models.progress import Progress
from trace_graph.models.recalls import (
    Dropped,
    ExplainedCandidate,
    Mode,
    Place,
    RecallExplanation,
    RecallItem,
    RecallResult,
    RecallTopic,
    ReplayChange,
    ReplayDifference,
    ReplayReport,
    Why,
)
from trace_graph.models.reports import ExportReport, OrganizeReport, QueryInfo, RebuildReport, SpaceInfo, Stats
from trace_graph.models.trees import Revision, TopicDetail, TopicNode, TreeMessage
from trace_graph.models.walks import Walk, WalkBranch, WalkStep

__all__ = [
    "AskResult", "CallDetail", "CallGroup", "CallLine", "CallMade", "CallRecord", "CallStats", "CallsExportReport",
    "CitedMessage", "ConfiguredModel", "DoctorReport", "Dropped", "ExplainedCandidate", "ExportReport",
    "HealthReport", "ImportReport", "KeptAnswer", "MessageId", "MessageInput", "MessageMove", "Mode", "ModelHealth",
    "NewId", "OrganizeReport", "Place", "Problem", "Progress", "QueryInfo", "RebuildReport", "RebuiltRequest",
    "RecallExplanation", "RecallItem", "RecallResult", "RecallTopic", "Receipt", "RejectedLine", "ReplayChange",
    "ReplayDifference", "ReplayReport", "RequestMessage", "Revision", "RevisionId", "Role", "SpaceHealth", "SpaceId",
    "SpaceInfo", "Stats", "SummaryDifference", "TopicDetail", "TopicDifference", "TopicId", "TopicNode",
    "TreeDifference", "TreeMessage", "WaitingMessages", "Walk", "WalkBranch", "WalkStep", "Why", "uuid7",
]
