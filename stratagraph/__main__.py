"""`python -m stratagraph`: the command line."""

from stratagraph.cli.main import main

main()
