"""``python -m chrf``: see `chrf.cli.main`."""

import sys

from chrf.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
