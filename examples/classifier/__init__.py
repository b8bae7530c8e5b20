"""A plain image classifier on a session: the smallest whole script that members may join, leave and
lose."""
