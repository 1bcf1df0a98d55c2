"""`python -m courtpiece` is the command line."""

import sys

from courtpiece.cli import main

if __name__ == "__main__":
    sys.exit(main())
