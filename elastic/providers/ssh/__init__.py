"""The provider whose nodes run on hosts that somebody has already."""

from elastic.providers.keeping import Cluster, NodeTerms
from elastic.providers.ssh.connection import Access
from elastic.providers.ssh.hosts import Host, parse_hostfile, parse_hosts_yaml, read_hosts
from elastic.providers.ssh.provider import SshProvider

__all__ = [
    "Access",
    "Cluster",
    "Host",
    "NodeTerms",
    "SshProvider",
    "parse_hostfile",
    "parse_hosts_yaml",
    "read_hosts",
]
