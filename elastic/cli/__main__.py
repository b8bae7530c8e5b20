"""`python -m elastic.cli` is `elasticd`."""

from elastic.cli import main

main()
