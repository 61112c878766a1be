"""`CHRF`, the metric, and the functions `corpus_chrf` and `sentence_chrf`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import counted, shown, whole_number
from chrf.core.draws import SEED, SEED_VARIABLE
from chrf.core.forms.segments import Segments
from chrf.core.options import Options
from chrf.core.resampling import resample_sums
from chrf.core.threads import LARGEST_BLOCK
from chrf.sacrebleu.formula import Beta, checked_beta, f_score, f_scores
from chrf.sacrebleu.references import ReferenceStreams, read_references, read_texts
from chrf.sacrebleu.score import CHRFScore
from chrf.sacrebleu.signature import CHRFSignature

SegmentStatistics = NDArray[np.int64]  # [segments, 3 * orders], as sacreBLEU has them


class CHRF:
    """chrF and chrF++ with the interface and the results of sacreBLEU 2.6.0's ``CHRF``.

    Parameters
    ----------
    char_order : int
        Longest character n-gram, 0 to 10.
    word_order : int
        Longest word n-gram, 0 to 4; 2 is chrF++. Not 0 together with char_order.
    beta : int, float or Fraction
        Weight of recall against precision.
    lowercase, whitespace, eps_smoothing : bool
        Lower-case first; keep whitespace inside character n-grams; average the F of every order,
        with 1e-16 for what is missing, as chrF++.py does.
    references : sequence of sequences of str or None, optional
        Streams of references, used wherever a corpus is scored without any.

    Raises
    ------
    TypeError, ValueError
        An option out of range, or references for which `corpus_score` raises.

    Notes
    -----
    Scores are equal to sacreBLEU's to the last bit, with several references too, where rounding
    decides which of two equally good ones counts. Signatures are equal as text, and so name
    sacreBLEU's version; see `CHRFSignature.engine`. Intervals differ by sacreBLEU's 32-bit
    rounding: here counts are added as integers. Signatures give the number of the references
    last used; sacreBLEU's goes wrong when cached references follow others.

    Where sacreBLEU is imported, instances are instances of its ``Metric``, too.

    ``sacrebleu.significance.PairedTest`` takes this class as a metric. The test then adds counts
    up itself, in 32-bit floats, and takes seed 0 for no seed.

    Examples
    --------
    >>> metric = CHRF(word_order=2)
    >>> metric.corpus_score(["the cat sat"], [["the cat sits"]])
    chrF2++ = 60.39
    >>> metric.get_signature()
    nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0
    """

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    num_refs: int  # absent until references were read

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: Beta = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        if not isinstance(eps_smoothing, bool):
            raise TypeError(f"eps_smoothing is {shown(eps_smoothing)}; it must be True or False")
        checked = Options(
            char_order=char_order, word_order=word_order, lowercase=lowercase, whitespace=whitespace
        )
        self.beta = checked_beta(beta)
        self.char_order = checked.char_order
        self.word_order = checked.word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._ref_cache: ReferenceStreams | None = None
        if references is not None:
            self._ref_cache = read_references(references)
            self.num_refs = self._ref_cache.number

    @property
    def order(self) -> int:
        """Number of n-gram orders."""
        return self.char_order + self.word_order

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> CHRFScore:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of sequences of str or None, or None
            Streams: ``references[r][i]`` is reference r of segment i, None where there is none.
            None in place of the streams stands for those given to the constructor.
        n_bootstrap : int
            Resamples to estimate a 95 % interval from, drawn with the seed in the environment
            variable ``SACREBLEU_SEED``: 12345 if unset, a fresh one if ``none``. None below 2.

        Returns
        -------
        CHRFScore

        Raises
        ------
        TypeError
            A string where a list was meant; an item that is not a string (and named).
        ValueError
            No segments, unequal lengths, a segment without a reference, a seed that is none.
        RuntimeError
            No references, here or in the constructor.
        """
        draws = whole_number(n_bootstrap)
        if draws is None:
            raise TypeError(f"n_bootstrap is {shown(n_bootstrap)}; it must be an integer")
        if draws > 1:
            seed_text, seed = _read_seed()
            counts = self._extract_corpus_statistics(hypotheses, references)
            score = self._aggregate_and_compute(counts)
            score.set_interval(self._resampled_scores(counts, draws, seed))
            self.n_bootstrap, self.seed = draws, seed_text
            return score
        totals = [0] * (3 * self.order)
        for block in self._blocks(*self._read(hypotheses, references), lowercase=self.lowercase):
            totals = [a + b for a, b in zip(totals, block.sum(axis=0).tolist(), strict=True)]
        return self._compute_score_from_stats(totals)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> CHRFScore:
        """Score one segment against the best of its references, of which None is none."""
        if not isinstance(hypothesis, str):
            raise TypeError(f"hypothesis is {type(hypothesis).__name__}, not a string")
        streams = [[text] for text in read_texts("references", references, missing=True)]
        return self._aggregate_and_compute(self._extract_corpus_statistics([hypothesis], streams))

    def get_signature(self) -> CHRFSignature:
        """Return what was computed.

        Raises
        ------
        ValueError
            Nothing was scored yet, and the constructor got no references.
        """
        return CHRFSignature(self.__dict__)

    @property  # type: ignore[misc]
    def __class__(self) -> type[CHRF]:
        """The class, which is one of sacreBLEU's metrics as soon as sacreBLEU is imported.

        ``isinstance`` asks for it before it looks for base classes, and so finds the class
        registered, whichever of the two packages was imported first.
        """
        _register()
        return type(self)

    # The methods that follow have sacreBLEU's names, because PairedTest and third parties call
    # them.

    def _preprocess_segment(self, sent: str) -> str:
        """Lower-case a text, where the option asks for it."""
        return sent.lower() if self.lowercase else sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return preprocessed references as `_compute_segment_statistics` takes them.

        They stay texts; sacreBLEU makes counters of their n-grams.
        """
        return {"references": read_texts("references", refs)}

    def _cache_references(self, references: Sequence[Sequence[str | None]]) -> list[dict[str, Any]]:
        """Return what `_extract_reference_info` makes of each segment's references."""
        streams = read_references(references)
        self.num_refs = streams.number
        rows = zip(*streams.streams, strict=True)
        present = ([text for text in row if text is not None] for row in rows)
        return [
            self._extract_reference_info([self._preprocess_segment(text) for text in texts])
            for texts in present
        ]

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: Mapping[str, Any]
    ) -> list[int]:
        """Count a preprocessed segment against the best of its references: [3 * orders].

        Without references the list is empty.
        """
        if "references" not in ref_kwargs:
            raise TypeError("ref_kwargs must come from _extract_reference_info of this class")
        texts = ref_kwargs["references"]
        if not texts:
            return []
        streams = ReferenceStreams([[text] for text in texts], len(texts))
        [block] = self._blocks([hypothesis], streams, lowercase=False)
        counts: list[int] = block[0].tolist()
        return counts

    def _compute_f_score(self, statistics: Sequence[int]) -> float:
        """Score summed counts."""
        return f_score(statistics, self.beta, self.eps_smoothing)

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> SegmentStatistics:
        """Count each segment against its best reference: [segments, 3 * orders]."""
        texts, streams = self._read(hypotheses, references)
        counts = np.empty((len(texts), 3 * self.order), dtype=np.int64)
        start = 0
        for block in self._blocks(texts, streams, lowercase=self.lowercase):
            counts[start : start + len(block)] = block
            start += len(block)
        return counts

    def _aggregate_and_compute(
        self, stats: Sequence[Sequence[int]] | SegmentStatistics
    ) -> CHRFScore:
        """Score the sum of the counts of segments."""
        return self._compute_score_from_stats(np.asarray(stats, dtype=np.int64).sum(axis=0))

    def _compute_score_from_stats(self, stats: Sequence[int] | NDArray[Any]) -> CHRFScore:
        """Score summed counts, which may be integers in floats of any width."""
        counts = stats.tolist() if isinstance(stats, np.ndarray) else stats
        score = f_score(counts, self.beta, self.eps_smoothing)
        return CHRFScore(score, self.char_order, self.word_order, self.beta)

    def _read(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> tuple[list[str], ReferenceStreams]:
        streams = self._ref_cache if references is None else read_references(references)
        if streams is None:
            raise RuntimeError("there are no references: none given, and none in the constructor")
        texts = read_texts("hypotheses", hypotheses)
        if len(texts) != len(streams):
            found = counted(len(texts), "items")
            message = f"hypotheses has {found} but references[0] has {len(streams)}"
            if len(texts) == len(streams.streams):
                message += (
                    "; the references look transposed: give one list for each reference stream, "
                    "not for each hypothesis: list(zip(*references))"
                )
            raise ValueError(message)
        if not texts:
            raise ValueError("there are no segments: hypotheses and references are empty")
        self.num_refs = streams.number
        return texts, streams

    def _blocks(
        self, hypotheses: list[str], references: ReferenceStreams, *, lowercase: bool
    ) -> Iterator[SegmentStatistics]:
        """Count against the best references, [segments, 3 * orders], some segments at a time."""
        options = Options(
            char_order=self.char_order,
            word_order=self.word_order,
            lowercase=lowercase,
            whitespace=self.whitespace,
        )
        for start in range(0, len(hypotheses), LARGEST_BLOCK):
            texts = hypotheses[start : start + LARGEST_BLOCK]
            best = np.zeros((len(texts), 3 * self.order), dtype=np.int64)
            highest = np.full(len(texts), -1.0)
            for stream in references.streams:
                others = stream[start : start + LARGEST_BLOCK]
                rows = [i for i, other in enumerate(others) if other is not None]
                pairs = Segments([texts[i] for i in rows], [others[i] for i in rows])
                counts = pairs.count(0, len(rows), options).counts("sacrebleu")
                counts = counts.reshape(len(rows), 3 * self.order)
                if len(references.streams) == 1:
                    best = counts
                    break
                scores = f_scores(counts, self.beta, self.eps_smoothing)
                places = np.array(rows, dtype=np.intp)
                better = scores > highest[places]
                best[places[better]] = counts[better]
                highest[places[better]] = scores[better]
            yield best

    def _resampled_scores(
        self, counts: SegmentStatistics, draws: int, seed: int | None
    ) -> list[float]:
        """Return the scores of resamples of the segments, those that sacreBLEU draws."""
        rows = counts.reshape(len(counts), self.order, 3)
        [sums] = resample_sums([rows], draws, np.random.default_rng(seed))
        flat = sums.reshape(draws, -1)
        scores: list[float] = f_scores(flat, self.beta, self.eps_smoothing).tolist()
        return scores


def _register() -> None:
    """Register `CHRF` as one of sacreBLEU's metrics where sacreBLEU is imported already."""
    base = getattr(sys.modules.get("sacrebleu.metrics.base"), "Metric", None)
    if base is not None and not issubclass(CHRF, base):
        base.register(CHRF)


_register()


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: Beta = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus; see `CHRF.corpus_score`."""
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
    """Score one segment; see `CHRF.sentence_score`."""
    whitespace = not remove_whitespace
    metric = CHRF(char_order, word_order, beta, whitespace=whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)


def _read_seed() -> tuple[str, int | None]:
    """Return the seed as the signature shows it, and as NumPy takes it; 0 is a seed as well."""
    text = os.environ.get(SEED_VARIABLE, str(SEED)).lower()
    if text == "none":
        return text, None
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise ValueError(
            f"the environment variable {SEED_VARIABLE} is {shown(text)}; it must be an integer of "
            "at least 0, or none for another seed at each run"
        )
    return text, seed
