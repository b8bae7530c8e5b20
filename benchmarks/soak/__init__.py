"""Months of a daemon's life with everything that goes wrong, and the promises that hold all the same."""
