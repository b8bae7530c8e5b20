"""A database that is empty and up to date: migrated once a process, copied for every test that
wants one."""

from elastic.simulator import lay_out

__all__ = ["lay_out"]
