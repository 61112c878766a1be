"""Scores -> text tables, JSON lines, TSV and LaTeX, for the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from chrf import exact
from chrf.score import Score

FORMATS = ("text", "json", "tsv", "latex")
DEFAULT_WIDTH = 6

Row = list[str]


@dataclass(frozen=True)
class Result:
    """The score of one system on one file."""

    file: str
    system: str
    score: Score


@dataclass(frozen=True)
class Layout:
    """What the user asked to see."""

    format: str = "text"
    width: int = DEFAULT_WIDTH
    orders: bool = False
    fractions: bool = False
    short: bool = False
    score_only: bool = False


def render(results: Sequence[Result], layout: Layout) -> str:
    """All results in the chosen format, ending in a line feed."""
    if layout.score_only:
        lines = [exact.decimal_text(result.score.fraction, layout.width) for result in results]
    elif layout.format == "json":
        lines = [_json(result) for result in results]
    elif layout.format == "tsv":
        header, rows = _tsv_orders(results) if layout.orders else _tsv(results, layout)
        lines = ["\t".join(row) for row in [header, *rows]]
    elif layout.format == "latex":
        lines = _latex(results, layout)
    else:
        lines = _text(results, layout)
    return "\n".join(lines) + "\n"


def _json(result: Result) -> str:
    record = {"file": result.file, "system": result.system, **result.score.to_dict()}
    return json.dumps(record)


def _signature(score: Score, layout: Layout) -> str:
    return score.options.signature(score.reference_count, score.segment_count, short=layout.short)


def _table(results: Sequence[Result], layout: Layout) -> tuple[Row, list[Row]]:
    """Header and rows of the table of scores; the file is shown where there are several."""
    several = len({result.file for result in results}) > 1
    # A system that is a whole file needs no second column with the same name.
    named = any(result.file != result.system for result in results)
    header = ["file"] * several + ["system"] * (named or not several)
    header += [results[0].score.name, "segments"] + ["fraction"] * layout.fractions
    if any(result.score.tied_segments for result in results):
        header.insert(header.index("segments") + 1, "tied")
    rows = []
    for result in results:
        score = result.score
        cells = {
            "file": result.file,
            "system": result.system,
            score.name: exact.decimal_text(score.fraction, layout.width),
            "segments": str(score.segment_count),
            "tied": str(score.tied_segments),
            "fraction": exact.fraction_text(score.fraction),
        }
        rows.append([cells[name] for name in header])
    return header, rows


def _text(results: Sequence[Result], layout: Layout) -> list[str]:
    lines = _aligned(*_table(results, layout))
    lines += ["", *dict.fromkeys(_signature(result.score, layout) for result in results)]
    if layout.orders:
        for result in results:
            title = (
                result.system
                if result.system == result.file
                else (f"{result.file}  {result.system}")
            )
            lines += ["", title, *_aligned(*_orders_table(result.score, layout))]
    return lines


def _orders_table(score: Score, layout: Layout) -> tuple[Row, list[Row]]:
    header = ["type", "n", "hypothesis", "reference", "matching", "precision", "recall"]
    header.append(f"F{score.options.beta_text}")

    def cell(value: Fraction | None) -> str:
        if value is None:
            return "-"
        if layout.fractions:
            return exact.fraction_text(value)
        return exact.decimal_text(value, layout.width)

    rows = [
        [
            order.type,
            str(order.n),
            str(order.hypothesis_ngrams),
            str(order.reference_ngrams),
            str(order.matching_ngrams),
            cell(order.precision),
            cell(order.recall),
            cell(order.f_score),
        ]
        for order in score.orders
    ]
    return header, rows


def _aligned(header: Row, rows: list[Row]) -> list[str]:
    """Columns under their names: words to the left, numbers to the right."""
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    left = [name in ("file", "system", "type") for name in header]
    return [
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in table
    ]


def _tsv(results: Sequence[Result], layout: Layout) -> tuple[Row, list[Row]]:
    header = ["file", "system", "metric", "score"]
    header += ["score_fraction"] * layout.fractions
    header += ["segment_count", "reference_count", "tied_segments", "rule", "signature"]
    rows = []
    for result in results:
        score = result.score
        rows.append(
            [result.file, result.system, score.name]
            + [exact.decimal_text(score.fraction, layout.width)]
            + [exact.fraction_text(score.fraction)] * layout.fractions
            + [str(score.segment_count), str(score.reference_count or "var")]
            + [str(score.tied_segments), score.rule, _signature(score, layout)]
        )
    return header, rows


def _tsv_orders(results: Sequence[Result]) -> tuple[Row, list[Row]]:
    """One row per order, under the contract's names; fractions are exact, nulls are empty."""
    header = ["file", "system", *results[0].score.orders[0].to_dict()]
    rows = [
        [result.file, result.system, *("" if v is None else str(v).lower() for v in record)]
        for result in results
        for record in (order.to_dict().values() for order in result.score.orders)
    ]
    return header, rows


def _latex(results: Sequence[Result], layout: Layout) -> list[str]:
    """A table for ``\\usepackage{booktabs}``, with the signature as a comment."""
    tables = [_table(results, layout)]
    if layout.orders:
        tables += [_orders_table(result.score, layout) for result in results]
    lines = []
    for header, rows in tables:
        columns = "".join("l" if name in ("file", "system", "type") else "r" for name in header)
        lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
        lines += [_latex_row(header), "\\midrule", *map(_latex_row, rows)]
        lines += ["\\bottomrule", "\\end{tabular}"]
    lines += [f"% {s}" for s in dict.fromkeys(_signature(r.score, layout) for r in results)]
    return lines


def _latex_row(cells: Row) -> str:
    return " & ".join(_latex_text(cell) for cell in cells) + " \\\\"


def _latex_text(text: str) -> str:
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
    }
    return "".join(special.get(c, c) for c in text)
