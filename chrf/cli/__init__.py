"""The command lines: one module for each, and what they share.

    main          python -m chrf: which command the first word names
      score, merge, tools, serve, mcp   each has a function ``main``
    arguments     the options of score, as its help groups them
    settings      what was parsed -> one frozen record, checked once
    statistics    intervals and tests: their options, and what is made of the counts
    command       how every command line starts, fails, prints and ends

Records that every run needs are named tuples, here and in ``files`` and ``report``: the class of a
dataclass takes a millisecond to make, which a run of two rows would notice.
"""
