"""How a test set is drawn: documents that stay together, strata and sets that keep their sizes.

A document's counts are the sums of its segments' counts, so that it becomes one row, and a resample
or a swap of rows is one of whole documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chrf.core.blocks import Counts
from chrf.core.checks import cut, shown, whole_number

Label: TypeAlias = str | int
Labels: TypeAlias = Iterable[Label]
Numbers: TypeAlias = NDArray[np.intp]

FEW_DOCUMENTS = 20  # below, intervals are visibly too narrow
FEW_IN_A_GROUP = 10  # on average: of n rows, a resample has the variance times (n - 1) / n


@dataclass(frozen=True, eq=False)
class Design:
    """How the rows of counts come to be in a resample.

    Attributes
    ----------
    sizes : tuple of int
        Rows of each of several sets whose scores are averaged; empty where all are one corpus.
    strata : numpy.ndarray of intp or None
        The stratum of each row, numbered from 0. None: each set is one.
    documents : int or None
        The number of rows where they are documents, None where they are segments.
    sample : tuple of (str, int or str)
        What signatures say of all this.
    """

    sizes: tuple[int, ...] = ()
    strata: Numbers | None = None
    documents: int | None = None
    sample: tuple[tuple[str, int | str], ...] = ()

    @property
    def plain(self) -> bool:
        """Whether rows are segments, all drawn alike, as sacreBLEU draws them."""
        return not self.sample

    @property
    def noun(self) -> str:
        """What a row is."""
        return "segment" if self.documents is None else "document"

    def sets(self, rows: int) -> list[slice]:
        """Return where the rows of each set are."""
        ends = list(accumulate(self.sizes or (rows,), initial=0))
        return [slice(start, stop) for start, stop in pairwise(ends)]

    def groups(self, rows: int) -> Iterator[tuple[int, slice | Numbers]]:
        """Yield the rows that are drawn among themselves, each group with its set."""
        for number, among in enumerate(self.sets(rows)):
            if self.strata is None:
                yield number, among
                continue
            strata = self.strata[among]
            order = np.argsort(strata, kind="stable")
            starts = np.flatnonzero(np.diff(strata[order])) + 1
            for part in np.split(order + among.start, starts):
                yield number, part

    def totals(self, counts: Counts) -> Counts:
        """Sum the counts of each set: [sets * orders, 3]."""
        return np.concatenate([counts[among].sum(axis=0) for among in self.sets(len(counts))])


PLAIN = Design()


@dataclass(frozen=True, eq=False)
class Partition:
    """The labels of some segments.

    Attributes
    ----------
    name : str
        What the messages call them.
    numbers : numpy.ndarray of intp
        Of each segment the place of its label.
    values : list of str or int
        The distinct labels in the order in which they first come up.
    """

    name: str
    numbers: Numbers
    values: list[Label]

    @classmethod
    def of(cls, name: str, labels: Sequence[Any]) -> Partition:
        """Check labels, one for each segment: all strings or all integers, none of them blank.

        Raises
        ------
        TypeError
            A label of another type, or two types.
        ValueError
            A blank label.
        """
        places: dict[Label, int] = {}
        numbers = []
        kind: type | None = None
        for i, given in enumerate(labels):
            label = str(given) if isinstance(given, str) else whole_number(given)
            if label is None:
                found = f"{name}[{i}] is {shown(given)}"
                raise TypeError(f"{found}; a label is a string or an integer")
            if kind not in (None, type(label)):
                raise TypeError(
                    f"{name}[{i}] is {shown(label)} but {name}[0] is {shown(next(iter(places)))}; "
                    "labels are all strings or all integers"
                )
            if isinstance(label, str) and not label.strip():
                raise ValueError(f"{name}[{i}] is {shown(label)}, a blank label")
            kind = type(label)
            numbers.append(places.setdefault(label, len(places)))
        return cls(name, np.array(numbers, dtype=np.intp), list(places))

    def check_length(self, segments: int, what: str) -> None:
        """Raise a ValueError where there is not one label for each segment."""
        if len(self.numbers) != segments:
            raise ValueError(
                f"{self.name} has {len(self.numbers)} labels but {cut(what)} has {segments} "
                f"segment{'s' * (segments != 1)}"
            )

    def check_documents(self) -> None:
        """Raise a ValueError for a single document."""
        if len(self.values) == 1:
            raise ValueError(
                f"{self.name} has one label for all segments, {shown(self.values[0])}: nothing can "
                "be resampled"
            )

    def sums(self, counts: Counts) -> Counts:
        """Sum the counts of the segments of each label.

        Raises
        ------
        ValueError
            Sums that may pass 63 bits when they are drawn again and again.
        """
        order = np.argsort(self.numbers, kind="stable")
        starts = np.searchsorted(self.numbers[order], np.arange(len(self.values)))
        rows = np.add.reduceat(counts[order], starts, axis=0)
        if len(rows) * int(rows.max()) >= 1 << 63:
            raise ValueError(f"counts summed by {self.name} may pass 63 bits")
        return rows

    def of_groups(self, groups: Partition) -> Numbers:
        """Return the label that each group of segments has.

        Raises
        ------
        ValueError
            A group with two labels.
        """
        found = np.empty(len(groups.values), dtype=np.intp)
        found[groups.numbers] = self.numbers  # of each the last
        [odd] = np.nonzero(found[groups.numbers] != self.numbers)
        if len(odd):
            group = groups.numbers[odd[0]]
            one, other = self.values[self.numbers[odd[0]]], self.values[found[group]]
            raise ValueError(
                f"{groups.name} has {shown(groups.values[group])} in two of {self.name}: "
                f"{shown(one)} and {shown(other)}"
            )
        return found

    def check_sizes(self, numbers: Numbers, noun: str) -> None:
        """Raise a ValueError for a stratum of one row: it would add no variance.

        `numbers` are the strata of rows, each of which is a `noun`.
        """
        [single] = np.nonzero(np.bincount(numbers, minlength=len(self.values)) == 1)
        if len(single):
            raise ValueError(
                f"{self.name} has {shown(self.values[single[0]])} for one {noun} only, within "
                "which nothing can be resampled; join it with another"
            )


def few_documents(number: int | None) -> str | None:
    """Return in a sentence that there are too few documents; None where there are enough."""
    if number is None or number >= FEW_DOCUMENTS:
        return None
    return f"intervals are too narrow where documents are few, and there are only {number}"


def too_narrow(design: Design, rows: int) -> str | None:
    """Return in a sentence why intervals of a design are too narrow; None where they are not."""
    if few := few_documents(design.documents):
        return few
    groups = sum(1 for _ in design.groups(rows))
    if groups == 1 or rows >= FEW_IN_A_GROUP * groups:
        return None
    return (
        f"intervals are too narrow where few {design.noun}s are resampled among themselves, and "
        f"there are only {rows} in {groups} strata or sets"
    )
