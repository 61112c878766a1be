"""Labels of rows, such as the document that a segment is of: in columns, or a file of lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from chrf.core.forms.fields import Fields
from chrf.files import splitting
from chrf.files.lines import Progress, check_utf8, empty_file, read_chunks
from chrf.files.names import InputError, file_name
from chrf.files.rows import NamedColumn

LabelColumns: TypeAlias = Mapping[str, Sequence[str]]  # columns by what they are the labels of


def read_labels(path: str, progress: Progress) -> list[str]:
    """Read a label from each line; runs of blanks and tabs count as one blank.

    Raises
    ------
    InputError
        A blank line, invalid UTF-8, no lines.
    """
    labels: list[str] = []
    for chunk in read_chunks(path, progress):
        check_utf8(path, chunk)
        fields = Fields(chunk.data, splitting.split_lines(chunk.data))
        lines = range(chunk.first_line, chunk.first_line + len(fields))
        labels += _checked(file_name(path), "", fields, lines)
    if not labels:
        raise empty_file(path)
    return labels


def row_labels(
    columns: Sequence[NamedColumn], fields: Sequence[Fields], lines: Sequence[int]
) -> Iterator[str]:
    """Return the label of each row, which all of the columns make together; `lines` are theirs.

    Raises
    ------
    InputError
        A blank label.
    """
    parts = [
        _checked(column.file, f"{column.label}: ", part, lines)
        for column, part in zip(columns, fields, strict=True)
    ]
    return map("\t".join, zip(*parts, strict=True))


def _checked(file: str, where: str, fields: Fields, lines: Sequence[int]) -> list[str]:
    labels = [" ".join(text.split()) for text in fields.texts()]
    if "" in labels:
        raise InputError(f"{file}:{lines[labels.index('')]}: {where}a blank label")
    return labels
