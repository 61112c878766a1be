"""`Accumulator`: counts streamed in batch by batch and merged, on any number of machines."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from chrf.core import state
from chrf.core.checks import shown
from chrf.core.options import OptionKeywords, Options, check_same
from chrf.core.record import check_unicode, unicode_of
from chrf.core.score import Score
from chrf.core.source import Hypotheses, References, read_pairs
from chrf.core.state import RowId, State, Sums
from chrf.core.threads import checked_threads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

# One lock for all accumulators: it is held shortly, objects stay plain (they pickle), and a fork
# waits for it, so that no child is born with a lock that nobody will release. A signal handler may
# come in between, which finds the accumulator as it was before.
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


class Accumulator:
    """Counts of any number of batches. How the rows were divided into them makes no difference.

    Parameters
    ----------
    threads : int
        Worker threads of one `update`. The result does not depend on it.
    on_repeat : {"refuse", "drop"}
        What is done with a row whose id was counted before: a ValueError, or it is left out.
    **options
        See `chrf.Options`.

    Notes
    -----
    Threads may share an accumulator. It pickles and copies with all that it holds: some dozens of
    integers and, where rows have ids, about 200 bytes for each row.

    Examples
    --------
    >>> from chrf import Accumulator
    >>> first, second = Accumulator(), Accumulator()
    >>> first.update(["the cat", "a dog ran home"], ["the cat sat", "a dog ran home"])
    >>> second.update(["it rained"], ["it rains today"])
    >>> print((first + second).compute())
    65.944977
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        *,
        threads: int = 1,
        on_repeat: Literal["refuse", "drop"] = "refuse",
        **options: Unpack[OptionKeywords],
    ) -> None:
        self._options = Options.from_keywords(dict(options), ("threads", "on_repeat"))
        self._threads = checked_threads(threads)
        if on_repeat not in ("refuse", "drop"):
            raise ValueError(f"on_repeat is {shown(on_repeat)}; it must be 'refuse' or 'drop'")
        self._on_repeat = on_repeat
        self._held = State.empty(self._options)

    @property
    def options(self) -> Options:
        """The options, which do not change."""
        return self._options

    @property
    def segment_count(self) -> int:
        """Number of rows counted."""
        return self._held.sums.segments

    @property
    def dropped_count(self) -> int:
        """Number of rows left out because their ids were counted before."""
        return self._held.dropped

    @property
    def counts(self) -> NDArray[np.int64]:
        """The summed counts under the rule: a new array [orders, 3], as `chrf.counts` has them.

        Raises
        ------
        OverflowError
            A count is past 2^63 - 1. `compute` is exact all the same.
        """
        return state.to_int64(self._held.sums.counts).reshape(-1, 3)

    def update(
        self,
        hypotheses: Hypotheses,
        references: References,
        ids: Iterable[RowId] | None = None,
    ) -> None:
        """Count a batch of rows: all of it or, after any error, nothing. It may be empty.

        Parameters
        ----------
        hypotheses, references
            What `chrf.corpus_score` takes.
        ids : iterable of int or str, optional
            One for each row, by which a repeated row is known. Either all rows that an
            accumulator counts have ids, or none has.

        Raises
        ------
        TypeError, ValueError
            What `chrf.corpus_score` raises; a repeated id, unless repeats are dropped.
        """
        source = read_pairs(hypotheses, references, least=0)
        names = None if ids is None else state.read_ids(ids, len(source))
        if not len(source):
            return
        if names is None:
            added = state.count_sums(source, self._options, self._threads)
            with _lock:
                self._add(added)
            return
        counted = state.count_rows(source, self._options, self._threads)
        rows = list(zip(names, counted, strict=True))
        with _lock:
            self._add_rows(rows, "ids[{}] is {}, which was counted before")

    def merge(self, other: Accumulator) -> None:
        """Add what another accumulator holds, as if its rows had been counted here.

        Parameters
        ----------
        other : Accumulator
            One with the same options. It is not changed.

        Raises
        ------
        TypeError
            It is no Accumulator.
        ValueError
            The options differ (the message names them); one has rows with ids and the other
            without; or an id was counted in both, unless repeats are dropped: then the row stays
            as it was counted here.
        """
        if not isinstance(other, Accumulator):
            raise TypeError(f"an Accumulator cannot be merged with {type(other).__name__}")
        check_same(self._options, other._options)
        with _lock:
            held = other._held
            if held.rows:
                message = "row id {1} was counted in both accumulators"
                self._add_rows(list(held.rows.items()), message, held.dropped)
            else:
                self._add(held.sums)

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        result = copy.copy(self)
        result.merge(other)
        return result

    def __radd__(self, other: int) -> Accumulator:
        """Return a copy for 0, with which `sum` starts."""
        return copy.copy(self) if type(other) is int and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Return whether both hold the same and have the same options."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        with _lock:
            return (self._options, self._held) == (other._options, other._held)

    def compute(self) -> Score:
        """Return the score of all rows counted so far; counting may go on.

        Raises
        ------
        ValueError
            Nothing was counted.
        """
        held = self._held.sums
        if not held.segments:
            raise ValueError("there are no segments: nothing was counted yet, or since the reset")
        return state.score_of(held, self._options)

    def reset(self) -> None:
        """Forget everything that was counted, ids included."""
        with _lock:
            self._held = State.empty(self._options)

    def state_dict(self) -> dict[str, Any]:
        """Return everything, for `load_state_dict`, in lists, strings and integers.

        It goes through ``json.dumps``, ``torch.save`` and into checkpoints.
        """
        with _lock:
            held = self._held._replace(rows=dict(self._held.rows))
        return state.to_dict(held, self._options)

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Load what `state_dict` gave, in place of what was counted.

        Parameters
        ----------
        values : mapping
            What `state_dict` of an accumulator with these options returned.

        Raises
        ------
        TypeError, ValueError
            The options differ, or it is nothing that `state_dict` gives. Then nothing is changed.
        """
        held = state.from_dict(values, self._options)
        with _lock:
            self._held = held

    def state_vector(self) -> NDArray[np.int64]:
        """Return everything in one int64 vector, for `load_state_vector`.

        The sum of the vectors of up to 2^31 accumulators is the vector of all their rows, exactly,
        even where a count of the sum exceeds 2^63: one all_reduce adds up all processes. Its length
        depends on the options.

        Raises
        ------
        OverflowError
            A count is past 2^63 - 1 before it is added to any other.
        ValueError
            The rows have ids, which nobody compares in a sum: `merge` does.
        """
        held = self._held
        if held.rows:
            raise ValueError("the rows have ids, which would be lost in a sum of vectors; merge")
        return state.to_vector(held.sums, self._options)

    def load_state_vector(self, vector: Sequence[int] | NDArray[np.int64]) -> None:
        """Load a `state_vector`, or a sum of several, in place of what was counted.

        Parameters
        ----------
        vector : sequence of int, or numpy.ndarray of int64, shape [length]
            As long as `state_vector` makes it under these options.

        Raises
        ------
        TypeError, ValueError
            It is no sum of vectors with these options. Then nothing is changed.
        """
        held = state.from_vector(vector, self._options)
        with _lock:
            self._held = held

    def __getstate__(self) -> dict[str, Any]:
        with _lock:
            held = self._held._replace(rows=dict(self._held.rows))
        return {**self.__dict__, "_held": held, "unicode": unicode_of(self._options)}

    def __setstate__(self, values: dict[str, Any]) -> None:
        check_unicode(values["_options"], values.pop("unicode"))
        self.__dict__.update(values)

    def __repr__(self) -> str:
        score = state.score_of(self._held.sums, self._options)
        return f"<Accumulator {score.name} {score.signature}>"

    def _add(self, added: Sums) -> None:
        held = self._held
        if held.rows and added.segments:
            raise ValueError("these rows have no ids, but those counted before have")
        after = State(held.sums + added, held.rows, held.dropped)
        if self._held is not held:  # a signal handler has counted meanwhile
            self._add(added)
            return
        self._held = after

    def _add_rows(
        self, added: Collection[tuple[RowId, bytes]], repeated: str, dropped: int = 0
    ) -> None:
        """Add rows with ids; `repeated` is the message, given position and id of a repeated one."""
        held, repeats = self._held, 0
        if held.sums.segments and not held.rows:
            raise ValueError("these rows have ids, but those counted before have none")
        rows, new = held.rows, dict[RowId, bytes]()
        for i, (name, row) in enumerate(added):
            if name not in rows and name not in new:
                new[name] = row
            elif self._on_repeat == "drop":
                repeats += 1
            else:
                message = repeated.format(i, shown(name))
                raise ValueError(f"{message}; on_repeat='drop' leaves repeats out")
        total = held.sums + state.sum_rows(new.values(), self._options)
        after = State(total, rows, held.dropped + dropped + repeats)
        if self._held is not held:  # a signal handler has counted meanwhile
            self._add_rows(added, repeated, dropped)
            return
        rows |= new  # from here on nothing is called, so that no signal comes between
        self._held = after
