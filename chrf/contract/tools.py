"""The contracts as functions: a plain dict in, a plain dict out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chrf.contract.validation import DEFINITIONS, read_input
from chrf.core import counting, exact
from chrf.core.options import Options
from chrf.core.score import Score, from_totals
from chrf.core.source import read_pairs
from chrf.kernel.text import lower_all, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def chrf_compute(input: dict[str, Any]) -> dict[str, Any]:
    """Compute the exact chrF of a corpus and of each segment: contract chrf-compute 1.0.0.

    Parameters
    ----------
    input : dict
        ``hypotheses`` and ``references``: two lists of the same length, 1 to 256 strings, with at
        most 65,536 bytes of UTF-8 in all strings together. Optionally ``beta``, an integer from 1
        to 16 (default 2), and ``lowercase`` (default False). The input is only read.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-compute"]["output_schema"]`` says, its keys in that order. Scores
        are 0 to 100, six decimals of the exact value, ties to even.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_compute({"hypotheses": ["aa", "b"], "references": ["ab", "b"], "beta": 3})
    >>> output["score"], output["score_fraction"], output["segment_scores"]
    ('33.333333', '100/3', ['25.000000', '100.000000'])
    """
    score, counted = _score(*read_input("chrf-compute", input))
    return _output("chrf-compute", _computed("chrF", score, counted))


def chrf_plus_plus_compute(input: dict[str, Any]) -> dict[str, Any]:
    """Compute the exact chrF++ of a corpus and of each segment, with the words it scored.

    The contract chrf-plus-plus-compute 1.0.0 is this project's own, after chrf-compute.

    Parameters
    ----------
    input : dict
        As for `chrf_compute`.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-plus-plus-compute"]["output_schema"]`` says, its keys in that order:
        those of `chrf_compute`, then ``hypothesis_tokens`` and ``reference_tokens``, a list of
        word tokens for each segment.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_plus_plus_compute({"hypotheses": ["a bee."], "references": ["a bed."]})
    >>> output["score"], output["score_fraction"]
    ('32.857143', '230/7')
    >>> output["hypothesis_tokens"]
    [['a', 'bee', '.']]
    """
    hypotheses, references, options = read_input("chrf-plus-plus-compute", input)
    score, counted = _score(hypotheses, references, options)
    values = _computed("chrF++", score, counted)
    for name, texts in (("hypothesis_tokens", hypotheses), ("reference_tokens", references)):
        values[name] = list(map(words, lower_all(texts) if score.options.lowercase else texts))
    return _output("chrf-plus-plus-compute", values)


def chrf_components(input: dict[str, Any]) -> dict[str, Any]:
    """Break a chrF or chrF++ score down by n-gram order: contract chrf-components 1.0.0.

    Parameters
    ----------
    input : dict
        ``hypotheses`` and ``references`` as for `chrf_compute`; optionally ``char_order`` (0 to
        10, default 6), ``word_order`` (0 to 4, default 0), not both 0, ``beta`` (1 to 16, default
        2), ``lowercase`` and ``include_whitespace`` (default False), and ``averaging``
        (``"precision_recall"``, the default, or ``"per_order_f"``). It is only read.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-components"]["output_schema"]`` says, its keys in that order.
        Fractions are exact and reduced; the score is 0 to 100, everything else 0 to 1.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_components({"hypotheses": ["a bee"], "references": ["a bed"],
    ...                           "char_order": 2, "word_order": 1})
    >>> output["score"], output["average_precision"]
    ('63.888889', '23/36')
    >>> output["orders"][2]["type"], output["orders"][2]["matching_ngrams"]
    ('word', 1)
    """
    score, _ = _score(*read_input("chrf-components", input))
    return _output("chrf-components", score.to_dict())


def _score(
    hypotheses: list[str], references: list[str], options: dict[str, Any]
) -> tuple[Score, NDArray[np.int64]]:
    """Return the corpus score, and the counts [segments, orders, 3] that add up to it."""
    checked = Options(**options)
    counted, totals = counting.counts_and_totals(read_pairs(hypotheses, references), checked)
    return from_totals(totals, checked), counted


def _computed(metric: str, score: Score, counted: NDArray[np.int64]) -> dict[str, Any]:
    """Return what the two compute contracts share; `metric` is the name for every beta."""
    options = score.options
    return {
        "metric": metric,
        "char_order": options.char_order,
        "word_order": options.word_order,
        "beta": options.beta,
        "lowercase": options.lowercase,
        "segment_count": score.segment_count,
        "score": str(score),
        "score_fraction": exact.fraction_text(score.fraction),
        "segment_scores": exact.row_decimals(
            counted.reshape(-1), exact.row_scores(counted, options), options
        ),
    }


def _output(contract: str, values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in DEFINITIONS[contract]["output_schema"]["properties"]}
