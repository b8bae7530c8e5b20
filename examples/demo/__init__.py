"""`make demo`: the whole loop on one machine, in under five minutes."""
