"""sacreBLEU's functions that score in one call."""

from __future__ import annotations

from collections.abc import Sequence

from chrf.sacrebleu.formula import Beta
from chrf.sacrebleu.metric import CHRF
from chrf.sacrebleu.score import CHRFScore


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: Beta = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus.

    Parameters
    ----------
    hypotheses, references
        As for `CHRF.corpus_score`.
    char_order, word_order, beta, eps_smoothing
        As for `CHRF`.
    remove_whitespace : bool
        False keeps whitespace inside character n-grams.

    Returns
    -------
    CHRFScore

    Raises
    ------
    TypeError, ValueError, RuntimeError
        What `CHRF` and `CHRF.corpus_score` raise.
    """
    whitespace = not remove_whitespace
    metric = CHRF(char_order, word_order, beta, whitespace=whitespace, eps_smoothing=eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: Beta = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment.

    Parameters
    ----------
    hypothesis, references
        As for `CHRF.sentence_score`.
    char_order, word_order, beta, remove_whitespace, eps_smoothing
        As for `corpus_chrf`.

    Returns
    -------
    CHRFScore

    Raises
    ------
    TypeError, ValueError
        What `CHRF` and `CHRF.sentence_score` raise.
    """
    whitespace = not remove_whitespace
    metric = CHRF(char_order, word_order, beta, whitespace=whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)
