"""Programs that show elasticd at work."""
