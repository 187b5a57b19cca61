"""`python -m toologue` is the command line.

Not covered: anything else.
"""

from toologue.cli import main

main()
