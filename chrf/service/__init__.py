"""The contracts over HTTP and MCP. Arguments are read in ``chrf.cli``."""
