"""Scripts of many kinds, run unmodified under the daemon, and a table of what came of each."""
