"""Months of a daemon's life in which things go wrong, and the promises that hold all the same."""
