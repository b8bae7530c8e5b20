"""A script of anybody's: it keeps a snapshot beside itself, and knows nothing of elasticd."""
