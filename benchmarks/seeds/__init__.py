"""Five programs as their users write them, on real hosts, Slurm and the lab, and a row of each."""
