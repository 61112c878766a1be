"""`CHRF`, for programs written for sacreBLEU: the same calls, doubles, texts and intervals.

``import chrf.sacrebleu as sacrebleu`` serves a program that uses ``sacrebleu.CHRF``,
``sacrebleu.corpus_chrf`` and ``sacrebleu.sentence_chrf``. Its scores are sacreBLEU's doubles, made
from exact counts by the same operations in the same order; `chrf.corpus_score` gives exact ones.
"""

from chrf.sacrebleu.functions import corpus_chrf, sentence_chrf
from chrf.sacrebleu.metric import CHRF
from chrf.sacrebleu.score import CHRFScore
from chrf.sacrebleu.signature import COMPATIBLE_VERSION, CHRFSignature

__all__ = [
    "CHRF",
    "COMPATIBLE_VERSION",
    "CHRFScore",
    "CHRFSignature",
    "corpus_chrf",
    "sentence_chrf",
]
