"""Providers of machines, behind one port."""

from elastic.providers.base import Instance, InstanceState, LaunchRequest, Provider

__all__ = ["Instance", "InstanceState", "LaunchRequest", "Provider"]
