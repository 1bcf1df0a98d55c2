"""`python -m courtpiece` is the command line."""

import sys

from courtpiece.cli import main

sys.exit(main())
