"""What nodes on machines of one's own share: their files, the program that keeps one, its zip."""

from elastic.providers.keeping.refusals import refuse
from elastic.providers.keeping.terms import ANSWER_S, REST_LOOK_S, Cluster, NodeTerms, packages

__all__ = ["ANSWER_S", "REST_LOOK_S", "Cluster", "NodeTerms", "packages", "refuse"]
