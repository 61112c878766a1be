"""``python -m chrf.serve``: see `chrf.cli.serve`."""

import sys

from chrf.cli.serve import main

if __name__ == "__main__":
    sys.exit(main())
