"""The word that the program on nodes is run by; it shows in lists of processes."""

ON_NODE = "elasticd-slurm"
