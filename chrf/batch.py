"""``python -m chrf.batch``: see `chrf.cli.score`."""

import sys

from chrf.cli.score import main

if __name__ == "__main__":
    sys.exit(main())
