"""``python -m chrf.mcp``: see `chrf.cli.mcp`."""

import sys

from chrf.cli.mcp import main

if __name__ == "__main__":
    sys.exit(main())
