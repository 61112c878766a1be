"""The contracts over HTTP and MCP. Command-line arguments are read in ``chrf.cli``.

Both protocols, and ``python -m chrf.tools``, move bytes to the same few functions::

    HTTP   body -> app ----+
    MCP            mcp ----+-> tools -> chrf.contract
    chrf.cli.tools --------+   strict_json

A request passes `body` (its size and time), is answered by a route of `app`, and what goes wrong
on the way is one of `errors`, made into an answer by `answers`. `openapi` describes it all.
"""
