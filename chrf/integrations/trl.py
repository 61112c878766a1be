"""`ChrfReward`: segment scores as the rewards of reinforcement learning, as TRL calls them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chrf.core.checks import counted
from chrf.core.forms.segments import as_list
from chrf.core.options import OptionKeywords, Options
from chrf.core.score import segment_scores
from chrf.core.threads import checked_threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    Completion = str | Sequence[dict[str, Any]]


class ChrfReward:
    """The score of each completion against the reference in a column of the data set.

    Parameters
    ----------
    column : str
        The column with the references: one string, a list of strings (the best one counts) or
        None for each row.
    scale : float
        The factor of the scores, which are 0 to 100. The default gives 0 to 1.
    name : str
        The ``__name__``, under which trainers log the reward.
    threads : int
        Worker threads of one call. The result does not depend on it.
    **options
        See `chrf.Options`.

    Notes
    -----
    A reward holds nothing but its options. It pickles, and memory does not grow with the calls.

    Examples
    --------
    >>> from chrf.integrations.trl import ChrfReward
    >>> reward = ChrfReward("target", scale=1, word_order=2)
    >>> reward(["the cat sits", "it rains", "yes"], target=["the cat sat", "it rains", None])
    [64.56142834113218, 100.0, None]
    """

    def __init__(
        self,
        column: str = "reference",
        *,
        scale: float = 1 / 100,
        name: str = "chrf",
        threads: int = 1,
        **options: Unpack[OptionKeywords],
    ) -> None:
        Options.from_keywords(dict(options))  # refused here, not in the first step of a training
        self._column = column
        self._scale = float(scale)
        self._threads = checked_threads(threads)
        self._options = options
        self.__name__ = name

    def __call__(self, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        """Score completions.

        Parameters
        ----------
        completions : sequence of str, or of lists of messages
            A message is a dictionary with ``role`` and ``content``. The text of the assistant's
            last message is scored; a call of a tool has none, and scores 0.
        **columns
            Everything that a trainer passes by name; one of them is the column with the references.

        Returns
        -------
        list of float or None
            The double nearest to the exact score, times `scale`; None where the reference is.

        Raises
        ------
        TypeError, ValueError
            There is no such column, the lengths differ, a completion has no message of the
            assistant, or `chrf.segment_scores` raises.
        """
        if self._column not in columns:
            raise ValueError(
                f"there is no column {self._column!r} with the references; "
                f"the columns are {', '.join(sorted(columns)) or 'none'}"
            )
        given = columns[self._column]
        if isinstance(given, str) or not hasattr(given, "__len__"):
            raise TypeError(
                f"column {self._column!r} is a {type(given).__name__}; give one reference, list of "
                "references or None for each completion"
            )
        given = list(given)  # by position: a pandas Series is read so
        completions = as_list("completions", completions)
        if len(completions) != len(given):
            raise ValueError(
                f"{counted(len(completions), 'completions')} but "
                f"{counted(len(given), 'references')} in column {self._column!r}"
            )
        if not completions:
            return []
        # A row without a reference stays, so that messages count rows as the caller does.
        missing = [reference is None for reference in given]
        texts = ["" if none else _text(i, completions[i]) for i, none in enumerate(missing)]
        references = ["" if none else given[i] for i, none in enumerate(missing)]
        if not all(isinstance(reference, str) for reference in references):
            references = [[item] if isinstance(item, str) else item for item in references]
        scores = segment_scores(texts, references, threads=self._threads, **self._options)
        rewards = (scores * self._scale).tolist()
        return [None if none else reward for none, reward in zip(missing, rewards, strict=True)]

    def __repr__(self) -> str:
        return f"<ChrfReward {self.__name__} of column {self._column!r}>"


def _text(i: int, completion: Completion) -> str:
    """Return the text of a completion: itself, or the content of the assistant's last message."""
    if isinstance(completion, str):
        return completion
    where = f"completions[{i}]"
    if not isinstance(completion, (list, tuple)) or not all(
        isinstance(message, dict) for message in completion
    ):
        raise TypeError(f"{where} is a {type(completion).__name__}; give a string or chat messages")
    answers = [message for message in completion if message.get("role") == "assistant"]
    if not answers:
        raise ValueError(f"{where} has no message with the role 'assistant'")
    content = answers[-1].get("content")
    if content is None:
        return ""
    if not isinstance(content, (list, tuple)):
        parts = [content]
    elif all(isinstance(part, dict) for part in content):
        parts = [part.get("text") for part in content if part.get("type") == "text"]
    else:
        raise TypeError(f"the content of {where} has parts that are no dictionaries")
    for part in parts:
        if not isinstance(part, str):
            raise TypeError(f"the content of {where} is {type(part).__name__}, not a string")
    return "".join(parts)
