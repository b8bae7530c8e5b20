"""The provider whose nodes are jobs of a Slurm cluster: one job a node, which runs our agent."""

from elastic.providers.slurm.commands import SlurmCommands
from elastic.providers.slurm.provider import SlurmProvider

__all__ = ["SlurmCommands", "SlurmProvider"]
