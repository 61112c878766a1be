"""Scores -> text tables, JSON lines, TSV and LaTeX, for the command line."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from chrf.cli.statistics import Standing
from chrf.core import exact
from chrf.core.score import Score
from chrf.files.output import one_line

FORMATS = ("text", "json", "tsv", "latex")
DEFAULT_WIDTH = 6
WORDS = ("file", "system", "type", "first", "second")  # columns that are not numbers
NOTED = 5  # systems that the note about the rules lists

Row = list[str]


@dataclass(frozen=True)
class Result:
    """The score of one system on one file."""

    file: str
    system: str
    score: Score
    other: Score  # under the other rule
    short: int  # segments with a reference too short for an n-gram order of the hypothesis
    standing: Standing = field(default_factory=Standing)  # what --ci and --paired add


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
        lines = [_json(result, layout) for result in results]
    elif layout.format == "tsv":
        if layout.orders:
            header, rows = _tsv_orders(results, layout)
        elif any(result.standing.pairs for result in results):
            header, rows = _pairs(results, layout)
            header = [name.replace(" ", "_") for name in header]
        else:
            header, rows = _tsv(results, layout)
        lines = ["\t".join(row) for row in [header, *rows]]
    elif layout.format == "latex":
        lines = _latex(results, layout)
    else:
        lines = _text(results, layout)
    return "\n".join(lines) + "\n"


def rule_note(results: Sequence[Result], layout: Layout) -> str | None:
    """What the other rule gives, in one line, where it would print another score."""
    width = DEFAULT_WIDTH if layout.format == "json" else layout.width

    def text(score: Score) -> str:
        return exact.decimal_text(score.fraction, width)

    changed = [result for result in results if text(result.other) != text(result.score)]
    if not changed:
        return None
    first = changed[0]
    gives = f"rule {first.other.rule} gives"
    if len(results) == 1:
        have = "has" if first.short == 1 else "have"
        return (
            f"note: {first.short} of {first.score.segment_count} segments {have} a reference too "
            f"short for an n-gram order; {gives} {text(first.other)}"
        )
    listed = ", ".join(
        f"{_full_name(result, results)} {text(result.other)} "
        f"({result.short} of {result.score.segment_count} segments)"
        for result in changed[:NOTED]
    )
    if len(changed) > NOTED:
        listed += f", and others to {len(changed) - NOTED} more"
    return f"note: some references are too short for an n-gram order; {gives} {listed}"


def _json(result: Result, layout: Layout) -> str:
    record = {"file": result.file, "system": result.system, **result.score.to_dict()}
    record["signature"] = _signature(result.score, layout)
    standing = result.standing
    if standing.interval:
        record["interval"] = standing.interval.to_dict()
    if standing.rank:
        record["rank"], record["cluster"] = list(standing.rank), standing.cluster
        record["against_baseline"] = standing.against.to_dict() if standing.against else None
    if standing.pairs:
        record["pairs"] = [pair.to_dict() for pair in standing.pairs]
    return json.dumps(record)


def _statistics(result: Result, layout: Layout) -> dict[str, str]:
    """The cells that the statistics add to the row of a system."""
    standing, cells = result.standing, {}

    def text(value: Fraction) -> str:
        return exact.decimal_text(value, layout.width)

    if standing.interval:
        cells["lower"] = text(standing.interval.bounds.lower)
        cells["upper"] = text(standing.interval.bounds.upper)
    if standing.rank:
        pair, (best, worst) = standing.against, standing.rank
        cells["difference"] = text(pair.difference) if pair else "baseline"
        cells["p"] = f"{pair.p_value:.4f}" if pair else "-"
        cells["adjusted p"] = f"{pair.adjusted_p_value:.4f}" if pair else "-"
        cells["rank"] = str(best) if best == worst else f"{best}-{worst}"
        cells["cluster"] = str(standing.cluster)
    return cells


def _pairs(results: Sequence[Result], layout: Layout) -> tuple[Row, list[Row]]:
    """All pairs of systems, one a row; the file is shown where there are several."""
    several = len({result.file for result in results}) > 1
    header = ["file"] * several + ["first", "second", "difference", "lower", "upper"]
    header += ["p", "adjusted p"]
    rows = [
        [one_line(result.file)] * several
        + [one_line(pair.first), one_line(pair.second)]
        + [exact.decimal_text(pair.difference, layout.width)]
        + [
            exact.decimal_text(bound, layout.width)
            for bound in ((pair.bounds.lower, pair.bounds.upper) if pair.bounds else ())
        ]
        + [f"{pair.p_value:.4f}", f"{pair.adjusted_p_value:.4f}"]
        for result in results
        for pair in result.standing.pairs
    ]
    return header, rows


def _draws(results: Sequence[Result]) -> list[str]:
    """How the intervals and tests were made, once each."""
    made: dict[str, None] = {}
    for standing in (result.standing for result in results):
        records = [standing.interval, standing.against, *standing.pairs]
        made.update(dict.fromkeys(record.signature for record in records if record))
    return list(made)


def _full_name(result: Result, results: Sequence[Result]) -> str:
    """The name of a system, with its file where there are several."""
    if result.system == result.file or len({other.file for other in results}) == 1:
        return result.system
    return f"{result.system} in {result.file}"


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
    header += _statistics(results[0], layout)
    rows = []
    for result in results:
        score = result.score
        cells = {
            **_statistics(result, layout),
            "file": one_line(result.file),
            "system": one_line(result.system),
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
    lines += _draws(results)
    if any(result.standing.pairs for result in results):
        lines += ["", *_aligned(*_pairs(results, layout))]
    if layout.orders:
        for result in results:
            title = one_line(_full_name(result, results))
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
    widths = [max(_columns(row[i]) for row in table) for i in range(len(header))]
    left = [name in WORDS for name in header]

    def padded(cell: str, width: int, to_left: bool) -> str:
        space = " " * (width - _columns(cell))
        return cell + space if to_left else space + cell

    return ["  ".join(map(padded, row, widths, left)).rstrip() for row in table]


def _columns(text: str) -> int:
    """The columns of a terminal that the text fills."""
    shown = [c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return len(shown) + sum(unicodedata.east_asian_width(c) in "WF" for c in shown)


def _tsv(results: Sequence[Result], layout: Layout) -> tuple[Row, list[Row]]:
    header = ["file", "system", "metric", "score"]
    header += ["score_fraction"] * layout.fractions
    header += [name.replace(" ", "_") for name in _statistics(results[0], layout)]
    header += ["segment_count", "reference_count", "tied_segments", "rule", "signature"]
    rows = []
    for result in results:
        score = result.score
        rows.append(
            [one_line(result.file), one_line(result.system), score.name]
            + [exact.decimal_text(score.fraction, layout.width)]
            + [exact.fraction_text(score.fraction)] * layout.fractions
            + list(_statistics(result, layout).values())
            + [str(score.segment_count), str(score.reference_count or "var")]
            + [str(score.tied_segments), score.rule, _signature(score, layout)]
        )
    return header, rows


def _tsv_orders(results: Sequence[Result], layout: Layout) -> tuple[Row, list[Row]]:
    """One row per order, under the contract's names; fractions are exact, nulls are empty."""
    header = ["file", "system", *results[0].score.orders[0].to_dict(), "signature"]
    rows = [
        [one_line(result.file), one_line(result.system)]
        + ["" if value is None else str(value).lower() for value in order.to_dict().values()]
        + [_signature(result.score, layout)]
        for result in results
        for order in result.score.orders
    ]
    return header, rows


def _latex(results: Sequence[Result], layout: Layout) -> list[str]:
    """A table for ``\\usepackage{booktabs}``, with the signature as a comment."""
    tables: list[tuple[list[str], tuple[Row, list[Row]]]] = [([], _table(results, layout))]
    if any(result.standing.pairs for result in results):
        tables.append(([], _pairs(results, layout)))
    if layout.orders:
        tables += [
            ([f"% {one_line(_full_name(result, results))}"], _orders_table(result.score, layout))
            for result in results
        ]
    lines: list[str] = []
    for comment, (header, rows) in tables:
        lines += comment
        columns = "".join("l" if name in WORDS else "r" for name in header)
        lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
        lines += [_latex_row(header), "\\midrule", *map(_latex_row, rows)]
        lines += ["\\bottomrule", "\\end{tabular}"]
    signatures = dict.fromkeys(_signature(result.score, layout) for result in results)
    return lines + [f"% {signature}" for signature in [*signatures, *_draws(results)]]


def _latex_row(cells: Row) -> str:
    return " & ".join(_latex_text(cell) for cell in cells) + " \\\\"


def _latex_text(text: str) -> str:
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
    }
    return "".join(special.get(c, c) for c in text)
