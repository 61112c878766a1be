"""Scores -> what people and programs read: text tables, JSON lines, TSV and LaTeX.

    results                       what is shown of a system
    layout                        what the user asked to see
    table                         results -> typed columns and rows
      text, tsv, latex, jsonlines   one renderer for each format
        render                        chooses among them
    notes                         what is said beside the scores, on standard error

A new format is one module with a function ``lines(results, layout)``, a name in `layout.FORMATS`
and a line in `render`.
"""
