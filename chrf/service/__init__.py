"""The contracts over HTTP and MCP. Command-line arguments are read in ``chrf.cli``.

Both protocols, and ``python -m chrf.tools``, move bytes to the same few functions::

    HTTP   connections > body > app -----+
                              app > mcp -+-> work -> tools -> chrf.contract
    MCP on standard input         mcp ---+
    chrf.cli.tools ----------------------------> tools

A request is bounded on its way: `connections` has its head, `body` its size and time, `work` what
runs and waits, `strict_json` and `reader` what a document may make of memory; `limits` are those of
a process. What goes wrong is one of `errors`, made into an answer by `answers`. `openapi`
describes it all.
"""
