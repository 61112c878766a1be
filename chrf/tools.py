"""``python -m chrf.tools``: see `chrf.cli.tools`."""

import sys

from chrf.cli.tools import main

if __name__ == "__main__":
    sys.exit(main())
