"""``python -m chrf.merge``: see `chrf.cli.merge`."""

import sys

from chrf.cli.merge import main

if __name__ == "__main__":
    sys.exit(main())
